package record

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/snodo-lang/snodo/compiler/plan"
	"github.com/snodo-lang/snodo/runtime/verdict"
)

// held are commits as a repository would hold them.
type held struct {
	commits map[string]HeldCommit
	refs    map[int]string
}

func (h held) Held(_ context.Context, id string) (HeldCommit, bool, error) {
	c, ok := h.commits[id]
	return c, ok, nil
}

func (h held) Kept(context.Context, string) (map[int]string, error) { return h.refs, nil }

// onePlan is a plan with one stage and one check.
func onePlan(t *testing.T) *plan.Plan {
	t.Helper()
	p := &plan.Plan{
		Schema: plan.Schema, Edition: plan.Edition, Compiler: plan.Compiler,
		Protocol: plan.Protocol{Name: "p", Starts: "r", Protects: []string{}},
		Sources:  []plan.Source{{Path: "protocol.snodo", SHA256: strings.Repeat("0", 64)}},
		Roles:    map[string]plan.Role{}, Evidence: map[string]plan.Evidence{}, Coders: map[string]plan.Coder{},
		Validators: plan.Validators{"tests": &plan.Check{Kind: plan.KindCheck, Phase: plan.PostExecute, Returns: []plan.Verdict{plan.Pass, plan.Blocker}, Run: "true", TimeoutMS: 1000}},
		Stages: map[string]plan.Stage{"r": {Kind: plan.Review, Grants: []plan.Grant{}, Powers: []string{"publish"}, HandsTo: []string{}, Start: "g", Steps: plan.Steps{
			"g": &plan.Gate{Op: plan.OpGate, Phase: plan.PostExecute, Panel: []string{"tests"}, Observe: []string{}, Need: 1, Next: plan.GateNext{Proceed: "complete",
				Blocker: plan.Route{{Do: plan.DoHalt, As: plan.HaltBlocker}}, Error: plan.Route{{Do: plan.DoHalt, As: plan.HaltValidatorError}}}},
			"complete": &plan.Complete{Op: plan.OpComplete, Next: plan.CompleteNext{Done: plan.EndComplete, Refused: "halt:power_refused", Error: "halt:environment_error"}},
		}}},
	}
	if err := plan.Seal(p); err != nil {
		t.Fatal(err)
	}
	return p
}

// whole is a record with one of everything: a commit, a transcript, evidence,
// a change request and a payload.
func whole(t *testing.T) (*Log, held) {
	t.Helper()
	p := onePlan(t)
	encoded, err := plan.Encode(p)
	if err != nil {
		t.Fatal(err)
	}
	id, dir, err := Claim(t.TempDir(), clock()(), strings.NewReader("12345"))
	if err != nil {
		t.Fatal(err)
	}
	l, err := Create(dir, encoded, "do it", clock(), unchanged)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	appendAll(t, l, Started{Schema: Schema, Run: id, Plan: p.Digest, Protocol: "p", Stage: "r", Gate: GateJudged, Task: "do it", Base: "b0", Jobs: 2}, Dispatched{Attempt: 1}, Returned{Attempt: 1})
	h := held{refs: map[int]string{1: "c1"}, commits: map[string]HeldCommit{"b0": {}, "c1": {Tree: "t1", Parents: []string{"b0"}, Trailers: map[string][]string{
		"Snodo-Run": {id}, "Snodo-Plan": {p.Digest}, "Snodo-Record": {l.Head()},
	}}}}
	appendAll(t, l, Taken{Attempt: 1, Commit: "c1", Tree: "t1", Ref: "refs/snodo/x/1"})
	keep := func(folder, name string) (*string, *string) {
		file, digest, err := l.Keep(folder, name, []byte("kept "+name+"\n"))
		if err != nil {
			t.Fatal(err)
		}
		return &file, &digest
	}
	gathered := Gathered{Step: "g", Evidence: "test-run", Judges: []string{"tests"}}
	gathered.File, gathered.Digest = keep(Evidence, "gathered-005.txt")
	judged := Judged{Step: "g", Attempt: ptr(1), Result: result(t, "tests", plan.Pass)}
	judged.Transcript, judged.TranscriptDigest = keep(Transcripts, "g_tests.json")
	appendAll(t, l, gathered, judged,
		Decided{Step: "g", Phase: plan.PostExecute, Attempt: ptr(1), Need: 1, Counts: Counts{Expected: 1, Pass: 1}, Decision: DecisionProceed, Members: []string{"tests"}},
		Intended{Power: "publish", Target: "origin/x"})
	if _, err := l.WriteChangeRequest(); err != nil {
		t.Fatal(err)
	}
	appendAll(t, l, Exercised{Power: "publish", State: PowerDone, Target: "origin/x"})
	end(t, l, Ended{Outcome: "complete", Next: []string{}})
	return l, h
}

// end ends a run and writes its payload.
func end(t *testing.T, l *Log, e Ended) {
	t.Helper()
	appendAll(t, l, e)
	state, err := Fold(l.Events())
	if err != nil {
		t.Fatal(err)
	}
	if err := l.WritePayload(state.Payload()); err != nil {
		t.Fatal(err)
	}
}

func verify(t *testing.T, dir string, h held, head string) Report {
	t.Helper()
	r, err := Verify(t.Context(), dir, h, head)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// found wants a finding that holds every one of some texts.
func found(t *testing.T, r Report, texts ...string) {
	t.Helper()
	for _, f := range r.Findings {
		all := true
		for _, text := range texts {
			all = all && strings.Contains(f.String(), text)
		}
		if all {
			return
		}
	}
	t.Errorf("none of these findings holds %q: %v", texts, r.Findings)
}

func TestARecordThatIsWholeIsSaidToBe(t *testing.T) {
	l, h := whole(t)
	r := verify(t, l.Dir(), h, l.Head())
	if len(r.Findings) > 0 || len(r.Notes) > 0 || r.Events != 10 || r.Head != l.Head() || r.Files != 2 || r.Commits != 1 {
		t.Errorf("got %+v", r)
	}
}

// files are those of a record that are held to something.
func files(t *testing.T, dir string) map[string][]byte {
	t.Helper()
	out := map[string][]byte{}
	for _, pattern := range []string{"*", "*/*"} {
		names, err := filepath.Glob(filepath.Join(dir, pattern))
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range names {
			if info, err := os.Stat(name); err != nil || info.IsDir() || filepath.Base(name) == lockFile {
				continue
			}
			content, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			out[name] = content
		}
	}
	if len(out) != 7 {
		t.Fatalf("the record of this test has %d files", len(out))
	}
	return out
}

func write(t *testing.T, name string, content []byte) {
	t.Helper()
	if err := os.WriteFile(name, content, 0o644); err != nil {
		t.Fatal(err)
	}
}

// Each file is held to something by one check, which is asked alone here: there
// are thousands of bytes.
func TestEveryChangedByteOfEveryFileIsFound(t *testing.T) {
	l, h := whole(t)
	fresh := func() *verifier {
		return &verifier{ctx: t.Context(), dir: l.Dir(), repo: h, named: map[string]bool{}}
	}
	seen := fresh()
	if err := seen.chain(); err != nil || !seen.whole {
		t.Fatal(err)
	}
	checks := map[string]func(*verifier) error{
		eventsFile: (*verifier).chain, planFile: (*verifier).frozen, taskFile: (*verifier).frozen,
		payloadFile: (*verifier).payload, ChangeRequestFile: (*verifier).changeRequest,
	}
	for name, content := range files(t, l.Dir()) {
		check, ok := checks[filepath.Base(name)]
		if !ok {
			check = (*verifier).kept
		}
		for i := range content {
			changed := bytes.Clone(content)
			changed[i] ^= 1
			write(t, name, changed)
			v := fresh()
			if filepath.Base(name) != eventsFile {
				v.events, v.entries, v.started, v.whole = seen.events, seen.entries, seen.started, true
			}
			if err := check(v); err != nil || len(v.report.Findings) == 0 {
				t.Errorf("%s: byte %d, %q, may be %q (%v)", filepath.Base(name), i, content[i], changed[i], err)
			}
		}
		write(t, name, content)
	}
}

func TestEveryMissingAddedOrTruncatedFileIsFound(t *testing.T) {
	l, h := whole(t)
	for name, content := range files(t, l.Dir()) {
		rel, err := filepath.Rel(l.Dir(), name)
		if err != nil {
			t.Fatal(err)
		}
		changed := bytes.Clone(content)
		changed[len(changed)/2] ^= 1
		write(t, name, changed)
		found(t, verify(t, l.Dir(), h, ""), filepath.ToSlash(rel)+" ")
		for _, size := range []int{0, len(content) / 2, len(content) - 1} {
			write(t, name, content[:size])
			found(t, verify(t, l.Dir(), h, ""), filepath.ToSlash(rel)+" ")
		}
		if err := os.Remove(name); err != nil {
			t.Fatal(err)
		}
		found(t, verify(t, l.Dir(), h, ""), filepath.ToSlash(rel)+" is missing")
		if err := os.Symlink("/etc/hostname", name); err != nil {
			t.Fatal(err)
		}
		found(t, verify(t, l.Dir(), h, ""), filepath.ToSlash(rel)+" is no regular file")
		if err := os.Remove(name); err != nil {
			t.Fatal(err)
		}
		write(t, name, content)
	}
	for _, added := range []string{"x", "transcripts/x.json", "evidence/gathered-006.txt", "evidence/attached-q1.txt", ".run.json1", "evidence/.x"} {
		write(t, filepath.Join(l.Dir(), filepath.FromSlash(added)), []byte("x"))
		found(t, verify(t, l.Dir(), h, ""), added+" was added")
		if err := os.Remove(filepath.Join(l.Dir(), filepath.FromSlash(added))); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Mkdir(filepath.Join(l.Dir(), "more"), 0o755); err != nil {
		t.Fatal(err)
	}
	found(t, verify(t, l.Dir(), h, ""), "more is a folder")
}

func TestLinesThatAreGoneDoubledOrMovedAreFound(t *testing.T) {
	l, h := whole(t)
	log := filepath.Join(l.Dir(), eventsFile)
	content, err := os.ReadFile(log)
	if err != nil {
		t.Fatal(err)
	}
	lines := bytes.SplitAfter(content, []byte("\n"))
	lines = lines[:len(lines)-1]
	join := func(parts ...[][]byte) []byte {
		var out []byte
		for _, part := range parts {
			out = append(out, bytes.Join(part, nil)...)
		}
		return out
	}
	for i := range lines {
		for what, changed := range map[string][]byte{
			"cut behind":  join(lines[:i]),
			"gone":        join(lines[:i], lines[i+1:]),
			"doubled":     join(lines[:i+1], lines[i:]),
			"swapped":     join(lines[:i], lines[min(i+1, len(lines)-1):min(i+2, len(lines))], lines[i:i+1], lines[min(i+2, len(lines)):]),
			"empty after": join(lines[:i+1], [][]byte{[]byte("\n")}, lines[i+1:]),
		} {
			if bytes.Equal(changed, content) || what == "swapped" && i == len(lines)-1 {
				continue
			}
			write(t, log, changed)
			if r := verify(t, l.Dir(), h, ""); len(r.Findings) == 0 {
				t.Errorf("line %d %s: nothing was found", i+1, what)
			}
		}
	}
}

// Whoever rewrites all of the log, and what follows from it, still meets what
// was said outside of it.
func TestARewrittenTailIsFoundByTheCommitsAndByTheHead(t *testing.T) {
	l, h := whole(t)
	said := l.Head()
	rewritten := func(from int, entries ...Entry) *Log {
		id, dir, err := Claim(t.TempDir(), clock()(), strings.NewReader("12345"))
		if err != nil {
			t.Fatal(err)
		}
		encoded, err := plan.Encode(onePlan(t))
		if err != nil {
			t.Fatal(err)
		}
		again, err := Create(dir, encoded, "do it", clock(), unchanged)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { again.Close() })
		if filepath.Base(l.Dir()) != id {
			t.Fatal("another run")
		}
		for _, e := range l.Events()[:from] {
			entry, err := decode(e)
			if err != nil {
				t.Fatal(err)
			}
			appendAll(t, again, entry)
		}
		appendAll(t, again, entries...)
		end(t, again, Ended{Outcome: "blocker", HaltType: "blocker", Next: []string{}})
		return again
	}
	before := rewritten(2, Returned{Attempt: 1, Output: "another"}, Taken{Attempt: 1, Commit: "c1", Tree: "t1", Ref: "refs/snodo/x/1"})
	found(t, verify(t, before.Dir(), h, ""), "the commit c1 names ", "as the event before the one that took it", "one of them was rewritten")
	without := rewritten(2, Returned{Attempt: 1})
	found(t, verify(t, without.Dir(), h, ""), "the commit c1 is kept for attempt 1, and no event took it")
	behind := rewritten(4)
	if r := verify(t, behind.Dir(), h, ""); len(r.Findings) > 0 {
		t.Errorf("nothing but the head tells, and there is %v", r.Findings)
	}
	found(t, verify(t, behind.Dir(), h, said), "has no event with the hash "+said)
}

func TestWhereTheChainMayEnd(t *testing.T) {
	l, h := whole(t)
	events := l.Events()
	for i, e := range events {
		r := verify(t, l.Dir(), h, e.Hash)
		// The change request carries the hash of the event that announces it.
		if fine := e.Kind == KindIntended || i == len(events)-1; fine != (len(r.Findings) == 0) {
			t.Errorf("event %d, %s: %v", e.Seq, e.Kind, r.Findings)
		}
	}
	found(t, verify(t, l.Dir(), h, "sha256:0"), "has no event with the hash sha256:0")
}

func TestCommitsThatDoNotFitAreFound(t *testing.T) {
	for name, test := range map[string]struct {
		spin func(held)
		want string
	}{
		"gone":           {func(h held) { delete(h.commits, "c1") }, "the commit c1 is not in the repository"},
		"no base":        {func(h held) { delete(h.commits, "b0") }, "the base b0 is not in the repository"},
		"another tree":   {func(h held) { c := h.commits["c1"]; c.Tree = "t2"; h.commits["c1"] = c }, "the commit c1 has the tree t2"},
		"another parent": {func(h held) { c := h.commits["c1"]; c.Parents = nil; h.commits["c1"] = c }, "does not stand on b0"},
		"another run":    {func(h held) { h.commits["c1"].Trailers["Snodo-Run"] = []string{"x"} }, "names \"x\" as the run"},
		"another plan":   {func(h held) { h.commits["c1"].Trailers["Snodo-Plan"] = []string{"x"} }, "names \"x\" as the plan"},
		"two records": {func(h held) {
			h.commits["c1"].Trailers["Snodo-Record"] = append(h.commits["c1"].Trailers["Snodo-Record"], "x")
		}, "as the event before"},
		"a ref moved": {func(h held) { h.refs[1] = "c2" }, "the commit c2 is kept for attempt 1"},
	} {
		t.Run(name, func(t *testing.T) {
			l, h := whole(t)
			test.spin(h)
			found(t, verify(t, l.Dir(), h, ""), test.want)
		})
	}
	l, h := whole(t)
	delete(h.refs, 1)
	if r := verify(t, l.Dir(), h, ""); len(r.Findings) > 0 {
		t.Errorf("a ref that was pruned: %v", r.Findings)
	}
}

func TestAVerdictWhoseHashDoesNotFitIsFound(t *testing.T) {
	l := create(t)
	res := result(t, "tests", plan.Pass)
	res.Findings = []verdict.Finding{{Verdict: plan.Pass, Because: "another"}}
	appendAll(t, l, Started{Schema: Schema, Run: filepath.Base(l.Dir()), Gate: GateJudged, Base: "b0"}, Judged{Step: "g", Result: res})
	found(t, verify(t, l.Dir(), held{}, ""), "at event 2 a verdict of tests whose hash or severity does not fit")
}

// What a run that was killed leaves lying is noted, and is nothing that was
// done to the record.
func TestWhatADeathLeavesIsNoted(t *testing.T) {
	l, h := whole(t)
	killed := create(t)
	write(t, filepath.Join(killed.Dir(), planFile), mustRead(t, filepath.Join(l.Dir(), planFile)))
	appendAll(t, killed, Started{Schema: Schema, Run: filepath.Base(killed.Dir()), Plan: onePlan(t).Digest, Gate: GateJudged, Base: "b0", Task: "do it", Jobs: 2})
	h.refs = nil
	for n := range 3 {
		write(t, filepath.Join(killed.Dir(), Transcripts, fmt.Sprintf("%d.json", n)), nil)
		r := verify(t, killed.Dir(), h, "")
		if want := n < 2; want != (len(r.Findings) == 0) {
			t.Errorf("%d orphans of a run with two judges at once: %v", n+1, r.Findings)
		}
	}
	for n := range 3 {
		if err := os.Remove(filepath.Join(killed.Dir(), Transcripts, fmt.Sprintf("%d.json", n))); err != nil {
			t.Fatal(err)
		}
	}
	// Evidence of before is gathered anew, under the name of a later event.
	write(t, filepath.Join(killed.Dir(), Evidence, "gathered-002.txt"), nil)
	write(t, filepath.Join(killed.Dir(), ".run.json123"), nil)
	appendAll(t, killed, Resumed{})
	end(t, killed, Ended{Outcome: "blocker", HaltType: "blocker", Next: []string{}})
	if r := verify(t, killed.Dir(), h, ""); len(r.Findings) > 0 || len(r.Notes) != 2 {
		t.Errorf("%+v", r)
	}
}

func mustRead(t *testing.T, name string) []byte {
	t.Helper()
	content, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return content
}

func FuzzVerify(f *testing.F) {
	f.Add([]byte(""))
	f.Add([]byte("\n\n"))
	f.Add([]byte(`{"seq":1,"time":"","kind":"run.started","data":{"schema":"","run":"x","base":"b0"},"prev":"","hash":"x"}` + "\n"))
	f.Add([]byte(`{"seq":1,"time":"","kind":"evidence.gathered","data":{"file":"../../x","digest":"y"},"prev":"","hash":"x"}` + "\nz"))
	dir := f.TempDir()
	f.Fuzz(func(t *testing.T, log []byte) {
		if err := os.WriteFile(filepath.Join(dir, eventsFile), log, 0o644); err != nil {
			t.Fatal(err)
		}
		r, err := Verify(t.Context(), dir, held{}, "")
		if err != nil || len(r.Findings) == 0 {
			t.Errorf("%v, %v", r, err)
		}
	})
}
