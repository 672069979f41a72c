package compiler

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"slices"

	"github.com/snodo-lang/snodo/compiler/plan"
	"github.com/snodo-lang/snodo/lang"
	"github.com/snodo-lang/snodo/lang/diag"
)

// ErrNothingEarlier is returned where the package was not there earlier, or
// had no protocol yet, so that nothing can have become weaker.
var ErrNothingEarlier = errors.New("there was no protocol")

// An EarlierError says that the earlier state of a package had errors itself,
// so that nothing can be compared with it.
type EarlierError struct{ Errors diag.List }

func (e *EarlierError) Error() string {
	first := e.Errors[0]
	more := ""
	if n := len(e.Errors) - 1; n > 0 {
		more = fmt.Sprintf(", and %s more", plural(n, "error"))
	}
	return fmt.Sprintf("it did not check: %s:%d: %s: %s%s", first.Range.File, first.Range.Start.Line, first.Code, first.Message, more)
}

// Against checks the package and, where no error stands, compares it with an
// earlier state of itself: what became weaker is reported, one code (SN9xx) a
// kind of weakening. What became stronger, and what was only renamed, moved or
// put in another order, is not. What cannot be ranked, such as the sentence of
// a criterion, counts as weaker when it changes.
//
// The error is ErrNothingEarlier, an *EarlierError, or operational, as that of
// Check.
func Against(src, earlier Source) (Report, error) {
	now := &compilation{source: src}
	if err := now.run(checking); err != nil || !now.result().OK() {
		return now.result(), err
	}
	report := now.result()
	before := &compilation{source: earlier}
	if err := before.run(checking); err != nil {
		return report, nothingEarlier(earlier, err)
	}
	if errs := before.result(); !errs.OK() {
		wrong := slices.DeleteFunc(errs.Diagnostics, func(d diag.Diagnostic) bool { return d.Severity != diag.Error })
		return report, &EarlierError{wrong}
	}
	if before.forms[before.root].protocol == nil && now.forms[now.root].protocol != nil {
		return report, ErrNothingEarlier
	}
	for _, c := range []*compilation{before, now} {
		if err := c.run([]stage{{"lower", lower}}); err != nil {
			return report, err
		}
	}
	compare := func(now *compilation) error {
		c := newComparison(snapshotOf(before), snapshotOf(now))
		err := c.all()
		report.Diagnostics = append(report.Diagnostics, c.found...).Sorted()
		return err
	}
	return report, now.run([]stage{{"compare", compare}})
}

// nothingEarlier tells a folder that was not there, or held no source, from
// one that cannot be read.
func nothingEarlier(earlier Source, err error) error {
	var read *ReadError
	folder := earlier.display(earlier.Dir)
	if errors.Is(err, ErrNoSource) || errors.As(err, &read) && read.Path == folder && errors.Is(err, fs.ErrNotExist) {
		return ErrNothingEarlier
	}
	return err
}

// ProtocolOf returns the name of a package's protocol, as far as it can be
// read, and of the file that declares it. Both are empty for a library.
func ProtocolOf(src Source) (name, file string, err error) {
	c := &compilation{source: src}
	if err := c.run(checking); err != nil {
		return "", "", err
	}
	p := c.forms[c.root].protocol
	if p == nil {
		return "", "", nil
	}
	return p.decl.Name.Text, p.decl.Range.File, nil
}

// Vanished reports the loss of a package with everything in it (SN916): its
// protocol, and the file that declared it, at whose beginning the loss stands,
// since every diagnostic has a place and the file has no other now.
func Vanished(protocol, file string) diag.Diagnostic {
	var l diag.List
	beginning := diag.Position{Line: 1, Column: 1}
	l.Add(weaker(diag.SN916, diag.Range{File: file, Start: beginning, End: beginning}, "put it back, or move it under its own name",
		"protocol `%s` is gone with its package, and nothing is judged by it any more", protocol))
	return l[0]
}

// A snapshot is one state of a package, lowered, with the declarations behind
// the names of its plan.
type snapshot struct {
	*compilation
	declared map[string]form
}

func snapshotOf(c *compilation) snapshot {
	s := snapshot{c, make(map[string]form)}
	for _, u := range c.units {
		for _, f := range c.forms[u].byDeclare {
			if _, isControls := f.(*controlsForm); !isControls {
				s.declared[key(f)] = f
			}
		}
	}
	return s
}

// protocol returns the package's protocol, nil in a library.
func (s snapshot) protocol() *protocolForm { return s.forms[s.root].protocol }

// head is where what the whole package lost is reported: at its protocol, or
// at the beginning of a library.
func (s snapshot) head() diag.Range {
	if p := s.protocol(); p != nil {
		return p.decl.Header
	}
	return s.root.files[0].tree.Edition.Range
}

// A gateAt is a gate of a stage: in the plan and as it was written.
type gateAt struct {
	*plan.Gate
	written *gateForm
}

// gates returns the gates of a stage, those before the work first.
func (s snapshot) gates(name string) []gateAt {
	stage := s.declared[name].(*stageForm)
	var out []gateAt
	for _, phase := range phases {
		n := 0
		for _, g := range stage.gates {
			if g.phase == phase {
				n++
				step := s.plan.Stages[name].Steps[fmt.Sprintf("%s-%d", phase, n)]
				out = append(out, gateAt{step.(*plan.Gate), g})
			}
		}
	}
	return out
}

// deciding returns the validators that decide in a stage, with their phases.
func (s snapshot) deciding(name string) map[string]string {
	out := make(map[string]string)
	for _, g := range s.gates(name) {
		for _, v := range g.Panel {
			out[v] = g.Phase
		}
	}
	return out
}

// A comparison finds what of a package is weaker than it was. An heir is the
// name under which a thing goes on now; what has none is gone.
type comparison struct {
	was, is    snapshot
	validators map[string]string // the heirs of validators
	evidence   map[string]string
	roles      map[string]string
	stages     map[string]string
	found      diag.List
}

func newComparison(was, is snapshot) *comparison {
	c := &comparison{was: was, is: is}
	// In this order, because the content of each is made of what it refers to.
	c.roles = c.roleHeirs()
	c.evidence = c.evidenceHeirs()
	c.validators = c.validatorHeirs()
	c.stages = c.stageHeirs()
	return c
}

// all compares everything there is, what a reader looks for first first. The
// error is that of reading the folder of a control.
func (c *comparison) all() error {
	if c.was.protocol() != nil && c.is.protocol() == nil {
		c.found.Add(protocolGone(c.was.protocol().decl, c.is.head()))
		return nil
	}
	c.lost()
	for _, name := range slices.Sorted(maps.Keys(c.validators)) {
		c.validator(name, c.validators[name])
	}
	c.people()
	c.commands()
	c.evidenceSays()
	c.protects()
	for _, name := range slices.Sorted(maps.Keys(c.was.plan.Stages)) {
		c.stage(name)
	}
	c.newStages()
	c.starts()
	return c.controls()
}

// calledNow describes what a name of the plan now stands for.
func (c *comparison) calledNow(name string) string { return called(c.is.declared[name].declaration()) }

// calledThen describes what a name of the earlier plan stood for.
func (c *comparison) calledThen(name string) string {
	return called(c.was.declared[name].declaration())
}

func headerOf(f form) diag.Range { return f.declaration().Header }

// orElse returns where a value is written, and otherwise another place.
func orElse[T any](value *T, at func(*T) diag.Range, otherwise diag.Range) diag.Range {
	if value == nil {
		return otherwise
	}
	return at(value)
}

func ofNumber(n *lang.Number) diag.Range     { return n.Range }
func ofDuration(d *lang.Duration) diag.Range { return d.Range }
func ofText(t *lang.Text) diag.Range         { return t.Range }
func ofRef(r *lang.Ref) diag.Range           { return r.Range }

// words returns the words of names, sorted, each once.
func wordsOf(names []string) []string {
	out := make([]string, len(names))
	for i, n := range names {
		out[i] = word(n)
	}
	slices.SortFunc(out, cmp.Compare[string])
	return slices.Compact(out)
}
