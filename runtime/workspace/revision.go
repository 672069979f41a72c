package workspace

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"unicode"
)

// Resolve returns the commit that a revision typed by a person means. What
// begins with a dash is refused, so that it is never an option. The error is
// a *RevisionError where there is no such commit.
func (r *Repository) Resolve(ctx context.Context, rev string) (Commit, error) {
	switch {
	case rev == "":
		return "", &RevisionError{Rev: rev, Reason: "is empty"}
	case strings.HasPrefix(rev, "-"):
		return "", &RevisionError{Rev: rev, Reason: "begins with a dash"}
	case strings.ContainsFunc(rev, unicode.IsControl):
		return "", &RevisionError{Rev: rev, Reason: "holds a control character"}
	}
	out, err := r.checkout.line(ctx, "rev-parse", "--verify", "--quiet", "--end-of-options", rev+"^{commit}")
	if err != nil {
		if exitCode(err) > 0 {
			return "", &RevisionError{Rev: rev, Reason: "is not a commit of this repository"}
		}
		return "", err
	}
	c := Commit(out)
	return c, r.checkCommit(c)
}

// checkCommit refuses what is no full object id: nothing else may stand where
// git would take an option or a revision.
func (r *Repository) checkCommit(c Commit) error {
	if !isObjectID(string(c), r.format) {
		return &RevisionError{Rev: string(c), Reason: "is not a full object id"}
	}
	return nil
}

func isObjectID(s, format string) bool {
	return len(s) == idLength(format) && strings.Trim(s, "0123456789abcdef") == ""
}

// idLength is the number of hexadecimal digits of an object id.
func idLength(format string) int {
	if format == "sha256" {
		return 64
	}
	return 40
}

// TreeID returns the object id of a commit's tree.
func (r *Repository) TreeID(ctx context.Context, c Commit) (string, error) {
	if err := r.checkCommit(c); err != nil {
		return "", err
	}
	return r.git.line(ctx, "rev-parse", "--verify", string(c)+"^{tree}")
}

// MergeBase returns the best common ancestor of two commits. Where there is
// none it returns a *ShallowError in a shallow clone, and the empty Commit
// elsewhere.
func (r *Repository) MergeBase(ctx context.Context, a, b Commit) (Commit, error) {
	if err := errors.Join(r.checkCommit(a), r.checkCommit(b)); err != nil {
		return "", err
	}
	out, err := r.git.line(ctx, "merge-base", string(a), string(b))
	if err == nil {
		return Commit(out), nil
	}
	if exitCode(err) != 1 {
		return "", err
	}
	if r.shallow {
		return "", &ShallowError{Need: "finding the common ancestor of two commits"}
	}
	return "", nil
}

// DefaultBase returns what a work is compared with where no base is named:
// its merge base with origin/HEAD, else with main, else with master. The
// error is a *NoBaseError where none of them gives one.
func (r *Repository) DefaultBase(ctx context.Context, work Commit) (Commit, error) {
	for _, ref := range []string{"refs/remotes/origin/HEAD", "refs/heads/main", "refs/heads/master"} {
		tip, err := r.Resolve(ctx, ref)
		var unknown *RevisionError
		if errors.As(err, &unknown) {
			continue
		}
		if err != nil {
			return "", err
		}
		base, err := r.MergeBase(ctx, tip, work)
		if err != nil || base != "" {
			return base, err
		}
	}
	return "", &NoBaseError{}
}

// IsAncestor reports whether a is b or one of its ancestors.
func (r *Repository) IsAncestor(ctx context.Context, a, b Commit) (bool, error) {
	if err := errors.Join(r.checkCommit(a), r.checkCommit(b)); err != nil {
		return false, err
	}
	_, err := r.git.output(ctx, "merge-base", "--is-ancestor", string(a), string(b))
	if exitCode(err) == 1 {
		return false, nil
	}
	if err != nil {
		return false, fmt.Errorf("compare commits: %w", err)
	}
	return true, nil
}
