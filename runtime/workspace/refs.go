package workspace

import (
	"context"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"sync"
)

// runIDs are what may stand in the name of a ref.
var runIDs = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[0-9A-Za-z][0-9A-Za-z-]{0,63}$`) })

// runRef returns refs/snodo/<run-id>/<attempt>.
func runRef(run string, attempt int) (string, error) {
	if !runIDs().MatchString(run) || attempt < 0 {
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

// A RunRef is a commit that is kept for a run.
type RunRef struct {
	Run     string
	Attempt int
	Commit  Commit
}

// RunRefs returns all refs of runs, in the order of their names.
func (r *Repository) RunRefs(ctx context.Context) ([]RunRef, error) {
	out, err := r.git.output(ctx, "for-each-ref", "--format=%(refname) %(objectname)", "refs/snodo/")
	if err != nil {
		return nil, err
	}
	var refs []RunRef
	for line := range strings.Lines(string(out)) {
		name, id, _ := strings.Cut(strings.TrimSuffix(line, "\n"), " ")
		run, number, _ := strings.Cut(strings.TrimPrefix(name, "refs/snodo/"), "/")
		attempt, err := strconv.Atoi(number)
		if want, refErr := runRef(run, attempt); err != nil || refErr != nil || want != name {
			continue // somebody else's
		}
		refs = append(refs, RunRef{run, attempt, Commit(id)})
	}
	return refs, nil
}

// Holder returns a branch, remote branch or tag whose history holds a commit,
// or the empty string where only a run keeps it.
func (r *Repository) Holder(ctx context.Context, c Commit) (string, error) {
	if err := r.checkCommit(c); err != nil {
		return "", err
	}
	return r.git.line(ctx, "for-each-ref", "--count=1", "--format=%(refname:short)", "--contains="+string(c), "refs/heads", "refs/remotes", "refs/tags")
}

// BaseBranch returns the local branch that a base stands on, without
// refs/heads/: the one that rev names, where the base was named by a branch.
// Otherwise it is the default branch (the local counterpart of origin/HEAD,
// else main, else master), or the branch that is checked out, whichever stands
// at the base; and the default branch where neither does. It is empty where
// there is none.
func (r *Repository) BaseBranch(ctx context.Context, rev string, base Commit) (string, error) {
	branches, err := r.branches(ctx)
	if err != nil {
		return "", err
	}
	for _, prefix := range []string{"", "heads/", "refs/heads/", "origin/", "remotes/origin/", "refs/remotes/origin/"} {
		name, ok := strings.CutPrefix(rev, prefix)
		if _, there := branches[name]; ok && there {
			return name, nil
		}
	}
	usual, err := r.defaultBranch(ctx, branches)
	if err != nil {
		return "", err
	}
	current, err := r.Branch(ctx)
	if err != nil {
		return "", err
	}
	for _, name := range []string{usual, current} {
		if at, there := branches[name]; there && at == base {
			return name, nil
		}
	}
	return usual, nil
}

// defaultBranch is the local counterpart of origin/HEAD. Only where there is no
// origin/HEAD, it is main or master.
func (r *Repository) defaultBranch(ctx context.Context, branches map[string]Commit) (string, error) {
	target, err := r.git.line(ctx, "symbolic-ref", "--quiet", "refs/remotes/origin/HEAD")
	candidates := []string{strings.TrimPrefix(target, "refs/remotes/origin/")}
	if exitCode(err) == 1 {
		candidates, err = []string{"main", "master"}, nil
	}
	if err != nil {
		return "", err
	}
	for _, name := range candidates {
		if _, there := branches[name]; there {
			return name, nil
		}
	}
	return "", nil
}

// branches returns where every local branch stands.
func (r *Repository) branches(ctx context.Context) (map[string]Commit, error) {
	out, err := r.git.output(ctx, "for-each-ref", "--format=%(objectname) %(refname)", "refs/heads/")
	if err != nil {
		return nil, err
	}
	found := map[string]Commit{}
	for line := range strings.Lines(string(out)) {
		id, name, _ := strings.Cut(strings.TrimSuffix(line, "\n"), " ")
		found[strings.TrimPrefix(name, "refs/heads/")] = Commit(id)
	}
	return found, nil
}

// A CommitInfo is what a commit says of itself.
type CommitInfo struct {
	Tree     string
	Parents  []Commit
	Trailers map[string][]string // by key, in their order
}

// Commit reads a commit. The error is a *RevisionError where the repository
// does not hold it.
func (r *Repository) Commit(ctx context.Context, c Commit) (CommitInfo, error) {
	if err := r.checkCommit(c); err != nil {
		return CommitInfo{}, err
	}
	out, err := r.git.output(ctx, "cat-file", "commit", string(c))
	if exitCode(err) > 0 {
		return CommitInfo{}, &RevisionError{Rev: string(c), Reason: "is not a commit of this repository"}
	}
	if err != nil {
		return CommitInfo{}, err
	}
	return parseCommit(string(out)), nil
}

// parseCommit reads the headers of a commit and the last paragraph of its
// message.
func parseCommit(object string) CommitInfo {
	headers, message, _ := strings.Cut(object, "\n\n")
	info := CommitInfo{Trailers: map[string][]string{}}
	for line := range strings.Lines(headers) {
		switch name, value, _ := strings.Cut(strings.TrimSuffix(line, "\n"), " "); name {
		case "tree":
			info.Tree = value
		case "parent":
			info.Parents = append(info.Parents, Commit(value))
		}
	}
	message = strings.TrimSpace(message)
	last := message[strings.LastIndex(message, "\n\n")+1:]
	for line := range strings.Lines(last) {
		if key, value, ok := strings.Cut(strings.TrimSpace(line), ": "); ok {
			info.Trailers[key] = append(info.Trailers[key], value)
		}
	}
	return info
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
