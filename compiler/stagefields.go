package compiler

import (
	"fmt"
	"slices"

	"github.com/snodo-lang/snodo/lang"
	"github.com/snodo-lang/snodo/lang/diag"
)

// stage reads a mode, a review or a task.
func (r *fieldReader) stage(b *block) {
	f := &stageForm{
		base: b.base(), coder: b.ref("coder"), grants: b.grants,
		turns: b.number("turns"), hands: b.refs("hands to"), vague: b.vague,
	}
	r.distinctNames("hands to", namesOf(f.hands))
	if v := b.value("goal"); v != nil {
		// A blank goal is a task without one, which is said where tasks are
		// looked at, and once.
		if t, ok := r.asText("goal", v); ok {
			f.goal = &t
		}
	}
	for _, g := range b.gates {
		switch {
		case b.decl.Kind == lang.KindTask && judging[g.Phase.Text]:
			r.report(taskJudges(g.Phase))
		default:
			b.present[g.Phase.Text] = true
			f.gates = append(f.gates, r.gate(b, g))
		}
	}
	r.out.stages = append(r.out.stages, f)
	r.keep(f)
}

// A gateReader reads the body of one gate.
type gateReader struct {
	*fieldReader
	out   *gateForm
	first map[string]lang.Name // by field, and by verdict behind "->"
}

func (r *fieldReader) gate(b *block, g *lang.Gate) *gateForm {
	out := &gateForm{
		base: base{decl: b.decl, unit: r.unit, present: make(map[string]bool)},
		node: g, phase: g.Phase.Text, blind: g.Damaged,
	}
	gr := &gateReader{fieldReader: r, out: out, first: make(map[string]lang.Name)}
	for _, s := range g.Body {
		gr.take(s)
	}
	if out.blind {
		return out
	}
	if !out.present["panel"] {
		r.report(gateFieldMissing(g, "panel", "list the validators that decide: `panel VALIDATOR, …`"))
		out.blind = true
	}
	if !out.present["proceed"] {
		r.report(gateFieldMissing(g, "proceed when", "say how many passes are needed: `proceed when all pass`"))
	}
	return out
}

// take reads one statement of a gate.
func (gr *gateReader) take(s lang.Stmt) {
	switch s := s.(type) {
	case *lang.Field:
		gr.members(s)
	case *lang.Proceed:
		gr.proceed(s)
	case *lang.Route:
		gr.route(s)
	case *lang.Unknown:
		gr.unknownIn(s)
	default:
		panic(fmt.Sprintf("compiler: no such statement in a gate: %T", s))
	}
}

// unknownIn reports an unknown statement of a gate, and takes it as what it
// was meant to be. Where it may have been meant to be a panel and cannot be
// read as one, nothing is known of the members.
func (gr *gateReader) unknownIn(s *lang.Unknown) {
	words := gr.unknown(s, gatePlace)
	if meant, ok := meaning(s, gatePlace).(lang.Stmt); ok {
		gr.take(meant)
		return
	}
	if routes(s) {
		// Which verdict it was to be the route of is anybody's guess.
		gr.out.blind = true
	}
	for _, word := range words {
		gr.out.present[word] = true
		if word != "proceed" {
			gr.out.blind = true
		}
	}
}

// once reports what stands twice, and whether this is its first time.
func (gr *gateReader) once(key string, word lang.Name, twice func(word, first lang.Name) diag.Diagnostic) bool {
	gr.out.present[key] = true
	if before, ok := gr.first[key]; ok {
		gr.report(twice(word, before))
		return false
	}
	gr.first[key] = word
	return true
}

func (gr *gateReader) members(s *lang.Field) {
	if !gr.once(s.Word.Text, s.Word, fieldTwice) {
		return
	}
	m := &membersForm{field: s, members: gr.asRefs(s.Word.Text, s.Values)}
	if len(m.members) < len(s.Values) {
		gr.out.blind = true
	}
	switch s.Word.Text {
	case "panel":
		gr.out.panel = m
	case "observe":
		gr.out.observe = m
	default:
		panic("compiler: no such field of a gate: " + s.Word.Text)
	}
}

func (gr *gateReader) proceed(s *lang.Proceed) {
	if !gr.once("proceed", s.Word, fieldTwice) {
		return
	}
	gr.out.proceed = &proceedForm{node: s}
	if s.All == nil {
		need, of := gr.asNumber("proceed when", s.Need), gr.asNumber("proceed when", s.Of)
		if need != nil && of != nil {
			gr.out.proceed.need, gr.out.proceed.of = need, of
		}
	}
}

func (gr *gateReader) route(s *lang.Route) {
	if !slices.Contains(routed, s.Verdict.Text) && !neverRouted[s.Verdict.Text] {
		gr.report(wordUnknown(s.Verdict, "verdict that is routed", routed, gr.verdicts()))
		gr.out.blind = true
		return
	}
	if !gr.once(s.Verdict.Text+" ->", s.Verdict, routeTwice) {
		return
	}
	f := &routeForm{node: s}
	for _, step := range s.Steps {
		if !slices.Contains(stepWords, step.Word.Text) {
			gr.report(wordUnknown(step.Word, "step of a route", stepWords, stepsOf(s)))
			gr.out.blind = true
			continue
		}
		f.steps = append(f.steps, gr.step(step))
	}
	gr.out.routes = append(gr.out.routes, f)
}

// verdicts are those that the gate routes, however many times.
func (gr *gateReader) verdicts() []string {
	var out []string
	for _, s := range gr.out.node.Body {
		if r, ok := s.(*lang.Route); ok {
			out = append(out, r.Verdict.Text)
		}
	}
	return out
}

func stepsOf(r *lang.Route) []string {
	var out []string
	for _, s := range r.Steps {
		out = append(out, s.Word.Text)
	}
	return out
}

// neverRouted are the outcomes that a gate has and a route never handles.
var neverRouted = set("pass", "error")

func (gr *gateReader) step(s *lang.Step) stepForm {
	f := stepForm{node: s}
	switch s.Word.Text {
	case "ask":
		if ref, ok := s.Arg.(lang.Ref); ok {
			f.role = &ref
		} else {
			gr.report(stepTakes(s, "a role", "ask ROLE"))
		}
	case "recover":
		if n, ok := s.Arg.(lang.Number); ok {
			f.times = &n
		} else {
			gr.report(stepTakes(s, "the number of times that the coder may try again", "recover 2"))
		}
	case "halt", "gather":
		if s.Arg != nil {
			gr.report(stepTakes(s, "nothing behind it", s.Word.Text))
		}
	default:
		panic("compiler: no such step of a route: " + s.Word.Text)
	}
	return f
}
