package workspace

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// notesRef is where approvals are kept.
const notesRef = "refs/notes/snodo"

// A RefusedError says why a power could not be exercised: the world is not as
// it was when the work was judged.
type RefusedError struct {
	Power, Reason string
	ByHand        []string // commands with which a person can go on
}

func (e *RefusedError) Error() string { return e.Power + ": " + e.Reason }

// FastForward moves a branch from the commit that was judged against to the
// result, by compare-and-swap. Where the branch is checked out in a worktree
// without changes, that worktree moves with it. A branch that stands at the
// result already is done, as is a worktree that shows it. The error is a
// *RefusedError where the branch has moved, is gone, or a worktree of it has
// changes or files in the way; then nothing was changed.
func (r *Repository) FastForward(ctx context.Context, branch string, from, to Commit) error {
	ref := "refs/heads/" + branch
	have, err := r.ref(ctx, ref)
	if err != nil || have == to {
		return err
	}
	if err := r.movable(ctx, branch, have, from, to); err != nil {
		return err
	}
	places, err := r.worktreesOf(ctx, ref)
	if err != nil {
		return err
	}
	behind, err := r.behind(ctx, places, branch, to)
	if err != nil {
		return err
	}
	// Each worktree moves before the branch does: one that cannot leaves the
	// branch where it is.
	for i, place := range behind {
		if err := r.moveWorktree(ctx, place, from, to); err != nil {
			no := refusedMerge(fmt.Sprintf("the checkout at %s cannot move: %v", place, err), "git -C "+shellWord(place)+" status")
			return errors.Join(no, r.moveBack(ctx, behind[:i], to, from))
		}
	}
	if _, err := r.git.output(ctx, "update-ref", "--no-deref", ref, string(to), string(from)); err != nil {
		return errors.Join(refusedMerge(fmt.Sprintf("%s moved meanwhile: %v", branch, err)), r.moveBack(ctx, behind, to, from))
	}
	return nil
}

func refusedMerge(reason string, byHand ...string) error {
	return &RefusedError{Power: "merge", Reason: reason, ByHand: byHand}
}

// movable refuses a branch that a fast-forward cannot take to the result.
func (r *Repository) movable(ctx context.Context, branch string, have, from, to Commit) error {
	switch have {
	case from:
	case "":
		return refusedMerge(fmt.Sprintf("there is no branch %q", branch))
	default:
		return refusedMerge(fmt.Sprintf("%s has moved from %.12s to %.12s since, and the merged tree would be one that nobody judged", branch, from, have),
			"git switch "+shellWord(branch), "git merge "+string(to))
	}
	ok, err := r.IsAncestor(ctx, from, to)
	if err != nil {
		return err
	}
	if !ok {
		return refusedMerge("the result does not descend from " + branch)
	}
	return nil
}

// behind returns the worktrees that have to move to the result. One that has
// changes of its own is refused; one that shows the result already was moved
// before a run was cut short.
func (r *Repository) behind(ctx context.Context, places []string, branch string, to Commit) ([]string, error) {
	var behind []string
	for _, place := range places {
		clean, err := r.cleanAt(ctx, place)
		if err != nil {
			return nil, err
		}
		if clean {
			behind = append(behind, place)
			continue
		}
		moved, err := r.shows(ctx, place, to)
		if err != nil {
			return nil, err
		}
		if !moved {
			return nil, refusedMerge(fmt.Sprintf("%s is checked out at %s, which has changes", branch, place),
				"git -C "+shellWord(place)+" stash")
		}
	}
	return behind, nil
}

func (r *Repository) moveBack(ctx context.Context, places []string, from, to Commit) error {
	var errs []error
	for _, place := range places {
		errs = append(errs, r.moveWorktree(ctx, place, from, to))
	}
	return errors.Join(errs...)
}

// moveWorktree takes the index and files of a worktree from one commit to
// another. Git refuses where that would overwrite anything.
func (r *Repository) moveWorktree(ctx context.Context, place string, from, to Commit) error {
	_, err := gitIn(place).output(ctx, "read-tree", "-m", "-u", string(from), string(to))
	return err
}

func (r *Repository) cleanAt(ctx context.Context, place string) (bool, error) {
	out, err := gitIn(place).variables("GIT_OPTIONAL_LOCKS=1").output(ctx, "status", "--porcelain=v1", "-z",
		"--untracked-files=no", "--ignore-submodules=dirty", "--no-renames")
	return len(out) == 0, err
}

// shows says whether the index and the tracked files of a worktree are those of
// a commit, wherever its branch stands.
func (r *Repository) shows(ctx context.Context, place string, c Commit) (bool, error) {
	out, err := gitIn(place).output(ctx, "diff-index", "--no-ext-diff", "--no-textconv", "--no-renames", "--ignore-submodules=dirty",
		"--name-only", "-z", string(c), "--")
	return len(out) == 0, err
}

// worktreesOf returns the worktrees in which a branch is checked out.
func (r *Repository) worktreesOf(ctx context.Context, ref string) ([]string, error) {
	return r.worktrees(ctx, func(field string) bool { return field == "branch "+ref })
}

// Worktrees returns the tops of all checkouts of the repository that are
// there.
func (r *Repository) Worktrees(ctx context.Context) ([]string, error) {
	return r.worktrees(ctx, func(field string) bool { return strings.HasPrefix(field, "worktree ") })
}

// worktrees returns the checkouts of which a field of git's list is true.
func (r *Repository) worktrees(ctx context.Context, is func(field string) bool) ([]string, error) {
	out, err := r.checkout.output(ctx, "worktree", "list", "--porcelain", "-z")
	if err != nil {
		return nil, err
	}
	var places []string
	place := ""
	for _, field := range strings.Split(string(out), "\x00") {
		if p, ok := strings.CutPrefix(field, "worktree "); ok {
			place = p
		}
		if is(field) {
			if _, err := os.Stat(filepath.Join(place, ".git")); err == nil {
				places = append(places, place)
			}
		}
	}
	return places, nil
}

// Annotate puts an approval on a commit: a paragraph of its git note at
// refs/notes/snodo. One that stands there already is done, and what others
// have put there stays.
func (r *Repository) Annotate(ctx context.Context, c Commit, text string, when time.Time) error {
	if err := r.checkCommit(c); err != nil {
		return err
	}
	text = strings.TrimSpace(strings.ReplaceAll(text, "\x00", ""))
	notes := r.git.variables(identity(when)...)
	have, err := notes.output(ctx, "notes", "--ref="+notesRef, "show", string(c))
	if err != nil && exitCode(err) != 1 {
		return err
	}
	var paragraphs []string
	if before := strings.TrimSpace(string(have)); before != "" {
		paragraphs = strings.Split(before, "\n\n")
	}
	if slices.Contains(paragraphs, text) {
		return nil
	}
	note := strings.Join(append(paragraphs, text), "\n\n") + "\n"
	_, err = notes.feed(ctx, strings.NewReader(note), "notes", "--ref="+notesRef, "add", "--force", "--file=-", string(c))
	return err
}

// shellWord writes a word as a shell takes it.
func shellWord(word string) string {
	if word != "" && !strings.ContainsFunc(word, func(c rune) bool {
		return !strings.ContainsRune("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./:@%+=,", c)
	}) {
		return word
	}
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}
