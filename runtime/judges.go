package runtime

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"github.com/snodo-lang/snodo/compiler/plan"
	"github.com/snodo-lang/snodo/runtime/judge"
	"github.com/snodo-lang/snodo/runtime/record"
	"github.com/snodo-lang/snodo/runtime/verdict"
	"github.com/snodo-lang/snodo/runtime/workspace"
)

// converse holds a judge's conversation.
func (r *run) converse(ctx context.Context, of question, j *plan.Judge) consulted {
	way := &meter{chat: r.Chat, run: r.spent}
	q := judge.Request{
		Name: of.name, Judge: j, Wording: &r.Plan.Wording.Judge, Evidence: r.Plan.Evidence, Model: r.modelOf(j),
		Task: r.Task, Stage: r.siblings(), Supplied: of.supplied,
		Token: r.seed.derive(12, "marker"),
		Receipt: judge.Receipt{
			First:  r.seed.derive(6, "first", of.where.step, of.where.attempt, of.name, of.asked),
			Second: r.seed.derive(6, "second", of.where.step, of.where.attempt, of.name, of.asked),
		},
		Chat: way, Redact: r.Redact, Now: r.Now,
		Observe: func(at judge.Progress) { r.Observer.Turn(of.name, at) },
	}
	commit := r.Base
	if of.Phase == plan.PostExecute {
		commit = r.head
		if err := r.material(ctx, j, &q); err != nil {
			return consulted{result: failed(verdict.Tool, err.Error())}
		}
	}
	q.Tree = tree{r.Repository.Tree(commit), r.Repository.History(r.Base)}
	res := judge.Run(ctx, q)
	transcript, err := transcribe(of.name, res)
	if err != nil {
		return consulted{result: failed(verdict.Internal, err.Error()), spent: &way.spent}
	}
	result := record.Result{
		Verdict: res.Verdict, Error: res.Error, Findings: res.Findings, Examined: res.Examined,
		Model: &res.Model, Turns: res.Turns, Usage: &res.Usage,
	}
	return consulted{result, transcript, &way.spent}
}

// transcribe writes a conversation as the record keeps it.
func transcribe(name string, res judge.Result) ([]byte, error) {
	t := record.Transcript{
		Schema: record.TranscriptSchema, Validator: name, Model: res.Model,
		Messages: res.Transcript, Turns: res.Turned, Stack: optional(res.Stack),
	}
	content, err := encodeTranscript(t)
	if err != nil {
		return nil, fmt.Errorf("write the transcript of %s: %w", name, err)
	}
	return content, nil
}

// material adds what a judge is shown after the work: the changed files, and
// the difference where it is granted.
func (r *run) material(ctx context.Context, j *plan.Judge, q *judge.Request) error {
	for _, c := range r.changes.Changes {
		q.Changes = append(q.Changes, judge.Change{Path: c.Path, Added: c.Lines.Added, Removed: c.Lines.Removed, Binary: c.Binary})
	}
	q.Governed = r.governed()
	if !slices.ContainsFunc(j.Grants, func(g plan.Grant) bool { return g.Tool == "read_diff" }) {
		return nil
	}
	var err error
	q.Diff, err = fileDiffs(ctx, r.changes)
	return err
}

// fileDiffs is the difference that a change makes, by file and in order.
func fileDiffs(ctx context.Context, changes *workspace.ChangeSet) ([]judge.FileDiff, error) {
	diffs, err := changes.Diff(ctx)
	if err != nil {
		return nil, fmt.Errorf("compute the difference: %w", err)
	}
	var out []judge.FileDiff
	for _, d := range diffs {
		c, _ := changes.Find(d.Path)
		out = append(out, judge.FileDiff{Path: d.Path, Text: d.Text, Binary: c.Binary, Omitted: d.Omitted})
	}
	return out, nil
}

// siblings describes the stage and the others of the protocol: names, titles
// and grants.
func (r *run) siblings() string {
	var lines []string
	line := func(name string, what string) {
		s := r.Plan.Stages[name]
		title := ""
		if s.Title != nil {
			title = fmt.Sprintf(" %q", *s.Title)
		}
		var grants []string
		for _, g := range s.Grants {
			grants = append(grants, g.Tool)
		}
		grants = append(grants, s.Powers...)
		lines = append(lines, fmt.Sprintf("%s%s %s%s: %s", what, s.Kind, name, title, strings.Join(grants, ", ")))
	}
	line(r.Stage, "* ")
	for _, name := range sortedStages(r.Plan) {
		if name != r.Stage {
			line(name, "  ")
		}
	}
	return strings.Join(lines, "\n")
}

func sortedStages(p *plan.Plan) []string {
	var names []string
	for name := range p.Stages {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// tree shows a judge the tree under judgement and the history up to the base.
type tree struct {
	files   *workspace.Tree
	history *workspace.History
}

func (t tree) Entry(ctx context.Context, path string) (judge.Entry, error) {
	e, err := t.files.Stat(ctx, path)
	if err != nil {
		return judge.Entry{}, err
	}
	out := entry(e)
	if out.Kind == judge.Link {
		blob, err := t.files.ReadFile(ctx, path)
		if err != nil {
			return judge.Entry{}, err
		}
		out.Target = string(blob.Content)
	}
	return out, nil
}

func (t tree) Walk(ctx context.Context, folder string) ([]judge.Entry, error) {
	files, err := t.files.Files(ctx)
	if err != nil {
		return nil, err
	}
	var out []judge.Entry
	for _, e := range files {
		if folder == "." || strings.HasPrefix(e.Path, folder+"/") {
			out = append(out, entry(e))
		}
	}
	return out, nil
}

func (t tree) Read(ctx context.Context, path string) ([]byte, error) {
	blob, err := t.files.ReadFile(ctx, path)
	return blob.Content, sized(err)
}

// sized words a file that is too large as a judge's reader knows it.
func sized(err error) error {
	if large := (*workspace.TooLargeError)(nil); errors.As(err, &large) {
		return fmt.Errorf("%w: %w", judge.ErrTooLarge, err)
	}
	return err
}

func (t tree) Log(ctx context.Context, path string, count int) ([]judge.Commit, error) {
	entries, err := t.history.Log(ctx, path, count)
	var out []judge.Commit
	for _, e := range entries {
		out = append(out, judge.Commit{ID: string(e.Commit), Date: e.When.UTC().Format("2006-01-02"), Author: e.Author, Subject: e.Subject})
	}
	return out, err
}

func (t tree) Show(ctx context.Context, rev, path string) (judge.Entry, []byte, error) {
	blob, err := t.history.Show(ctx, rev, path)
	if bad := (*workspace.RevisionError)(nil); errors.As(err, &bad) {
		return judge.Entry{}, nil, fmt.Errorf("%w: %w", judge.ErrRevision, err)
	}
	out := entry(blob.Entry)
	switch {
	case errors.Is(err, fs.ErrInvalid): // a folder or a submodule: the entry says which
		return out, nil, nil
	case out.Kind == judge.Link:
		out.Target = string(blob.Content)
	}
	return out, blob.Content, sized(err)
}

func entry(e workspace.Entry) judge.Entry {
	kind := judge.File
	switch e.Mode {
	case workspace.Directory:
		kind = judge.Folder
	case workspace.Symlink:
		kind = judge.Link
	case workspace.Submodule:
		kind = judge.Submodule
	}
	return judge.Entry{Path: e.Path, Kind: kind, Size: e.Size}
}
