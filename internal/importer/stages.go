package importer

import (
	"slices"
	"strings"
)

// A stage is a mode of the older engine: a mode here where it changes files,
// a review where it does not.
type stage struct {
	written, name string
	line          int
	title         string
	review        bool
	node          *node
	entry         *entry
	lead          []comment
	notes         block
	members       []*validator
	holds         map[*validator]bool // its members
	rules         []*validator        // of its own constraints
	grants        []string            // tools that take paths
	powers        []string
	words         []toolWord        // its tools as they were written
	refused       map[string]string // why a tool is not granted
	in            []string          // the paths of the grants
	coder         *coder
	policy        policies
	depth         *depth
	hands         []string
	body          block // its gates
}

// declareStage understands what a mode is called.
func (im *importer) declareStage(e *entry) {
	s := &stage{holds: map[*validator]bool{}, refused: map[string]string{}, entry: e, node: e.value, line: e.line, lead: e.above()}
	id := identify(e, "mode")
	odd := s.node
	if odd.kind != mapping {
		s.node = &node{kind: mapping, line: e.line}
	}
	s.written, s.title = id.written, id.title
	describe(&s.notes, id)
	s.name = im.name(s.written, "mode", e.line)
	s.notes.owner = s.name
	if odd.kind == list {
		im.odd(&s.notes, e.line, s.name, odd)
	}
	im.stages = append(im.stages, s)
	refer(im.stageOf, s, s.written, s.name)
}

// refer lets a thing be found by what may be written of it: the first that has
// a word keeps it.
func refer[T any](to map[string]T, thing T, words ...string) {
	for _, w := range words {
		if _, there := to[fold(w)]; !there {
			to[fold(w)] = thing
		}
	}
}

// readStage understands what a mode says.
func (im *importer) readStage(s *stage, root *node) {
	im.membersOf(s)
	im.toolsOf(s)
	im.coderOf(s, root)
	for _, e := range section(s.node, "constraints", "rules") {
		if r := im.constraint(e, &s.notes, s.name); r != nil {
			s.rules = append(s.rules, r)
		}
	}
	if e := s.node.take("policy", "policies", "disagreement_policy", "consensus", "quorum", "gates"); e != nil {
		s.policy = im.readPolicies(&s.notes, e, s.name)
	}
	s.depth = im.readDepth(&s.notes, s.node, s.name)
	im.transitions(s)
	s.notes.carry(s.entry.takeComments())
	im.leftovers(&s.notes, s.node, s.name)
}

// membersOf takes the validators of a mode: their names, or they themselves.
func (im *importer) membersOf(s *stage) {
	for _, key := range []string{"validators", "pre_execute", "post_execute", "pre_validators", "post_validators"} {
		phase := phases[strings.TrimSuffix(key, "_validators")]
		e := s.node.take(key)
		if e == nil {
			continue
		}
		s.notes.carry(e.comments)
		e.comments = nil
		if e.value.kind == mapping && e.value.has(pre, post, "pre", "post") {
			for _, inner := range e.value.fields {
				if p := phases[fold(inner.key)]; p != "" {
					inner.taken = true
					im.enlist(s, inner.value, p)
				}
			}
			im.leftovers(&s.notes, e.value, of(s.name, e.key))
			continue
		}
		im.enlist(s, e.value, phase)
	}
}

// enlist adds the validators of a list to a stage.
func (im *importer) enlist(s *stage, n *node, phase string) {
	for _, e := range n.named() {
		v := im.referred(s, e)
		if v == nil {
			continue
		}
		switch {
		case s.holds[v]:
			im.say(Line{e.line, of(s.name, v.written), "it is listed twice, and counts once"})
			continue
		case phase != "" && v.phase == "":
			v.phase = phase
		case phase != "" && v.phase != phase:
			im.say(Line{e.line, of(s.name, v.written), "it stands in the gate of its own phase, " + v.phase})
		}
		s.notes.carry(e.takeComments())
		s.members, s.holds[v] = append(s.members, v), true
	}
}

// referred returns the validator that an item names or holds.
func (im *importer) referred(s *stage, e *entry) *validator {
	word := e.key
	if word == "" && e.value.kind == scalar {
		word = e.value.text
	}
	if word == "" && e.value.kind == mapping && len(e.value.fields) == 1 && e.value.has("validator", "ref", "validator_id", "id", "name") {
		word = e.value.fields[0].value.text
	}
	if v := im.validatorOf[fold(word)]; v != nil && word != "" {
		if e.key != "" && !e.value.blank() {
			im.note(&s.notes, e.line, of(s.name, entryLines(e.key+":", "", e.value)[0]), "no equivalent: a validator is the same wherever it stands")
			s.notes.quote(entryLines(e.key+":", "", e.value)[1:]...)
		}
		return v
	}
	if e.value.kind == mapping {
		held := *e
		e.value, e.comments = &node{}, nil // its comments go with it
		return im.declareValidator(&held)
	}
	if e.value.kind == list {
		im.odd(&s.notes, e.line, of(s.name, strings.TrimSpace("validators "+e.key)), e.value)
	} else if strings.TrimSpace(word) != "" {
		what := word
		if e.key != "" {
			what = oneLine(strings.Join(entryLines(e.key+":", "", e.value), " "))
		}
		im.ask(&s.notes, e.line, of(s.name, "validator "+what), "there is no such validator, so nothing of that name judges here")
	}
	return nil
}

// transitions takes what follows a mode.
func (im *importer) transitions(s *stage) {
	e := s.node.take("transitions", "next", "hands_to", "transition")
	if e == nil {
		return
	}
	s.notes.carry(e.takeComments())
	for _, t := range e.value.named() {
		event, target := t.key, t.value
		if target.kind == mapping {
			to := target.takeScalar("to", "target", "mode", "next")
			if ev := target.takeScalar("on", "when", "event", "if", "condition"); ev != nil {
				event = ev.value.text
			}
			im.leftovers(&s.notes, target, of(s.name, "transition"))
			if to == nil {
				continue
			}
			target = to.value
		}
		words, ok := target.scalars()
		if !ok {
			im.odd(&s.notes, t.line, of(s.name, strings.TrimSpace("transition "+event)), target)
		}
		for _, w := range words {
			im.handsTo(s, event, w)
		}
	}
}

func (im *importer) handsTo(s *stage, event string, w *node) {
	what := of(s.name, "transition to "+w.text)
	if event != "" {
		what = of(s.name, "transition "+event+": "+w.text)
	}
	to := im.stageOf[fold(w.text)]
	switch {
	case to == nil:
		im.note(&s.notes, w.line, what, "dropped: there is no such mode")
		return
	case to == s:
		im.note(&s.notes, w.line, what, "dropped: a stage that is run again follows itself without being named")
		return
	case event != "":
		im.say(Line{w.line, what, "it was never carried out by itself and has no condition here: `hands to` names what may follow"})
	}
	if !slices.Contains(s.hands, to.name) {
		s.hands = append(s.hands, to.name)
	}
}
