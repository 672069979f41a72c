package workspace

import (
	"fmt"
	"io/fs"
	"strings"
)

// A NoGitError says that the git program cannot be started.
type NoGitError struct{ Err error }

func (e *NoGitError) Error() string {
	return fmt.Sprintf("the git program is needed and cannot be started (%v): install git %s or later", e.Err, minimumGit)
}
func (e *NoGitError) Unwrap() error { return e.Err }

// An OldGitError says that the git program is older than what is needed.
type OldGitError struct{ Have string }

func (e *OldGitError) Error() string {
	return fmt.Sprintf("git %s is too old: install git %s or later", e.Have, minimumGit)
}

// A GitError is a git command that failed.
type GitError struct {
	Command string // the subcommand, such as read-tree
	Exit    int    // its exit code, -1 when it was ended by a signal
	Words   string // what git said, in one line
	Err     error
}

func (e *GitError) Error() string {
	words := e.Words
	if words == "" {
		words = e.Err.Error()
	}
	return "git " + e.Command + ": " + words
}
func (e *GitError) Unwrap() error { return e.Err }

// A NoRepositoryError says that no repository holds a folder.
type NoRepositoryError struct{ Dir string }

func (e *NoRepositoryError) Error() string {
	return fmt.Sprintf("%s is not in a git repository: run in one, or make one with `git init` and a first commit", e.Dir)
}

// A BareError says that a repository has no files checked out where it was
// asked for.
type BareError struct{ Dir string }

func (e *BareError) Error() string {
	return fmt.Sprintf("%s is in a git directory or a bare repository, which has no checkout: run in a worktree of it", e.Dir)
}

// An UnbornError says that a repository has no commit yet.
type UnbornError struct{ Dir string }

func (e *UnbornError) Error() string {
	return fmt.Sprintf("the repository at %s has no commit yet: make a first one", e.Dir)
}

// An UnsafeError passes on git's refusal to work in a repository that
// belongs to somebody else.
type UnsafeError struct{ Words string }

func (e *UnsafeError) Error() string { return "git refuses the repository: " + e.Words }

// A DirtyError says that the caller's checkout has changes to tracked files.
type DirtyError struct {
	Paths []string // the first few
	More  int      // how many there are besides
}

func (e *DirtyError) Error() string {
	names := quoteAll(e.Paths)
	if e.More > 0 {
		names += fmt.Sprintf(" and %d more", e.More)
	}
	return "tracked files have changes that are not committed: " + names + "; commit or stash them first"
}

// A ShallowError says that a clone does not hold the history that is needed.
type ShallowError struct{ Need string }

func (e *ShallowError) Error() string {
	return fmt.Sprintf("this clone is too shallow for %s: run `git fetch --unshallow` (in CI: fetch the full depth)", e.Need)
}

// A RevisionError says that a revision cannot be used.
type RevisionError struct{ Rev, Reason string }

func (e *RevisionError) Error() string { return fmt.Sprintf("revision %q %s", e.Rev, e.Reason) }

// A NoBaseError says that no default base can be found.
type NoBaseError struct{}

func (*NoBaseError) Error() string {
	return "no base to compare with: there is no common ancestor with origin/HEAD, main or master; name one with --base"
}

// A PathError says why a path cannot be used. It is fs.ErrNotExist where
// nothing is there.
type PathError struct {
	Path, Reason string
	Err          error
}

func (e *PathError) Error() string { return fmt.Sprintf("path %q %s", e.Path, e.Reason) }
func (e *PathError) Unwrap() error { return e.Err }

func notFound(path string) error {
	return &PathError{Path: path, Reason: "does not exist in this tree", Err: fs.ErrNotExist}
}

// A TooLargeError says that a limit was exceeded.
type TooLargeError struct {
	What  string // such as `file "a.bin"`
	Limit string // such as 256 MiB
}

func (e *TooLargeError) Error() string {
	return fmt.Sprintf("%s is too large: the limit is %s", e.What, e.Limit)
}

// An InsideRepositoryError says that a folder of a run would lie inside a
// repository.
type InsideRepositoryError struct{ Dir, Repository string }

func (e *InsideRepositoryError) Error() string {
	return fmt.Sprintf("%s lies inside the git repository %s, and a coder's folder must lie outside of every repository: point XDG_CACHE_HOME elsewhere", e.Dir, e.Repository)
}

// A RefError says that a ref is not where it must be.
type RefError struct {
	Ref        string
	Have, Want Commit // Have is empty where there is no such ref
}

func (e *RefError) Error() string {
	have := string(e.Have)
	if have == "" {
		have = "missing"
	}
	return fmt.Sprintf("ref %s is %s, expected %s", e.Ref, have, e.Want)
}

func quoteAll(names []string) string {
	quoted := make([]string, len(names))
	for i, n := range names {
		quoted[i] = fmt.Sprintf("%q", n)
	}
	return strings.Join(quoted, ", ")
}
