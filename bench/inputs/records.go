package inputs

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/snodo-lang/snodo/compiler/plan"
	"github.com/snodo-lang/snodo/runtime/record"
	"github.com/snodo-lang/snodo/runtime/verdict"
)

// VerdictsOfARun is how many verdicts each run that Records makes has.
const VerdictsOfARun = 4

// distinct is how many of the runs that Records makes have events of their
// own. The others share them, in links: what is read of a repository at a time
// is less, and making each takes its time on disk.
const distinct = 128

// Records keeps runs with so many verdicts in a worktree, four in each.
func Records(worktree string, verdicts int) error {
	runs := (verdicts + VerdictsOfARun - 1) / VerdictsOfARun
	start := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	var logs []string
	for i := range runs {
		if i < distinct {
			log, err := judgedRun(worktree, start.Add(time.Duration(runs-i)*time.Minute), min(VerdictsOfARun, verdicts-VerdictsOfARun*i))
			if err != nil {
				return fmt.Errorf("make records: %w", err)
			}
			logs = append(logs, log)
			continue
		}
		id := start.Add(time.Duration(runs-i)*time.Minute).Format("20060102-150405") + "-0123456789"
		dir := filepath.Join(record.Root(worktree), id)
		if err := errors.Join(os.MkdirAll(dir, 0o755), os.Link(logs[i%distinct], filepath.Join(dir, filepath.Base(logs[0])))); err != nil {
			return fmt.Errorf("make records: %w", err)
		}
	}
	return nil
}

// judgedRun keeps a run in which each judge was asked once, with the events
// that stand around such verdicts, and returns the path of its log.
func judgedRun(worktree string, at time.Time, judges int) (string, error) {
	attempt := 1
	entries := []record.Entry{
		record.Prepared{Folder: "folder"}, record.Dispatched{Attempt: 1}, record.Returned{Attempt: 1}, record.Taken{Attempt: 1, Commit: "c1"},
	}
	var members []string
	for i := range judges {
		r, err := judgement(fmt.Sprintf("judge-%d", i), plan.Verdicts[i])
		if err != nil {
			return "", err
		}
		members = append(members, r.Validator)
		entries = append(entries, record.Judged{Step: "post_execute-1", Attempt: &attempt, Result: r})
	}
	entries = append(entries,
		record.Decided{Step: "post_execute-1", Phase: plan.PostExecute, Attempt: &attempt, Need: judges, Decision: record.DecisionBlocker, Members: members},
		record.Ended{Outcome: "blocker", HaltType: "blocker"})
	l, err := create(worktree, at, []byte("{}\n"), record.Started{Protocol: "p", Base: "c0"})
	if err != nil {
		return "", err
	}
	for _, e := range entries {
		if _, err := l.Append(e); err != nil {
			return "", errors.Join(err, l.Close())
		}
	}
	return filepath.Join(l.Dir(), "events.jsonl"), l.Close()
}

// create begins the record of a run that began at some time.
func create(worktree string, at time.Time, frozen []byte, s record.Started) (*record.Log, error) {
	id, dir, err := record.Claim(worktree, at, strings.NewReader("12345"))
	if err != nil {
		return nil, err
	}
	s.Schema, s.Run, s.Gate, s.Task = record.Schema, id, record.GateJudged, strings.Repeat("Make it so. ", 40)
	l, err := record.Create(dir, frozen, s.Task, func() time.Time { return at }, func(s string) string { return s })
	if err != nil {
		return nil, err
	}
	if _, err := l.Append(s); err != nil {
		return nil, errors.Join(err, l.Close())
	}
	return l, nil
}

// Run keeps a run with so many events, 2 or more, that began with a plan and
// on a commit, and returns its name. All but the first and the last are
// verdicts and the replies of a coder, one after the other.
func Run(worktree string, frozen []byte, base string, events int) (string, error) {
	p, err := plan.Read(frozen)
	if err != nil {
		return "", fmt.Errorf("make run: %w", err)
	}
	r, err := judgement("judge-0", plan.Unclear)
	if err != nil {
		return "", fmt.Errorf("make run: %w", err)
	}
	at := time.Date(2026, 2, 1, 0, 0, 0, 0, time.UTC).Add(time.Duration(events) * time.Second)
	l, err := create(worktree, at, frozen, record.Started{Plan: p.Digest, Protocol: p.Protocol.Name, Stage: p.Protocol.Starts, Base: base})
	if err != nil {
		return "", fmt.Errorf("make run: %w", err)
	}
	id := filepath.Base(l.Dir())
	if err := l.Close(); err != nil {
		return "", fmt.Errorf("make run: %w", err)
	}
	// Append waits for the disk each time, so these are written by hand.
	return id, chain(l.Dir(), events, at, r)
}

// chain writes the events behind the first, and the payload.
func chain(dir string, events int, at time.Time, r record.Result) error {
	path := filepath.Join(dir, "events.jsonl")
	log, err := os.ReadFile(path)
	if err != nil {
		return fmt.Errorf("make run: %w", err)
	}
	var last record.Event
	if err := json.Unmarshal(log, &last); err != nil {
		return fmt.Errorf("make run: %w", err)
	}
	all := []record.Event{last}
	for seq := 2; seq <= events; seq++ {
		var kind record.Kind
		var entry record.Entry
		switch {
		case seq == events:
			kind, entry = record.KindEnded, record.Ended{Outcome: "blocker", HaltType: "blocker", Next: []string{}}
		case seq%2 == 0:
			kind, entry = record.KindJudged, record.Judged{Step: fmt.Sprintf("pre_execute-%d", seq), Result: r}
		default:
			kind, entry = record.KindReplied, record.Replied{Attempt: 1, Turn: seq, Turns: events, Spent: record.Spent{Tokens: 1000}}
		}
		if last, err = next(last, kind, entry, at); err != nil {
			return fmt.Errorf("make run: %w", err)
		}
		line, err := json.Marshal(last)
		if err != nil {
			return fmt.Errorf("make run: %w", err)
		}
		log = append(append(log, line...), '\n')
		all = append(all, last)
	}
	if err := os.WriteFile(path, log, fs.FileMode(0o644)); err != nil {
		return fmt.Errorf("make run: %w", err)
	}
	state, err := record.Fold(all)
	if err != nil {
		return fmt.Errorf("make run: %w", err)
	}
	payload, err := state.Payload().Encode()
	if err != nil {
		return fmt.Errorf("make run: %w", err)
	}
	return os.WriteFile(filepath.Join(dir, "run.json"), payload, fs.FileMode(0o644))
}

// next returns the event behind another.
func next(before record.Event, kind record.Kind, entry record.Entry, at time.Time) (record.Event, error) {
	raw, err := json.Marshal(entry)
	if err != nil {
		return record.Event{}, err
	}
	e := record.Event{Seq: before.Seq + 1, Time: at.Format(time.RFC3339Nano), Kind: kind, Data: raw, Prev: before.Hash}
	e.Hash, err = plan.Digest(e)
	return e, err
}

// judgement is a verdict of the size that judges give: three criteria, and
// eight files read.
func judgement(judge string, v plan.Verdict) (record.Result, error) {
	r := record.Result{Validator: judge, Kind: plan.KindJudge, Verdict: &v}
	for i := range 3 {
		f := verdict.Finding{Criterion: fmt.Sprintf("criterion-%d", i), Verdict: v, Because: strings.Repeat("It is checked. ", 12),
			Quotes: []verdict.Quote{{Path: "api/q.go", Line: 41, Text: "q := escaped(r)"}}}
		if v == plan.Unclear {
			f.Missing = []verdict.Missing{{Evidence: "test-run", Args: map[string]any{"target": "./api"}}}
		}
		r.Findings = append(r.Findings, f)
	}
	for i := range 8 {
		r.Examined = append(r.Examined, verdict.Examined{Tool: "read_file", Path: "api/q.go", Turn: i + 1})
	}
	return r.Seal()
}
