package compiler

import (
	"fmt"
	"slices"
	"strings"

	"github.com/snodo-lang/snodo/compiler/plan"
	"github.com/snodo-lang/snodo/lang/diag"
)

// Gates are not matched with one another: one may be split, joined, put in
// front of another or moved. What is compared is what they ask of each member
// of a gate as it was, wherever that member decides now.

// gates compares what decides in a stage with what decided there.
func (c *comparison) gates(old, now string) {
	after := c.is.gates(now)
	before := c.was.gates(old)
	seen := make(map[diag.Range]bool) // routes that were reported
	for _, g := range before {
		c.members(g, after, now)
		c.passes(g, after)
		for _, h := range after {
			c.routes(g, h, seen)
		}
	}
	for _, g := range before {
		c.split(g, before, after, seen)
	}
}

// split reports a gate that became several, which together send the work back
// more often: each counts for itself. A member that only moved into a gate that
// was there took no recovery with it, so that those of the whole stage are
// compared, as far as somebody of before decides in it.
func (c *comparison) split(g gateAt, before, after []gateAt, seen map[diag.Range]bool) {
	for _, verdict := range []plan.Verdict{plan.Warn, plan.Blocker} {
		once := recoveries(routeFor(g.Gate, verdict))
		var last *routeForm
		parts, total, then, now := 0, 0, 0, 0
		for _, h := range after {
			n := recoveries(routeFor(h.Gate, verdict))
			if n > 0 && c.stillReturn(g, h, verdict) {
				parts, total, last = parts+1, total+n, h.route(verdict)
			}
			if slices.ContainsFunc(before, func(b gateAt) bool { return len(c.kept(b, h)) > 0 }) {
				now += n
			}
		}
		for _, b := range before {
			then += recoveries(routeFor(b.Gate, verdict))
		}
		if parts < 2 || total <= once || now <= then || seen[last.node.Range] {
			continue
		}
		seen[last.node.Range] = true
		c.found.Add(weaker(diag.SN911, last.node.Range, "share the recoveries out among them, or let them stay one gate",
			"%d gates together send the work back for `%s` up to %s, and the one that they were did so up to %s", parts, verdict, times(total), times(once)))
	}
}

// route returns how a route is written.
func (g gateAt) route(verdict plan.Verdict) *routeForm {
	at := slices.IndexFunc(g.written.routes, func(r *routeForm) bool { return r.node.Verdict.Text == string(verdict) })
	return g.written.routes[at]
}

// members reports who decided in a gate and does not decide in its stage any
// more.
func (c *comparison) members(g gateAt, after []gateAt, stage string) {
	for _, name := range g.Panel {
		heir := c.validators[name]
		if slices.ContainsFunc(after, func(h gateAt) bool { return h.Phase == g.Phase && slices.Contains(h.Panel, heir) }) {
			continue
		}
		if at, ok := observing(after, g.Phase, heir); ok {
			c.found.Add(weaker(diag.SN902, at, "list it in the `panel` again", "%s decided here, and now only observes", c.calledNow(heir)))
			continue
		}
		at, where := headerOf(c.is.declared[stage]), c.calledNow(stage)
		if h, ok := c.successor(g, after); ok {
			at = h.written.node.Header
		}
		c.found.Add(weaker(diag.SN901, at, fmt.Sprintf("list it in the `panel` of a %s gate again", g.Phase),
			"%s no longer decides in %s%s", c.calledThen(name), where, c.whereabouts(name)))
	}
}

// whereabouts says, behind a colon, what became of a validator that does not
// decide any more, nothing where it still goes by its name.
func (c *comparison) whereabouts(name string) string {
	heir, is := c.validators[name], c.is.declared[name]
	switch {
	case heir == name:
		return ""
	case heir != "":
		return fmt.Sprintf(": it is called `%s` now", word(heir))
	case is == nil:
		return ": it is gone"
	}
	was := c.was.declared[name].declaration()
	if is.declaration().Kind != was.Kind {
		return fmt.Sprintf(": it is a %s now", is.declaration().Kind)
	}
	if _, planned := c.is.plan.Validators[name]; planned {
		return ": what has its name now is another one"
	}
	return ""
}

// observing returns where a validator stands among the observers of a phase.
func observing(gates []gateAt, phase, name string) (diag.Range, bool) {
	for _, g := range gates {
		if at := slices.Index(g.Observe, name); g.Phase == phase && at >= 0 {
			return g.written.observe.members[at].Range, true
		}
	}
	return diag.Range{}, false
}

// kept returns the members of a gate as it was that decide in h, by the names
// that they have now.
func (c *comparison) kept(g, h gateAt) []string {
	var out []string
	for _, name := range g.Panel {
		if heir, ok := c.validators[name]; ok && g.Phase == h.Phase && slices.Contains(h.Panel, heir) {
			out = append(out, heir)
		}
	}
	return out
}

// successor returns the gate that holds most of what decided in g, and among
// those that hold none the first of its phase.
func (c *comparison) successor(g gateAt, after []gateAt) (gateAt, bool) {
	best, most, found := gateAt{}, -1, false
	for _, h := range after {
		if n := len(c.kept(g, h)); h.Phase == g.Phase && n > most {
			best, most, found = h, n, true
		}
	}
	return best, found
}

// passes reports gates that let more of the members of a gate as it was go
// without a pass than that gate did. Members who left it are reported
// themselves and do not count.
func (c *comparison) passes(g gateAt, after []gateAt) {
	tolerated := func(members int, h gateAt) int { return min(members, len(h.Panel)-h.Need) }
	var holding []gateAt
	var before, then []string // who decides still, and who of them could warn
	could, may, warned, warns := 0, 0, 0, 0
	for _, name := range g.Panel {
		if canWarn(c.was.plan.Validators[name]) {
			then = append(then, name)
		}
		before = append(before, name)
	}
	could, warned = tolerated(len(before), g), tolerated(len(then), g)
	for _, h := range after {
		kept := c.kept(g, h)
		if len(kept) == 0 {
			continue
		}
		holding = append(holding, h)
		may += tolerated(len(kept), h)
		n := 0
		for _, name := range kept {
			if canWarn(c.is.plan.Validators[name]) {
				n++
			}
		}
		warns += tolerated(n, h)
	}
	if may <= could && warns <= warned {
		return
	}
	loose := slices.MaxFunc(holding, func(a, b gateAt) int { return (len(a.Panel) - a.Need) - (len(b.Panel) - b.Need) })
	c.found.Add(fewerPasses(g, loose, len(holding)))
}

func canWarn(v plan.Validator) bool { return slices.Contains(v.CanReturn(), plan.Warn) }

func fewerPasses(g, h gateAt, gates int) diag.Diagnostic {
	was, is := fmt.Sprintf("%d of %d", g.Need, len(g.Panel)), fmt.Sprintf("%d of %d", h.Need, len(h.Panel))
	at, help := h.written.proceed.node.Range, "ask for as many passes again"
	if g.Need == len(g.Panel) {
		help = "write `proceed when all pass` again"
	}
	switch {
	case gates > 1:
		return weaker(diag.SN910, at, help, "%d gates together proceed with fewer passes than the one that they were: it took %s", gates, was)
	case was == is:
		return weaker(diag.SN910, at, help, "this gate proceeds with fewer passes than it took: more of its members can warn, and %s are enough", is)
	}
	return weaker(diag.SN910, at, help, "this gate proceeds with fewer passes than it took: %s are enough, and it was %s", is, was)
}

// routes compares what happens in h for the verdicts of those who decided in
// g, and decide in h now, with what happened for them in g.
func (c *comparison) routes(g, h gateAt, seen map[diag.Range]bool) {
	for _, verdict := range []plan.Verdict{plan.Warn, plan.Unclear, plan.Blocker} {
		was, is := routeFor(g.Gate, verdict), routeFor(h.Gate, verdict)
		if was == nil || is == nil || !c.stillReturn(g, h, verdict) {
			continue
		}
		written := h.route(verdict)
		if seen[written.node.Range] {
			continue
		}
		if why := softer(was, is); why != "" {
			seen[written.node.Range] = true
			c.found.Add(weaker(diag.SN911, written.node.Range, fmt.Sprintf("it was: `%s -> %s`", verdict, shownRoute(was)), "the route of `%s` is softer: %s", verdict, why))
		}
		if old, now := asked(was), asked(is); old != "" && now != "" && c.roles[old] != now {
			seen[written.node.Range] = true
			c.found.Add(weaker(diag.SN912, askedAt(written), fmt.Sprintf("write `ask %s` again", word(old)),
				"`%s` rules on `%s` here, and it was `%s`", word(now), verdict, word(old)))
		}
	}
}

// stillReturn reports whether somebody who decided in g could return a verdict
// then, and can now, in h.
func (c *comparison) stillReturn(g, h gateAt, verdict plan.Verdict) bool {
	return slices.ContainsFunc(g.Panel, func(name string) bool {
		heir, ok := c.validators[name]
		return ok && g.Phase == h.Phase && slices.Contains(h.Panel, heir) &&
			slices.Contains(c.was.plan.Validators[name].CanReturn(), verdict) &&
			slices.Contains(c.is.plan.Validators[heir].CanReturn(), verdict)
	})
}

func routeFor(g *plan.Gate, verdict plan.Verdict) plan.Route {
	switch verdict {
	case plan.Warn:
		return g.Next.Warn
	case plan.Unclear:
		return g.Next.Unclear
	case plan.Blocker:
		return g.Next.Blocker
	}
	panic("compiler: no route for " + string(verdict))
}

// softer says in what a route is softer than it was, nothing where it is not.
func softer(was, is plan.Route) string {
	var how []string
	switch before, after := recoveries(was), recoveries(is); {
	case after <= before:
	case before == 0:
		how = append(how, fmt.Sprintf("it sends the work back up to %s, and did not", times(after)))
	default:
		how = append(how, fmt.Sprintf("it sends the work back up to %s, and it was %d", times(after), before))
	}
	if asked(was) == "" && asked(is) != "" {
		how = append(how, "it asks, and it halted")
	}
	return strings.Join(how, "; ")
}

func times(n int) string { return strings.Replace(plural(n, "time"), "1 time", "once", 1) }

func recoveries(r plan.Route) int {
	for _, a := range r {
		if a.Do == plan.DoRecover {
			return a.Times
		}
	}
	return 0
}

// asked returns the role that a route asks, empty where it asks none.
func asked(r plan.Route) string {
	for _, a := range r {
		if a.Do == plan.DoAsk {
			return a.Role
		}
	}
	return ""
}

func askedAt(r *routeForm) diag.Range {
	for _, s := range r.steps {
		if s.role != nil {
			return s.role.Range
		}
	}
	return r.node.Range
}

// shownRoute writes a route as the language does.
func shownRoute(r plan.Route) string {
	var steps []string
	for _, a := range r {
		switch a.Do {
		case plan.DoRecover:
			steps = append(steps, fmt.Sprintf("recover %d", a.Times))
		case plan.DoAsk:
			steps = append(steps, "ask "+word(a.Role))
		default:
			steps = append(steps, a.Do)
		}
	}
	return strings.Join(steps, " then ")
}
