// Package importer turns a YAML protocol of the older engine into this
// language.
//
// One YAML file goes in, and what was found around it. What comes out is the
// text of a package in the one layout, and a report: a line for everything
// that became something else, and a line for everything that its author must
// decide. Whatever has no equivalent stands in the text as a comment at its
// place, so that nothing is lost without a word. The result compiles, or the
// report says what keeps it from it.
//
// Where two readings are possible the stricter one is taken. The package reads
// and writes no file, runs nothing, and gives the same text for the same YAML
// everywhere. docs/import.md says what each key becomes.
package importer

import (
	"fmt"
	"testing/fstest"

	"github.com/snodo-lang/snodo/compiler"
	"github.com/snodo-lang/snodo/lang"
	"github.com/snodo-lang/snodo/lang/diag"
)

// Surroundings are what the older engine looked up around a protocol each
// time. Here it stands in the text.
type Surroundings struct {
	Test string // the command that runs the tests of the repository; may be empty
}

// A Result is what a protocol became.
type Result struct {
	// Source is the text of the package, in the one layout.
	Source []byte
	// Changes are what became something else, Decisions what is left to the
	// author. Both are in the order of the YAML, each line once.
	Changes, Decisions []Line
}

// Import turns the YAML src into this language. File names it in the report
// and in the text. The error is a *SyntaxError where src is no YAML protocol
// at all; everything else is a Result.
func Import(file string, src []byte, around Surroundings) (Result, error) {
	doc, err := read(file, src)
	if err != nil {
		return Result{}, err
	}
	im := &importer{names: names{}, consulted: map[*entry]bool{}, validatorOf: map[string]*validator{}, stageOf: map[string]*stage{}, around: around}
	for _, l := range doc.oddness {
		im.say(l)
	}
	im.protocol(doc.root)
	text := im.write(doc)
	formatted, _, err := lang.Format("protocol.snodo", text)
	if err == nil {
		text = formatted
	}
	im.verify(text)
	r := Result{Source: text}
	r.Changes, r.Decisions = im.report.sorted()
	return r, nil
}

// An importer holds what was understood so far of one protocol.
type importer struct {
	around Surroundings
	report report
	names  names

	head        head
	roles       []*role
	validators  []*validator
	rules       []*validator // of constraints
	global      []*validator // the rules that stand in every stage
	coders      []*coder
	shared      *coder     // the coder of every mode that names none
	spare       *validator // the rule of stages that had nothing to judge a result
	stages      []*stage
	validatorOf map[string]*validator // by what may refer to it
	stageOf     map[string]*stage
	tooling     []command
	limit       string // the timeout of those commands, or ""
	policy      policies
	consulted   map[*entry]bool // the routes of policies that a gate has a use for
	depth       *depth
	evidence    string // the name of what judges request, once one does
	namedAfter  bool   // a criterion was named after its words
}

// A head is the protocol itself.
type head struct {
	name, title string
	starts      string
	startsKey   *entry
	protects    []string
	prepare     string
	lead        []comment
	body        block
}

// verify compiles what was written. An error is something to decide, and says
// where it is.
func (im *importer) verify(text []byte) {
	src := compiler.Source{FS: fstest.MapFS{"protocol.snodo": {Data: text}}, Dir: "."}
	_, found, err := compiler.Compile(src)
	if err != nil {
		im.decide(0, "the result", fmt.Sprintf("cannot be compiled: %v", err))
		return
	}
	for _, d := range found.Diagnostics {
		if d.Severity == diag.Error {
			im.decide(0, fmt.Sprintf("line %d of the result", d.Range.Start.Line), fmt.Sprintf("%s, %s", d.Code, d.Message))
		}
	}
}
