package verdict

import (
	"testing"

	"github.com/snodo-lang/snodo/compiler/plan"
)

func TestTheGravestFindingIsTheVerdict(t *testing.T) {
	for i, first := range plan.Verdicts {
		for k, second := range plan.Verdicts {
			want := plan.Verdicts[max(i, k)]
			if got := Fold([]Finding{{Verdict: first}, {Verdict: second}}); got != want {
				t.Errorf("%s and %s fold to %s, want %s", first, second, got, want)
			}
		}
	}
}

func TestNoFindingsAreNoVerdict(t *testing.T) {
	defer func() {
		if recover() == nil {
			t.Error("a verdict came out of nothing")
		}
	}()
	Fold(nil)
}
