package runtime

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/snodo-lang/snodo/compiler/plan"
	"github.com/snodo-lang/snodo/runtime/coder"
	"github.com/snodo-lang/snodo/runtime/record"
	"github.com/snodo-lang/snodo/runtime/workspace"
)

// execute brings a new state of the work: it sends the coder and takes its
// change, or takes the work that exists already. What the record has of this
// attempt is taken from there.
func (r *run) execute(ctx context.Context, step *plan.Execute) (plan.Target, *halt, error) {
	r.attempt++
	r.passed = nil
	r.turn = turn{}
	if taken, ok := r.recall.taken[r.attempt]; ok {
		return step.Next.Done, nil, r.restore(ctx, taken)
	}
	if refused, ok := r.recall.refused[r.attempt]; ok {
		r.turn = turnOf(refused.As, refused.Paths)
		return r.follow(executeTarget(step, refused.As), executeReason(refused.As, refused.Paths))
	}
	var outcome string
	var paths []string
	var err error
	if r.Work != nil {
		outcome, paths, err = r.adopt(ctx)
	} else {
		outcome, paths, err = r.dispatch(ctx)
	}
	if err != nil {
		return "", nil, err
	}
	if outcome == "" {
		return step.Next.Done, nil, nil
	}
	if err := r.append(record.Refused{Attempt: r.attempt, As: outcome, Paths: list(paths)}); err != nil {
		return "", nil, err
	}
	r.turn = turnOf(outcome, paths)
	return r.follow(executeTarget(step, outcome), executeReason(outcome, paths))
}

func list(paths []string) []string {
	if paths == nil {
		return []string{}
	}
	return paths
}

func executeTarget(step *plan.Execute, outcome string) plan.Target {
	switch outcome {
	case plan.HaltNoChange:
		return step.Next.NoChange
	case plan.HaltProtectedPath:
		return step.Next.ProtectedPath
	case plan.HaltOutsideGrant:
		return step.Next.OutsideGrant
	case plan.HaltCoderError:
		return step.Next.CoderError
	case plan.HaltRecoveryStalled:
		return step.Next.Stalled
	}
	panic("runtime: no such outcome of execute: " + outcome)
}

func executeReason(outcome string, paths []string) string {
	switch outcome {
	case plan.HaltNoChange:
		return "the work changes nothing"
	case plan.HaltProtectedPath:
		return "the change touches what it may not: " + strings.Join(paths, ", ")
	case plan.HaltOutsideGrant:
		return "the change goes beyond what the stage is granted: " + strings.Join(paths, ", ")
	case plan.HaltCoderError:
		return "the coder failed and changed nothing: " + strings.Join(paths, ", ")
	case plan.HaltRecoveryStalled:
		return "the coder left the same work as before"
	}
	panic("runtime: no such outcome of execute: " + outcome)
}

// follow turns a target into a step to go to or an end.
func (r *run) follow(target plan.Target, reason string) (plan.Target, *halt, error) {
	as, ends := strings.CutPrefix(string(target), plan.HaltPrefix)
	if !ends {
		return target, nil, nil
	}
	return "", &halt{as: as, phase: optional(plan.PostExecute), reason: reason}, nil
}

// receive takes the work that a review is about. A review executes nothing, so
// no step of its plan says what happens where there is nothing to review.
func (r *run) receive(ctx context.Context) (*halt, error) {
	r.attempt++
	if taken, ok := r.recall.taken[r.attempt]; ok {
		return nil, r.restore(ctx, taken)
	}
	if refused, ok := r.recall.refused[r.attempt]; ok {
		return &halt{as: refused.As, phase: optional(plan.PostExecute), reason: executeReason(refused.As, refused.Paths)}, nil
	}
	outcome, paths, err := r.adopt(ctx)
	if err != nil || outcome == "" {
		return nil, err
	}
	end := &halt{as: outcome, phase: optional(plan.PostExecute), reason: executeReason(outcome, paths)}
	return end, r.append(record.Refused{Attempt: r.attempt, As: outcome, Paths: list(paths)})
}

// adopt takes the work that exists already. Writing grants bind a coder and
// are not applied to it; protections are.
func (r *run) adopt(ctx context.Context) (string, []string, error) {
	changes, err := r.Repository.Changes(ctx, r.Base, *r.Work)
	if err != nil {
		return "", nil, environment("compare the work with its base", err)
	}
	if len(changes.Changes) == 0 {
		return plan.HaltNoChange, nil, nil
	}
	if paths, err := r.protected(changes); err != nil || len(paths) > 0 {
		return plan.HaltProtectedPath, paths, err
	}
	if paths := unreadable(changes); len(paths) > 0 {
		return plan.HaltOutsideGrant, paths, nil
	}
	return "", nil, r.accept(ctx, *r.Work, changes, "")
}

// accept makes a commit the work that is judged from now on.
func (r *run) accept(ctx context.Context, c workspace.Commit, changes *workspace.ChangeSet, ref string) error {
	tree, err := r.Repository.TreeID(ctx, c)
	if err != nil {
		return environment("read the work", err)
	}
	r.have(c, changes, tree)
	added, removed := 0, 0
	for _, ch := range changes.Changes {
		added += ch.Lines.Added
		removed += ch.Lines.Removed
	}
	return r.append(record.Taken{Attempt: r.attempt, Commit: string(c), Tree: tree, Ref: ref, Files: len(changes.Changes), Added: added, Removed: removed})
}

// have makes a commit the subject of the gates to come.
func (r *run) have(c workspace.Commit, changes *workspace.ChangeSet, tree string) {
	r.head, r.changes = c, changes
	r.trees[tree] = true
	r.supplied = map[string][]piece{}
}

// restore takes a work from the record. Where the run was killed before the
// commit was kept, it is kept now; a ref that holds something else was moved by
// somebody.
func (r *run) restore(ctx context.Context, t record.Taken) error {
	c := workspace.Commit(t.Commit)
	if t.Ref != "" {
		if err := r.Repository.Keep(ctx, r.id, t.Attempt, c); err != nil {
			return environment("find the work of attempt "+strconv.Itoa(t.Attempt), err)
		}
	}
	changes, err := r.Repository.Changes(ctx, r.Base, c)
	if err != nil {
		return environment("find the work of attempt "+strconv.Itoa(t.Attempt), err)
	}
	r.have(c, changes, t.Tree)
	r.Observer.Recalled(t)
	return nil
}

// protected returns the changed paths that only people change: those that the
// protocol protects, its own files, and every source beside them, since all
// sources of a folder are one package.
func (r *run) protected(changes *workspace.ChangeSet) ([]string, error) {
	guarded := slices.Clone(r.Guarded)
	for _, file := range changes.Paths() {
		beside := func(source string) bool { return path.Dir(source) == path.Dir(file) }
		if path.Ext(file) == ".snodo" && slices.ContainsFunc(r.Guarded, beside) {
			guarded = append(guarded, file)
		}
	}
	paths, err := workspace.Protected(changes, r.Plan.Protocol.Protects, guarded)
	return paths, environment("look for protected paths", err)
}

// unreadable returns the paths that are new and that no judge could name: what
// cannot be looked at cannot be accepted.
func unreadable(changes *workspace.ChangeSet) []string {
	var out []string
	for _, c := range changes.Changes {
		if _, err := workspace.CleanPath(c.Path); err != nil && c.Kind == workspace.Added {
			out = append(out, fmt.Sprintf("%q (no judge can open a file of this name)", c.Path))
		}
	}
	return out
}

// dispatch sends the coder into its folder and takes the change that it left.
// It returns the outcome that keeps the change from being judged, if any. A
// coder that had come back when the run was cut short is not sent again.
func (r *run) dispatch(ctx context.Context) (string, []string, error) {
	if back, ok := r.recall.returned[r.attempt]; ok && r.reopen(r.recall.dispatched[r.attempt].Folder) {
		failure := ""
		if back.Failure != nil {
			failure = *back.Failure
		}
		return r.take(ctx, failure)
	}
	if err := r.prepareFolder(ctx); err != nil {
		return "", nil, err
	}
	failure, err := r.send(ctx)
	if err != nil {
		return "", nil, err
	}
	return r.take(ctx, failure)
}

// reopen goes on with a folder of before, if it still stands.
func (r *run) reopen(dir string) bool {
	folder, err := r.Repository.OpenFolder(dir, r.Base)
	if err != nil {
		return false
	}
	r.coderFolder = folder
	return true
}

// prepareFolder makes sure that the coder has a folder: the one of the attempt
// before, or a fresh one of the work as it stands. A dispatch that was cut
// short is abandoned with its folder.
func (r *run) prepareFolder(ctx context.Context) error {
	if cut, ok := r.recall.dispatched[r.attempt]; ok && r.coderFolder == nil {
		if err := workspace.RemoveAll(cut.Folder); err != nil {
			return environment("abandon the folder of a coder that was cut short", err)
		}
	} else if before, ok := r.recall.dispatched[r.attempt-1]; ok && r.coderFolder == nil && r.reopen(before.Folder) {
		return nil
	}
	if r.coderFolder != nil {
		return nil
	}
	from := r.head
	if from == "" {
		from = r.Base
	}
	folder, took, err := r.makeFolder(ctx, "coder", from)
	if err != nil {
		return err
	}
	r.coderFolder = folder
	if r.Plan.Protocol.Prepare == nil {
		return nil
	}
	return r.append(record.Prepared{Folder: folder.Dir(), MS: took.Milliseconds()})
}

// send runs the coder with its brief and returns how it failed, empty where
// it did not.
func (r *run) send(ctx context.Context) (string, error) {
	name, c, _ := r.coder(r.stage)
	brief := r.brief()
	sum := sha256.Sum256([]byte(brief))
	if err := r.append(record.Dispatched{Attempt: r.attempt, Folder: r.coderFolder.Dir(), Brief: "sha256:" + hex.EncodeToString(sum[:])}); err != nil {
		return "", err
	}
	done := r.donePath()
	if err := os.MkdirAll(filepath.Dir(done), 0o700); err != nil {
		return "", environment("make a place for "+done, err)
	}
	if err := os.Remove(done); err != nil && !errors.Is(err, os.ErrNotExist) {
		return "", environment("clear "+done, err)
	}
	if c.Kind == plan.CoderModel {
		return r.sendModel(ctx, name, c, brief)
	}
	res := r.shell(ctx, r.coderFolder, "coder", c.Run, time.Duration(c.TimeoutMS)*time.Millisecond, []byte(brief))
	if ctx.Err() != nil {
		return "", environment("send the coder", ctx.Err())
	}
	if err := r.untouched(); err != nil {
		return "", err
	}
	failure := ""
	if !res.Succeeded() {
		failure = res.String()
	}
	return failure, r.append(record.Returned{Attempt: r.attempt, Failure: optional(failure), Output: printed(res), MS: res.Elapsed.Milliseconds()})
}

// brief is what the coder is told in this attempt.
func (r *run) brief() string {
	b := coder.Brief{Task: r.instruction(), Grants: r.stage.Grants, Protects: r.Plan.Protocol.Protects}
	for _, past := range r.past {
		b.Attempts = append(b.Attempts, coder.Attempt{Number: past.number, Failed: past.failed})
	}
	if n := len(r.past); n > 0 {
		b.Passed = r.past[n-1].passed
	}
	return b.Write(r.Plan.Wording.Coder)
}

// take commits what the coder left and says whether it may be judged. The
// order is that of the outcomes: what is not the coder's to change comes
// before whether anything came of it.
func (r *run) take(ctx context.Context, failure string) (string, []string, error) {
	parent := r.head
	if parent == "" {
		parent = r.Base
	}
	taken, err := r.Repository.TakeChange(ctx, r.coderFolder, parent, r.message())
	if large := (*workspace.TooLargeError)(nil); errors.As(err, &large) {
		return plan.HaltOutsideGrant, []string{large.Error()}, nil
	}
	if err != nil {
		return "", nil, &environmentError{err}
	}
	changes, err := r.Repository.Changes(ctx, r.Base, taken.Commit)
	if err != nil {
		return "", nil, environment("compare the change with its base", err)
	}
	// That the protocol itself was touched is the graver of the two.
	if paths, err := r.protected(changes); err != nil || len(paths) > 0 {
		return plan.HaltProtectedPath, paths, err
	}
	outside, err := workspace.OutsideGrants(changes, r.stage.Grants)
	if err != nil {
		return "", nil, environment("compare the change with its grants", err)
	}
	outside = append(outside, unreadable(changes)...)
	for _, refusal := range taken.Refused {
		outside = append(outside, fmt.Sprintf("%s (%s)", refusal.Path, refusal.Reason))
	}
	if len(outside) > 0 {
		return plan.HaltOutsideGrant, outside, nil
	}
	task := r.stage.Kind == plan.Task
	switch {
	case task && failure != "":
		// Nobody looks at what a coder that failed has left of a task.
		return plan.HaltCoderError, []string{failure}, nil
	case task && !taken.Changed:
		return plan.HaltNoChange, nil, nil
	case task:
	case failure != "" && !taken.Changed:
		return plan.HaltCoderError, []string{failure}, nil
	case r.attempt == 1 && len(changes.Changes) == 0:
		return plan.HaltNoChange, nil, nil
	case r.attempt > 1 && (len(changes.Changes) == 0 || r.trees[taken.Tree]):
		return plan.HaltRecoveryStalled, nil, nil
	}
	if err := r.accept(ctx, taken.Commit, changes, r.ref()); err != nil {
		return "", nil, err
	}
	return "", nil, environment("keep the change", r.Repository.Keep(ctx, r.id, r.attempt, taken.Commit))
}

// ref is where the commit of an attempt is kept.
func (r *run) ref() string { return fmt.Sprintf("refs/snodo/%s/%d", r.id, r.attempt) }

// message is that of the commit that holds an attempt. Its trailers tie it to
// the run, the plan and the events before it.
func (r *run) message() workspace.Message {
	return workspace.Message{
		Text: fmt.Sprintf("snodo: attempt %d of %s", r.attempt, r.Stage),
		Trailers: []workspace.Trailer{
			{Key: "Snodo-Run", Value: r.id}, {Key: "Snodo-Plan", Value: r.Plan.Digest}, {Key: "Snodo-Record", Value: r.log.Head()},
		},
		When: r.Now(),
	}
}

func (r *run) donePath() string { return filepath.Join(r.temporary(), "done") }
