package importer

import (
	"fmt"
	"slices"
	"strings"
)

// A verdictGiver is what a validator is declared as.
type verdictGiver int

const (
	judge verdictGiver = iota
	check
	rule
)

var givers = map[verdictGiver]string{judge: "judge", check: "check", rule: "rule"}

// A validator is one that stands, or will stand, in gates.
type validator struct {
	written, name string
	line          int
	giver         verdictGiver
	phase         string // "" until it is known
	title         string
	observed      bool   // it never gates
	gone          bool   // it was switched off: it stands as a comment alone
	run           string // the command of a check, the predicate of a rule
	typ           *entry // its type, where no declaration word says it
	tests         bool   // it is the check that runs the tests
	apart         bool   // it has no vote among the validators
	caps          []Line // what kept it from stopping the work
	promoted      bool   // it decides all the same, since nothing else does
	rules         []*validator
	node          *node
	entry         *entry
	lead          []comment
	notes         block // comments at the top of its block
	body          block
}

const (
	pre  = "pre_execute"
	post = "post_execute"
)

// phases are the spellings of a phase.
var phases = map[string]string{
	pre: pre, "pre": pre, "before": pre, "pre_execution": pre, "governance": pre, "plan": pre, "proposal": pre,
	post: post, "post": post, "after": post, "post_execution": post, "result": post,
}

// checkTypes are the types of validators that ran a command.
var checkTypes = []string{"command", "shell", "check", "script", "exec", "subprocess", "test", "tests", "quality", "lint", "build"}

// plainTypes are the types that say what a declaration word says here.
var plainTypes = []string{"command", "shell", "check", "llm", "judge", "model"}

// declareValidator understands what a validator is called and what it is.
// What it says is understood by finish, once its stages are known.
func (im *importer) declareValidator(e *entry) *validator {
	v := &validator{entry: e, node: e.value, line: e.line, lead: e.above()}
	id := identify(e, "validator")
	switch v.node.kind {
	case scalar:
		v.node = &node{kind: mapping, line: e.line}
	case list:
		v.node = &node{kind: mapping, line: e.line, fields: []*entry{{key: "criteria", value: v.node, line: e.line}}}
	case mapping:
	}
	v.written, v.title = id.written, id.title
	describe(&v.notes, id)
	v.gone = switchedOff(v.node)
	im.kindOf(v)
	v.name = im.name(v.written, givers[v.giver], e.line)
	v.notes.owner, v.body.owner = v.name, v.name
	im.noteType(v)
	if v.gone {
		im.say(Line{e.line, v.name, "it is switched off, so it is a comment and stands in no gate"})
	}
	if v.giver == rule {
		v.gone = !im.predicate(v, v.node) || v.gone
	}
	im.readPhase(v)
	im.readCap(v)
	im.validators = append(im.validators, v)
	refer(im.validatorOf, v, v.written, v.name)
	return v
}

// kindOf tells judges, checks and rules apart.
func (im *importer) kindOf(v *validator) {
	typ := v.node.takeScalar("validator_type", "type", "kind", "backend")
	word := ""
	if typ != nil {
		word = fold(typ.value.text)
	}
	switch {
	case slices.Contains(predicates, word):
		v.giver, v.run = rule, word
		return
	case v.node.has("predicate"):
		v.giver, v.run = rule, fold(v.node.take("predicate").value.text)
		v.typ = typ
		return
	case slices.Contains(checkTypes, word) || hasCommand(v.node) && !v.node.has(criteriaKeys...) && !v.node.has(promptKeys...):
		v.giver, v.run = check, commandOf(v.node)
	}
	if typ != nil && !slices.Contains(plainTypes, word) {
		v.typ = typ
	}
	v.tests = slices.Contains(testWords, word) || slices.Contains(testWords, fold(v.written))
}

// noteType says what became of a type that no declaration word says.
func (im *importer) noteType(v *validator) {
	if v.typ == nil || v.gone {
		return
	}
	became := "a judge is what its criteria say; the prompt that the older engine had for the type is not part of it"
	if v.giver == check {
		became = "it is a check: the exit code of its command decides"
	}
	im.note(&v.notes, v.typ.line, of(v.name, v.typ.key+": "+v.typ.value.text), became)
}

// commandKeys are the spellings of a command.
var commandKeys = []string{"command", "run", "cmd", "script", "test_command"}

// hasCommand reports whether a validator names a command.
func hasCommand(n *node) bool {
	t := n.find([]string{"tooling"})
	return n.has(commandKeys...) || t != nil && t.value.has(commandKeys...)
}

// commandOf takes the command that a validator runs.
func commandOf(n *node) string {
	if e := n.find(commandKeys); e != nil {
		if words, ok := e.value.scalars(); ok && len(words) > 0 {
			e.taken = true
			return commandLine(words)
		}
	}
	if e := n.find([]string{"tooling"}); e != nil && e.value.kind == mapping {
		if c := e.value.takeScalar(commandKeys...); c != nil {
			return strings.TrimSpace(c.value.text)
		}
	}
	return ""
}

// commandLine writes an argument vector for a shell.
func commandLine(words []*node) string {
	if len(words) == 1 {
		return strings.TrimRight(words[0].text, "\n")
	}
	var out []string
	for _, w := range words {
		if strings.ContainsAny(w.text, " \t\n\"'\\$`&|;<>()*?[]#~!{}") || w.text == "" {
			out = append(out, "'"+strings.ReplaceAll(w.text, "'", `'\''`)+"'")
		} else {
			out = append(out, w.text)
		}
	}
	return strings.Join(out, " ")
}

// switchedOff takes the keys that switch a validator or a constraint off.
func switchedOff(n *node) bool {
	off := false
	for _, key := range []struct{ key, off string }{{"enabled", "no"}, {"active", "no"}, {"disabled", "yes"}, {"skip", "yes"}} {
		if e := n.find([]string{key.key}); e != nil && truth(e.value.text) == key.off {
			e.taken, off = true, true
		}
	}
	return off
}

// truth returns yes or no for the spellings that YAML has of them.
func truth(s string) string {
	switch fold(s) {
	case "true", "yes", "on":
		return "yes"
	case "false", "no", "off":
		return "no"
	}
	return ""
}

func (im *importer) readPhase(v *validator) {
	e := v.node.takeScalar("evaluation_phase", "phase", "when")
	switch {
	case e == nil:
	case phases[fold(e.value.text)] != "":
		v.phase = phases[fold(e.value.text)]
		if fold(e.value.text) != v.phase {
			im.say(Line{e.line, of(v.name, e.key+": "+e.value.text), "the phase is " + v.phase})
		}
	default:
		v.phase = post
		im.ask(&v.notes, e.line, of(v.name, e.key+": "+e.value.text), "there are two phases, pre_execute on the proposal and post_execute on the result; it stands after the work until you say which")
	}
	if v.giver == rule && v.phase == pre {
		im.note(&v.notes, e.line, of(v.name, e.key+": "+e.value.text), "a rule is about the change that was made, so it stands after the work")
	}
	if v.giver == rule {
		v.phase = post
	}
}

// weaker are the words for a severity below the one that stops the work.
var weaker = []string{"warn", "warning", "info", "pass", "low", "minor", "advisory", "notice"}

// readCap takes what kept the older engine from stopping the work at a finding.
func (im *importer) readCap(v *validator) {
	for _, key := range []string{"severity_cap", "max_severity", "cap", "severity"} {
		e := v.node.takeScalar(key)
		if e == nil {
			continue
		}
		what := of(v.name, e.key+": "+e.value.text)
		switch {
		case e.value.blank():
		case slices.Contains(weaker, fold(e.value.text)):
			v.observed = true
			v.caps = append(v.caps, Line{e.line, what, ""})
		default:
			im.say(Line{e.line, what, "what breaks a criterion, a check or a rule is a blocker here by itself"})
		}
	}
	for _, key := range []struct{ key, weak string }{{"advisory", "yes"}, {"non_blocking", "yes"}, {"optional", "yes"}, {"blocking", "no"}, {"required", "no"}} {
		e := v.node.takeScalar(key.key)
		if e == nil {
			continue
		}
		what := of(v.name, e.key+": "+e.value.text)
		if truth(e.value.text) == key.weak {
			v.observed = true
			v.caps = append(v.caps, Line{e.line, what, ""})
		} else {
			im.say(Line{e.line, what, "that is what every member of a panel is"})
		}
	}
}

// noteCaps says what a cap changes, once it is known whether it can stand.
func (im *importer) noteCaps(v *validator) {
	for _, l := range v.caps {
		l.Became = "it observes: it runs and is recorded, it no longer counts for the quorum, and nothing that it finds stops the work or withholds a pass"
		if v.promoted {
			l.Became = "it was to observe, and decides where nothing else does"
		}
		im.note(&v.notes, l.Line, l.What, l.Became)
	}
}

// finish understands the rest of a validator.
func (im *importer) finish(v *validator) {
	if v.gone {
		v.notes.carry(v.entry.takeComments())
		return
	}
	if v.phase == "" {
		v.phase = pre
		if v.giver == check {
			v.phase = post
		}
		im.say(Line{v.line, of(v.name, "phase"), "it is not said; it is " + v.phase + map[verdictGiver]string{judge: ", as the older engine had it by itself", check: ", for a command examines a result"}[v.giver]})
	}
	b := &v.body
	b.line("phase %s", v.phase)
	switch v.giver {
	case judge:
		im.finishJudge(v)
	case check:
		im.finishCheck(v)
	case rule: // its predicate was written when it was declared
		b.line("%s", v.run)
	default:
		panic(fmt.Sprintf("no way to finish a validator of kind %d", v.giver))
	}
	v.notes.carry(v.entry.takeComments())
	im.leftovers(&v.notes, v.node, v.name)
}
