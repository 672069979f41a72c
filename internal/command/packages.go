package command

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/snodo-lang/snodo/compiler"
	"github.com/snodo-lang/snodo/stdlib"
)

// A place is a package's folder as the compiler wants it.
type place struct {
	source compiler.Source
	top    string // what the source's file system begins at
	close  func() error
}

// packageIn finds the repository around a folder and returns the package that
// stands in it. Globs and imports are relative to the repository; without
// one, to the folder itself.
func packageIn(dir string) (place, error) {
	folder, err := filepath.Abs(dir)
	if err != nil {
		return place{}, err
	}
	if folder, err = filepath.EvalSymlinks(folder); err != nil {
		return place{}, missingFolder(dir, err)
	}
	info, err := os.Stat(folder)
	if err != nil {
		return place{}, missingFolder(dir, err)
	}
	if !info.IsDir() {
		return place{}, usagef("%s is a file; name the folder of the package", dir)
	}
	top := repositoryAround(folder)
	root, err := os.OpenRoot(top)
	if err != nil {
		return place{}, missingFolder(dir, err)
	}
	inside, err := filepath.Rel(top, folder)
	if err != nil {
		return place{}, err
	}
	here, err := workingFolder()
	if err != nil {
		return place{}, err
	}
	src := compiler.Source{FS: root.FS(), Dir: filepath.ToSlash(inside), Library: stdlib.FS, Display: shownFrom(top, here)}
	return place{src, top, root.Close}, nil
}

// placeOfFormer returns the place of a folder that need not be there any more,
// by the name that it was given: a link that stands there now is not followed,
// because the folder had that name before.
func placeOfFormer(dir string) (place, error) {
	folder := dir
	if !filepath.IsAbs(folder) {
		here, err := workingFolder()
		if err != nil {
			return place{}, err
		}
		folder = filepath.Join(here, folder)
	}
	folder = filepath.Clean(folder)
	top := repositoryAround(folder)
	p, err := packageIn(top)
	if err != nil {
		return place{}, err
	}
	inside, err := filepath.Rel(top, folder)
	if err != nil {
		return place{}, errors.Join(err, p.close())
	}
	p.source.Dir = path.Join(p.source.Dir, filepath.ToSlash(inside))
	return p, nil
}

// workingFolder returns the current folder without links in its path.
func workingFolder() (string, error) {
	here, err := os.Getwd()
	if err != nil {
		return "", err
	}
	if real, err := filepath.EvalSymlinks(here); err == nil {
		here = real
	}
	return here, nil
}

// holdsSource reports whether a source file stands in the folder of a package.
func (p place) holdsSource() (bool, error) {
	entries, err := fs.ReadDir(p.source.FS, p.source.Dir)
	if err != nil {
		return false, missingFolder(p.source.Dir, err)
	}
	return slices.ContainsFunc(entries, func(e fs.DirEntry) bool {
		return !e.IsDir() && path.Ext(e.Name()) == ".snodo" && e.Name() != ".snodo"
	}), nil
}

func missingFolder(dir string, err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return usagef("there is no folder %s", dir)
	}
	return usagef("%s cannot be opened: %v", dir, err)
}

// shownFrom returns how a file of the repository at top is written by a
// person who stands in the folder here.
func shownFrom(top, here string) func(string) string {
	return func(name string) string {
		rel, err := filepath.Rel(here, filepath.Join(top, filepath.FromSlash(name)))
		if err != nil {
			return name
		}
		return filepath.ToSlash(rel)
	}
}

// repositoryAround returns the nearest folder at or above dir that holds a
// .git, and dir itself where none does.
func repositoryAround(dir string) string {
	for at := dir; ; at = filepath.Dir(at) {
		if _, err := os.Lstat(filepath.Join(at, ".git")); err == nil {
			return at
		}
		if at == filepath.Dir(at) {
			return dir
		}
	}
}

// skipped are the folders that DIR/... does not look into.
var skipped = []string{".git", ".snodo", "node_modules", "vendor"}

// packageFolders returns the folders that the arguments name: a folder is
// itself, DIR/... is every folder below DIR that holds a source file, and
// nothing is the current folder.
func packageFolders(args []string) ([]string, error) {
	if len(args) == 0 {
		return []string{"."}, nil
	}
	var folders []string
	for _, arg := range args {
		dir, every := everyBelow(arg)
		if !every {
			folders = append(folders, arg)
			continue
		}
		found, err := packagesBelow(dir)
		if err != nil {
			return nil, err
		}
		if len(found) == 0 {
			return nil, noneBelow(arg)
		}
		folders = append(folders, found...)
	}
	return folders, nil
}

// everyBelow returns the folder that an argument names, and whether it means
// every package below it.
func everyBelow(arg string) (dir string, every bool) {
	below, every := strings.CutSuffix(filepath.ToSlash(arg), "...")
	if !every {
		return arg, false
	}
	return filepath.FromSlash(cmp.Or(strings.TrimSuffix(below, "/"), ".")), true
}

func noneBelow(arg string) error { return usagef("there is no package below %s", arg) }

func packagesBelow(dir string) ([]string, error) {
	var found []string
	err := filepath.WalkDir(dir, func(name string, entry fs.DirEntry, err error) error {
		if err != nil {
			return missingFolder(name, err)
		}
		if entry.IsDir() {
			if name != dir && slices.Contains(skipped, entry.Name()) {
				return fs.SkipDir
			}
			return nil
		}
		if folder := filepath.Dir(name); strings.HasSuffix(name, ".snodo") && !slices.Contains(found, folder) {
			found = append(found, folder)
		}
		return nil
	})
	return found, err
}

// sourceError words what kept a package from being read.
func sourceError(dir string, err error) error {
	if errors.Is(err, compiler.ErrNoSource) {
		return usagef("there is no .snodo file in %s", dir)
	}
	var defect *compiler.InternalError
	if errors.As(err, &defect) {
		return &exitError{exitFailed, defectError{defect}}
	}
	return usagef("%v", err)
}

// A defectError words a defect of the compiler: where it was met, and how it
// is reported.
type defectError struct{ defect *compiler.InternalError }

func (e defectError) Error() string {
	return fmt.Sprintf("%v\n\n%s\nThis is a defect of snodo and not of your protocol. Please report it, with the lines above and the .snodo files,\nat https://github.com/snodo-lang/snodo/issues", e.defect, e.defect.Stack)
}

// contents returns the source of a file as a renderer asks for it.
func contents(r compiler.Report) func(string) []byte {
	return func(file string) []byte { return r.Files[file] }
}
