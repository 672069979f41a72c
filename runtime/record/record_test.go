package record

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/snodo-lang/snodo/compiler/plan"
	"github.com/snodo-lang/snodo/runtime/verdict"
)

func ptr[T any](v T) *T { return &v }

func clock() func() time.Time {
	t := time.Date(2026, 11, 30, 19, 15, 30, 0, time.UTC)
	return func() time.Time { t = t.Add(time.Second); return t }
}

func unchanged(s string) string { return s }

func TestTheNameOfARunHasOneForm(t *testing.T) {
	for id, want := range map[string]bool{
		"20261130-191530-7f3a09c1d2": true, "00000000-000000-0000000000": true,
		"": false, "20261130-191530-7f3a09c1d": false, "20261130-191530-7f3a09c1d22": false, "20261130-191530-7F3A09C1D2": false,
		"20261130-191530-7f3a09c1dg": false, "20261130_191530-7f3a09c1d2": false, "2026113a-191530-7f3a09c1d2": false, "20261130-191530-7f3a0-c1d2": false,
		"20261130-191530-7f3a09c1é": false, "../20261130-191530-7f3a09c": false,
	} {
		if got := ValidID(id); got != want {
			t.Errorf("%q is a name: %v, want %v", id, got, want)
		}
	}
}

func create(t *testing.T) *Log {
	t.Helper()
	id, dir, err := Claim(t.TempDir(), clock()(), strings.NewReader("12345"))
	if err != nil {
		t.Fatal(err)
	}
	if want := "20261130-191531-3132333435"; id != want || !ValidID(id) {
		t.Fatalf("the run is called %s, want %s", id, want)
	}
	l, err := Create(dir, []byte("{}\n"), "do it", clock(), unchanged)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	return l
}

func appendAll(t *testing.T, l *Log, entries ...Entry) {
	t.Helper()
	for _, e := range entries {
		if _, err := l.Append(e); err != nil {
			t.Fatal(err)
		}
	}
}

func result(t *testing.T, name string, v plan.Verdict) Result {
	t.Helper()
	r, err := Result{Validator: name, Kind: plan.KindCheck, Verdict: &v, Findings: []verdict.Finding{{Verdict: v, Because: "<so>", Quotes: []verdict.Quote{}}}, Examined: []verdict.Examined{}}.Seal()
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// twoAttempts are the events of a run whose first attempt was sent back.
func twoAttempts(t *testing.T) []Entry {
	decided := func(attempt *int, step, phase, decision string) Decided {
		return Decided{Step: step, Phase: phase, Attempt: attempt, Need: 1, Counts: Counts{Expected: 1}, Decision: decision, Members: []string{"tests"}}
	}
	return []Entry{
		Started{Schema: Schema, Run: "20261130-191530-7f3a09c1d2", Stage: "producer", Gate: GateJudged, Task: "do it", Base: "b0"},
		Judged{Step: "pre_execute-1", Result: result(t, "tests", plan.Pass)},
		decided(nil, "pre_execute-1", plan.PreExecute, DecisionProceed),
		Dispatched{Attempt: 1}, Returned{Attempt: 1}, Taken{Attempt: 1, Commit: "c1", Tree: "t1"},
		Judged{Step: "post_execute-1", Attempt: ptr(1), Result: result(t, "tests", plan.Blocker)},
		decided(ptr(1), "post_execute-1", plan.PostExecute, DecisionBlocker),
		Recovering{Step: "post_execute-1", Verdict: plan.Blocker, Count: 1, Times: 3, Attempt: 1},
		Dispatched{Attempt: 2}, Returned{Attempt: 2}, Taken{Attempt: 2, Commit: "c2", Tree: "t2"},
		Judged{Step: "post_execute-1", Attempt: ptr(2), Result: result(t, "tests", plan.Pass)},
		decided(ptr(2), "post_execute-1", plan.PostExecute, DecisionProceed),
		Intended{Power: "commit", Target: "snodo/x"}, Exercised{Power: "commit", State: "done", Target: "snodo/x"},
		Ended{Outcome: "complete", Phase: ptr(plan.PostExecute), Reason: "all gates proceeded"},
	}
}

func TestTheRecordReadsBackAsItWasWritten(t *testing.T) {
	l := create(t)
	appendAll(t, l, twoAttempts(t)...)
	events, torn, err := Load(l.Dir())
	if err != nil || torn {
		t.Fatalf("torn %v, %v", torn, err)
	}
	if diff := cmp.Diff(l.Events(), events, cmp.AllowUnexported(Event{})); diff != "" {
		t.Errorf("(-written +read)\n%s", diff)
	}
}

func TestThePayloadIsTheFoldOfTheEvents(t *testing.T) {
	l := create(t)
	appendAll(t, l, twoAttempts(t)...)
	s, err := Fold(l.Events())
	if err != nil {
		t.Fatal(err)
	}
	p := s.Payload()
	if diff := cmp.Diff(Summary{Total: 2, Dispatches: 2, History: []PastAttempt{{1, "blocked"}, {2, "passed"}}}, p.Attempts); diff != "" {
		t.Error(diff)
	}
	if len(p.Gates) != 2 || p.Gates[0].Attempt != nil || *p.Gates[1].Attempt != 2 || *p.Gates[1].Results[0].Verdict != plan.Pass {
		t.Errorf("the gates are %+v", p.Gates)
	}
	if p.Record.Events != 17 || p.Record.Head != l.Head() || *p.Head != "c2" || p.HaltType != nil {
		t.Errorf("record %+v, head %v, halt type %v", p.Record, p.Head, p.HaltType)
	}
	if s.Recovered[RouteKey("post_execute-1", plan.Blocker)] != 1 {
		t.Error("the recovery is not counted")
	}
	if err := l.WritePayload(p); err != nil {
		t.Fatal(err)
	}
	written, _ := os.ReadFile(filepath.Join(l.Dir(), "run.json"))
	var back Payload
	if err := json.Unmarshal(written, &back); err != nil || cmp.Diff(p, back) != "" {
		t.Errorf("run.json is not the payload: %v\n%s", err, cmp.Diff(p, back))
	}
}

func TestThePayloadNamesTheLatestTwentyAttemptsAndCountsAll(t *testing.T) {
	l := create(t)
	appendAll(t, l, Started{Schema: Schema, Gate: GateJudged})
	for i := 1; i <= 25; i++ {
		appendAll(t, l, Dispatched{Attempt: i}, Taken{Attempt: i}, Judged{Step: "g", Attempt: ptr(i), Result: result(t, "tests", plan.Blocker)},
			Decided{Step: "g", Attempt: ptr(i), Decision: DecisionBlocker, Members: []string{"tests"}})
	}
	appendAll(t, l, Ended{Outcome: "blocker", HaltType: "recovery_exhausted"})
	s, err := Fold(l.Events())
	if err != nil {
		t.Fatal(err)
	}
	sum := s.Payload().Attempts
	if sum.Total != 25 || sum.Omitted != 5 || len(sum.History) != 20 || sum.History[0].Attempt != 6 {
		t.Errorf("got %+v", sum)
	}
}

func TestTheUsageIsThatOfAllAttempts(t *testing.T) {
	n := func(i int64) *int64 { return &i }
	judged := func(attempt int, u *verdict.Usage) Judged {
		r := result(t, "tests", plan.Pass)
		r.Usage = u
		return Judged{Step: "g", Attempt: &attempt, Result: r}
	}
	l := create(t)
	appendAll(t, l, Started{Schema: Schema}, judged(1, &verdict.Usage{Input: n(10), Output: n(5)}), judged(1, nil), judged(2, &verdict.Usage{Input: n(1), Output: n(2)}), Ended{Outcome: "complete"})
	s, err := Fold(l.Events())
	if err != nil {
		t.Fatal(err)
	}
	if u := s.Payload().Usage; *u.Input != 11 || *u.Output != 7 || u.Cached != nil {
		t.Errorf("got %+v", u)
	}
}

func TestADecisionWithoutItsGroundsHasNoMeaning(t *testing.T) {
	started := Started{Schema: Schema, Gate: GateJudged}
	judged := Judged{Step: "g", Attempt: ptr(1), Result: result(t, "tests", plan.Pass)}
	decided := Decided{Step: "g", Attempt: ptr(1), Decision: DecisionProceed, Members: []string{"tests"}}
	for name, entries := range map[string][]Entry{
		"no result":        {started, Taken{Attempt: 1}, decided},
		"no attempt":       {started, judged, decided},
		"another attempt":  {started, Taken{Attempt: 2}, judged, decided},
		"unknown decision": {started, Taken{Attempt: 1}, judged, Decided{Step: "g", Attempt: ptr(1), Decision: "maybe", Members: []string{"tests"}}},
		"starts twice":     {started, started},
		"starts late":      {Taken{Attempt: 1}, started},
	} {
		l := create(t)
		appendAll(t, l, entries...)
		if _, err := Fold(l.Events()); err == nil {
			t.Errorf("%s: the events have a meaning", name)
		}
	}
}

func TestAnOutcomeIsNeverAssumed(t *testing.T) {
	defer func() {
		if recover() == nil {
			t.Error("a run without an outcome has a payload")
		}
	}()
	State{}.Payload()
}

func TestEveryChangedByteIsNoticed(t *testing.T) {
	l := create(t)
	appendAll(t, l, twoAttempts(t)...)
	whole, err := os.ReadFile(filepath.Join(l.Dir(), "events.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	prev := ""
	for n, line := range bytes.Split(bytes.TrimSuffix(whole, []byte("\n")), []byte("\n")) {
		for i := range line {
			changed := bytes.Clone(line)
			changed[i] ^= 1
			if _, err := readLine(changed).at(n+1, prev); err == nil {
				t.Fatalf("byte %d of line %d was changed and nothing was said", i, n+1)
			}
		}
		prev = l.Events()[n].Hash
	}
}

func TestLinesThatDoNotFitAreRefused(t *testing.T) {
	l := create(t)
	appendAll(t, l, twoAttempts(t)...)
	whole, _ := os.ReadFile(filepath.Join(l.Dir(), "events.jsonl"))
	lines := bytes.SplitAfter(bytes.TrimSuffix(whole, []byte("\n")), []byte("\n"))
	join := func(parts ...[]byte) []byte { return bytes.Join(parts, nil) }
	for name, data := range map[string][]byte{
		"removed":   join(append(append([][]byte{}, lines[:3]...), lines[4:]...)...),
		"reordered": join(lines[0], lines[2], lines[1]),
		"repeated":  join(lines[0], lines[1], lines[1]),
		"foreign":   join(lines[0], []byte("hello\n"), lines[1]),
		"spaced":    join([]byte(" "), lines[0]),
	} {
		var damaged *DamagedError
		if _, _, err := read(data); !errors.As(err, &damaged) {
			t.Errorf("%s: got %v, want a DamagedError", name, err)
		}
	}
	events, torn, err := read(whole[:len(whole)-5])
	if err != nil || !torn || len(events) != len(lines)-1 {
		t.Errorf("a torn last line: %d events, torn %v, %v", len(events), torn, err)
	}
}

// What somebody else did to the log is noticed before the next event, so that
// no run ends well on a record that does not hold.
func TestAForeignHandIsNoticedBeforeTheNextEvent(t *testing.T) {
	for name, touch := range map[string]func(path string) error{
		"appended to": func(path string) error {
			f, err := os.OpenFile(path, os.O_APPEND|os.O_WRONLY, 0)
			if err != nil {
				return err
			}
			_, err = f.WriteString("{}\n")
			return errors.Join(err, f.Close())
		},
		"removed":  os.Remove,
		"cut":      func(path string) error { return os.Truncate(path, 10) },
		"replaced": func(path string) error { return rewrite(path, func(b []byte) []byte { return b }) },
		"changed in place": func(path string) error {
			f, err := os.OpenFile(path, os.O_WRONLY, 0)
			if err != nil {
				return err
			}
			info, err := f.Stat()
			if err != nil {
				return err
			}
			_, err = f.WriteAt([]byte("x"), info.Size()-3)
			return errors.Join(err, f.Close())
		},
	} {
		l := create(t)
		appendAll(t, l, Started{Schema: Schema}, Prepared{})
		if err := touch(filepath.Join(l.Dir(), "events.jsonl")); err != nil {
			t.Fatal(err)
		}
		if _, err := l.Append(Prepared{}); err == nil {
			t.Errorf("%s: the log goes on", name)
		}
	}
}

// rewrite puts another file in the place of one.
func rewrite(path string, change func([]byte) []byte) error {
	content, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	if err := os.WriteFile(path+".new", change(content), 0o644); err != nil {
		return err
	}
	return os.Rename(path+".new", path)
}

func TestARecordHasOneWriter(t *testing.T) {
	l := create(t)
	var held *HeldError
	if _, err := Create(l.Dir(), nil, "", clock(), unchanged); !errors.As(err, &held) || held.Holder != os.Getpid() {
		t.Errorf("got %v, want a *HeldError that names this process", err)
	}
	if busy, err := Busy(l.Dir()); err != nil || !busy {
		t.Errorf("an open record is busy: %v, %v", busy, err)
	}
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	if busy, err := Busy(l.Dir()); err != nil || busy {
		t.Errorf("a closed record is busy: %v, %v", busy, err)
	}
}

func TestWhatMayNotBeKeptIsNowhereInTheRecord(t *testing.T) {
	_, dir, err := Claim(t.TempDir(), clock()(), strings.NewReader("12345"))
	if err != nil {
		t.Fatal(err)
	}
	l, err := Create(dir, []byte("{}\n"), "use sk-hidden", clock(), func(s string) string { return strings.ReplaceAll(s, "sk-hidden", "[redacted]") })
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	appendAll(t, l, Started{Task: "use sk-hidden"}, Ended{Detail: "sk-hidden"})
	if _, _, err := l.Keep(Transcripts, "t.json", []byte(`"sk-hidden"`)); err != nil {
		t.Fatal(err)
	}
	s, err := Fold(l.Events())
	if err != nil {
		t.Fatal(err)
	}
	if err := l.WritePayload(s.Payload()); err != nil {
		t.Fatal(err)
	}
	err = filepath.WalkDir(dir, func(path string, e os.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		content, err := os.ReadFile(path)
		if bytes.Contains(content, []byte("sk-hidden")) {
			t.Errorf("%s holds it", path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if _, _, err := Load(dir); err != nil {
		t.Errorf("the chain does not hold: %v", err)
	}
}

func TestTheHashOfAResultCoversWhatWasFound(t *testing.T) {
	a, b := result(t, "tests", plan.Pass), result(t, "tests", plan.Pass)
	b.MS = 4000
	if again, _ := b.Seal(); again.Hash != a.Hash {
		t.Error("the time that it took is part of the hash")
	}
	b.Findings[0].Because = "otherwise"
	if again, _ := b.Seal(); again.Hash == a.Hash {
		t.Error("the reason is no part of the hash")
	}
}

func TestWhatSnodoKeepsIsIgnoredByGit(t *testing.T) {
	top := t.TempDir()
	if _, _, err := Claim(top, clock()(), strings.NewReader("12345")); err != nil {
		t.Fatal(err)
	}
	got, err := os.ReadFile(filepath.Join(top, ".snodo", ".gitignore"))
	if err != nil || string(got) != "*\n" {
		t.Errorf("got %q, %v", got, err)
	}
}

func FuzzRead(f *testing.F) {
	f.Add([]byte("{}\n"))
	f.Add([]byte(`{"seq":1,"time":"","kind":"run.started","data":{},"prev":"","hash":"x"}` + "\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		// Whatever was read has a meaning or an error, and never a panic.
		if events, _, err := read(data); err == nil {
			Fold(events)
		}
	})
}
