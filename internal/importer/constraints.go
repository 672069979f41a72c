package importer

import (
	"fmt"
	"path"
	"slices"
	"strings"
)

// predicates are those that both engines have.
var predicates = []string{"files_in_scope", "tests_exist_for_modified", "no_secrets_in_diff"}

// constraint turns a constraint into a rule, or into a comment in b. Owner is
// whose constraint it is.
func (im *importer) constraint(e *entry, b *block, owner string) *validator {
	n := e.value
	if n.kind == scalar {
		n = &node{kind: mapping, line: e.line, fields: []*entry{{key: "predicate", value: e.value, line: e.line}}}
		if e.key != "" {
			n.fields = []*entry{{key: e.key, value: e.value, line: e.line}}
		}
	}
	n = spread(e.key, n)
	which := predicateOf(n)
	if which == "" {
		im.noPredicate(e, n, b, owner)
		return nil
	}
	v := &validator{entry: e, node: n, line: e.line, giver: rule, phase: post, lead: e.above()}
	id := identify(&entry{value: n, line: e.line}, "constraint")
	v.written, v.title = id.written, id.title
	if v.written == "" {
		v.written = which
	}
	describe(&v.notes, id)
	v.run = which
	v.name = im.name(v.written, "rule", e.line)
	v.notes.owner, v.body.owner = v.name, v.name
	if !im.predicate(v, n) {
		b.carry(v.lead)
		b.lines = append(b.lines, v.notes.lines...)
		b.quote(entryLines("-", "", e.value)...)
		for _, f := range n.fields {
			f.taken = true
		}
		return nil
	}
	v.gone = switchedOff(n)
	im.readCap(v)
	v.body.line("phase %s", post)
	v.body.line("%s", v.run)
	v.notes.carry(e.takeComments())
	im.leftovers(&v.notes, n, v.name)
	if v.gone {
		im.say(Line{e.line, v.name, "it is switched off, so it is a comment and stands in no gate"})
	}
	im.rules = append(im.rules, v)
	return v
}

// spread turns `files_in_scope: [...]`, as a key or as the only key of an
// item, into a mapping with the predicate and its paths.
func spread(key string, n *node) *node {
	if n.kind == mapping && len(n.fields) == 1 && slices.Contains(predicates, fold(n.fields[0].key)) {
		key, n = n.fields[0].key, n.fields[0].value
	}
	if !slices.Contains(predicates, fold(key)) {
		return n
	}
	name := &entry{key: "predicate", value: &node{text: fold(key), line: n.line}, line: n.line}
	if n.kind == mapping {
		return &node{kind: mapping, line: n.line, fields: append([]*entry{name}, n.fields...)}
	}
	out := &node{kind: mapping, line: n.line, fields: []*entry{name}}
	if !n.blank() && !(n.kind == scalar && truth(n.text) == "yes") {
		out.fields = append(out.fields, &entry{key: "paths", value: n, line: n.line})
	}
	return out
}

// predicateOf takes the predicate that a constraint names, "" where it names
// none of the three.
func predicateOf(n *node) string {
	for _, key := range []string{"predicate", "type", "rule", "kind", "check"} {
		if e := n.find([]string{key}); e != nil && e.value.kind == scalar && slices.Contains(predicates, fold(e.value.text)) {
			e.taken = true
			return fold(e.value.text)
		}
	}
	if n.has("predicate") {
		return ""
	}
	for _, key := range []string{"constraint_id", "id", "name"} {
		if e := n.find([]string{key}); e != nil && e.value.kind == scalar && slices.Contains(predicates, fold(e.value.text)) {
			return fold(e.value.text)
		}
	}
	return ""
}

// noPredicate writes a constraint that no rule can say.
func (im *importer) noPredicate(e *entry, n *node, b *block, owner string) {
	what := of(owner, "constraint "+oneLine(labelOf(e, n)))
	b.carry(e.takeComments())
	if p := n.find([]string{"predicate"}); p != nil && !p.value.blank() {
		im.ask(b, e.line, what, fmt.Sprintf("a rule is one of %s, and %s is none; write it as a check or as a criterion", strings.Join(predicates, ", "), oneLine(p.value.text)))
	} else {
		im.note(b, e.line, what, "it has no predicate, so it was never enforced; write it as a check or as a criterion if it is to be")
	}
	b.quote(entryLines("-", "", e.value)...)
	for _, f := range n.fields {
		f.taken = true
	}
}

// labelOf returns what a constraint is called.
func labelOf(e *entry, n *node) string {
	for _, key := range []string{"constraint_id", "id", "name"} {
		if f := n.find([]string{key}); f != nil && f.value.kind == scalar {
			return f.value.text
		}
	}
	if e.value.kind == scalar && e.key == "" {
		return e.value.text
	}
	return e.key
}

// predicate writes the predicate of a rule that v.run names. It is false where the author must
// say first what it is about; then it stands in the notes as a comment.
func (im *importer) predicate(v *validator, n *node) bool {
	which := v.run
	params := n
	if e := n.find([]string{"params", "parameters", "args", "with"}); e != nil && e.value.kind == mapping {
		e.taken, params = true, e.value
		v.notes.carry(e.comments)
		e.comments = nil
		defer func() { im.leftovers(&v.notes, params, v.name) }()
	}
	switch which {
	case "files_in_scope":
		paths := im.globsOf(&v.notes, params.take("paths", "scope_paths", "allowed_paths", "patterns", "globs", "scope", "files", "include", "allow", "allowed"), v.name)
		if len(paths) == 0 {
			im.ask(&v.notes, v.line, v.name, "files_in_scope needs the globs of what may change, and none are said; write them, and put the rule into its gates")
			return false
		}
		v.run = which + " " + texts(paths)
	case "tests_exist_for_modified":
		return im.testsExist(v, params)
	case "no_secrets_in_diff":
		v.run = which
	default:
		im.ask(&v.notes, v.line, v.name, fmt.Sprintf("a rule is one of %s, and %s is none; write it as a check or as a criterion", strings.Join(predicates, ", "), which))
		return false
	}
	return true
}

// testsExist writes which files need which tests. The older engine had a
// folder and a form of name, for every file that is not in the folder.
func (im *importer) testsExist(v *validator, params *node) bool {
	modified := im.globsOf(&v.notes, params.take("paths", "source_paths", "sources", "source", "modified", "source_patterns", "patterns", "files", "globs"), v.name)
	tests := im.globsOf(&v.notes, params.take("tested_by", "test_paths", "tests", "test_patterns", "test_globs"), v.name)
	folder, form := params.takeScalar("test_dir_pattern", "test_dir"), params.takeScalar("test_name_pattern", "test_name")
	if len(tests) == 0 && (folder != nil || form != nil) {
		in, named := "tests/", "test_{stem}.py"
		if folder != nil {
			in = folder.value.text
		}
		if form != nil {
			named = form.value.text
		}
		tests = []string{path.Join(in, named)}
		if ext := path.Ext(named); len(modified) == 0 && ext != "" && !strings.ContainsAny(ext, "{}*") {
			modified = []string{"**/*" + ext}
			im.note(&v.notes, v.line, v.name, "it was about every file outside of the tests' folder; here it is about "+modified[0])
		}
	}
	for i, t := range tests {
		mendedTest := strings.NewReplacer("{name}", "{stem}", "{base}", "{stem}", "{basename}", "{stem}", "{path}", "{dir}").Replace(t)
		if mendedTest != t {
			im.say(Line{v.line, of(v.name, t), "it is written " + mendedTest})
			tests[i] = mendedTest
		}
	}
	if len(modified) == 0 || len(tests) == 0 {
		im.ask(&v.notes, v.line, v.name, "tests_exist_for_modified needs to know which files need tests and where those are; write it as `tests_exist_for_modified \"src/**/*.go\" tested by \"{dir}/{stem}_test.go\"`, and put the rule into its gates")
		for _, have := range slices.Concat(modified, tests) {
			v.notes.quote(have)
		}
		return false
	}
	v.run = "tests_exist_for_modified " + texts(modified) + " tested by " + texts(tests)
	return true
}

// constraintsOf takes the constraints of a validator. They stand in the gates
// that it stands in.
func (im *importer) constraintsOf(v *validator) {
	for _, e := range section(v.node, "constraints") {
		if r := im.constraint(e, &v.notes, v.name); r != nil {
			v.rules = append(v.rules, r)
		}
	}
}
