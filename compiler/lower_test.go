package compiler

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	"github.com/snodo-lang/snodo/compiler/plan"
)

func TestTheExampleOfTheLanguageIsTheExampleOfThePlan(t *testing.T) {
	p := compile(t, Source{FS: os.DirFS("testdata/hello"), Dir: "."})
	encoded, err := plan.Encode(p)
	if err != nil {
		t.Fatal(err)
	}
	var got, want any
	if err := json.Unmarshal(encoded, &got); err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal([]byte(readFile(t, "testdata/hello/design.json")), &want); err != nil {
		t.Fatal(err)
	}
	compareShown(t, "plan", got, want)
}

// compareShown compares what the design shows with what there is. A text with
// an ellipsis shows how it begins; members of objects may be left out.
func compareShown(t *testing.T, at string, got, want any) {
	t.Helper()
	switch want := want.(type) {
	case map[string]any:
		object, ok := got.(map[string]any)
		if !ok {
			t.Errorf("%s: got %v, want an object", at, got)
			return
		}
		for name, w := range want {
			g, ok := object[name]
			if !ok {
				t.Errorf("%s.%s is missing", at, name)
				continue
			}
			compareShown(t, at+"."+name, g, w)
		}
	case []any:
		list, ok := got.([]any)
		if !ok || len(list) != len(want) {
			t.Errorf("%s: got %v, want %v", at, got, want)
			return
		}
		for i := range want {
			compareShown(t, fmt.Sprintf("%s[%d]", at, i), list[i], want[i])
		}
	case string:
		begin, _, shown := strings.Cut(want, "…")
		text, ok := got.(string)
		if !ok || !shown && text != want || !strings.HasPrefix(text, begin) {
			t.Errorf("%s: got %v, want %q", at, got, want)
		}
	default:
		if got != want {
			t.Errorf("%s: got %v, want %v", at, got, want)
		}
	}
}

// scattered is a package of three files with imports on both sides.
var scattered = fstest.MapFS{
	"work/gates.snodo": {Data: []byte(`snodo 1
import "../lib/judges" as lib
import "std/solo"
mode m "Work" {
  coder solo.claude
  grants edit_file in "src/**", "docs/**"
  grants write_file, commit, publish
  pre_execute {
    panel lib.wise
    proceed when all pass
    unclear -> ask chief
    blocker -> halt
  }
  post_execute {
    panel solo.security, lib.wide, own
    observe solo.tests
    proceed when 2 of 3 pass
    warn -> recover 1 then ask chief
    unclear -> gather then ask solo.me
    blocker -> recover 2 then halt
  }
  hands to look
}
`)},
	"work/a.snodo": {Data: []byte(`snodo 1
import "../lib/judges" as lib
protocol p { starts m }
role chief "Chief"
evidence run(what name) "Run {what}" { obtain "run", "{what}" timeout 1m }
judge own {
  phase post_execute
  grants read_file
  requests run, lib.trace
  returns pass, warn, unclear, blocker
  include lib.house
  criterion last "It is last."
}
`)},
	"work/z.snodo": {Data: []byte(`snodo 1
review look {
  grants merge, approve, publish
  post_execute {
    panel built
    proceed when all pass
    blocker -> halt
  }
  pre_execute {
    panel first
    proceed when all pass
    blocker -> halt
  }
}
check built {
  phase post_execute
  run "make"
}
check first {
  phase pre_execute
  run "make"
}
`)},
	"lib/judges/j.snodo": {Data: []byte(`snodo 1
import "../words"
role owner "Owner" key "ssh-ed25519 AAAA"
evidence trace(where path) from owner "Trace {where}" { obtain "trace", "{where}" }
evidence unused() from owner "Nothing"
criteria house { criterion tidy "It is tidy." }
judge wise {
  phase pre_execute
  requests trace
  include words.plain
}
judge wide {
  phase post_execute
  grants read_file in "src/**"
  requests trace
  returns warn, pass, blocker, unclear
  model "other"
  turns 7
  tokens 512
  timeout 1m
  criterion tidy "It is tidy."
}
`)},
	"lib/words/w.snodo": {Data: []byte("snodo 1\ncriteria plain { criterion plain \"It is plain.\" }\n")},
}

func TestImportedThingsAreNamedByPath(t *testing.T) {
	p := compile(t, Source{FS: scattered, Dir: "work", Library: library})
	got := map[string][]string{
		"roles":      slices.Sorted(maps.Keys(p.Roles)),
		"evidence":   slices.Sorted(maps.Keys(p.Evidence)),
		"coders":     slices.Sorted(maps.Keys(p.Coders)),
		"validators": slices.Sorted(maps.Keys(p.Validators)),
		"stages":     slices.Sorted(maps.Keys(p.Stages)),
	}
	for _, s := range p.Sources {
		got["sources"] = append(got["sources"], s.Path)
	}
	want := map[string][]string{
		"roles":      {"chief", "lib/judges.owner", "std/solo.me"},
		"evidence":   {"lib/judges.trace", "run", "std/solo.say"},
		"coders":     {"std/solo.claude"},
		"validators": {"built", "first", "lib/judges.wide", "lib/judges.wise", "own", "std/solo.security", "std/solo.tests"},
		"stages":     {"look", "m"},
		"sources": {
			"lib/judges/j.snodo", "lib/words/w.snodo", "std/solo/solo.snodo",
			"work/a.snodo", "work/gates.snodo", "work/z.snodo",
		},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestAModeIsLoweredWithEverythingWrittenOut(t *testing.T) {
	p := compile(t, Source{FS: scattered, Dir: "work", Library: library})
	text := func(s string) *string { return &s }
	wantStage := plan.Stage{
		Kind: plan.Mode, Title: text("Work"), Coder: text("std/solo.claude"),
		Grants:     []plan.Grant{{Tool: "edit_file", In: []string{"src/**", "docs/**"}}, {Tool: "write_file", In: []string{}}},
		CoderTools: []plan.Tool{}, Powers: []string{"commit", "publish"}, HandsTo: []string{"look"}, Start: "pre_execute-1",
		Steps: plan.Steps{
			"pre_execute-1": &plan.Gate{Op: "gate", Phase: "pre_execute", Panel: []string{"lib/judges.wise"}, Observe: []string{}, Need: 1, Next: plan.GateNext{
				Proceed: "execute",
				Unclear: plan.Route{{Do: "ask", Role: "chief"}},
				Blocker: plan.Route{{Do: "halt", As: "blocker"}},
				Error:   plan.Route{{Do: "halt", As: "validator_error"}},
			}},
			"execute": &plan.Execute{Op: "execute", Next: plan.ExecuteNext{
				Done: "post_execute-1", NoChange: "halt:no_change", ProtectedPath: "halt:protected_path", OutsideGrant: "halt:outside_grant",
				CoderError: "halt:coder_error", Stalled: "halt:recovery_stalled", Error: "halt:environment_error",
			}},
			"post_execute-1": &plan.Gate{Op: "gate", Phase: "post_execute", Need: 2,
				Panel: []string{"std/solo.security", "lib/judges.wide", "own"}, Observe: []string{"std/solo.tests"}, Next: plan.GateNext{
					Proceed: "complete",
					Warn:    plan.Route{{Do: "recover", To: "execute", Times: 1, Stalled: "halt:recovery_stalled"}, {Do: "ask", Role: "chief"}},
					Unclear: plan.Route{{Do: "gather", Times: 2}, {Do: "ask", Role: "std/solo.me"}},
					Blocker: plan.Route{{Do: "recover", To: "execute", Times: 2, Stalled: "halt:recovery_stalled"}, {Do: "halt", As: "recovery_exhausted"}},
					Error:   plan.Route{{Do: "halt", As: "validator_error"}},
				}},
			"complete": &plan.Complete{Op: "complete", Next: plan.CompleteNext{Done: "end:complete", Refused: "halt:power_refused", Error: "halt:environment_error"}},
		},
	}
	if diff := cmp.Diff(wantStage, p.Stages["m"]); diff != "" {
		t.Error(diff)
	}
	own := p.Validators["own"].(*plan.Judge)
	if diff := cmp.Diff([]plan.Criterion{{Name: "tidy", Text: "It is tidy."}, {Name: "last", Text: "It is last."}}, own.Criteria); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]string{"run", "lib/judges.trace"}, own.Requests); diff != "" {
		t.Error(diff)
	}
	wide := p.Validators["lib/judges.wide"].(*plan.Judge)
	if diff := cmp.Diff(plan.Budget{Turns: 7, Tokens: 512, TimeoutMS: 60_000}, wide.Budget); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]plan.Verdict{"pass", "warn", "unclear", "blocker"}, wide.Returns); diff != "" {
		t.Error(diff)
	}
	if p.Evidence["run"].Owner != nil {
		t.Error("an evidence without an owner has one")
	}
}

func TestAReviewHasGatesOfBothPhasesAndNoExecution(t *testing.T) {
	s := compile(t, Source{FS: scattered, Dir: "work", Library: library}).Stages["look"]
	if diff := cmp.Diff([]string{"approve", "merge", "publish"}, s.Powers); diff != "" {
		t.Error(diff)
	}
	if s.Start != "pre_execute-1" || s.Coder != nil {
		t.Errorf("start %q, coder %v", s.Start, s.Coder)
	}
	if diff := cmp.Diff([]string{"complete", "post_execute-1", "pre_execute-1"}, slices.Sorted(maps.Keys(s.Steps))); diff != "" {
		t.Error(diff)
	}
	if next := s.Steps["pre_execute-1"].(*plan.Gate).Next.Proceed; next != "post_execute-1" {
		t.Errorf("the proposal's gate proceeds to %q", next)
	}
}

func TestATaskExecutesAndKeepsUntilItsTurnsAreDone(t *testing.T) {
	const text = "snodo 1\nprotocol p {}\ncoder c { run \"x\" }\ntask t {\n  goal \"Do it\"\n  coder c\n  grants write_file, commit\n  turns 4\n}\n"
	p := compile(t, one(text))
	want := plan.Steps{
		"execute": &plan.Execute{Op: "execute", Next: plan.ExecuteNext{
			Done: "keep", NoChange: "keep", ProtectedPath: "keep", OutsideGrant: "keep", CoderError: "keep", Error: "halt:environment_error",
		}},
		"keep": &plan.Keep{Op: "keep", Times: 4, Next: plan.KeepNext{Again: "execute", Done: "complete", Error: "halt:environment_error"}},
		"complete": &plan.Complete{Op: "complete", Next: plan.CompleteNext{
			Done: "end:complete", NothingKept: "halt:nothing_kept", Refused: "halt:power_refused", Error: "halt:environment_error",
		}},
	}
	s := p.Stages["t"]
	if diff := cmp.Diff(want, s.Steps); diff != "" {
		t.Error(diff)
	}
	if s.Goal == nil || *s.Goal != "Do it" || s.Start != "execute" || p.Protocol.Starts != "t" {
		t.Errorf("goal %v, start %q, protocol starts %q", s.Goal, s.Start, p.Protocol.Starts)
	}
}

func TestDefaultsAreWrittenOut(t *testing.T) {
	const text = `snodo 1
protocol p { prepare "npm ci" }
evidence e() "Say" { obtain "x" }
judge reads {
  phase post_execute
  grants read_file
  requests e
  criterion a "A holds."
}
judge thinks {
  phase pre_execute
  requests e
  criterion a "A holds."
}
check k {
  phase post_execute
  run "make"
}
coder command { run "x" }
coder model { model "gpt" }
task t {
  goal "Do it"
  coder command
  grants write_file
}
`
	p := compile(t, one(text))
	want := map[string]any{
		"prepare": int64(600_000),
		"obtain":  int64(300_000),
		"reads":   plan.Budget{Turns: 20, Tokens: 4096, TimeoutMS: 300_000},
		"thinks":  plan.Budget{Turns: 3, Tokens: 4096, TimeoutMS: 300_000},
		"check":   int64(600_000),
		"command": plan.Coder{Kind: plan.CoderCommand, Run: "x", TimeoutMS: 3_600_000},
		"model":   plan.Coder{Kind: plan.CoderModel, Model: "gpt", Turns: 60, Tokens: 8192, TimeoutMS: 3_600_000},
		"task":    1,
	}
	model := p.Coders["model"]
	model.Prompt = ""
	got := map[string]any{
		"prepare": p.Protocol.Prepare.TimeoutMS,
		"obtain":  p.Evidence["e"].Obtain.TimeoutMS,
		"reads":   p.Validators["reads"].(*plan.Judge).Budget,
		"thinks":  p.Validators["thinks"].(*plan.Judge).Budget,
		"check":   p.Validators["k"].(*plan.Check).TimeoutMS,
		"command": p.Coders["command"],
		"model":   model,
		"task":    p.Stages["t"].Steps["keep"].(*plan.Keep).Times,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}
