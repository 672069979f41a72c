package workspace

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/sync/errgroup"
)

// A Commit is the full object id of a commit.
type Commit string

// A Repository is the caller's repository. Its methods may be called side by
// side, also by several runs in several processes: they share nothing that
// they write but git's object store and refs that carry the run's id.
type Repository struct {
	worktree string // of the folder that was opened
	main     string // the main worktree, where records are kept
	gitDir   string // of the worktree
	common   string // what all worktrees share
	format   string // sha1 or sha256
	shallow  bool
	head     Commit

	git      git // objects and refs, no worktree, bytes as they are
	checkout git // the caller's worktree, under the caller's settings
	objects  *objects
}

// Open finds the repository that holds dir. Its errors are *NoGitError,
// *OldGitError, *NoRepositoryError, *BareError, *UnbornError and *UnsafeError,
// each a sentence for the caller. Close ends what it started.
func Open(ctx context.Context, dir string) (*Repository, error) {
	r := &Repository{}
	var tooOld, lost error
	var g errgroup.Group // starting git takes longer than what it is asked
	g.Go(func() error { tooOld = checkVersion(ctx); return nil })
	g.Go(func() error { lost = r.find(ctx, dir); return nil })
	if _ = g.Wait(); tooOld != nil {
		return nil, tooOld
	}
	if lost != nil {
		return nil, lost
	}
	var err error
	r.git = gitIn(r.common).setting(raw).with("--git-dir=" + r.common)
	r.checkout = gitIn(r.worktree).with("--git-dir="+r.gitDir, "--work-tree="+r.worktree)
	if r.main, err = r.mainWorktree(ctx); err != nil {
		return nil, err
	}
	if r.head == "" {
		head, err := r.checkout.line(ctx, "rev-parse", "--verify", "--quiet", "HEAD^{commit}")
		if err != nil {
			if exitCode(err) > 0 {
				return nil, &UnbornError{Dir: r.worktree}
			}
			return nil, err
		}
		r.head = Commit(head)
	}
	r.objects = &objects{git: r.git}
	return r, nil
}

// find finds the repository that holds dir: in one go where it is like most.
func (r *Repository) find(ctx context.Context, dir string) error {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return fmt.Errorf("open repository: %w", err)
	}
	if _, err := os.Stat(dir); err != nil {
		return fmt.Errorf("open repository: %w", err)
	}
	if r.locateAtOnce(ctx, dir) {
		return nil
	}
	return r.locate(ctx, dir)
}

// locateAtOnce asks for all that locate asks for, and for HEAD. It is false
// where the answer does not say for certain what is what: an error, which
// locate words, a repository without a commit, or a name with a newline, which
// makes more lines.
func (r *Repository) locateAtOnce(ctx context.Context, dir string) bool {
	out, err := gitIn(dir).line(ctx, "rev-parse", "--is-inside-work-tree", "--is-shallow-repository", "--show-object-format",
		"--show-toplevel", "--absolute-git-dir", "--git-common-dir", "HEAD^{commit}")
	said := strings.Split(out, "\n")
	if err != nil || len(said) != 7 || said[0] != "true" || !filepath.IsAbs(said[3]) || !filepath.IsAbs(said[4]) || said[5] == "" {
		return false
	}
	r.shallow, r.format = said[1] == "true", said[2]
	r.worktree, r.gitDir, r.common = said[3], said[4], said[5]
	if !filepath.IsAbs(r.common) {
		r.common = filepath.Join(dir, r.common)
	}
	r.head = Commit(said[6])
	return true
}

// locate asks git for the places of the repository that holds dir.
func (r *Repository) locate(ctx context.Context, dir string) error {
	found := gitIn(dir)
	out, err := found.line(ctx, "rev-parse", "--is-inside-work-tree", "--is-shallow-repository", "--show-object-format")
	if err != nil {
		return discoveryError(dir, err)
	}
	facts := strings.Split(out, "\n")
	if len(facts) != 3 {
		return fmt.Errorf("open repository %s: git rev-parse answered %q", dir, words(out))
	}
	if facts[0] != "true" {
		return &BareError{Dir: dir}
	}
	r.shallow = facts[1] == "true"
	r.format = facts[2]
	for _, place := range []struct {
		flag string
		into *string
	}{
		{"--show-toplevel", &r.worktree},
		{"--absolute-git-dir", &r.gitDir},
		{"--git-common-dir", &r.common},
	} {
		// One call for each: a name may hold a newline.
		if *place.into, err = found.line(ctx, "rev-parse", place.flag); err != nil {
			return discoveryError(dir, err)
		}
		if !filepath.IsAbs(*place.into) {
			*place.into = filepath.Join(dir, *place.into)
		}
	}
	return nil
}

// discoveryError tells the reasons apart for which git finds no repository.
// Git says them only in words, which LC_ALL=C keeps in English.
func discoveryError(dir string, err error) error {
	var e *GitError
	if !errors.As(err, &e) {
		return err
	}
	switch {
	case strings.Contains(e.Words, "dubious ownership"), strings.Contains(e.Words, "unsafe repository"):
		return &UnsafeError{Words: e.Words}
	case strings.Contains(e.Words, "not a git repository"):
		return &NoRepositoryError{Dir: dir}
	case strings.Contains(e.Words, "work tree"):
		return &BareError{Dir: dir}
	}
	return err
}

// mainWorktree returns the main checkout of the repository. Only a linked
// worktree has another than its own; git lists the main one first. Where that
// is a bare repository, or what git lists is its git directory, the current
// worktree is the one to be had.
func (r *Repository) mainWorktree(ctx context.Context) (string, error) {
	if r.gitDir == r.common {
		return r.worktree, nil
	}
	out, err := r.checkout.output(ctx, "worktree", "list", "--porcelain", "-z")
	if err != nil {
		return "", err
	}
	first, _, _ := strings.Cut(string(out), "\x00\x00")
	place := ""
	for _, field := range strings.Split(first, "\x00") {
		if path, ok := strings.CutPrefix(field, "worktree "); ok {
			place = path
		}
		if field == "bare" {
			return r.worktree, nil
		}
	}
	if _, err := os.Lstat(filepath.Join(place, ".git")); place == "" || err != nil {
		return r.worktree, nil
	}
	return place, nil
}

// Close ends the processes that the repository keeps for reading objects.
func (r *Repository) Close() error { return r.objects.close() }

// Worktree is the top of the checkout that holds the folder opened.
func (r *Repository) Worktree() string { return r.worktree }

// MainWorktree is the top of the repository's main checkout.
func (r *Repository) MainWorktree() string { return r.main }

// GitDir is the git directory that all worktrees share.
func (r *Repository) GitDir() string { return r.common }

// ObjectFormat is sha1 or sha256.
func (r *Repository) ObjectFormat() string { return r.format }

// Head is the commit that was checked out when the repository was opened.
func (r *Repository) Head() Commit { return r.head }

// Shallow reports whether the clone lacks part of its history.
func (r *Repository) Shallow() bool { return r.shallow }

// Branch returns the branch that is checked out, without refs/heads/, or the
// empty string where HEAD is detached.
func (r *Repository) Branch(ctx context.Context) (string, error) {
	ref, err := r.checkout.line(ctx, "symbolic-ref", "--quiet", "HEAD")
	if exitCode(err) == 1 {
		return "", nil
	}
	return strings.TrimPrefix(ref, "refs/heads/"), err
}

// namedFiles is how many files an error names.
const namedFiles = 5

// Clean returns a *DirtyError where tracked files of the caller's checkout
// differ from HEAD, in the index or on disk. Untracked files do not count,
// nor does what is changed inside a submodule that stands at its commit.
func (r *Repository) Clean(ctx context.Context) error {
	out, err := r.checkout.output(ctx, "status", "--porcelain=v1", "-z", "--untracked-files=no",
		"--ignore-submodules=dirty", "--no-renames")
	if err != nil {
		return err
	}
	changed := records(out)
	if len(changed) == 0 {
		return nil
	}
	e := &DirtyError{More: max(0, len(changed)-namedFiles)}
	for _, c := range changed[:min(len(changed), namedFiles)] {
		e.Paths = append(e.Paths, c[min(3, len(c)):])
	}
	return e
}

// Untracked counts the files of the caller's checkout that git neither
// tracks nor ignores: a coder will not see them.
func (r *Repository) Untracked(ctx context.Context) (int, error) {
	n := 0
	err := r.checkout.stream(ctx, nil, func(out io.Reader) error {
		buf := make([]byte, 32<<10)
		for {
			k, err := out.Read(buf)
			for _, b := range buf[:k] {
				if b == 0 {
					n++
				}
			}
			if err == io.EOF {
				return nil
			}
			if err != nil {
				return err
			}
		}
	}, "ls-files", "-z", "--others", "--exclude-standard")
	return n, err
}
