package record

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/snodo-lang/snodo/compiler/plan"
)

// A Finding is one way in which a record is not what it was, or does not fit
// the repository.
type Finding struct {
	Where string // the file or the commit
	What  string // what is wrong with it, as the rest of a sentence
}

func (f Finding) String() string { return f.Where + " " + f.What }

// A Report is what verifying a record came to. Only one without findings says
// that the record is whole.
type Report struct {
	Findings []Finding
	Notes    []Finding // what a run that was killed leaves lying, and nobody uses
	Events   int
	Head     string // the hash of the last event
	Files    int    // transcripts and evidence that are as they were kept
	Commits  int    // commits of the run that fit it
}

// Commits is what of the repository a record is held to.
type Commits interface {
	// Held reads a commit; ok is false where the repository does not hold it.
	Held(ctx context.Context, id string) (c HeldCommit, ok bool, err error)
	// Kept returns what the refs of a run keep, by attempt.
	Kept(ctx context.Context, run string) (map[int]string, error)
}

// A HeldCommit is what a commit says of itself.
type HeldCommit struct {
	Tree     string
	Parents  []string
	Trailers map[string][]string
}

// Verify holds a record to itself and to the repository. It looks at
// everything, and reports all that it finds in one go. head, where it is not
// empty, is the hash with which the chain was said to end. Who answers for
// evidence and rulings is not looked at here. The error says what kept it from
// looking.
func Verify(ctx context.Context, dir string, repo Commits, head string) (Report, error) {
	if info, err := os.Lstat(dir); err != nil || !info.IsDir() {
		return Report{}, fmt.Errorf("verify record: %s is no folder", dir)
	}
	v := &verifier{ctx: ctx, dir: dir, repo: repo, named: map[string]bool{}}
	for _, check := range []func() error{v.chain, v.endsAt(head), v.frozen, v.payload, v.changeRequest, v.results, v.kept, v.unnamed, v.commits} {
		if err := check(); err != nil {
			return Report{}, fmt.Errorf("verify record: %w", err)
		}
	}
	return v.report, nil
}

// A verifier is a record while it is looked at.
type verifier struct {
	ctx    context.Context
	dir    string
	repo   Commits
	report Report

	events  []Event // those that can be read, also where they do not fit
	entries []Entry // what they hold
	started *Started
	whole   bool            // the chain has no fault, so what it amounts to can be told
	named   map[string]bool // files that an event names, by name
}

func (v *verifier) find(where, format string, args ...any) {
	v.report.Findings = append(v.report.Findings, Finding{where, fmt.Sprintf(format, args...)})
}

func (v *verifier) note(where, format string, args ...any) {
	v.report.Notes = append(v.report.Notes, Finding{where, fmt.Sprintf(format, args...)})
}

// read reads a file of the record. What is no regular file is found.
func (v *verifier) read(name string) (content []byte, there bool, err error) {
	path := filepath.Join(v.dir, filepath.FromSlash(name))
	info, err := os.Lstat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, false, nil
	}
	if err != nil {
		return nil, false, err
	}
	if !info.Mode().IsRegular() {
		return nil, false, nil // unnamed says so
	}
	content, err = os.ReadFile(path)
	return content, err == nil, err
}

// frozen holds the plan and the task to the first event.
func (v *verifier) frozen() error {
	content, there, err := v.read(planFile)
	switch {
	case err != nil:
		return err
	case !there:
		v.find(planFile, "is missing")
	case v.started != nil:
		v.plan(content)
	}
	task, there, err := v.read(taskFile)
	switch {
	case err != nil:
		return err
	case !there:
		v.find(taskFile, "is missing")
	case v.started != nil && string(task) != v.started.Task:
		v.find(taskFile, "is not the task that the run was started with")
	}
	return nil
}

func (v *verifier) plan(content []byte) {
	p, err := plan.Read(content)
	if err != nil {
		v.find(planFile, "is not a plan that can be run: %v", err)
		return
	}
	if p.Digest != v.started.Plan {
		v.find(planFile, "is the plan %s, and the run was started with %s", p.Digest, v.started.Plan)
		return
	}
	if again, err := plan.Encode(p); err != nil || !bytes.Equal(again, content) {
		v.find(planFile, "is not written as it was")
	}
}

// payload holds run.json to the last end of the run: it is what the events up
// to there amount to, byte for byte.
func (v *verifier) payload() error {
	content, there, err := v.read(payloadFile)
	if err != nil || !v.whole {
		return err
	}
	end := 0
	for i, e := range v.events {
		if e.Kind == KindEnded {
			end = i + 1
		}
	}
	switch {
	case end == 0 && there:
		v.find(payloadFile, "is there, and no event says that the run ended")
		return nil
	case end == 0:
		return nil
	case !there:
		v.find(payloadFile, "is missing, and event %d says that the run ended; snodo resume writes it again", end)
		return nil
	}
	state, err := Fold(v.events[:end])
	if err != nil {
		return err
	}
	want, err := state.Payload().Encode()
	if err != nil {
		return err
	}
	if !bytes.Equal(want, content) {
		v.find(payloadFile, "is not what the events up to %d, the end of the run, amount to", end)
	}
	return nil
}

// changeRequest holds the text of a change request to the events that it
// follows from.
func (v *verifier) changeRequest() error {
	content, there, err := v.read(ChangeRequestFile)
	if err != nil || !v.whole {
		return err
	}
	want, err := ChangeRequest(v.events)
	if errors.Is(err, ErrNotPublishing) {
		if there {
			v.find(ChangeRequestFile, "is there, and the run was not to publish anything")
		}
		return nil
	}
	if err != nil {
		return err
	}
	published := false
	for _, e := range v.entries {
		x, ok := e.(Exercised)
		published = published || ok && x.Power == powerPublish && x.State == PowerDone
	}
	switch {
	case !there && published:
		v.find(ChangeRequestFile, "is missing, and the run was published")
	case there && string(content) != want:
		v.find(ChangeRequestFile, "is not what follows from the events")
	}
	return nil
}

// results holds the hash and the severity of every verdict to what was found.
func (v *verifier) results() error {
	for i, entry := range v.entries {
		j, ok := entry.(Judged)
		if !ok {
			continue
		}
		if r := j.Result; r.Verdict != nil && !slices.Contains([]plan.Verdict{plan.Pass, plan.Warn, plan.Unclear, plan.Blocker}, *r.Verdict) {
			v.find(eventsFile, "has at event %d the verdict %q, which is none", v.events[i].Seq, *r.Verdict)
			continue
		}
		sealed, err := j.Result.Seal()
		if err != nil {
			return err
		}
		if sealed.Hash != j.Result.Hash || sealed.Severity != j.Result.Severity {
			v.find(eventsFile, "has at event %d a verdict of %s whose hash or severity does not fit it", v.events[i].Seq, j.Result.Validator)
		}
	}
	return nil
}

// endsAt holds the end of the chain to where it was said to be. The text of a
// change request is written before publishing is done, so what may stand
// behind its hash is how the publishing went.
func (v *verifier) endsAt(head string) func() error {
	return func() error {
		if head == "" {
			return nil
		}
		for i, e := range v.events {
			if e.Hash != head {
				continue
			}
			rest := v.entries[i+1:]
			intended, _ := v.entries[i].(Intended)
			if len(rest) > 0 && (intended.Power != powerPublish || !onlyPublishing(rest)) {
				v.find(eventsFile, "goes on for %d events behind %s, where it was said to end", len(rest), head)
			}
			return nil
		}
		v.find(eventsFile, "has no event with the hash %s, where it was said to end", head)
		return nil
	}
}

func onlyPublishing(entries []Entry) bool {
	for _, entry := range entries {
		switch e := entry.(type) {
		case Exercised:
			if e.Power != powerPublish {
				return false
			}
		case Ended, Resumed:
		default:
			return false
		}
	}
	return true
}

// short is the beginning of an id or a hash, enough to know it by.
func short(id string) string {
	const digits = 12
	id = strings.TrimPrefix(id, "sha256:")
	return id[:min(digits, len(id))]
}
