package command

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/snodo-lang/snodo/runtime"
	"github.com/snodo-lang/snodo/runtime/record"
	"github.com/snodo-lang/snodo/runtime/workspace"
)

// What a run leaves besides its record: a folder in the user's cache, and refs
// that keep its commits.
type leftover struct {
	run    string
	folder string             // empty where there is none
	refs   []workspace.RunRef // by attempt: the last is the newest
}

// A pruning is one look at all that runs of a repository have left.
type pruning struct {
	ctx     context.Context
	repo    *workspace.Repository
	records []string // the folders of records, of every checkout
	out     io.Writer
}

func pruneRuns(ctx context.Context, s streams) error {
	repo, err := workspace.Open(ctx, ".")
	if err != nil {
		return usagef("%v", err)
	}
	defer repo.Close()
	worktrees, err := repo.Worktrees(ctx)
	if err != nil {
		return err
	}
	p := &pruning{ctx: ctx, repo: repo, out: s.out}
	for _, top := range append(worktrees, repo.MainWorktree()) {
		p.records = append(p.records, record.Root(top))
	}
	left, err := p.leftovers()
	if err != nil {
		return err
	}
	if len(left) == 0 {
		fmt.Fprintln(s.out, "no run has left anything")
	}
	var errs []error
	for _, l := range left {
		errs = append(errs, p.prune(l))
	}
	return errors.Join(errs...)
}

// leftovers finds what runs of this repository have left, in the order of
// their names. The cache is every repository's: a folder without a record here
// is this one's only if what was checked out in it borrows from here.
func (p *pruning) leftovers() ([]leftover, error) {
	refs, err := p.repo.RunRefs(p.ctx)
	if err != nil {
		return nil, err
	}
	found := map[string]leftover{}
	for _, ref := range refs {
		l := found[ref.Run]
		l.run, l.refs = ref.Run, append(l.refs, ref)
		found[ref.Run] = l
	}
	cache, err := workspace.CacheRoot()
	if err != nil {
		return nil, err
	}
	entries, err := os.ReadDir(cache)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("look into the cache: %w", err)
	}
	for _, e := range entries {
		dir := filepath.Join(cache, e.Name())
		// A link is nothing that a run makes, and is never followed.
		if !e.IsDir() || !record.ValidID(e.Name()) || p.recordOf(e.Name()) == "" && !p.borrows(dir) {
			continue
		}
		l := found[e.Name()]
		l.run, l.folder = e.Name(), dir
		found[e.Name()] = l
	}
	var all []leftover
	for _, run := range slices.Sorted(maps.Keys(found)) {
		l := found[run]
		slices.SortFunc(l.refs, func(a, b workspace.RunRef) int { return a.Attempt - b.Attempt })
		all = append(all, l)
	}
	return all, nil
}

// recordOf returns the folder of a run's record, empty where it is gone.
func (p *pruning) recordOf(run string) string {
	for _, root := range p.records {
		dir := filepath.Join(root, run)
		if _, err := os.Lstat(dir); err == nil {
			return dir
		}
	}
	return ""
}

// borrows says whether a checkout in a folder of the cache borrows its objects
// from this repository. Whoever worked there may have changed that file, and
// can mislead about that folder alone.
func (p *pruning) borrows(dir string) bool {
	root, err := os.OpenRoot(dir) // leaves no way out, by no link
	if err != nil {
		return false
	}
	defer root.Close()
	ours, err := os.Stat(filepath.Join(p.repo.GitDir(), "objects"))
	if err != nil {
		return false
	}
	places, err := fs.Glob(root.FS(), "*/.git/objects/info/alternates")
	if err != nil {
		return false
	}
	for _, place := range places {
		file, err := root.Open(place)
		if err != nil {
			continue
		}
		content, err := io.ReadAll(io.LimitReader(file, 1<<16))
		file.Close()
		first, _, _ := bytes.Cut(content, []byte("\n"))
		theirs, statErr := os.Stat(string(first))
		if err == nil && statErr == nil && os.SameFile(ours, theirs) {
			return true
		}
	}
	return false
}

// A fate is what becomes of a run's leftovers, and why.
type fate struct {
	done     bool // nobody can go on with the run
	rejected bool // its work was judged, and not accepted
	why      string
}

// fateOf says whether a run is done with.
func (p *pruning) fateOf(run string) (fate, error) {
	dir := p.recordOf(run)
	if dir == "" {
		return fate{done: true, why: "its record is gone"}, nil
	}
	state, _, amounts, err := stateOf(dir)
	if err != nil {
		return fate{}, err
	}
	switch state {
	case runGoingOn:
		return fate{why: "it is going on"}, nil
	case runDamaged:
		return fate{why: "its record is damaged, so it cannot be told whether it is done with"}, nil
	case runStopped:
		return fate{why: "it was stopped, and snodo resume goes on with it"}, nil
	case runUnbegun:
		return fate{done: true, why: "it was stopped before its record began"}, nil
	case runEnded:
		switch amounts.Ended.Outcome {
		case runtime.Complete:
			return fate{done: true, why: "complete"}, nil
		case runtime.Blocked:
			return fate{done: true, rejected: true, why: "stopped as " + amounts.Ended.HaltType}, nil
		}
		return fate{why: "it stopped as " + amounts.Ended.HaltType + ", and snodo resume goes on with it"}, nil
	}
	panic("command: no such state of a run: " + state)
}

// prune removes what a run has left, if it is done with, and says what and
// why. A result that nothing else holds stays, unless it was rejected.
func (p *pruning) prune(l leftover) error {
	f, err := p.fateOf(l.run)
	if err != nil {
		return err
	}
	if !f.done {
		p.say("kept", l.run, l.what(), f.why)
		return nil
	}
	held := ""
	if n := len(l.refs); n > 0 {
		if held, err = p.repo.Holder(p.ctx, l.refs[n-1].Commit); err != nil {
			return err
		}
	}
	removed := l
	if len(l.refs) > 0 && held == "" && !f.rejected {
		removed.refs = nil
	}
	if removed.folder != "" {
		if err := workspace.RemoveAll(l.folder); err != nil {
			return err
		}
	}
	if len(removed.refs) > 0 {
		if err := p.repo.Forget(p.ctx, l.run); err != nil {
			return err
		}
	}
	if what := removed.what(); what != "" {
		p.say("removed", l.run, what, f.because(removed.refs, held))
	}
	if len(removed.refs) < len(l.refs) {
		kept := leftover{refs: l.refs}
		p.say("kept", l.run, kept.what(), fmt.Sprintf("%s, and no branch or tag holds its result, commit %.12s; git branch NAME %.12s gives it one",
			f.why, l.refs[len(l.refs)-1].Commit, l.refs[len(l.refs)-1].Commit))
	}
	return nil
}

// because says why leftovers could go. The commit of rejected work is named:
// git still has it for a while.
func (f fate) because(refs []workspace.RunRef, held string) string {
	switch {
	case len(refs) == 0:
		return f.why
	case held != "":
		return fmt.Sprintf("%s, and %s holds its result", f.why, held)
	}
	return fmt.Sprintf("%s; the work was commit %.12s", f.why, refs[len(refs)-1].Commit)
}

// what names leftovers.
func (l leftover) what() string {
	var parts []string
	if l.folder != "" {
		parts = append(parts, "the folder "+l.folder)
	}
	if n := len(l.refs); n > 0 {
		parts = append(parts, counted(n, "kept commit"))
	}
	return strings.Join(parts, " and ")
}

func (p *pruning) say(done, run, what, why string) {
	fmt.Fprintf(p.out, "%-7s  %s  %s: %s\n", done, run, what, why)
}
