package runtime

import (
	"github.com/snodo-lang/snodo/compiler/plan"
	"github.com/snodo-lang/snodo/runtime/record"
)

// decide says what a gate makes of the newest results of its panel: an error
// before everything, then a blocker, then an unclear, and only then the
// passes (ADR 5). A person's ruling stands in for the verdict it rules on.
// Observers are not among the results.
func decide(need int, panel []record.Result) (string, record.Counts) {
	counts := record.Counts{Expected: len(panel)}
	ruled := record.Counts{}
	for _, r := range panel {
		count(&counts, r.Verdict)
		count(&ruled, standing(r))
	}
	switch {
	case ruled.Error > 0:
		return record.DecisionError, counts
	case ruled.Blocker > 0:
		return record.DecisionBlocker, counts
	case ruled.Unclear > 0:
		return record.DecisionUnclear, counts
	case ruled.Pass >= need:
		return record.DecisionProceed, counts
	}
	return record.DecisionWarn, counts
}

// standing returns what counts in a decision: the ruling where a verdict has
// one, else the verdict. Nothing stands in for an error or a blocker.
func standing(r record.Result) *plan.Verdict {
	if r.Ruling == nil || r.Verdict == nil || *r.Verdict == plan.Blocker {
		return r.Verdict
	}
	return &r.Ruling.Rule
}

func count(c *record.Counts, v *plan.Verdict) {
	if v == nil {
		c.Error++
		return
	}
	switch *v {
	case plan.Pass:
		c.Pass++
	case plan.Warn:
		c.Warn++
	case plan.Unclear:
		c.Unclear++
	case plan.Blocker:
		c.Blocker++
	default:
		panic("runtime: no such verdict: " + string(*v))
	}
}
