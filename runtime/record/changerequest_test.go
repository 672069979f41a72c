package record

import (
	"errors"
	"strings"
	"testing"

	"github.com/snodo-lang/snodo/compiler/plan"
	"github.com/snodo-lang/snodo/runtime/verdict"
)

// published is a run that is about to publish a work with one warning, which a
// judge words as an attack.
func published(t *testing.T, because string) *Log {
	t.Helper()
	l := create(t)
	word := plan.Warn
	warned, err := Result{Validator: "style", Kind: plan.KindJudge, Verdict: &word, Findings: []verdict.Finding{{
		Criterion: "clear", Verdict: plan.Warn, Because: because, Quotes: []verdict.Quote{{Path: "a.go", Line: 3, Text: "x"}},
	}}}.Seal()
	if err != nil {
		t.Fatal(err)
	}
	appendAll(t, l,
		Started{Schema: Schema, Run: "20261130-191530-7f3a09c1d2", Plan: "sha256:p", Protocol: "p", Stage: "m", Gate: GateJudged, Task: "do it\n@all | # now", Base: "b0"},
		Taken{Attempt: 1, Commit: "c1", Tree: "t1"},
		Judged{Step: "post_execute-1", Attempt: ptr(1), Result: warned},
		Judged{Step: "post_execute-1", Attempt: ptr(1), Result: result(t, "tests", plan.Pass)},
		Ruled{Validator: "style", Hash: warned.Hash, Commit: "c1", Rule: plan.Pass, Because: "fine", Signed: Signed{Role: "lead", Signature: "unpinned"}},
		Decided{Step: "post_execute-1", Phase: plan.PostExecute, Attempt: ptr(1), Need: 2, Decision: DecisionProceed, Members: []string{"tests", "style"}},
	)
	return l
}

func TestAChangeRequestHoldsTheVerdictsAndWhereTheRecordStood(t *testing.T) {
	l := published(t, "odd")
	if _, err := ChangeRequest(l.Events()); !errors.Is(err, ErrNotPublishing) {
		t.Fatalf("before publishing is announced: %v", err)
	}
	appendAll(t, l, Intended{Power: "publish", Target: "origin/x"})
	head := l.Head()
	if got := l.Announcement("publish"); got != head {
		t.Errorf("announced at %s, want %s", got, head)
	}
	text, err := ChangeRequest(l.Events())
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"| `post_execute-1` | `tests` | check | pass |\n| `post_execute-1` | `style` | judge | warn; ruled pass by `lead` (unpinned) |\n",
		"    clear: odd\n      a.go:3  x\n", "| base | `b0` |", "| result | `c1` |", "| record | `" + head + "` |", "--head " + head, "    do it\n    @all | # now\n",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("it lacks %q:\n%s", want, text)
		}
	}
	appendAll(t, l, Exercised{Power: "publish", State: PowerDone, Target: "origin/x"}, Ended{Outcome: "complete"})
	if again, err := ChangeRequest(l.Events()); again != text || err != nil {
		t.Errorf("it is another one later: %v\n%s", err, again)
	}
}

// What others wrote is bounded, and stands in lines that nothing in it can
// leave.
func TestNothingInAChangeRequestIsMarkup(t *testing.T) {
	for _, because := range []string{
		"a\n\n@everyone ![x](http://evil) <img src=x>", "```\n@everyone", "a\r@everyone", "\u2028@everyone", strings.Repeat("é@everyone\n", 40_000),
	} {
		l := published(t, because)
		appendAll(t, l, Intended{Power: "publish", Target: "origin/x"})
		text, err := ChangeRequest(l.Events())
		if err != nil {
			t.Fatal(err)
		}
		if len(text) > 60<<10 {
			t.Errorf("it has %d bytes", len(text))
		}
		for line := range strings.Lines(strings.ReplaceAll(text, "\r", "\n")) {
			if strings.Contains(line, "@everyone") && !strings.HasPrefix(line, "    ") {
				t.Errorf("%q stands as markup in %q", because[:min(len(because), 40)], line)
			}
		}
	}
}
