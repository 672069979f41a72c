package compiler

import (
	"slices"

	"github.com/snodo-lang/snodo/compiler/plan"
	"github.com/snodo-lang/snodo/lang"
)

// stepFor says for which verdicts a step is.
var stepFor = map[string][]plan.Verdict{
	plan.DoHalt:    {plan.Warn, plan.Blocker},
	plan.DoAsk:     {plan.Warn, plan.Unclear},
	plan.DoRecover: {plan.Warn, plan.Blocker},
	plan.DoGather:  {plan.Unclear},
}

// ends reports whether a route may end in a step.
func ends(step string) bool { return step == plan.DoHalt || step == plan.DoAsk }

// routes reports what is wrong with the routes of a gate, and the verdicts
// that have none.
func (c *compilation) routes(v *gateView) {
	given := make(map[plan.Verdict]bool)
	for _, r := range v.gateForm.routes {
		verdict := plan.Verdict(r.node.Verdict.Text)
		given[verdict] = true
		switch {
		case neverRouted[string(verdict)]:
			c.report(routesOutcome(r.node.Verdict))
		case c.steps(v, r, verdict):
			if !v.decides(verdict, v.maybe(verdict)) {
				c.report(routesIdle(r.node, v, verdict))
			}
		}
	}
	for _, verdict := range []plan.Verdict{plan.Warn, plan.Unclear, plan.Blocker} {
		if v.decides(verdict, len(v.due(verdict))) && !given[verdict] {
			c.report(c.unrouted(v, verdict))
		}
	}
}

// steps examines the steps of one route. It is false where one of them is
// not for the verdict: then the verdict is not looked at as well.
func (c *compilation) steps(v *gateView, r *routeForm, verdict plan.Verdict) bool {
	good := true
	refused := false // the last step was
	seen := make(map[string]lang.Name)
	ended := ""
	for i, s := range r.steps {
		word := s.node.Word.Text
		before, twice := seen[word]
		refused = true
		switch {
		case ended != "":
			c.report(goesOn(s.node, ended))
			return good
		case twice:
			c.report(stepTwice(s.node, before))
		case !slices.Contains(stepFor[word], verdict):
			c.report(c.stepMisfits(v, r, i, verdict))
			good = false
		case word == plan.DoRecover && v.phase == plan.PreExecute:
			c.report(recoverTooEarly(s.node, v))
			good = false
		case word == plan.DoRecover && v.stage.kind() == lang.KindReview:
			c.report(recoverInReview(s.node, v))
			good = false
		case word == plan.DoGather && !c.obtainable(v):
			c.report(gathersNothing(s.node, v))
		default:
			refused = false
		}
		seen[word] = s.node.Word
		if ends(word) {
			ended = word
		}
	}
	// Of a step that was refused it was said what to write instead.
	if ended == "" && !refused {
		c.report(neverEnds(r.node, verdict, c.someRole(v)))
	}
	return good
}

// contested reports whether another declaration has the name of f, so that it
// may be the one that is meant.
func (c *compilation) contested(f form) bool {
	return len(c.scopes[f.home()].decls[f.declaration().Name.Text]) > 1
}

// obtainable reports whether some evidence that the panel may request can be
// obtained, as far as that is known.
func (c *compilation) obtainable(v *gateView) bool {
	for _, m := range v.deciding {
		j, ok := m.form.(*judgeForm)
		if !ok {
			continue
		}
		if j.requests == nil {
			return true // its lack was reported
		}
		for _, ref := range j.evidence() {
			e, ok := at[*evidenceForm](c.uses, ref)
			if ok && (c.contested(e) || e.obtain != nil || e.present["obtain"] || e.decl.Damaged) {
				return true
			}
		}
	}
	return false
}
