package workspace

import (
	"context"
	"fmt"
	"regexp"
	"strings"
)

// runIDs are what may stand in the name of a ref.
var runIDs = regexp.MustCompile(`^[0-9A-Za-z][0-9A-Za-z-]{0,63}$`)

// runRef returns refs/snodo/<run-id>/<attempt>.
func runRef(run string, attempt int) (string, error) {
	if !runIDs.MatchString(run) || attempt < 0 {
		return "", fmt.Errorf("run %q, attempt %d: not a name for a ref", run, attempt)
	}
	return fmt.Sprintf("refs/snodo/%s/%d", run, attempt), nil
}

// Keep makes refs/snodo/<run>/<attempt> so that git keeps the commit. A ref
// that is there already and holds the commit is fine; any other is a
// *RefError, and stays.
func (r *Repository) Keep(ctx context.Context, run string, attempt int, c Commit) error {
	ref, err := runRef(run, attempt)
	if err != nil {
		return err
	}
	return r.createRef(ctx, ref, c)
}

// Kept returns the commit at refs/snodo/<run>/<attempt>, or the empty Commit.
func (r *Repository) Kept(ctx context.Context, run string, attempt int) (Commit, error) {
	ref, err := runRef(run, attempt)
	if err != nil {
		return "", err
	}
	return r.ref(ctx, ref)
}

// Forget deletes every ref of a run. The commits go when git collects them.
func (r *Repository) Forget(ctx context.Context, run string) error {
	if _, err := runRef(run, 0); err != nil {
		return err
	}
	out, err := r.git.output(ctx, "for-each-ref", "--format=delete %(refname) %(objectname)", "refs/snodo/"+run+"/")
	if err != nil {
		return err
	}
	_, err = r.git.feed(ctx, strings.NewReader(string(out)), "update-ref", "--no-deref", "--stdin")
	return err
}

// ref returns what a full ref name stands at, or the empty Commit.
func (r *Repository) ref(ctx context.Context, name string) (Commit, error) {
	out, err := r.git.line(ctx, "rev-parse", "--verify", "--quiet", "--end-of-options", name+"^{commit}")
	if exitCode(err) > 0 {
		return "", nil
	}
	return Commit(out), err
}

// createRef makes a ref that must not exist. It asks first, and again after
// git refused, so that a ref that stands at its target is done.
func (r *Repository) createRef(ctx context.Context, name string, c Commit) error {
	if err := r.checkCommit(c); err != nil {
		return err
	}
	have, err := r.ref(ctx, name)
	if err != nil {
		return err
	}
	if have == "" {
		none := strings.Repeat("0", len(c))
		_, updateErr := r.git.output(ctx, "update-ref", "--no-deref", name, string(c), none)
		if updateErr == nil {
			return nil
		}
		if have, err = r.ref(ctx, name); err != nil || have == "" {
			return updateErr
		}
	}
	if have != c {
		return &RefError{Ref: name, Have: have, Want: c}
	}
	return nil
}

// CreateBranch makes a branch at a commit. A branch that stands there already
// is fine; any other of that name is a *RefError, and stays.
func (r *Repository) CreateBranch(ctx context.Context, name string, c Commit) error {
	ref := "refs/heads/" + name
	if strings.HasPrefix(name, "-") {
		return &RevisionError{Rev: name, Reason: "begins with a dash"}
	}
	if _, err := r.git.output(ctx, "check-ref-format", ref); err != nil {
		return &RevisionError{Rev: name, Reason: "is not a name for a branch"}
	}
	return r.createRef(ctx, ref, c)
}
