package runtime

import (
	"testing"

	"github.com/snodo-lang/snodo/compiler/plan"
	"github.com/snodo-lang/snodo/runtime/record"
	"github.com/snodo-lang/snodo/runtime/verdict"
)

// results makes one result of each verdict; the empty word is an error.
func results(verdicts ...plan.Verdict) []record.Result {
	var out []record.Result
	for _, v := range verdicts {
		if v == "" {
			out = append(out, failed(verdict.NoVerdict, "nothing"))
			continue
		}
		out = append(out, record.Result{Verdict: &v})
	}
	return out
}

func TestAGateDecidesByTheGravestFirst(t *testing.T) {
	const none = plan.Verdict("")
	for _, tc := range []struct {
		need  int
		panel []plan.Verdict
		want  string
	}{
		{1, []plan.Verdict{plan.Pass}, record.DecisionProceed},
		{2, []plan.Verdict{plan.Pass, plan.Pass}, record.DecisionProceed},
		{1, []plan.Verdict{plan.Pass, plan.Warn}, record.DecisionProceed},
		{2, []plan.Verdict{plan.Pass, plan.Warn}, record.DecisionWarn},
		{1, []plan.Verdict{plan.Warn}, record.DecisionWarn},
		{1, []plan.Verdict{plan.Pass, plan.Unclear}, record.DecisionUnclear},
		{1, []plan.Verdict{plan.Pass, plan.Blocker}, record.DecisionBlocker},
		{1, []plan.Verdict{plan.Pass, none}, record.DecisionError},
		{1, []plan.Verdict{plan.Unclear, plan.Blocker}, record.DecisionBlocker},
		{1, []plan.Verdict{plan.Blocker, plan.Unclear, none}, record.DecisionError},
		{1, []plan.Verdict{plan.Warn, plan.Unclear}, record.DecisionUnclear},
	} {
		if got, _ := decide(tc.need, results(tc.panel...)); got != tc.want {
			t.Errorf("%v with %d needed: %s, want %s", tc.panel, tc.need, got, tc.want)
		}
	}
}

// Every panel of up to four members: whatever the quorum, no unclear, blocker
// or error is outvoted, and nothing but enough passes proceeds.
func TestNothingProceedsButEnoughPasses(t *testing.T) {
	words := append([]plan.Verdict{""}, plan.Verdicts...)
	var walk func(panel []plan.Verdict, left int)
	walk = func(panel []plan.Verdict, left int) {
		for need := 1; need <= len(panel); need++ {
			got, counts := decide(need, results(panel...))
			clean := counts.Error+counts.Blocker+counts.Unclear == 0
			if (got == record.DecisionProceed) != (clean && counts.Pass >= need) {
				t.Fatalf("%v with %d needed: %s", panel, need, got)
			}
			if counts.Expected != counts.Pass+counts.Warn+counts.Unclear+counts.Blocker+counts.Error {
				t.Fatalf("%v: the counts do not add up: %+v", panel, counts)
			}
		}
		if left > 0 {
			for _, w := range words {
				walk(append(panel[:len(panel):len(panel)], w), left-1)
			}
		}
	}
	walk(nil, 4)
}

func TestARulingStandsInForAWarnOrAnUnclearAndForNothingElse(t *testing.T) {
	for _, tc := range []struct {
		verdict, rule plan.Verdict
		want          string
	}{
		{plan.Unclear, plan.Pass, record.DecisionProceed},
		{plan.Warn, plan.Pass, record.DecisionProceed},
		{plan.Unclear, plan.Blocker, record.DecisionBlocker},
		{plan.Blocker, plan.Pass, record.DecisionBlocker},
		{"", plan.Pass, record.DecisionError},
	} {
		panel := results(tc.verdict)
		panel[0].Ruling = &record.Ruling{Rule: tc.rule}
		if got, _ := decide(1, panel); got != tc.want {
			t.Errorf("%q ruled %s: %s, want %s", tc.verdict, tc.rule, got, tc.want)
		}
	}
}

func TestEveryHaltIsAnOutcomeWithAnExitCode(t *testing.T) {
	want := map[string]int{
		plan.HaltBlocker: 1, plan.HaltWarn: 1, plan.HaltRecoveryExhausted: 1, plan.HaltRecoveryStalled: 1, plan.HaltProtectedPath: 1,
		plan.HaltOutsideGrant: 1, plan.HaltNoChange: 1, plan.HaltNothingKept: 1, plan.HaltEscalate: 2, plan.HaltValidatorError: 3,
		plan.HaltInternalError: 4, plan.HaltEnvironmentError: 5, plan.HaltCoderError: 5, plan.HaltPowerRefused: 5, plan.HaltInterrupted: 5,
	}
	if len(want) != len(outcomes) {
		t.Errorf("%d halts are known, want %d", len(outcomes), len(want))
	}
	for halt, code := range want {
		if got := ExitCode(outcomes[halt]); got != code {
			t.Errorf("%s exits with %d, want %d", halt, got, code)
		}
	}
	if ExitCode(Complete) != 0 {
		t.Error("complete does not exit with 0")
	}
}
