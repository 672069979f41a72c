package command

import (
	"context"
	"fmt"

	"github.com/snodo-lang/snodo/runtime"
	"github.com/snodo-lang/snodo/runtime/workspace"
)

// commits finds the base and the work, and makes sure that a base which is
// the caller's checkout is what the caller sees.
func (f *runFlags) commits(ctx context.Context, s streams, q *runtime.Request) error {
	repo := q.Repository
	if err := repo.Clean(ctx); err != nil {
		return environmentFailed(err)
	}
	if f.work == "" {
		q.Base = repo.Head()
		var err error
		if q.Branch, err = repo.Branch(ctx); err != nil {
			return environmentFailed(err)
		}
		n, err := repo.Untracked(ctx)
		if err != nil {
			return environmentFailed(err)
		}
		if n > 0 {
			fmt.Fprintf(s.err, "note: %d untracked files in your checkout are no part of the base, and a coder does not see them\n", n)
		}
		return nil
	}
	work, err := repo.Resolve(ctx, f.work)
	if err != nil {
		return notThere(repo, err)
	}
	q.Work = &work
	if f.base != "" {
		q.Base, err = repo.Resolve(ctx, f.base)
	} else {
		q.Base, err = repo.DefaultBase(ctx, work)
	}
	if err != nil {
		return notThere(repo, err)
	}
	if q.Branch, err = repo.BaseBranch(ctx, f.base, q.Base); err != nil {
		return environmentFailed(err)
	}
	return nil
}

// publishable wants the remote of a stage that will publish: that there is
// none is told before anything is spent.
func publishable(ctx context.Context, q *runtime.Request) error {
	if !q.Exercises("publish") {
		return nil
	}
	address, err := q.Repository.RemoteURL(ctx, q.Remote)
	switch {
	case err != nil:
		return usagef("--remote: %v", err)
	case address == "":
		return environmentFailed(fmt.Errorf("stage %q publishes, and the repository has no remote %q: add it, or name another with --remote", q.Stage, q.Remote))
	}
	return nil
}

// notThere words a revision or a base that cannot be found: in a shallow
// clone it may well exist, and only not have been fetched.
func notThere(repo *workspace.Repository, err error) error {
	if repo.Shallow() {
		err = fmt.Errorf("%w; this clone is shallow and holds a part of the history only: fetch the rest with git fetch --unshallow", err)
	}
	return environmentFailed(err)
}
