// Package compiler turns a snodo package into a plan.
//
// What goes in is a folder of .snodo files inside a file system, and the
// library it may import from. What comes out is the list of everything that
// is wrong with it, in source order, and, where no error stands, a sealed and
// proved plan. The work is a table of stages (stages.go); each reads what the
// ones before it made and changes nothing of it.
//
// The package reads files and writes none. It runs nothing, calls nobody, and
// knows no clock, environment or working folder: the same sources give the
// same diagnostics and the same plan everywhere.
package compiler

import (
	"errors"
	"fmt"
	"io/fs"
	"path"
	"path/filepath"
	"strings"

	"github.com/snodo-lang/snodo/compiler/plan"
	"github.com/snodo-lang/snodo/lang/diag"
)

// A Source says where a package stands.
type Source struct {
	// FS begins at the repository's root, or at the package's folder where
	// there is no repository. It must not follow links out of itself, as the
	// file system of an os.Root does not.
	FS fs.FS
	// Dir is the package's folder in FS, slash-separated, "." for its root.
	Dir string
	// Library holds the packages behind std/, such as solo/protocol.snodo.
	// Nil is an empty library.
	Library fs.FS
	// Display turns a path in FS into the name that a person would type. Nil
	// gives names relative to Dir. Files of the library are std/… always.
	Display func(path string) string
}

// Files holds the contents of sources by the names that stand in ranges.
type Files map[string][]byte

// A Report is what checking a package found.
type Report struct {
	// Diagnostics are sorted, each once. Of imported packages they hold the
	// errors; warnings and notes are about the package itself.
	Diagnostics diag.List
	// Files holds every source that was read, for showing the lines.
	Files Files
}

// OK reports whether the package has no error.
func (r Report) OK() bool { return r.Diagnostics.Count(diag.Error) == 0 }

// ErrNoSource is returned for a folder without a single .snodo file.
var ErrNoSource = errors.New("no .snodo file")

// A ReadError is a folder or file that exists and cannot be read.
type ReadError struct {
	Path string // as a person would type it
	Err  error
}

func (e *ReadError) Error() string { return fmt.Sprintf("read %s: %v", e.Path, e.Err) }

// Unwrap returns the error of the file system.
func (e *ReadError) Unwrap() error { return e.Err }

// An InternalError is a defect of the compiler: a stage panicked.
type InternalError struct {
	Stage string
	Value any    // what was panicked with
	Stack []byte // for the report of the defect
}

func (e *InternalError) Error() string {
	return fmt.Sprintf("internal error of the compiler in stage %q: %v", e.Stage, e.Value)
}

// Check reports everything that is wrong with the package. A library, which
// has no protocol, is checked as what it is. The error is operational: a
// *ReadError, ErrNoSource or an *InternalError.
func Check(src Source) (Report, error) {
	c := &compilation{source: src}
	err := c.run(checking)
	return c.result(), err
}

// Compile checks the package and, where no error stands, lowers it to a
// sealed plan that plan.Verify accepts. The plan is nil where an error
// stands; the package's being a library is one (SN212).
func Compile(src Source) (*plan.Plan, Report, error) {
	c := &compilation{source: src}
	if err := c.run(checking); err != nil {
		return nil, c.result(), err
	}
	c.needProtocol()
	if !c.result().OK() {
		return nil, c.result(), nil
	}
	if err := c.run(lowering); err != nil {
		return nil, c.result(), err
	}
	return c.plan, c.result(), nil
}

// display returns the name that a person would type for a path in FS.
func (s Source) display(name string) string {
	if s.Display != nil {
		return s.Display(name)
	}
	rel, err := filepath.Rel(filepath.FromSlash(path.Clean("/"+s.Dir)), filepath.FromSlash(path.Clean("/"+name)))
	if err != nil {
		return name
	}
	return filepath.ToSlash(rel)
}

// planPath returns the path under which a file or folder of FS stands in a
// plan. One that begins with std/ is told apart from the library by "./".
func planPath(name string) string {
	if name == "std" || strings.HasPrefix(name, libraryPrefix) {
		return "./" + name
	}
	return name
}
