package importer

import (
	"strings"
)

// A gate is the panel and the observers of one phase, or of a part of it.
type gate struct {
	title          string
	panel, observe []*validator
	voted          bool // the quorum counts here
}

// gates writes the gates of a stage.
func (im *importer) gates(s *stage) {
	before, after := im.split(s, pre), im.split(s, post)
	if len(after) == 0 && (!s.review || len(before) == 0 || len(s.powers) > 0) {
		after = []gate{im.spareGate(s)}
	}
	for _, g := range before {
		im.writeGate(s, pre, g, len(before) > 1)
	}
	for _, g := range after {
		im.writeGate(s, post, g, len(after) > 1)
	}
}

// split returns the gates of a phase: what costs little first, where that
// changes nothing about how the votes are counted.
func (im *importer) split(s *stage, phase string) []gate {
	cheap, judges := gate{title: "rules and checks"}, gate{title: "judges", voted: true}
	add := func(g *gate, v *validator) {
		if v.observed {
			g.observe = append(g.observe, v)
		} else {
			g.panel = append(g.panel, v)
		}
	}
	for _, v := range im.rulesOf(s, phase) {
		add(&cheap, v)
	}
	voters := 0
	for _, v := range s.members {
		if v.phase == phase && !v.gone && !v.observed && !v.apart && v.giver != rule {
			voters++
		}
	}
	q := im.policyOf(s, phase).quorum
	together := q != nil && q.need(voters) < voters
	for _, v := range s.members {
		switch {
		case v.gone || v.phase != phase || v.giver == rule:
		case v.giver == check && (!together || v.apart):
			add(&cheap, v)
		default:
			add(&judges, v)
		}
	}
	return im.settled(s, phase, cheap, judges)
}

// settled leaves out what is empty, and gives every observer a panel to stand
// beside.
func (im *importer) settled(s *stage, phase string, cheap, judges gate) []gate {
	switch {
	case len(cheap.panel) > 0 && len(judges.panel) > 0:
		return []gate{cheap, judges}
	case len(cheap.panel) > 0:
		cheap.observe = append(cheap.observe, judges.observe...)
		cheap.voted = true
		return []gate{cheap}
	case len(judges.panel) > 0:
		judges.observe = append(cheap.observe, judges.observe...)
		return []gate{judges}
	}
	alone := append(cheap.observe, judges.observe...)
	if len(alone) == 0 {
		return nil
	}
	var names []string
	for _, v := range alone {
		v.promoted = true
		names = append(names, v.name)
	}
	im.ask(&s.notes, s.line, s.name+": "+phase+": "+strings.Join(names, ", "),
		"nothing else decides there, and a gate needs somebody who does, so they decide and can stop the work; give the gate another member and let them observe, or take them out")
	return []gate{{panel: alone, voted: true}}
}

// rulesOf returns the rules that stand in a stage: its own, those of its
// validators and those of every stage.
func (im *importer) rulesOf(s *stage, phase string) []*validator {
	if phase == pre {
		return nil
	}
	var out []*validator
	seen := map[*validator]bool{}
	add := func(rules []*validator) {
		for _, v := range rules {
			if v.giver == rule && !v.gone && !seen[v] {
				seen[v] = true
				out = append(out, v)
			}
		}
	}
	if im.judgesResults(s) {
		add(im.global)
	} else if len(im.global) > 0 {
		im.say(Line{s.line, s.name + ": global constraints", "they do not stand there: it judges proposals, and a rule is about a change"})
	}
	add(s.rules)
	for _, v := range s.members {
		if !v.gone {
			add(v.rules)
		}
	}
	add(s.members)
	return out
}

// judgesResults reports whether a stage is about a work, and not a proposal
// alone.
func (im *importer) judgesResults(s *stage) bool {
	if !s.review || len(s.powers) > 0 || len(s.rules) > 0 || len(s.members) == 0 {
		return true
	}
	for _, v := range s.members {
		if v.phase == post && !v.gone {
			return true
		}
	}
	return false
}

// spareGate is the gate of a stage in which nothing judged a result.
func (im *importer) spareGate(s *stage) gate {
	became := "nothing judges the finished work, and a mode has a gate for it; one rule stands there until you write a check or a judge, or make it a task, which nothing judges"
	switch {
	case s.review && len(s.powers) > 0:
		became = "nothing judges the work that its powers are about; one rule stands there until you write a judge, or give its validators the phase post_execute"
	case s.review:
		became = "nothing judges there, and a review has a gate; one rule stands there until you write a judge"
	}
	im.ask(&s.notes, s.line, of(s.name, "gates"), became)
	for _, v := range im.rules {
		if v.run == "no_secrets_in_diff" && !v.gone && !v.observed {
			return gate{panel: []*validator{v}}
		}
	}
	if im.spare == nil {
		im.spare = &validator{name: im.names.free("no-secrets", "rule"), giver: rule, phase: post, run: "no_secrets_in_diff", node: &node{kind: mapping}, entry: &entry{value: &node{}}}
		im.spare.body.line("phase %s", post)
		im.spare.body.line("no_secrets_in_diff")
		im.rules = append(im.rules, im.spare)
	}
	return gate{panel: []*validator{im.spare}}
}

// writeGate writes one gate.
func (im *importer) writeGate(s *stage, phase string, g gate, titled bool) {
	b := &s.body
	b.line("")
	if titled {
		b.line("%s %s {", phase, quoted(g.title))
	} else {
		b.line("%s {", phase)
	}
	b.line("panel %s", namesOf(g.panel))
	if len(g.observe) > 0 {
		b.line("observe %s", namesOf(g.observe))
	}
	members, judges := len(g.panel), 0
	for _, v := range g.panel {
		if v.giver == judge {
			judges++
		}
	}
	need := members
	if g.voted {
		need = im.passes(s, phase, im.policyOf(s, phase).quorum, members)
	}
	if need < members && judges == 0 {
		im.say(Line{s.line, s.name + ": " + phase, "all must pass: what stands in its gate says pass or blocker, and a blocker cannot be outvoted"})
		need = members
	}
	if need == members {
		b.line("proceed when all pass")
	} else {
		b.line("proceed when %d of %d pass", need, members)
	}
	if judges > members-need {
		b.line("warn -> %s", im.routeOf(s, phase, "warn"))
	} else if e := im.policyOf(s, phase).routes["warn"]; e != nil && judges > 0 {
		im.consulted[e] = true
		im.note(&s.notes, e.line, s.name+": "+phase+": "+e.key+": "+e.value.text, "the gate tolerates every warn there can be, so they go nowhere")
	}
	if judges > 0 {
		b.line("unclear -> %s", im.routeOf(s, phase, "unclear"))
	}
	b.line("blocker -> %s", im.routeOf(s, phase, "blocker"))
	b.line("}")
}

// depthOf returns how often a stage recovers.
func (im *importer) depthOf(s *stage) *depth {
	if s.depth != nil {
		return s.depth
	}
	if im.depth == nil && !s.review {
		im.depth = &depth{times: defaultDepth, used: true}
		im.say(Line{0, "recovery depth", "it is not said; a blocker after the work goes back to the coder 3 times, as the older engine had it by itself"})
	}
	if im.depth == nil {
		return &depth{}
	}
	return im.depth
}

// idleDepth reports a depth by which nothing recovers.
func (im *importer) idleDepth(b *block, d *depth) {
	if d != nil && !d.used {
		d.used = true
		im.note(b, d.line, d.what, "no route recovers by it")
	}
}

func namesOf(list []*validator) string {
	var out []string
	for _, v := range list {
		out = append(out, v.name)
	}
	return strings.Join(out, ", ")
}
