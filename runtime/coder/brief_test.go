package coder

import (
	"strings"
	"testing"

	"github.com/snodo-lang/snodo/compiler/plan"
	"github.com/snodo-lang/snodo/runtime/verdict"
)

var wording = plan.CoderWording{
	Task: "TASK {task}\n", Bounds: "MAY {grants} NOT {protects}\n", Findings: "FOUND\n", Attempt: "ATTEMPT {attempt}\n",
	Finding: "{validator}/{criterion}/{verdict}: {because}\n", Quote: "{path}:{line}:{text}\n", Passed: "PASSED {validators}\n",
}

func TestTheFirstBriefIsTheTaskAndItsBounds(t *testing.T) {
	got := Brief{Task: "do {attempt}", Grants: []plan.Grant{{Tool: "write_file"}, {Tool: "edit_file", In: []string{"src/**"}}, {Tool: "read_file"}}}.Write(wording)
	want := "TASK do {attempt}\nMAY write_file anywhere; edit_file in src/** NOT the protocol's own files\n"
	if got != want {
		t.Errorf("got:\n%s\nwant:\n%s", got, want)
	}
}

func TestALaterBriefHoldsEveryEarlierFindingByAttempt(t *testing.T) {
	got := Brief{
		Task: "do it", Protects: []string{".ci/**"}, Passed: []string{"scope", "tests"},
		Attempts: []Attempt{
			{1, []Failed{{"tests", []verdict.Finding{{Verdict: plan.Blocker, Because: "exit 1"}}}}},
			{2, []Failed{{"security", []verdict.Finding{{Criterion: "injection", Verdict: plan.Blocker, Because: "joined in", Quotes: []verdict.Quote{{Path: "q.go", Line: 4, Text: "q + s"}}}}}}},
		},
	}.Write(wording)
	want := strings.Join([]string{
		"TASK do it", "FOUND", "ATTEMPT 1", "tests/-/blocker: exit 1", "ATTEMPT 2", "security/injection/blocker: joined in", "q.go:4:q + s",
		"PASSED scope, tests", "MAY  NOT .ci/**, and the protocol's own files", "",
	}, "\n")
	if got != want {
		t.Errorf("got:\n%s\nwant:\n%s", got, want)
	}
}
