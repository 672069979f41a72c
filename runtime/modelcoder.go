package runtime

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/snodo-lang/snodo/compiler/plan"
	"github.com/snodo-lang/snodo/runtime/coder"
	"github.com/snodo-lang/snodo/runtime/judge"
	"github.com/snodo-lang/snodo/runtime/record"
	"github.com/snodo-lang/snodo/runtime/workspace"
)

// sendModel lets a coder that is a model work in the coder's folder, and
// returns how it failed, empty where it did not. What it left is judged either
// way; what it says of it is kept for people.
func (r *run) sendModel(ctx context.Context, name string, c plan.Coder, brief string) (string, error) {
	way := &meter{chat: r.Chat, run: r.spent}
	work := &takenWork{run: r}
	began := r.Now()
	var broken error // what keeps the run from going on
	var counted record.Spent
	res := coder.Run(ctx, coder.Request{
		Name: name, Coder: c, Tools: r.stage.CoderTools, Grants: r.stage.Grants, Checks: r.Plan.Checks(r.stage),
		Wording: &r.Plan.Wording, Brief: brief, Dir: r.coderFolder.Dir(), Work: work, Protected: r.guards,
		// A judge's marker is another, so that no coder can know it.
		Token: r.seed.derive(12, "coder marker", r.attempt), Chat: way, Redact: r.Redact, Now: r.Now,
		Replied: func(turn int) error {
			spent := record.Spent{Tokens: way.spent.Tokens - counted.Tokens, Estimated: way.spent.Estimated}
			counted = way.spent
			broken = r.append(record.Replied{Attempt: r.attempt, Turn: turn, Turns: c.Turns, Spent: spent})
			return broken
		},
	})
	switch {
	case ctx.Err() != nil:
		return "", environment("send the coder", ctx.Err())
	case broken != nil:
		return "", broken
	case work.broken != nil:
		return "", work.broken
	}
	if r.Recording != nil {
		if err := r.Recording.Err(); err != nil {
			return "", environment("record the exchanges", err)
		}
	}
	failure := r.Redact(res.Failure)
	back := record.Returned{
		Attempt: r.attempt, Failure: optional(failure), MS: r.Now().Sub(began).Milliseconds(),
		Report: optional(res.Report), Spent: &way.spent,
	}
	if err := r.keepTalk(name, c, res, &back); err != nil {
		return "", err
	}
	return failure, r.append(back)
}

// keepTalk keeps the conversation of a coder, under a name of its own also
// where the attempt was begun anew.
func (r *run) keepTalk(name string, c plan.Coder, res coder.Result, back *record.Returned) error {
	t := record.Transcript{
		Schema: record.TranscriptSchema, Coder: name, Model: c.Model,
		Messages: res.Transcript, Turns: res.Turned, Stack: optional(res.Stack),
	}
	content, err := encodeTranscript(t)
	if err != nil {
		return fmt.Errorf("write the transcript of %s: %w", name, err)
	}
	r.mu.Lock()
	sent := r.recall.kept[r.attempt] + 1
	r.mu.Unlock()
	file, digest, err := r.log.Keep(record.Transcripts, transcriptName(place{"coder", r.attempt}, name, sent), content)
	back.Transcript, back.TranscriptDigest = &file, &digest
	return err
}

func encodeTranscript(t record.Transcript) ([]byte, error) {
	var out bytes.Buffer
	e := json.NewEncoder(&out)
	e.SetEscapeHTML(false)
	e.SetIndent("", " ")
	err := e.Encode(t)
	return out.Bytes(), err
}

// guards says whether only people change a path.
func (r *run) guards(path string) (bool, error) {
	paths, err := r.protected(&workspace.ChangeSet{Changes: []workspace.Change{{Path: path}}})
	return len(paths) > 0, err
}

// A takenWork is the coder's folder as it would be taken now. It is read as a
// judge reads: through git's objects, and what is ignored is no part of it.
type takenWork struct {
	run    *run
	broken error // what keeps the run from going on
}

func (w *takenWork) Take(ctx context.Context) (coder.State, error) {
	r := w.run
	parent := r.head
	if parent == "" {
		parent = r.Base
	}
	taken, err := r.Repository.TakeChange(ctx, r.coderFolder, parent, workspace.Message{Text: "snodo: the work as it stands", When: r.Now()})
	if large := (*workspace.TooLargeError)(nil); errors.As(err, &large) {
		return nil, fmt.Errorf("%w: %w", coder.ErrTooLarge, large)
	}
	if err != nil {
		return nil, err
	}
	return &takenState{tree{r.Repository.Tree(taken.Commit), r.Repository.History(r.Base)}, w, taken}, nil
}

// A takenState is a commit of the work that nothing refers to.
type takenState struct {
	tree
	work  *takenWork
	taken workspace.Taken
}

func (s *takenState) Diff(ctx context.Context) ([]judge.FileDiff, error) {
	changes, err := s.work.run.Repository.Changes(ctx, s.work.run.Base, s.taken.Commit)
	if err != nil {
		return nil, err
	}
	return fileDiffs(ctx, changes)
}

// Check runs a check as a gate would, and records that it did. Its result is
// told the coder and goes nowhere else.
func (s *takenState) Check(ctx context.Context, name string) (coder.Checked, error) {
	r := s.work.run
	began := r.Now()
	res := r.redacted(r.runCheckOn(ctx, name, r.Plan.Validators[name].(*plan.Check), s.taken.Commit))
	if ctx.Err() != nil {
		return coder.Checked{}, ctx.Err()
	}
	out, came := coder.Checked{}, record.CheckBroken
	switch {
	case res.Verdict == nil:
		out.Output = res.Error.Message
	case *res.Verdict == plan.Pass:
		out.Verdict, came = plan.Pass, record.CheckPassed
	default:
		out.Verdict, came = plan.Blocker, record.CheckFailed
		var because []string
		for _, f := range res.Findings {
			because = append(because, f.Because)
		}
		out.Output = strings.Join(because, "\n")
	}
	if s.work.broken = r.untouched(); s.work.broken == nil {
		s.work.broken = r.append(record.Checked{Attempt: r.attempt, Check: name, Tree: s.taken.Tree, Came: came, MS: r.Now().Sub(began).Milliseconds()})
	}
	return out, s.work.broken
}
