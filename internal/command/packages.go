package command

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
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
	here, err := os.Getwd()
	if err != nil {
		return place{}, err
	}
	if real, err := filepath.EvalSymlinks(here); err == nil {
		here = real
	}
	src := compiler.Source{FS: root.FS(), Dir: filepath.ToSlash(inside), Library: stdlib.FS, Display: shownFrom(top, here)}
	return place{src, top, root.Close}, nil
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
	return func(path string) string {
		rel, err := filepath.Rel(here, filepath.Join(top, filepath.FromSlash(path)))
		if err != nil {
			return path
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
		below, every := strings.CutSuffix(filepath.ToSlash(arg), "...")
		if !every {
			folders = append(folders, arg)
			continue
		}
		found, err := packagesBelow(filepath.FromSlash(strings.TrimSuffix(below, "/")))
		if err != nil {
			return nil, err
		}
		if len(found) == 0 {
			return nil, usagef("there is no package below %s", arg)
		}
		folders = append(folders, found...)
	}
	return folders, nil
}

func packagesBelow(dir string) ([]string, error) {
	if dir == "" {
		dir = "."
	}
	var found []string
	err := filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return missingFolder(path, err)
		}
		if entry.IsDir() {
			if path != dir && slices.Contains(skipped, entry.Name()) {
				return fs.SkipDir
			}
			return nil
		}
		if folder := filepath.Dir(path); strings.HasSuffix(path, ".snodo") && !slices.Contains(found, folder) {
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
