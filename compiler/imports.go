package compiler

import (
	"errors"
	"io/fs"
	"path"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/snodo-lang/snodo/lang"
	"github.com/snodo-lang/snodo/lang/diag"
)

// aliases are the imports of one file by the name that they are used under.
type aliases map[string]*alias

// An alias is one import of a file.
type alias struct {
	node   *lang.Import
	name   string
	target *unit // nil where the import failed, and was reported
	// unnamed says that the import has no name yet, so that it may be used
	// under any.
	unnamed bool
	// contested says that another import of the file has the same name.
	contested bool
}

// A linker follows imports depth first.
type linker struct {
	*compilation
	open   []*unit // the units on the way to the one at hand
	steps  []*lang.Import
	closed map[*unit]bool
}

// resolveImports reads all packages that are imported, directly or not, and
// puts them in order.
func resolveImports(c *compilation) error {
	c.aliases = make(map[string]aliases)
	l := &linker{compilation: c, closed: make(map[*unit]bool)}
	return l.link(c.root)
}

// link resolves the imports of u and of what it imports, then closes u.
func (l *linker) link(u *unit) error {
	l.open = append(l.open, u)
	under := make(map[string]*alias) // by path: a package imports a path under one alias
	for _, f := range u.files {
		named := make(aliases)
		l.aliases[f.name] = named
		for _, imp := range f.imports() {
			if err := l.bind(u, imp, named, under); err != nil {
				return err
			}
		}
	}
	l.open = l.open[:len(l.open)-1]
	l.closed[u] = true
	l.units = append(l.units, u)
	return nil
}

// bind resolves one import statement of u and gives it its alias.
func (l *linker) bind(u *unit, imp *lang.Import, named aliases, under map[string]*alias) error {
	if strings.TrimSpace(imp.Path.Value) == "" {
		l.report(blank("import", imp.Path))
		// Whatever is used under its name, or for lack of one under any, may
		// come from there.
		a := &alias{node: imp, unnamed: imp.Alias == nil}
		if imp.Alias != nil {
			a.name = imp.Alias.Text
		}
		named[a.name] = a
		return nil
	}
	name, free := l.aliasName(imp)
	if !free {
		// What it would be called is known well enough not to report every
		// use of it too.
		named[name] = &alias{node: imp, name: name, unnamed: imp.Alias == nil}
		return nil
	}
	if first, ok := named[name]; ok {
		l.report(aliasTaken(imp, first.node, name))
		first.contested = true
		return nil
	}
	a := &alias{node: imp, name: name}
	named[name] = a
	place, ok := locate(u.place, imp.Path.Value)
	if !ok {
		l.report(importLeaves(imp))
		return nil
	}
	if first, ok := under[place.key()]; ok && first.name != name {
		l.report(importedTwice(imp, first.node))
	} else if !ok {
		under[place.key()] = a
	}
	target, err := l.openAt(place, imp)
	if err != nil || target == nil {
		return err
	}
	if at := slices.Index(l.open, target); at >= 0 {
		l.reportCycle(at, imp)
		return nil
	}
	a.target = target
	if l.closed[target] {
		return nil
	}
	l.steps = append(l.steps, imp)
	defer func() { l.steps = l.steps[:len(l.steps)-1] }()
	return l.link(target)
}

// nameForm is the form of a name in the language.
var nameForm = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*(-[A-Za-z0-9_]+)*$`) })

// aliasName returns the name that an import is used under, and whether it is
// one that may be used.
func (l *linker) aliasName(imp *lang.Import) (string, bool) {
	if imp.Alias != nil {
		if lang.Reserved(imp.Alias.Text) {
			l.report(reservedName(*imp.Alias))
			return imp.Alias.Text, false
		}
		return imp.Alias.Text, true
	}
	last := path.Base(imp.Path.Value)
	if !nameForm().MatchString(last) || lang.Reserved(last) {
		l.report(needsAlias(imp, last))
		return last, false
	}
	return last, true
}

// locate returns the folder that an import path means in a package standing
// at from. It is false for a path that leaves the repository or the library,
// and for one that is neither.
func locate(from folder, importPath string) (folder, bool) {
	if rest, ok := strings.CutPrefix(importPath, libraryPrefix); ok {
		clean := path.Clean(rest)
		return folder{library: true, dir: clean}, rest != "" && clean != "." && fs.ValidPath(clean)
	}
	if importPath != "." && importPath != ".." && !strings.HasPrefix(importPath, "./") && !strings.HasPrefix(importPath, "../") {
		return folder{}, false
	}
	dir := path.Join(from.dir, importPath)
	return folder{library: from.library, dir: dir}, fs.ValidPath(dir)
}

// openAt reads the package at place. It returns nil, and reports, where there
// is none.
func (l *linker) openAt(place folder, imp *lang.Import) (*unit, error) {
	if l.fileSystem(place) == nil {
		l.report(l.importNotFound(imp, place))
		return nil, nil
	}
	if info, err := fs.Stat(l.fileSystem(place), place.dir); err == nil && !info.IsDir() {
		l.report(l.importNotFound(imp, place))
		return nil, nil
	}
	target, err := l.readFolder(place)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		l.report(l.importNotFound(imp, place))
		return nil, nil
	case err != nil:
		return nil, err
	case len(target.files) == 0:
		l.report(importEmpty(imp))
		return nil, nil
	}
	return target, nil
}

// reportCycle reports that imp leads back to the unit at position at of those
// that are open. It points at the first import of the cycle, which is the
// package's own where the package takes part.
func (l *linker) reportCycle(at int, imp *lang.Import) {
	way := append(slices.Clone(l.steps[at:]), imp)
	var keys []string
	for _, u := range l.open[at:] {
		keys = append(keys, u.place.key())
	}
	keys = append(keys, l.open[at].place.key())
	var related []diag.Related
	for _, step := range way[1:] {
		related = append(related, diag.Related{Range: step.Path.Range, Message: "and this import goes on with it"})
	}
	l.report(importCycle(way[0], keys, related))
}
