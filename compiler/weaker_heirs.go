package compiler

import (
	"cmp"
	"encoding/json"
	"slices"
	"strings"

	"github.com/snodo-lang/snodo/compiler/plan"
)

// What goes on under another name is found by its content: all that a thing
// is but for its name and what is said about it, names in it being those that
// they have now. Every thing has one heir, and is the heir of one: whatever
// two validators did, one does not do alone. A pair of the same content is
// never weaker, and every other pair is compared, so that no choice among
// several hides anything.

// A likely is a thing by its name in the plan, with what it is compared by.
type likely struct {
	name, content string
	kind          string // things of another kind never go on in it
}

// heirs finds what goes on of before, both being in the order of their
// declarations: the same under its name, the same under another name, a moved
// declaration before others, then whatever has its name, and last what is
// declared under the same word in another package.
func heirs(before, now []likely) map[string]string {
	out := make(map[string]string)
	for _, by := range []func(likely) string{
		func(l likely) string { return l.name + "\n" + l.content },
		func(l likely) string { return word(l.name) + "\n" + l.content },
		func(l likely) string { return l.content },
		func(l likely) string { return l.name + "\n" + l.kind },
		func(l likely) string { return word(l.name) + "\n" + l.kind },
	} {
		before, now = pair(before, now, by, out)
	}
	return out
}

// pair enters what is equal by a key as heirs, in order, and returns what is
// left on either side.
func pair(before, now []likely, by func(likely) string, out map[string]string) (left, free []likely) {
	candidates := make(map[string][]likely)
	for _, l := range now {
		candidates[by(l)] = append(candidates[by(l)], l)
	}
	taken := make(map[string]bool)
	for _, old := range before {
		key := by(old)
		if len(candidates[key]) == 0 {
			left = append(left, old)
			continue
		}
		heir := candidates[key][0].name
		out[old.name], taken[heir], candidates[key] = heir, true, candidates[key][1:]
	}
	return left, slices.DeleteFunc(slices.Clone(now), func(l likely) bool { return taken[l.name] })
}

// merged adds to the heirs of people and of evidence those who have no heir of
// their own and are the same as another: two who are one ask no less.
func merged(heirs map[string]string, before, now []likely) map[string]string {
	byContent := make(map[string]string)
	for _, l := range slices.Backward(now) {
		byContent[l.content] = l.name
	}
	for _, old := range before {
		if _, ok := heirs[old.name]; ok {
			continue
		}
		if heir, ok := byContent[old.content]; ok {
			heirs[old.name] = heir
		}
	}
	return heirs
}

// word returns what a thing is declared as, without the path of its package.
func word(name string) string { return name[strings.LastIndexByte(name, '.')+1:] }

// likelies returns things in the order of their declarations.
func likelies[T any](s snapshot, things map[string]T, describe func(name string, thing T) (kind string, content any)) []likely {
	var out []likely
	for name, thing := range things {
		kind, content := describe(name, thing)
		out = append(out, likely{name, canonical(content), kind})
	}
	slices.SortFunc(out, func(a, b likely) int {
		x, y := s.declared[a.name].declaration().Header, s.declared[b.name].declaration().Header
		return cmp.Or(cmp.Compare(x.File, y.File), cmp.Compare(x.Start.Offset, y.Start.Offset))
	})
	return out
}

// canonical writes a content so that equal ones are equal texts.
func canonical(content any) string {
	text, err := json.Marshal(content)
	if err != nil {
		panic("compiler: " + err.Error())
	}
	return string(text)
}

// A renaming gives the names of a plan that they have now, and nothing for
// what is gone, which is the name of nothing.
type renaming func(name string) string

func heirIn(heirs map[string]string) renaming { return func(name string) string { return heirs[name] } }
func asItIs(name string) string               { return name }

// all renames a set of names.
func (r renaming) all(names []string) []string {
	out := make([]string, len(names))
	for i, n := range names {
		out[i] = r(n)
	}
	slices.Sort(out)
	return out
}

func (c *comparison) roleHeirs() map[string]string {
	describe := func(_ string, r plan.Role) (string, any) { return "role", r }
	before, now := likelies(c.was, c.was.plan.Roles, describe), likelies(c.is, c.is.plan.Roles, describe)
	return merged(heirs(before, now), before, now)
}

func (c *comparison) evidenceHeirs() map[string]string {
	describe := func(owner renaming) func(string, plan.Evidence) (string, any) {
		return func(_ string, e plan.Evidence) (string, any) {
			if e.Owner != nil {
				name := owner(*e.Owner)
				e.Owner = &name
			}
			return "evidence", e
		}
	}
	before := likelies(c.was, c.was.plan.Evidence, describe(heirIn(c.roles)))
	now := likelies(c.is, c.is.plan.Evidence, describe(asItIs))
	return merged(heirs(before, now), before, now)
}

func (c *comparison) validatorHeirs() map[string]string {
	describe := func(evidence renaming) func(string, plan.Validator) (string, any) {
		return func(_ string, v plan.Validator) (string, any) { return v.OfKind(), contentOf(v, evidence) }
	}
	return heirs(likelies(c.was, c.was.plan.Validators, describe(heirIn(c.evidence))), likelies(c.is, c.is.plan.Validators, describe(asItIs)))
}

// contentOf returns what a validator asks and with what, but for names, titles and
// the order in which it is written.
func contentOf(v plan.Validator, evidence renaming) any {
	switch v := v.(type) {
	case *plan.Judge:
		j := plan.Judge{
			Kind: v.Kind, Phase: v.Phase, Returns: slices.Sorted(slices.Values(v.Returns)),
			Requests: evidence.all(v.Requests), Budget: v.Budget, Model: v.Model,
		}
		for _, k := range v.Criteria {
			j.Criteria = append(j.Criteria, plan.Criterion{Text: k.Text})
		}
		slices.SortFunc(j.Criteria, func(a, b plan.Criterion) int { return cmp.Compare(a.Text, b.Text) })
		return []any{j, reachable(v.Grants)}
	case *plan.Check:
		return v
	case *plan.Rule:
		r := *v
		for _, globs := range []*[]string{&r.Args.Paths, &r.Args.Modified, &r.Args.TestedBy} {
			*globs = slices.Sorted(slices.Values(*globs))
		}
		return r
	}
	panic("compiler: no content of a " + v.OfKind())
}

// reachable returns the globs of every tool, "" standing for everywhere.
func reachable(grants []plan.Grant) map[string][]string {
	out := make(map[string][]string)
	for _, g := range grants {
		in := g.In
		if len(in) == 0 {
			in = []string{""}
		}
		out[g.Tool] = append(out[g.Tool], in...)
	}
	for _, globs := range out {
		slices.Sort(globs)
	}
	return out
}

// stageContent returns who decides in a stage and how, and what it may do.
// The coder is not part of it: nobody is judged less because another works.
func (s snapshot) stageContent(name string, validator, role renaming) any {
	stage := s.plan.Stages[name]
	route := func(r plan.Route) []string {
		out := []string{}
		for _, a := range r {
			step := a.Do
			switch a.Do {
			case plan.DoAsk:
				step += " " + role(a.Role)
			case plan.DoRecover:
				step += " " + shownNumber(int64(a.Times))
			}
			out = append(out, step)
		}
		return out
	}
	var gates []any
	for _, g := range s.gates(name) {
		gates = append(gates, []any{g.Phase, validator.all(g.Panel), validator.all(g.Observe), g.Need,
			route(g.Next.Warn), route(g.Next.Unclear), route(g.Next.Blocker)})
	}
	return []any{stage.Goal, reachable(stage.Grants), slices.Sorted(slices.Values(stage.Powers)), gates}
}

// stageHeirs finds what goes on of each stage: the stage of its name, since a
// run may be told it, and of the rest the one of its content, the one that a
// run begins in, one of its kind, most like it first, and of a mode a task.
func (c *comparison) stageHeirs() map[string]string {
	describe := func(s snapshot, validator, role renaming) func(string, plan.Stage) (string, any) {
		return func(name string, stage plan.Stage) (string, any) {
			return stage.Kind, s.stageContent(name, validator, role)
		}
	}
	before := likelies(c.was, c.was.plan.Stages, describe(c.was, heirIn(c.validators), heirIn(c.roles)))
	now := likelies(c.is, c.is.plan.Stages, describe(c.is, asItIs, asItIs))
	out := make(map[string]string)
	before, now = pair(before, now, func(l likely) string { return l.name }, out)
	before, now = pair(before, now, func(l likely) string { return l.kind + "\n" + l.content }, out)
	left, free := sortedNames(before), sortedNames(now)
	for len(left) > 0 {
		best, match := 0, [2]string{}
		for _, old := range left {
			for _, now := range free {
				if l := c.likeness(old, now); l > best {
					best, match = l, [2]string{old, now}
				}
			}
		}
		if best == 0 {
			return out
		}
		out[match[0]] = match[1]
		left = slices.DeleteFunc(left, func(s string) bool { return s == match[0] })
		free = slices.DeleteFunc(free, func(s string) bool { return s == match[1] })
	}
	return out
}

func sortedNames(all []likely) []string {
	var out []string
	for _, l := range all {
		out = append(out, l.name)
	}
	slices.Sort(out)
	return out
}

// likeness says how much a stage of another name is what a stage was: 0 for
// not at all.
func (c *comparison) likeness(old, now string) int {
	was, is := c.was.plan.Stages[old].Kind, c.is.plan.Stages[now].Kind
	const (
		replaced = 1 // a task in the place of a mode
		kindred  = 2
		begins   = 1 << 16
	)
	switch {
	case was == is && c.was.plan.Protocol.Starts == old && c.is.plan.Protocol.Starts == now:
		return begins
	case was == is:
		shared := kindred
		after := c.is.deciding(now)
		for v := range c.was.deciding(old) {
			if _, ok := after[c.validators[v]]; ok {
				shared++
			}
		}
		return shared
	case was == plan.Mode && is == plan.Task:
		return replaced
	}
	return 0
}
