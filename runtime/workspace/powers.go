package workspace

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// notesRef is where approvals are kept.
const notesRef = "refs/notes/snodo"

// A RefusedError says why a power could not be exercised: the world is not as
// it was when the work was judged.
type RefusedError struct{ Power, Reason string }

func (e *RefusedError) Error() string { return e.Power + ": " + e.Reason }

// FastForward moves a branch from the commit that was judged against to the
// result, by compare-and-swap. Where the branch is checked out in a worktree
// without changes, that worktree moves with it. A branch that stands at the
// result already is done. The error is a *RefusedError where the branch has
// moved, is gone, or a worktree of it has changes or files in the way; then
// nothing was changed.
func (r *Repository) FastForward(ctx context.Context, branch string, from, to Commit) error {
	refuse := func(reason string) error { return &RefusedError{Power: "merge", Reason: reason} }
	ref := "refs/heads/" + branch
	have, err := r.ref(ctx, ref)
	if err != nil {
		return err
	}
	switch have {
	case to:
		return nil
	case from:
	case "":
		return refuse(fmt.Sprintf("there is no branch %q", branch))
	default:
		return refuse(fmt.Sprintf("%s has moved from %s to %s", branch, from, have))
	}
	if ok, err := r.IsAncestor(ctx, from, to); err != nil || !ok {
		return errors.Join(err, refuse("the result does not descend from "+branch))
	}
	places, err := r.worktreesOf(ctx, ref)
	if err != nil {
		return err
	}
	for _, place := range places {
		clean, err := r.cleanAt(ctx, place)
		if err != nil {
			return err
		}
		if !clean {
			return refuse(fmt.Sprintf("%s is checked out at %s, which has changes", branch, place))
		}
	}
	// Each worktree moves before the branch does: one that cannot leaves the
	// branch where it is.
	for i, place := range places {
		if err := r.moveWorktree(ctx, place, from, to); err != nil {
			return errors.Join(refuse(fmt.Sprintf("the checkout at %s cannot move: %v", place, err)), r.moveBack(ctx, places[:i], to, from))
		}
	}
	if _, err := r.git.output(ctx, "update-ref", "--no-deref", ref, string(to), string(from)); err != nil {
		return errors.Join(refuse(fmt.Sprintf("%s moved meanwhile: %v", branch, err)), r.moveBack(ctx, places, to, from))
	}
	return nil
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

// worktreesOf returns the worktrees in which a branch is checked out.
func (r *Repository) worktreesOf(ctx context.Context, ref string) ([]string, error) {
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
		if field == "branch "+ref {
			if _, err := os.Stat(filepath.Join(place, ".git")); err == nil {
				places = append(places, place)
			}
		}
	}
	return places, nil
}

// Annotate puts a git note with an approval on a commit, at refs/notes/snodo.
// A note that says the same already is done; another one is replaced.
func (r *Repository) Annotate(ctx context.Context, c Commit, text string, when time.Time) error {
	if err := r.checkCommit(c); err != nil {
		return err
	}
	text = strings.TrimSpace(strings.ReplaceAll(text, "\x00", "")) + "\n"
	notes := r.git.variables(identity(when)...)
	if have, err := notes.output(ctx, "notes", "--ref="+notesRef, "show", string(c)); err == nil && string(have) == text {
		return nil
	}
	_, err := notes.feed(ctx, strings.NewReader(text), "notes", "--ref="+notesRef, "add", "--force", "--file=-", string(c))
	return err
}

// network returns a git that may reach remotes the way the caller's own does:
// with its credential helpers and ssh command, and still without a prompt.
func (r *Repository) network() git {
	g := r.git
	g.before = nil
	for _, a := range r.git.before {
		if a == "credential.helper=" {
			a = "snodo.unused=" // keeps the -c before it
		}
		g.before = append(g.before, a)
	}
	g.keep = func(name string) bool {
		switch name {
		case "GIT_SSH", "GIT_SSH_COMMAND", "GIT_SSH_VARIANT", "GIT_PROXY_COMMAND":
			return true
		}
		return keepVariable(name) || strings.HasPrefix(name, "GIT_SSL_")
	}
	return g
}

// RemoteURL returns the address that a remote is pushed to, or the empty
// string where there is no such remote.
func (r *Repository) RemoteURL(ctx context.Context, remote string) (string, error) {
	if err := checkRemote(remote); err != nil {
		return "", err
	}
	out, err := r.git.line(ctx, "remote", "get-url", "--push", "--", remote)
	if exitCode(err) == 2 {
		return "", nil
	}
	return out, err
}

// RemoteBranch returns what a branch of a remote stands at, or the empty
// Commit where there is none.
func (r *Repository) RemoteBranch(ctx context.Context, remote, branch string) (Commit, error) {
	if err := checkRemote(remote); err != nil {
		return "", err
	}
	ref := "refs/heads/" + branch
	out, err := r.network().output(ctx, "ls-remote", "--quiet", "--refs", "--", remote, ref)
	if err != nil {
		return "", err
	}
	for _, line := range strings.Split(string(out), "\n") {
		if id, name, _ := strings.Cut(line, "\t"); name == ref {
			return Commit(id), r.checkCommit(Commit(id))
		}
	}
	return "", nil
}

// Push makes a branch of a remote that stands at a commit. A remote branch
// that stands there already is done. The error is a *RefusedError where the
// remote has another one of that name: nothing is ever forced.
func (r *Repository) Push(ctx context.Context, remote, branch string, c Commit) error {
	if err := r.checkCommit(c); err != nil {
		return err
	}
	have, err := r.RemoteBranch(ctx, remote, branch)
	if err != nil || have == c {
		return err
	}
	if have != "" {
		return &RefusedError{Power: "publish", Reason: fmt.Sprintf("%s has a branch %q at %s", remote, branch, have)}
	}
	_, err = r.network().output(ctx, "push", "--quiet", "--no-verify", "--no-signed", "--no-follow-tags", "--recurse-submodules=no",
		"--force-with-lease=refs/heads/"+branch+":", "--", remote, string(c)+":refs/heads/"+branch)
	return err
}

func checkRemote(remote string) error {
	if remote == "" || strings.HasPrefix(remote, "-") || strings.Contains(remote, "::") {
		return fmt.Errorf("remote %q: not the name of a remote", remote)
	}
	return nil
}
