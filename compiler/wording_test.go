package compiler

import (
	"reflect"
	"regexp"
	"slices"
	"testing"

	"github.com/snodo-lang/snodo/compiler/plan"
)

// A sentence that is missing would reach a judge as silence.
func TestEverySentenceIsWritten(t *testing.T) {
	w := wording()
	for _, part := range []any{w.Judge, w.Judge.Arguments, w.Coder, w.Coder.Model} {
		v := reflect.ValueOf(part)
		for i := range v.NumField() {
			if v.Field(i).Kind() == reflect.String && v.Field(i).String() == "" {
				t.Errorf("%s.%s is empty", v.Type().Name(), v.Type().Field(i).Name)
			}
		}
	}
}

func TestThePromptSaysWhatEachVerdictMeansAndNoMore(t *testing.T) {
	for _, tc := range []struct {
		returns []plan.Verdict
		lacks   string
	}{
		{[]plan.Verdict{plan.Pass, plan.Unclear, plan.Blocker}, `(?m)^- warn:`},
		{plan.Verdicts, `^$`},
	} {
		j := &plan.Judge{Phase: plan.PostExecute, Returns: tc.returns}
		prompt := judgePrompt(&plan.Plan{}, j)
		for _, v := range tc.returns {
			if !regexp.MustCompile(`(?m)^- ` + string(v) + `: .+`).MatchString(prompt) {
				t.Errorf("%v: nothing is said of %s", tc.returns, v)
			}
		}
		if slices.Contains(tc.returns, plan.Warn) {
			continue
		}
		if regexp.MustCompile(tc.lacks).MatchString(prompt) {
			t.Errorf("%v: a verdict is explained that the judge cannot return", tc.returns)
		}
	}
}

// The sentence on unclear is the one that gets softened, and the phase is
// part of what a criterion means (ADR 2, ADR 4).
func TestThePromptHoldsTheFixedSentences(t *testing.T) {
	for phase, want := range map[string][]string{
		plan.PreExecute:  {"unclear is the correct answer whenever the evidence does not distinguish", "Being unsure of yourself is not a reason for it", "the absence of what it describes is never a finding"},
		plan.PostExecute: {"unclear is the correct answer whenever the evidence does not distinguish", "Being unsure of yourself is not a reason for it", "Absence is a finding"},
	} {
		prompt := judgePrompt(&plan.Plan{}, &plan.Judge{Phase: phase, Returns: []plan.Verdict{plan.Pass, plan.Unclear, plan.Blocker}})
		for _, sentence := range want {
			if !regexp.MustCompile(regexp.QuoteMeta(sentence)).MatchString(prompt) {
				t.Errorf("%s: the prompt lacks %q", phase, sentence)
			}
		}
	}
}
