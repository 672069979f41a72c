package compiler

import (
	"slices"

	"github.com/snodo-lang/snodo/compiler/plan"
	"github.com/snodo-lang/snodo/lang"
)

// checkGates looks at who decides in every gate, how many passes it needs,
// and what happens for every verdict that it can come to.
func checkGates(c *compilation) error {
	for _, u := range c.units {
		for _, s := range c.forms[u].stages {
			seen := make(map[string]map[form]lang.Ref)
			for _, g := range s.gates {
				v, ok := c.view(s, g)
				if !ok {
					continue
				}
				c.members(v, seen)
				c.proceeds(v)
				c.routes(v)
			}
		}
	}
	return nil
}

// A member is one validator of a gate.
type member struct {
	ref  lang.Ref
	form form
}

// A gateView is a gate with its members, and what they can return.
type gateView struct {
	*gateForm
	stage    *stageForm
	deciding []member
	watching []member
}

// view follows the members of a gate. It is false for a gate in which
// something was not understood: such a gate is examined no further.
func (c *compilation) view(s *stageForm, g *gateForm) (*gateView, bool) {
	if g.blind || g.panel == nil {
		return nil, false
	}
	v := &gateView{gateForm: g, stage: s}
	var ok bool
	if v.deciding, ok = c.follow(g.panel); !ok {
		return nil, false
	}
	v.watching, ok = c.follow(g.observe)
	return v, ok
}

// follow returns the members of a list. It is false where one, or what it
// may request, is not known.
func (c *compilation) follow(list *membersForm) ([]member, bool) {
	if list == nil {
		return nil, true
	}
	var out []member
	for _, ref := range list.members {
		f, ok := c.uses[ref.Range]
		if !ok {
			return nil, false
		}
		if j, ok := f.(*judgeForm); ok && !c.requestsKnown(j) {
			return nil, false
		}
		out = append(out, member{ref, f})
	}
	return out, true
}

// requestsKnown reports whether all that j requests resolves.
func (c *compilation) requestsKnown(j *judgeForm) bool {
	if j.requests != nil && j.requests.vague {
		return false
	}
	for _, ref := range j.evidence() {
		if _, ok := at[*evidenceForm](c.uses, ref); !ok {
			return false
		}
	}
	return true
}

// returnsOf returns the verdicts that a validator can return. What a judge's
// returns lacks is taken to be there: its lack was reported.
func returnsOf(f form) []plan.Verdict {
	j, ok := f.(*judgeForm)
	if !ok {
		return []plan.Verdict{plan.Pass, plan.Blocker}
	}
	if j.returns != nil && slices.ContainsFunc(j.returns.verdicts, func(n lang.Name) bool { return n.Text == string(plan.Warn) }) {
		return []plan.Verdict{plan.Pass, plan.Warn, plan.Unclear, plan.Blocker}
	}
	return []plan.Verdict{plan.Pass, plan.Unclear, plan.Blocker}
}

// mayReturn reports whether a validator returns a verdict, or is written so
// that it cannot be told.
func mayReturn(f form, verdict plan.Verdict) bool {
	if j, ok := f.(*judgeForm); ok && (j.returns == nil && j.decl.Damaged || j.returns != nil && j.returns.vague) {
		return true
	}
	return slices.Contains(returnsOf(f), verdict)
}

// returning returns the members of the panel that can return a verdict.
func (v *gateView) returning(verdict plan.Verdict) []member {
	return slices.DeleteFunc(slices.Clone(v.deciding), func(m member) bool {
		return !slices.Contains(returnsOf(m.form), verdict)
	})
}

// due returns the members of the panel that can return a verdict and belong
// where they stand. Another phase's were reported, and ask for no route.
func (v *gateView) due(verdict plan.Verdict) []member {
	return slices.DeleteFunc(v.returning(verdict), func(m member) bool { return v.strays(m) })
}

// strays reports whether a member belongs to the other phase.
func (v *gateView) strays(m member) bool {
	p := phaseOf(m.form)
	return p != nil && p.Text != v.phase && !ruleBefore(m.form, p)
}

// need returns the passes that the gate asks for. A number that does not fit
// the panel, which is reported, counts as all.
func (v *gateView) need() int {
	all := len(v.deciding)
	p := v.proceed
	if p == nil || p.need == nil || !fits(p, all) {
		return all
	}
	return p.need.Value
}

func fits(p *proceedForm, size int) bool {
	return p.of.Value == size && p.need.Value >= 1 && p.need.Value <= size
}

// decides reports whether the gate comes to a verdict when as many members
// of its panel as can return it do. Warns are tolerated as long as enough
// others pass.
func (v *gateView) decides(verdict plan.Verdict, members int) bool {
	if verdict == plan.Warn {
		return members > len(v.deciding)-v.need()
	}
	return members > 0
}

// maybe counts the members of the panel that may return a verdict.
func (v *gateView) maybe(verdict plan.Verdict) int {
	n := 0
	for _, m := range v.deciding {
		if mayReturn(m.form, verdict) {
			n++
		}
	}
	return n
}

// members reports validators of the other phase, and those that stand twice
// in the gates of one phase. Those of earlier gates, by phase, are seen, and
// its own are added.
func (c *compilation) members(v *gateView, seen map[string]map[form]lang.Ref) {
	first := seen[v.phase]
	if first == nil {
		first = make(map[form]lang.Ref)
		seen[v.phase] = first
	}
	own := slices.Concat(v.deciding, v.watching)
	for _, m := range own {
		if before, ok := first[m.form]; ok {
			c.report(memberTwice(m, before, v))
			continue
		}
		first[m.form] = m.ref
		if v.strays(m) {
			c.report(otherPhase(m, phaseOf(m.form), v))
		}
	}
	for _, m := range own {
		first[m.form] = m.ref
	}
	if v.observe != nil && len(v.watching) > 0 {
		c.report(observes(v))
	}
}

func phaseOf(f form) *lang.Name {
	switch f := f.(type) {
	case *judgeForm:
		return f.phase
	case *checkForm:
		return f.phase
	case *ruleForm:
		return f.phase
	}
	panic("compiler: no such validator")
}

// ruleBefore reports whether f is a rule that is set before the work, which
// is wrong of the rule and was reported there.
func ruleBefore(f form, phase *lang.Name) bool {
	_, isRule := f.(*ruleForm)
	return isRule && phase.Text == plan.PreExecute
}

// proceeds reports a number of passes that does not fit the panel, or has no
// effect.
func (c *compilation) proceeds(v *gateView) {
	p := v.proceed
	if p == nil || p.need == nil {
		return
	}
	switch size := len(v.deciding); {
	case !fits(p, size):
		c.report(needMisfits(p, size))
	case p.need.Value < size && v.maybe(plan.Warn) == 0:
		c.report(needIdle(p, v))
	}
}
