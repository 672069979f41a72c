package command

import (
	"os"
	"path/filepath"

	"github.com/snodo-lang/snodo/compiler"
	"github.com/snodo-lang/snodo/lang/diag"
)

// A committed is the plan of check --locked. A nil one holds nothing to it.
type committed struct {
	path    string
	content []byte
}

// readCommitted reads a plan that is compared with the sources of the one
// package that it can be of.
func readCommitted(path string, folders []string) (*committed, error) {
	if path == "" {
		return nil, nil
	}
	if len(folders) != 1 {
		return nil, usagef("--locked compares a plan with one package, and these are %d", len(folders))
	}
	content, err := os.ReadFile(path)
	if err != nil {
		return nil, usagef("read the plan: %v", err)
	}
	return &committed{path, content}, nil
}

// compare reports that the plan is not what the sources of a package give.
func (c *committed) compare(dir string, p place) (diag.List, error) {
	if c == nil {
		return nil, nil
	}
	report, err := compiler.Locked(p.source, compiler.Committed{Name: c.shown(p), Content: c.content})
	if err != nil {
		return nil, sourceError(dir, err)
	}
	return report.Diagnostics, nil
}

// shown returns the name of the plan as the files of the package are named.
func (c *committed) shown(p place) string {
	inside, err := insideOf(p.top, c.path)
	if err != nil || inside == "" {
		return filepath.ToSlash(c.path)
	}
	return p.source.Display(inside)
}
