package proof

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/snodo-lang/snodo/compiler/plan"
	"github.com/snodo-lang/snodo/runtime/verdict"
)

func answer(v plan.Verdict, findings ...verdict.Finding) Run {
	return Run{Verdict: &v, Findings: findings}
}

func broken(criterion string) verdict.Finding {
	return verdict.Finding{Criterion: criterion, Verdict: plan.Blocker}
}

func lacking(evidence string) verdict.Finding {
	return verdict.Finding{Criterion: "a", Verdict: plan.Unclear, Missing: []verdict.Missing{{Evidence: evidence}}}
}

func TestOnlyTheAnswerThatIsExpectedIsRight(t *testing.T) {
	good := Case{Expect: plan.Pass}
	bad := Case{Expect: plan.Blocker, Violates: []string{"b", "a"}}
	plainBad := Case{Expect: plan.Blocker}
	undecidable := Case{Expect: plan.Unclear, Needs: "how"}
	for name, tt := range map[string]struct {
		of    Case
		is    Run
		wrong string
	}{
		"a pass":                              {good, answer(plan.Pass), ""},
		"a warning is no pass":                {good, answer(plan.Warn), "warn instead of pass"},
		"unclear is no pass":                  {good, answer(plan.Unclear), "unclear instead of pass"},
		"nothing is no pass":                  {good, Run{}, "no verdict"},
		"an error is no pass":                 {good, Run{Error: &verdict.Failure{Class: verdict.NoVerdict, Message: "m"}}, "no verdict: no_verdict: m"},
		"an error beside a pass is none":      {good, Run{Verdict: answer(plan.Pass).Verdict, Error: &verdict.Failure{Class: "x", Message: "m"}}, "no verdict: x: m"},
		"a blocker":                           {plainBad, answer(plan.Blocker, broken("c")), ""},
		"an error is no blocker":              {plainBad, Run{Error: &verdict.Failure{Class: "x", Message: "m"}}, "no verdict: x: m"},
		"unclear is no blocker":               {plainBad, answer(plan.Unclear), "unclear instead of blocker"},
		"the criteria named, in any order":    {bad, answer(plan.Blocker, broken("a"), broken("b")), ""},
		"one of the criteria named":           {bad, answer(plan.Blocker, broken("a")), "it was a that was found broken instead of b, a"},
		"more than the criteria named":        {bad, answer(plan.Blocker, broken("a"), broken("b"), broken("c")), "it was a, b, c that was found broken instead of b, a"},
		"the evidence named":                  {undecidable, answer(plan.Unclear, lacking("how")), ""},
		"the evidence named and another":      {undecidable, answer(plan.Unclear, lacking("how"), lacking("what")), ""},
		"another evidence than is named":      {undecidable, answer(plan.Unclear, lacking("what")), "it asked for what instead of how"},
		"what cannot be decided was accused":  {undecidable, answer(plan.Blocker, broken("a")), "blocker instead of unclear"},
		"what cannot be decided was accepted": {undecidable, answer(plan.Pass), "pass instead of unclear"},
	} {
		if got := tt.of.Judge(tt.is); got != tt.wrong {
			t.Errorf("%s: %q, want %q", name, got, tt.wrong)
		}
	}
}

func TestAProofHoldsOnPositiveEvidenceAlone(t *testing.T) {
	good := Case{Folder: "good", Expect: plan.Pass, Runs: []Run{answer(plan.Pass)}}
	bad := Case{Folder: "bad", Expect: plan.Blocker, Runs: []Run{answer(plan.Blocker), answer(plan.Blocker)}}
	once := Case{Folder: "once", Expect: plan.Blocker, Runs: []Run{answer(plan.Blocker), answer(plan.Pass)}}
	twin := Case{Folder: "good", Expect: plan.Unclear, Twin: true, Withheld: []string{"a"}, Runs: []Run{answer(plan.Pass)}}
	for name, tt := range map[string]struct {
		cases []Case
		why   string
	}{
		"both":            {[]Case{good, bad}, ""},
		"nothing":         {nil, "it has no good case"},
		"no good case":    {[]Case{bad}, "it has no good case"},
		"no bad case":     {[]Case{good}, "it has no bad case: nothing shows that it can fail"},
		"not run":         {[]Case{good, bad, {Folder: "new", Expect: plan.Pass}}, "the case new was not run"},
		"right once":      {[]Case{good, bad, once}, "once: pass instead of blocker"},
		"a twin":          {[]Case{good, bad, twin}, "good without a: pass instead of unclear"},
		"claims are vain": {[]Case{good, {Folder: "x", Expect: plan.Blocker, Runs: []Run{answer(plan.Pass)}}}, "x: pass instead of blocker"},
	} {
		p := Proof{Cases: tt.cases, Proven: true}
		if got := p.Holds(); got != tt.why {
			t.Errorf("%s: %q, want %q", name, got, tt.why)
		}
	}
}

func TestFlipsAreAnswersOtherThanTheMostFrequent(t *testing.T) {
	for want, runs := range [][]Run{
		{answer(plan.Pass), answer(plan.Pass)},
		{answer(plan.Pass), answer(plan.Blocker), answer(plan.Pass)},
		{answer(plan.Pass), answer(plan.Unclear), {}},
	} {
		if got := (Case{Runs: runs}).Flips(); got != want {
			t.Errorf("%d flips, want %d", got, want)
		}
	}
}

// judged is a proof of a judge that holds.
func judged() Proof {
	return Proof{
		Schema:  Schema,
		Subject: Subject{Validator: "common.fine", Kind: plan.KindJudge, Digest: "sha256:1", Model: "m", Endpoint: "http://e/v1"},
		Time:    time.Unix(1, 0).UTC(), Proven: true,
		Cases: []Case{
			{Folder: "good", Expect: plan.Pass, Violates: []string{}, Withheld: []string{}, Runs: []Run{answer(plan.Pass)}},
			{Folder: "bad", Expect: plan.Blocker, Violates: []string{}, Withheld: []string{}, Runs: []Run{answer(plan.Blocker)}},
		},
	}
}

func write(t *testing.T, top string, p Proof) {
	t.Helper()
	if _, err := Write(top, p); err != nil {
		t.Fatal(err)
	}
}

func TestAProofIsBoundToAllOfItsSubject(t *testing.T) {
	top := filepath.Join(t.TempDir(), "[odd] *")
	p := judged()
	write(t, top, p)
	if !Proven(top, p.Subject) {
		t.Error("what was proven is not")
	}
	for name, change := range map[string]func(*Subject){
		"validator": func(s *Subject) { s.Validator = "common_fine" }, "kind": func(s *Subject) { s.Kind = plan.KindRule },
		"digest": func(s *Subject) { s.Digest = "sha256:2" }, "model": func(s *Subject) { s.Model = "n" }, "endpoint": func(s *Subject) { s.Endpoint = "http://f/v1" },
	} {
		s := p.Subject
		change(&s)
		if Proven(top, s) {
			t.Errorf("it is a proof of another %s", name)
		}
	}
	got, err := Of(top, p.Validator, p.Digest)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]Proof{p}, got); diff != "" {
		t.Error(diff)
	}
	if ignored, err := os.ReadFile(filepath.Join(top, ".snodo", ".gitignore")); err != nil || string(ignored) != "*\n" {
		t.Errorf("it is not ignored: %q, %v", ignored, err)
	}
}

func TestTheLastProofCounts(t *testing.T) {
	top := t.TempDir()
	p := judged()
	write(t, top, p)
	failed := judged()
	failed.Cases[1].Runs[0] = answer(plan.Pass)
	write(t, top, failed)
	if Proven(top, p.Subject) {
		t.Error("what failed since is proven")
	}
	if got, err := Read(Path(top, p.Subject, false)); err != nil || got.Proven {
		t.Errorf("it says that it is proven: %v", err)
	}
}

func TestAProofFromARecordingProvesNoRun(t *testing.T) {
	top := t.TempDir()
	p := judged()
	p.Replay = true
	write(t, top, p)
	if Proven(top, p.Subject) {
		t.Error("a run is proven by it")
	}
	// Not either where it stands in the place of the other.
	if err := os.Rename(Path(top, p.Subject, true), Path(top, p.Subject, false)); err != nil {
		t.Fatal(err)
	}
	if Proven(top, p.Subject) {
		t.Error("a run is proven by it, moved")
	}
}

func TestWhatIsNoProofIsNotRead(t *testing.T) {
	top := t.TempDir()
	p := judged()
	write(t, top, p)
	path := Path(top, p.Subject, false)
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for name, content := range map[string]string{
		"nothing": "", "half": string(whole[:len(whole)/2]), "something behind": string(whole) + "{}",
		"another schema": strings.Replace(string(whole), Schema, "snodo.proof.v2", 1),
		"unknown member": strings.Replace(string(whole), `"proven"`, `"prooven"`, 1),
	} {
		if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
		if _, err := Read(path); err == nil {
			t.Errorf("%s: it was read", name)
		}
		if Proven(top, p.Subject) {
			t.Errorf("%s: it proves", name)
		}
	}
}

// FuzzRead gives arbitrary bytes for a proof: what is read says of itself what
// follows from its answers, or is not believed.
func FuzzRead(f *testing.F) {
	top := f.TempDir()
	if _, err := Write(top, judged()); err != nil {
		f.Fatal(err)
	}
	whole, err := os.ReadFile(Path(top, judged().Subject, false))
	if err != nil {
		f.Fatal(err)
	}
	f.Add(whole)
	f.Add([]byte(`{"schema":"snodo.proof.v1","cases":[{"runs":[{}]}]}`))
	f.Fuzz(func(t *testing.T, content []byte) {
		path := filepath.Join(t.TempDir(), "p.json")
		if err := os.WriteFile(path, content, 0o644); err != nil {
			t.Fatal(err)
		}
		p, err := Read(path)
		if err != nil || p.Holds() != "" {
			return
		}
		for _, c := range p.Cases {
			for _, r := range c.Runs {
				if r.Verdict == nil || *r.Verdict != c.Expect || r.Error != nil {
					t.Errorf("a proof holds on %+v", r)
				}
			}
		}
	})
}
