package compiler

import (
	"fmt"
	"runtime/debug"
	"slices"
	"strings"

	"github.com/snodo-lang/snodo/compiler/plan"
	"github.com/snodo-lang/snodo/internal/nearest"
	"github.com/snodo-lang/snodo/lang/diag"
)

// A stage does one thing to the whole compilation. Its error is operational;
// what is wrong with the sources it reports.
type stage struct {
	name string
	run  func(*compilation) error
}

// checking finds everything that is wrong. The order matters only where a
// comment says so; within it, every stage runs whatever the ones before it
// found, because all errors of a package are reported in one go.
var checking = []stage{
	// First, because everything else reads the trees.
	{"load", load},
	// Before names, because a reference may lead into another package, and
	// those have to be loaded and put in order first.
	{"imports", resolveImports},
	// Before fields, because an unknown top-level statement may have been
	// meant to declare a name, and the names say so to everybody later.
	{"names", declareNames},
	// Turns trees into forms: bodies whose fields are known, stand once and
	// hold values of the right kind. Everything below reads forms only.
	{"fields", readFields},
	// After fields, because only there it is known what is a reference, and
	// to what kind of thing.
	{"references", resolveReferences},
	// These look at one declaration each and need no particular order.
	{"budgets", checkBudgets},
	{"grants", checkGrants},
	{"globs", checkGlobs},
	{"placeholders", checkPlaceholders},
	{"checks", checkCommands},
	// After references, because criteria are copied and requests followed.
	{"judges", checkJudges},
	{"gates", checkGates},
	{"powers", checkPowers},
	{"duties", checkDuties},
	{"controls", checkControls},
	// Last, because a name that is misspelt elsewhere looks unused, and only
	// here it is known whether any is.
	{"unused", checkUnused},
}

// lowering makes the plan of a package without errors.
var lowering = []stage{
	{"lower", lower},
	// After lower, because a prompt is made of the rest of its judge.
	{"prompts", func(c *compilation) error { writePrompts(c.plan); return nil }},
	// After prompts, because digests cover them.
	{"seal", func(c *compilation) error { return plan.Seal(c.plan) }},
	// Proves what was made with the reader's own proof. What does not hold
	// here is a defect of the compiler, never of the package.
	{"prove", prove},
}

// A compilation holds what the stages have made so far. A member is written
// by the stage that its comment names, and by no other.
type compilation struct {
	source Source

	root    *unit              // load
	own     map[string]bool    // load: the names of its files
	units   []*unit            // imports: imported before importing, root last
	aliases map[string]aliases // imports: by the name of the file
	scopes  map[*unit]*scope   // names
	forms   map[*unit]*forms   // fields
	uses    uses               // references
	plan    *plan.Plan         // lower; prompts and seal complete it
	read    map[string]*unit   // load and imports: folders that were read, by key

	diagnostics diag.List
	kept        map[diag.Severity]int // how many diagnostics of each severity
	omitted     int                   // how many more were found
	compared    int                   // how many names were held against each other
}

// maxReports is how many diagnostics of one severity are kept.
const maxReports = 10_000

// run runs stages one after another. A panic in one becomes an *InternalError.
func (c *compilation) run(stages []stage) error {
	for _, s := range stages {
		if err := c.runOne(s); err != nil {
			return err
		}
	}
	return nil
}

func (c *compilation) runOne(s stage) (err error) {
	defer func() {
		if v := recover(); v != nil {
			err = &InternalError{Stage: s.name, Value: v, Stack: debug.Stack()}
		}
	}()
	return s.run(c)
}

// report adds a diagnostic, or counts it where there are too many to be read.
// What is no error is said of the package's own files alone. Each severity has
// its own count, so that nothing makes the first error one too many.
func (c *compilation) report(d diag.Diagnostic) {
	severity := d.Code.Severity()
	if severity != diag.Error && !c.own[d.Range.File] {
		return
	}
	if c.kept[severity]++; c.kept[severity] > maxReports {
		c.omitted++
		return
	}
	c.diagnostics.Add(d)
}

// maxCompared is how many names are held against one another to find what a
// misspelt one was meant to be: enough for any package that people write.
const maxCompared = 2_000_000

// near returns what a name may have been meant to be. In a package that has
// used up what may be compared, that is nothing.
func (c *compilation) near(name string, known []string) []string {
	if c.compared += len(known); c.compared > maxCompared {
		return nil
	}
	return nearest.To(name, known)
}

// result returns what was found so far.
func (c *compilation) result() Report {
	files := make(Files)
	for _, u := range c.read {
		for _, f := range u.files {
			files[f.name] = f.text
		}
	}
	return Report{Diagnostics: c.counted(c.diagnostics.Sorted()), Files: files}
}

// counted adds how many diagnostics were left out.
func (c *compilation) counted(kept diag.List) diag.List {
	if c.omitted == 0 {
		return kept
	}
	last := kept[len(kept)-1].Range
	kept.Add(diag.Diagnostic{
		Code: diag.SN105, Range: diag.Range{File: last.File, Start: last.End, End: last.End},
		Message: fmt.Sprintf("%d more diagnostics of this package are not shown", c.omitted),
		Help:    "mend those above, and check again",
	})
	return kept
}

// unsettled reports whether an error of the SN1xx or SN2xx stands, so that
// nothing can be said about what is not used.
func (c *compilation) unsettled() bool {
	return slices.ContainsFunc(c.diagnostics, func(d diag.Diagnostic) bool {
		return d.Severity == diag.Error && (strings.HasPrefix(string(d.Code), "SN1") || strings.HasPrefix(string(d.Code), "SN2"))
	})
}

func prove(c *compilation) error {
	if err := plan.Verify(c.plan); err != nil {
		panic(err)
	}
	return nil
}
