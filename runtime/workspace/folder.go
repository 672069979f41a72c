package workspace

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// folderBranch is the branch on which a folder is checked out, so that a
// coder's own git commands work.
const folderBranch = "snodo"

// rawAttributes unsets, above all that a tree can say, every attribute by
// which git would change bytes on their way to a file.
const rawAttributes = "* -text !eol -ident !filter !working-tree-encoding\n"

// CacheRoot returns where folders of runs are made unless the caller says
// otherwise: snodo in the user's cache folder.
func CacheRoot() (string, error) {
	dir, err := os.UserCacheDir()
	if err != nil {
		return "", fmt.Errorf("find the cache folder: %w", err)
	}
	return filepath.Join(dir, "snodo"), nil
}

// A Folder is a checkout of a commit outside of every repository, in which a
// coder, a check, a prepare or an obtain command works. It has a git
// directory of its own that borrows the caller's objects and has no remotes.
// Whoever worked there may have changed anything in it, that git directory
// included: nothing in it is believed afterwards but names and bytes.
type Folder struct {
	repo   *Repository
	dir    string
	commit Commit
}

// Dir is the absolute path of the folder.
func (f *Folder) Dir() string { return f.dir }

// Commit is the commit that was checked out.
func (f *Folder) Commit() Commit { return f.commit }

// MakeFolder checks out a commit at dir, which must not exist. Missing parents
// are made, for the user alone. The error is an *InsideRepositoryError where
// dir lies inside a repository. What was made before an error is removed.
func (r *Repository) MakeFolder(ctx context.Context, dir string, c Commit) (*Folder, error) {
	if err := r.checkCommit(c); err != nil {
		return nil, err
	}
	place, err := newFolder(dir)
	if err != nil {
		return nil, fmt.Errorf("make folder: %w", err)
	}
	f := &Folder{repo: r, dir: place, commit: c}
	if err := f.checkOut(ctx); err != nil {
		return nil, errors.Join(fmt.Errorf("make folder %s: %w", place, err), f.Remove())
	}
	return f, nil
}

// OpenFolder returns a folder that was made before. The error is
// fs.ErrNotExist where it is gone.
func (r *Repository) OpenFolder(dir string, c Commit) (*Folder, error) {
	if err := r.checkCommit(c); err != nil {
		return nil, err
	}
	info, err := os.Lstat(dir)
	if err == nil && !info.IsDir() {
		err = fs.ErrNotExist
	}
	if err != nil {
		return nil, fmt.Errorf("open folder %s: %w", dir, err)
	}
	return &Folder{repo: r, dir: dir, commit: c}, nil
}

// newFolder makes an empty folder outside of every repository and returns
// its path without links.
func newFolder(dir string) (string, error) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return "", err
	}
	parent := filepath.Dir(dir)
	// Looked at before anything is made, so that nothing is left inside a
	// repository; and again behind links afterwards.
	if err := outsideRepositories(parent); err != nil {
		return "", err
	}
	if err := os.MkdirAll(parent, 0o700); err != nil {
		return "", err
	}
	if parent, err = filepath.EvalSymlinks(parent); err != nil {
		return "", err
	}
	if err := outsideRepositories(parent); err != nil {
		return "", err
	}
	dir = filepath.Join(parent, filepath.Base(dir))
	return dir, os.Mkdir(dir, 0o700)
}

// outsideRepositories looks for a git directory in dir, which may not exist
// yet, and in every folder above it.
func outsideRepositories(dir string) error {
	for at := dir; ; at = filepath.Dir(at) {
		if _, err := os.Lstat(filepath.Join(at, ".git")); err == nil || isBareRepository(at) {
			return &InsideRepositoryError{Dir: dir, Repository: at}
		}
		if at == filepath.Dir(at) {
			return nil
		}
	}
}

func isBareRepository(dir string) bool {
	for _, name := range []string{"HEAD", "objects", "refs"} {
		if _, err := os.Stat(filepath.Join(dir, name)); err != nil {
			return false
		}
	}
	return true
}

// checkOut fills the empty folder. Nobody has worked in it yet, so its own
// git directory may be used.
func (f *Folder) checkOut(ctx context.Context) error {
	gitDir := filepath.Join(f.dir, ".git")
	own := gitIn(f.dir).setting(raw)
	_, err := own.output(ctx, "init", "--quiet", "--template=", "--initial-branch="+folderBranch,
		"--object-format="+f.repo.format, ".")
	if err != nil {
		return err
	}
	own = own.with("--git-dir="+gitDir, "--work-tree="+f.dir)
	if err := f.borrow(gitDir); err != nil {
		return err
	}
	for _, setting := range [][2]string{
		{"user.name", "snodo"}, {"user.email", "snodo@localhost"},
		{"commit.gpgSign", "false"}, {"tag.gpgSign", "false"}, {"gc.auto", "0"},
		{"core.hooksPath", filepath.Join(gitDir, "hooks")},
	} {
		if _, err := own.output(ctx, "config", "--local", setting[0], setting[1]); err != nil {
			return err
		}
	}
	if _, err := own.output(ctx, "update-ref", "refs/heads/"+folderBranch, string(f.commit)); err != nil {
		return err
	}
	_, err = own.output(ctx, "read-tree", "-m", "-u", string(f.commit))
	return err
}

// borrow lets the folder's git directory read the caller's objects, and
// writes the attributes that keep bytes as they are.
func (f *Folder) borrow(gitDir string) error {
	stores, err := objectStores(filepath.Join(f.repo.common, "objects"))
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Join(gitDir, "info"), 0o700); err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Join(gitDir, "objects", "info"), 0o700); err != nil {
		return err
	}
	files := map[string]string{
		"objects/info/alternates": strings.Join(stores, "\n") + "\n",
		"info/attributes":         rawAttributes,
	}
	if f.repo.shallow {
		shallow, err := os.ReadFile(filepath.Join(f.repo.common, "shallow"))
		if err != nil {
			return err
		}
		files["shallow"] = string(shallow)
	}
	for name, content := range files {
		if err := os.WriteFile(filepath.Join(gitDir, filepath.FromSlash(name)), []byte(content), 0o600); err != nil {
			return err
		}
	}
	return nil
}

// maxAlternates is how deep git itself follows borrowed object stores.
const maxAlternates = 5

// objectStores returns an object store and all that it borrows from, as
// absolute paths: git does not follow relative ones at second hand.
func objectStores(store string) ([]string, error) {
	found := []string{store}
	level := []string{store}
	for depth := 0; depth < maxAlternates && len(level) > 0; depth++ {
		var next []string
		for _, s := range level {
			content, err := os.ReadFile(filepath.Join(s, "info", "alternates"))
			if errors.Is(err, fs.ErrNotExist) {
				continue
			}
			if err != nil {
				return nil, err
			}
			for _, line := range strings.Split(string(content), "\n") {
				if line == "" || strings.HasPrefix(line, "#") {
					continue
				}
				if !filepath.IsAbs(line) {
					line = filepath.Join(s, line)
				}
				if line = filepath.Clean(line); !slices.Contains(found, line) {
					found, next = append(found, line), append(next, line)
				}
			}
		}
		level = next
	}
	for _, s := range found {
		if strings.ContainsAny(s, "\n\"") {
			return nil, fmt.Errorf("object store %q: a newline or quote in its path is not supported", s)
		}
	}
	return found, nil
}

// Remove deletes the folder with everything in it, write-protected folders
// included. It follows no link.
func (f *Folder) Remove() error { return RemoveAll(f.dir) }

// RemoveAll deletes a folder of a run with everything in it, also where
// folders are write-protected, as those of module caches are. It follows no
// link. It is no error if there is none.
func RemoveAll(dir string) error {
	if err := os.RemoveAll(dir); err == nil {
		return nil
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return fmt.Errorf("remove folder: %w", err)
	}
	defer root.Close()
	unlock(root, ".")
	if err := os.RemoveAll(dir); err != nil {
		return fmt.Errorf("remove folder: %w", err)
	}
	return nil
}

// unlock makes every folder writable, each before it is read.
func unlock(root *os.Root, dir string) {
	_ = root.Chmod(dir, 0o700) // what cannot be unlocked shows when it is removed
	d, err := root.Open(dir)
	if err != nil {
		return
	}
	defer d.Close()
	entries, _ := d.ReadDir(-1)
	for _, e := range entries {
		if e.IsDir() {
			unlock(root, filepath.Join(dir, e.Name()))
		}
	}
}
