package compiler

import (
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/snodo-lang/snodo/lang"
	"github.com/snodo-lang/snodo/lang/diag"
)

// libraryPrefix begins the paths of packages in the binary.
const libraryPrefix = "std/"

// A unit is one package: the one that was asked about, or one that it
// imports.
type unit struct {
	// prefix stands before its names in a plan: "std/solo.", "lib/judges.",
	// nothing for the package itself.
	prefix string
	place  folder
	files  []*file // sorted by path
}

// A folder is a place in one of the two file systems.
type folder struct {
	library bool
	dir     string // slash-separated, "." for the root
}

// key names a folder in a plan, and tells all folders apart.
func (f folder) key() string {
	if f.library {
		return path.Join(libraryPrefix, f.dir)
	}
	return planPath(f.dir)
}

// A file is one source of a unit.
type file struct {
	name string // in ranges
	path string // in the plan's sources
	text []byte
	tree *lang.File
}

// imports returns the imports of a file, those whose word is misspelt behind
// the others.
func (f *file) imports() []*lang.Import {
	out := slices.Clone(f.tree.Imports)
	for _, d := range f.tree.Decls {
		if u, ok := d.(*lang.Unknown); ok {
			if meant, ok := meaning(u, topLevel).(*lang.Import); ok {
				out = append(out, meant)
			}
		}
	}
	return out
}

var errNotRegular = errors.New("it is no regular file")

// load reads and parses the package that was asked about.
func load(c *compilation) error {
	c.read, c.own, c.kept = make(map[string]*unit), make(map[string]bool), make(map[diag.Severity]int)
	dir := path.Clean(c.source.Dir)
	u, err := c.readFolder(folder{dir: dir})
	if err != nil {
		return err
	}
	if len(u.files) == 0 {
		return fmt.Errorf("%w in %s", ErrNoSource, c.source.display(dir))
	}
	u.prefix = ""
	c.root = u
	for _, f := range u.files {
		c.own[f.name] = true
	}
	return nil
}

// textOf returns the contents of a file by the name that stands in ranges.
func (c *compilation) textOf(name string) []byte {
	for _, u := range c.read {
		for _, f := range u.files {
			if f.name == name {
				return f.text
			}
		}
	}
	panic("compiler: no such file: " + name)
}

// fileSystem returns the file system that f stands in, nil where there is
// none.
func (c *compilation) fileSystem(f folder) fs.FS {
	if f.library {
		return c.source.Library
	}
	return c.source.FS
}

// show returns the name that a person would type for something in the file
// system of f.
func (c *compilation) show(f folder, name string) string {
	if f.library {
		return path.Join(libraryPrefix, name)
	}
	return c.source.display(name)
}

// readFolder reads and parses the sources of one folder, in the order of
// their names. A folder without sources gives a unit without files.
func (c *compilation) readFolder(f folder) (*unit, error) {
	if seen, ok := c.read[f.key()]; ok {
		return seen, nil
	}
	fsys := c.fileSystem(f)
	entries, err := fs.ReadDir(fsys, f.dir)
	if err != nil {
		return nil, &ReadError{Path: c.show(f, f.dir), Err: err}
	}
	u := &unit{prefix: f.key() + ".", place: f}
	for _, e := range entries {
		if e.IsDir() || path.Ext(e.Name()) != ".snodo" || e.Name() == ".snodo" {
			continue
		}
		name := path.Join(f.dir, e.Name())
		// A pipe or a device would be waited for, perhaps for ever.
		if t := e.Type(); !t.IsRegular() && t != fs.ModeSymlink {
			return nil, &ReadError{Path: c.show(f, name), Err: errNotRegular}
		}
		text, err := fs.ReadFile(fsys, name)
		if err != nil {
			return nil, &ReadError{Path: c.show(f, name), Err: err}
		}
		u.files = append(u.files, c.parse(f, name, text))
	}
	slices.SortFunc(u.files, func(a, b *file) int { return strings.Compare(a.path, b.path) })
	for _, file := range u.files {
		c.checkEdition(file, u.files[0])
	}
	c.read[f.key()] = u
	return u, nil
}

func (c *compilation) parse(f folder, name string, text []byte) *file {
	shown, inPlan := c.show(f, name), planPath(name)
	if f.library {
		inPlan = shown
	}
	tree, found := lang.Parse(shown, text)
	c.diagnostics = append(c.diagnostics, found...)
	return &file{name: shown, path: inPlan, text: text, tree: tree}
}
