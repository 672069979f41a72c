package stats

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/snodo-lang/snodo/compiler/plan"
	"github.com/snodo-lang/snodo/runtime/record"
	"github.com/snodo-lang/snodo/runtime/verdict"
)

func ptr[T any](v T) *T { return &v }

// kindOf is the kind of the events that tests make.
func kindOf(t testing.TB, entry record.Entry) record.Kind {
	switch entry.(type) {
	case record.Started:
		return record.KindStarted
	case record.Taken:
		return record.KindTaken
	case record.Judged:
		return record.KindJudged
	case record.Ruled:
		return record.KindRuled
	}
	t.Fatalf("tests make no %T", entry)
	return ""
}

// events are those of a run, without a chain.
func events(t testing.TB, entries ...record.Entry) []record.Event {
	var out []record.Event
	for i, entry := range entries {
		raw, err := json.Marshal(entry)
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, record.Event{Seq: i + 1, Kind: kindOf(t, entry), Data: raw})
	}
	return out
}

func started() record.Started {
	return record.Started{Schema: record.Schema, Protocol: "p", Base: "base"}
}

// judged is a verdict of a judge on its one criterion. An unclear asks for the
// evidence named.
func judged(attempt int, judge string, v plan.Verdict, missing ...string) record.Judged {
	f := verdict.Finding{Criterion: "c", Verdict: v, Because: fmt.Sprint(missing)}
	for _, e := range missing {
		f.Missing = append(f.Missing, verdict.Missing{Evidence: e})
	}
	r, err := record.Result{Validator: judge, Kind: plan.KindJudge, Verdict: &v, Findings: []verdict.Finding{f}}.Seal()
	if err != nil {
		panic(err)
	}
	e := record.Judged{Step: "post_execute-1", Attempt: &attempt, Result: r}
	if attempt == 0 {
		e.Step, e.Attempt = "pre_execute-1", nil
	}
	return e
}

func failed(judge string) record.Judged {
	e := judged(1, judge, plan.Pass)
	e.Result.Verdict, e.Result.Findings, e.Result.Error = nil, nil, &verdict.Failure{Class: verdict.NoVerdict}
	return e
}

func observed(e record.Judged) record.Judged {
	e.Result.Observed = true
	return e
}

func ofKind(kind string, e record.Judged) record.Judged {
	e.Result.Kind = kind
	return e
}

func taken(attempt int, commit string) record.Taken {
	return record.Taken{Attempt: attempt, Commit: commit}
}

// memory is a record that needs no file.
func memory(id string, events []record.Event) Record {
	return Record{id, func() ([]record.Event, error) { return events, nil }}
}

// runName names the run number n of a day; a higher one is newer.
func runName(n int) string {
	at := time.Date(2026, 11, 30, 0, 0, 0, 0, time.UTC).Add(time.Duration(n) * time.Second)
	return at.Format(runTime) + "-0123456789"
}

// answered reads one run.
func answered(t *testing.T, q Question, entries ...record.Entry) Report {
	t.Helper()
	r, err := Read(context.Background(), slices.Values([]Record{memory(runName(1), events(t, entries...))}), q)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func TestEveryAskingOfAJudgeCountsAndNothingElse(t *testing.T) {
	r := answered(t, Question{}, started(), taken(1, "c1"),
		ofKind(plan.KindCheck, judged(1, "tests", plan.Pass)),
		ofKind(plan.KindRule, judged(1, "scope", plan.Blocker)),
		judged(0, "early", plan.Warn),
		judged(1, "security", plan.Unclear, "run"),
		judged(1, "security", plan.Pass),
		failed("security"),
		judged(1, "security", plan.Blocker),
		observed(judged(1, "trial", plan.Pass)))
	if diff := cmp.Diff(Tally{Pass: 1, Warn: 1, Unclear: 1, Blocker: 1, Errors: 1}, r.Asked.Panel.Tally); diff != "" {
		t.Error(diff)
	}
	if n := r.Asked.Panel.Verdicts(); n != 4 {
		t.Errorf("%d verdicts: an error is none", n)
	}
	want := []JudgeTally{
		{Judge{"p", "early"}, Tally{Warn: 1}},
		{Judge{"p", "security"}, Tally{Pass: 1, Unclear: 1, Blocker: 1, Errors: 1}},
	}
	if diff := cmp.Diff(want, r.Asked.Panel.Judges); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]JudgeTally{{Judge{"p", "trial"}, Tally{Pass: 1}}}, r.Asked.Observers.Judges); diff != "" {
		t.Error(diff)
	}
	if r.Before != nil || r.Asked.Runs != 1 {
		t.Errorf("before %v, %d runs", r.Before, r.Asked.Runs)
	}
}

func TestAnUnclearCountsOnceForEachKindOfEvidence(t *testing.T) {
	blocker := judged(1, "a", plan.Blocker, "run")
	r := answered(t, Question{}, started(),
		judged(1, "a", plan.Unclear, "run", "run", "read"),
		judged(1, "b", plan.Unclear, "run"), judged(1, "b", plan.Unclear, "run"), blocker)
	want := []EvidenceCount{
		{"run", 3, []AskedBy{{Judge{"p", "b"}, 2}, {Judge{"p", "a"}, 1}}},
		{"read", 1, []AskedBy{{Judge{"p", "a"}, 1}}},
	}
	if diff := cmp.Diff(want, r.Asked.Panel.Evidence); diff != "" {
		t.Error(diff)
	}
}

func TestRehearsalsAndReplaysAreLeftOutAndCounted(t *testing.T) {
	rehearsal, replay := started(), started()
	rehearsal.Rehearsal, replay.Replay = ptr("pass"), ptr("folder")
	r, err := Read(context.Background(), slices.Values([]Record{
		memory(runName(3), events(t, rehearsal, judged(1, "a", plan.Pass))),
		memory(runName(2), events(t, replay, judged(1, "a", plan.Pass))),
		memory(runName(1), events(t, started(), judged(1, "a", plan.Blocker))),
	}), Question{})
	if err != nil || r.Asked.Panel.Tally != (Tally{Blocker: 1}) || r.Rehearsals != 1 || r.Replays != 1 {
		t.Errorf("%+v, %v", r, err)
	}
}

func TestAnUnclearIsSettledByWhatItsOwnRunSays(t *testing.T) {
	unclear := judged(1, "a", plan.Unclear, "run")
	again := judged(1, "a", plan.Unclear, "read")
	ruling := func(on record.Judged, commit string, rule plan.Verdict) record.Ruled {
		return record.Ruled{Validator: on.Result.Validator, Hash: on.Result.Hash, Commit: commit, Rule: rule}
	}
	early := judged(0, "a", plan.Unclear, "run")
	for _, c := range []struct {
		name    string
		entries []record.Entry
		want    SettledTally
	}{
		{"nothing says more", []record.Entry{unclear, again}, SettledTally{}},
		{"an error says nothing", []record.Entry{unclear, failed("a")}, SettledTally{}},
		{"another judge says nothing", []record.Entry{unclear, judged(1, "b", plan.Pass)}, SettledTally{}},
		{"a later pass", []record.Entry{unclear, judged(1, "a", plan.Pass)}, SettledTally{ByLaterVerdict: Tally{Pass: 1}}},
		{"a later warn", []record.Entry{unclear, judged(1, "a", plan.Warn)}, SettledTally{ByLaterVerdict: Tally{Warn: 1}}},
		{"both before a later blocker", []record.Entry{unclear, again, judged(1, "a", plan.Blocker)}, SettledTally{ByLaterVerdict: Tally{Blocker: 2}}},
		{"what is settled stays so", []record.Entry{unclear, judged(1, "a", plan.Pass), again, judged(1, "a", plan.Blocker)},
			SettledTally{ByLaterVerdict: Tally{Pass: 1, Blocker: 1}}},
		{"an earlier verdict says nothing", []record.Entry{judged(1, "a", plan.Pass), unclear}, SettledTally{}},
		{"another commit says nothing", []record.Entry{unclear, taken(2, "c2"), judged(2, "a", plan.Pass)}, SettledTally{}},
		{"a ruling", []record.Entry{unclear, ruling(unclear, "c1", plan.Blocker)}, SettledTally{ByRuling: Tally{Blocker: 1}}},
		{"a ruling on the newest", []record.Entry{unclear, again, ruling(again, "c1", plan.Pass)}, SettledTally{ByRuling: Tally{Pass: 2}}},
		{"a ruling on another verdict", []record.Entry{unclear, ruling(again, "c1", plan.Pass)}, SettledTally{}},
		{"a ruling about another commit", []record.Entry{unclear, ruling(unclear, "c2", plan.Pass)}, SettledTally{}},
		{"before the work", []record.Entry{early, ruling(early, "base", plan.Pass)}, SettledTally{ByRuling: Tally{Pass: 1}}},
	} {
		t.Run(c.name, func(t *testing.T) {
			f := answered(t, Question{}, append([]record.Entry{started(), taken(1, "c1")}, c.entries...)...).Asked.Panel
			if diff := cmp.Diff(c.want, f.Settled); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
			binary := f.AsBinary()
			if binary.Verdicts() != f.Verdicts() || binary.Unclear != f.Unclear-c.want.Cases() {
				t.Errorf("%+v became %+v", f.Tally, binary)
			}
		})
	}
}

func TestJudgesArePointedOutFromThirtyVerdictsOn(t *testing.T) {
	for _, c := range []struct {
		verdicts, unclear int
		want              []SignKind
	}{
		{29, 0, nil}, {30, 0, []SignKind{NeverUnclear}}, {30, 1, nil},
		{30, 15, nil}, {30, 16, []SignKind{MostlyUnclear}}, {29, 29, nil},
	} {
		entries := []record.Entry{started(), failed("a")}
		for i := range c.verdicts {
			v := plan.Pass
			if i < c.unclear {
				v = plan.Unclear
			}
			entries = append(entries, judged(1, "a", v))
		}
		var got []SignKind
		for _, s := range answered(t, Question{}, entries...).Asked.Panel.Signs() {
			got = append(got, s.Of)
		}
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%d of %d unclear: %s", c.unclear, c.verdicts, diff)
		}
	}
}

func TestSinceCountsRunsThatBeganThenOrLater(t *testing.T) {
	var records []Record
	for n := 5; n > 0; n-- {
		records = append(records, memory(runName(n), events(t, started(), judged(1, "a", plan.Verdicts[n%2]))))
	}
	at, err := time.Parse(runTime, runName(4)[:15])
	if err != nil {
		t.Fatal(err)
	}
	r, err := Read(context.Background(), slices.Values(records), Question{Since: at.In(time.FixedZone("", 3600))})
	if err != nil || r.Asked.Panel.Verdicts() != 2 || r.Asked.Runs != 2 {
		t.Errorf("%+v, %v", r.Asked, err)
	}
	if r.Before == nil || r.Before.Panel.Verdicts() != 2 {
		t.Errorf("before: %+v", r.Before)
	}
}

func TestNoMoreRecordsAreReadThanAreNeeded(t *testing.T) {
	var loaded atomic.Int64
	var records []Record
	one := events(t, started(), judged(1, "a", plan.Pass), judged(1, "b", plan.Pass))
	for n := 1000; n > 0; n-- {
		records = append(records, Record{runName(n), func() ([]record.Event, error) {
			loaded.Add(1)
			return one, nil
		}})
	}
	r, err := Read(context.Background(), slices.Values(records), Question{Last: 9})
	if err != nil || r.Asked.Panel.Verdicts() != 9 || r.Before == nil || r.Before.Panel.Verdicts() != 9 {
		t.Fatalf("%+v, %v", r, err)
	}
	if n, most := loaded.Load(), int64(9+abreast-1); n > most {
		t.Errorf("%d records were read for 18 verdicts in 9, %d may be", n, most)
	}
}

func TestARecordThatCannotBeTrustedIsNamed(t *testing.T) {
	damaged := &record.DamagedError{Line: 3, Reason: "its hash does not fit it"}
	r, err := Read(context.Background(), slices.Values([]Record{
		{runName(2), func() ([]record.Event, error) { return nil, damaged }},
		memory(runName(1), events(t, started(), judged(1, "a", plan.Pass))),
	}), Question{})
	if err != nil || r.Asked.Panel.Pass != 1 {
		t.Fatalf("%+v, %v", r, err)
	}
	if len(r.Unread) != 1 || r.Unread[0].Run != runName(2) || !errors.Is(r.Unread[0].Reason, damaged) {
		t.Errorf("unread: %+v", r.Unread)
	}
}

func TestReadingEndsWithItsContext(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	_, err := Read(ctx, slices.Values([]Record{memory(runName(1), nil)}), Question{})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
}

// keep writes the record of a run, and returns the path of its events.
func keep(t *testing.T, worktree, id string, entries ...record.Entry) string {
	t.Helper()
	dir := filepath.Join(record.Root(worktree), id)
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	log, err := record.Create(dir, []byte("{}\n"), "", time.Now, func(s string) string { return s })
	if err != nil {
		t.Fatal(err)
	}
	defer log.Close()
	for _, e := range entries {
		if _, err := log.Append(e); err != nil {
			t.Fatal(err)
		}
	}
	return filepath.Join(dir, "events.jsonl")
}

func TestRecordsAreReadNewestFirstAsFarAsTheyAreWhole(t *testing.T) {
	worktree := t.TempDir()
	if records, err := Kept(worktree); err != nil || len(slices.Collect(records)) != 0 {
		t.Fatalf("without a run: %v", err)
	}
	keep(t, worktree, runName(1), started(), judged(1, "a", plan.Blocker))
	torn := keep(t, worktree, runName(2), started(), judged(1, "a", plan.Unclear, "run"), judged(1, "a", plan.Pass))
	damaged := keep(t, worktree, runName(3), started(), judged(1, "a", plan.Pass), judged(1, "b", plan.Pass))
	gone := keep(t, worktree, runName(4), started())
	for _, folder := range []string{runName(5), "notes"} { // one was killed before its first event
		if err := os.Mkdir(filepath.Join(record.Root(worktree), folder), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	rewrite := func(path string, edit func(string) string) {
		content, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(edit(string(content))), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	rewrite(torn, func(s string) string { return s[:len(s)-20] })
	rewrite(damaged, func(s string) string { return strings.Replace(s, `"verdict":"pass"`, `"verdict":"warn"`, 1) })
	if err := errors.Join(os.Remove(gone), os.WriteFile(filepath.Join(filepath.Dir(gone), "run.json"), nil, 0o644)); err != nil {
		t.Fatal(err)
	}

	records, err := Kept(worktree)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for r := range records {
		names = append(names, r.Run)
	}
	if diff := cmp.Diff([]string{runName(5), runName(4), runName(3), runName(2), runName(1)}, names); diff != "" {
		t.Error(diff)
	}
	r, err := Read(context.Background(), records, Question{})
	if err != nil || r.Asked.Panel.Tally != (Tally{Unclear: 1, Blocker: 1}) {
		t.Errorf("%+v, %v", r.Asked.Panel.Tally, err)
	}
	var unread []string
	for _, u := range r.Unread {
		unread = append(unread, u.Run)
	}
	if diff := cmp.Diff([]string{runName(4), runName(3)}, unread); diff != "" {
		t.Errorf("left out: %s", diff)
	}
}
