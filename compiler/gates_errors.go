package compiler

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/snodo-lang/snodo/compiler/plan"
	"github.com/snodo-lang/snodo/lang"
	"github.com/snodo-lang/snodo/lang/diag"
)

func memberTwice(m member, before lang.Ref, v *gateView) diag.Diagnostic {
	return diag.Diagnostic{
		Code: diag.SN515, Range: m.ref.Range,
		Message: fmt.Sprintf("`%s` stands twice in the %s gates of %s", m.ref, v.phase, called(v.stage.decl)),
		Help:    "list it once: in the `panel` of one gate if it decides, under `observe` if it does not",
		Related: []diag.Related{{Range: before.Range, Message: "the first time"}},
	}
}

func otherPhase(m member, phase *lang.Name, v *gateView) diag.Diagnostic {
	return diag.Diagnostic{
		Code: diag.SN510, Range: m.ref.Range,
		Message: fmt.Sprintf("`%s` belongs to %s, and this gate to %s", m.ref, phase.Text, v.phase),
		Help:    fmt.Sprintf("list it in a `%s` gate, or declare another %s with `phase %s`", phase.Text, m.form.declaration().Kind, v.phase),
		Related: []diag.Related{{Range: phase.Range, Message: "its phase"}},
	}
}

func observes(v *gateView) diag.Diagnostic {
	var names []string
	for _, m := range v.watching {
		names = append(names, m.ref.String())
	}
	gates, it := "gates", "it"
	if len(names) > 1 {
		gates, it = "gate", "them"
	}
	return diag.Diagnostic{
		Code: diag.SN520, Range: v.observe.field.Range,
		Message: fmt.Sprintf("%s never %s: what an observer says is recorded and stops nothing", list(names), gates),
		Help:    fmt.Sprintf("to let %s decide, list %s in the `panel`", it, it),
	}
}

func needMisfits(p *proceedForm, size int) diag.Diagnostic {
	d := diag.Diagnostic{
		Code: diag.SN511, Range: p.need.Range.To(p.of.Range),
		Message: fmt.Sprintf("`%d of %d` passes do not fit a panel of %d", p.need.Value, p.of.Value, size),
		Help:    fmt.Sprintf("write `K of %d` with K from 1 to %d, or `all`", size, size),
	}
	if size == 1 {
		d.Help = "the panel has one member: write `1 of 1`, or `all`"
		return d
	}
	if p.of.Value != size && p.need.Value >= 1 && p.need.Value <= size {
		d.Help = fmt.Sprintf("the panel has %s: write `%d of %d`, or `all`", plural(size, "member"), p.need.Value, size)
	}
	return d
}

func needIdle(p *proceedForm, v *gateView) diag.Diagnostic {
	return diag.Diagnostic{
		Code: diag.SN514, Range: p.need.Range.To(p.of.Range),
		Message: fmt.Sprintf("`%d of %d` has no effect: only a warn can be outvoted, and no member of the panel returns one", p.need.Value, p.of.Value),
		Help:    "write `proceed when all pass`, or let a judge return it: `returns pass, warn, unclear, blocker`",
		Related: []diag.Related{{Range: v.panel.field.Range, Message: "the panel"}},
	}
}

func routesOutcome(verdict lang.Name) diag.Diagnostic {
	d := diag.Diagnostic{
		Code: diag.SN512, Range: verdict.Range,
		Message: "a pass is never routed: it proceeds",
		Help:    "leave this route out; what follows a gate is the next gate",
	}
	if verdict.Text == "error" {
		d.Message = "an error is no verdict and is never routed: it halts as validator_error"
		d.Help = "leave this route out; a validator that must not stop the work stands under `observe`"
	}
	return d
}

func routesIdle(r *lang.Route, v *gateView, verdict plan.Verdict) diag.Diagnostic {
	d := diag.Diagnostic{
		Code: diag.SN502, Range: r.Verdict.Range,
		Message: fmt.Sprintf("`%s` is routed, and no member of the panel can return it", verdict),
		Help:    "leave this route out",
		Related: []diag.Related{{Range: v.panel.field.Range, Message: "the panel"}},
	}
	if can := v.returning(verdict); len(can) > 0 {
		d.Message = fmt.Sprintf("`%s` is routed, and the gate always tolerates it: %d of %d passes are needed, and only %s can return it",
			verdict, v.need(), len(v.deciding), list(refNames(can)))
		d.Help = "leave this route out, or ask for more passes: `proceed when all pass`"
	} else if verdict == plan.Warn {
		d.Help = "leave this route out, or let a judge return it: `returns pass, warn, unclear, blocker`"
	}
	return d
}

func refNames(members []member) []string {
	var out []string
	for _, m := range members {
		out = append(out, m.ref.String())
	}
	return out
}

// unrouted says that a verdict can come and has no route, and offers one.
func (c *compilation) unrouted(v *gateView, verdict plan.Verdict) diag.Diagnostic {
	role := c.someRole(v)
	route := c.proposal(v, verdict, role)
	d := diag.Diagnostic{
		Code: diag.SN501, Range: v.node.Header,
		Message: fmt.Sprintf("`%s` has no route in this gate, and %s can return it", verdict, list(refNames(v.due(verdict)))),
		Help:    fmt.Sprintf("say what happens then: `%s`", route),
	}
	if (verdict != plan.Unclear || role.certain) && len(v.node.Body) > 0 {
		d.Edits = []diag.Edit{c.lineBehind(v.node, route)}
	}
	return d
}

// lineBehind puts a statement on a line of its own behind the last one of a
// gate, and behind the comment that may follow it.
func (c *compilation) lineBehind(g *lang.Gate, statement string) diag.Edit {
	last := g.Body[len(g.Body)-1].Span()
	indent := strings.Repeat(" ", last.Start.Column-1)
	if last.Start.Line == g.Header.Start.Line {
		indent = strings.Repeat(" ", g.Header.Start.Column+1)
	}
	at := last.End
	rest, _, _ := strings.Cut(string(c.textOf(last.File)[at.Offset:]), "\n")
	rest = strings.TrimRight(rest, "\r")
	if comment := strings.TrimLeft(rest, " \t"); strings.HasPrefix(comment, "//") {
		at.Offset += len(rest)
		at.Column += utf8.RuneCountInString(rest)
	}
	return diag.Edit{Range: diag.Range{File: last.File, Start: at, End: at}, Text: "\n" + indent + statement}
}

// proposal returns the plainest route for a verdict.
func (c *compilation) proposal(v *gateView, verdict plan.Verdict, role roleGuess) string {
	if verdict != plan.Unclear {
		return fmt.Sprintf("%s -> halt", verdict)
	}
	if c.obtainable(v) {
		return fmt.Sprintf("unclear -> gather then ask %s", role.name)
	}
	return fmt.Sprintf("unclear -> ask %s", role.name)
}

// misfit says why a step is not for a verdict.
var misfit = map[string]map[plan.Verdict]string{
	plan.DoHalt: {
		plan.Unclear: "an unclear verdict always has somebody to ask",
	},
	plan.DoAsk: {
		plan.Blocker: "a blocker cannot be overruled",
	},
	plan.DoRecover: {
		plan.Unclear: "recovery changes the work, and unclear names nothing to change",
	},
	plan.DoGather: {
		plan.Warn:    "a warn needs no evidence: the concern is shown",
		plan.Blocker: "a blocker needs no evidence: the defect is shown",
	},
}

func (c *compilation) stepMisfits(v *gateView, r *routeForm, i int, verdict plan.Verdict) diag.Diagnostic {
	step := r.steps[i].node
	word := step.Word.Text
	d := diag.Diagnostic{
		Code: diag.SN503, Range: step.Range,
		Message: fmt.Sprintf("`%s` is no step for %s verdict", word, withArticle(verdict)),
		Label:   misfit[word][verdict],
	}
	if word == plan.DoRecover {
		d.Message = "an unclear verdict cannot go to recovery"
	}
	if verdict == plan.Unclear {
		role := c.someRole(v)
		for _, s := range r.steps {
			if s.role != nil {
				role = roleGuess{s.role.String(), true}
			}
		}
		d.Help = fmt.Sprintf("ask for the evidence: `%s`", c.proposal(v, verdict, role))
		if c.obtainable(v) {
			d.Help = fmt.Sprintf("gather the evidence, or ask for it: `%s`", c.proposal(v, verdict, role))
		}
		return d
	}
	switch recovers := v.phase == plan.PostExecute && v.stage.kind() == lang.KindMode; {
	case recovers:
		d.Help = fmt.Sprintf("send the findings back to the coder, or stop: `%s -> recover 2 then halt`", verdict)
	default:
		d.Help = fmt.Sprintf("stop the run: `%s -> halt`", verdict)
	}
	return d
}

func withArticle(v plan.Verdict) string {
	if v == plan.Unclear {
		return "an unclear"
	}
	return "a " + string(v)
}

func recoverTooEarly(s *lang.Step, v *gateView) diag.Diagnostic {
	return diag.Diagnostic{
		Code: diag.SN505, Range: s.Range,
		Message: "before the work there is nothing to recover: no coder has been sent",
		Label:   "a proposal is changed by whoever made it",
		Help:    "stop the run: `halt`",
		Related: []diag.Related{{Range: v.node.Phase.Range, Message: "the gate stands before the work"}},
	}
}

func recoverInReview(s *lang.Step, v *gateView) diag.Diagnostic {
	return diag.Diagnostic{
		Code: diag.SN505, Range: s.Range,
		Message: fmt.Sprintf("%s has no coder that could recover the work", called(v.stage.decl)),
		Label:   "a review executes nothing",
		Help:    "stop the run: `halt`; work that is to be repaired belongs in a `mode`",
		Related: []diag.Related{{Range: v.stage.decl.Header, Message: "the review"}},
	}
}

func gathersNothing(s *lang.Step, v *gateView) diag.Diagnostic {
	return diag.Diagnostic{
		Code: diag.SN508, Range: s.Range,
		Message: "there is nothing to gather: no evidence that the panel may request has an `obtain`",
		Help:    "give one an `obtain`, as in `{ obtain \"go\", \"test\", \"{target}\" }`, or leave `gather` out and ask at once",
		Related: []diag.Related{{Range: v.panel.field.Range, Message: "the panel"}},
	}
}

func goesOn(s *lang.Step, ended string) diag.Diagnostic {
	return diag.Diagnostic{
		Code: diag.SN504, Range: s.Range,
		Message: fmt.Sprintf("the route goes on after `%s`, which ends it", ended),
		Help:    fmt.Sprintf("put `%s` last, or leave this step out", ended),
	}
}

func stepTwice(s *lang.Step, before lang.Name) diag.Diagnostic {
	return diag.Diagnostic{
		Code: diag.SN504, Range: s.Range,
		Message: fmt.Sprintf("the route holds `%s` twice", s.Word.Text),
		Help:    "a route holds each step once: leave one of them out",
		Related: []diag.Related{{Range: before.Range, Message: "the first time"}},
	}
}

func neverEnds(r *lang.Route, verdict plan.Verdict, role roleGuess) diag.Diagnostic {
	end := "halt"
	if verdict == plan.Unclear {
		end = "ask " + role.name
	}
	last := r.Steps[len(r.Steps)-1].Range
	d := diag.Diagnostic{
		Code: diag.SN504, Range: last,
		Message: "the route does not end: its last step leads nowhere",
		Help:    fmt.Sprintf("say what happens when that does not help: `then %s`", end),
	}
	if verdict != plan.Unclear || role.certain {
		d.Edits = []diag.Edit{{Range: diag.Range{File: last.File, Start: last.End, End: last.End}, Text: " then " + end}}
	}
	return d
}
