package bench_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/snodo-lang/snodo/compiler/plan"
	"github.com/snodo-lang/snodo/runtime/record"
	"github.com/snodo-lang/snodo/runtime/record/stats"
	"github.com/snodo-lang/snodo/runtime/verdict"
)

const (
	judgesOfARun = 4
	keptRuns     = 25_000
)

// aRun returns the path of the event log of a run in which each judge was asked
// once, with the events that stand around such verdicts.
func aRun(b *testing.B) string {
	b.Helper()
	must := func(err error) {
		if err != nil {
			b.Fatal(err)
		}
	}
	_, dir, err := record.Claim(b.TempDir(), time.Now(), strings.NewReader("12345"))
	must(err)
	log, err := record.Create(dir, []byte("{}\n"), "", time.Now, func(s string) string { return s })
	must(err)
	attempt := 1
	entries := []record.Entry{
		record.Started{Schema: record.Schema, Protocol: "p", Gate: record.GateJudged, Task: strings.Repeat("Make it so. ", 40), Base: "c0"},
		record.Prepared{Folder: "folder"}, record.Dispatched{Attempt: 1}, record.Returned{Attempt: 1}, record.Taken{Attempt: 1, Commit: "c1"},
	}
	var members []string
	for i := range judgesOfARun {
		r := judgement(b, fmt.Sprintf("judge-%d", i), plan.Verdicts[i])
		members = append(members, r.Validator)
		entries = append(entries, record.Judged{Step: "post_execute-1", Attempt: &attempt, Result: r})
	}
	entries = append(entries,
		record.Decided{Step: "post_execute-1", Phase: plan.PostExecute, Attempt: &attempt, Need: judgesOfARun, Decision: record.DecisionBlocker, Members: members},
		record.Ended{Outcome: "blocker", HaltType: "blocker"})
	for _, e := range entries {
		_, err := log.Append(e)
		must(err)
	}
	must(log.Close())
	return filepath.Join(dir, "events.jsonl")
}

// judgement is a verdict of the size that judges give: three criteria, and
// eight files read.
func judgement(b *testing.B, judge string, v plan.Verdict) record.Result {
	b.Helper()
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
	r, err := r.Seal()
	if err != nil {
		b.Fatal(err)
	}
	return r
}

// BenchmarkStatistics counts the last 200 verdicts among 100,000, and the 200
// before them.
func BenchmarkStatistics(b *testing.B) {
	worktree := b.TempDir()
	events := aRun(b)
	start := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	for i := range keptRuns {
		name := start.Add(time.Duration(i)*time.Minute).Format("20060102-150405") + "-0123456789"
		dir := filepath.Join(record.Root(worktree), name)
		if err := os.MkdirAll(dir, 0o755); err != nil {
			b.Fatal(err)
		}
		if err := os.Link(events, filepath.Join(dir, "events.jsonl")); err != nil {
			b.Fatal(err)
		}
	}
	for b.Loop() {
		records, err := stats.Kept(worktree)
		if err != nil {
			b.Fatal(err)
		}
		r, err := stats.Read(context.Background(), records, stats.Question{Last: 200})
		if err != nil {
			b.Fatal(err)
		}
		if n := r.Asked.Panel.Unclear; n != 50 || r.Before == nil {
			b.Fatalf("%d unclear of 200, %v before", n, r.Before)
		}
	}
}
