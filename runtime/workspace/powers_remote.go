package workspace

import (
	"context"
	"fmt"
	"strings"
)

// network returns a git that may reach remotes the way the caller's own does:
// with its credential helpers and ssh command, and still without a prompt.
func (r *Repository) network() git {
	g := r.git
	g.dir = r.worktree // where a remote's relative path begins
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
		return &RefusedError{Power: "publish", Reason: fmt.Sprintf("%s has a branch %s that holds something else, %.12s", remote, branch, have),
			ByHand: []string{"git push " + shellWord(remote) + " " + string(c) + ":refs/heads/ANOTHER-NAME"}}
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
