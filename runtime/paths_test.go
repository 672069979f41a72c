package runtime

import (
	"fmt"
	"testing"

	"github.com/snodo-lang/snodo/compiler/plan"
	"github.com/snodo-lang/snodo/internal/paths"
)

// What snodo paths prints is what a gate decides: for every panel of up to
// three members, whatever they can return and whatever they say.
func TestThePrintedTableIsWhatAGateDecides(t *testing.T) {
	kinds := [][]plan.Verdict{
		{plan.Pass, plan.Blocker},
		{plan.Pass, plan.Unclear, plan.Blocker},
		{plan.Pass, plan.Warn, plan.Unclear, plan.Blocker},
	}
	var panels func(members [][]plan.Verdict)
	panels = func(members [][]plan.Verdict) {
		for need := 1; need <= len(members); need++ {
			compareWithTable(t, need, members)
		}
		if len(members) < 3 {
			for _, kind := range kinds {
				panels(append(members[:len(members):len(members)], kind))
			}
		}
	}
	panels(nil)
}

func compareWithTable(t *testing.T, need int, members [][]plan.Verdict) {
	t.Helper()
	g := &plan.Gate{Op: plan.OpGate, Phase: plan.PreExecute, Need: need, Next: plan.GateNext{Proceed: "complete"}}
	p := &plan.Plan{Validators: plan.Validators{}, Stages: map[string]plan.Stage{"only": {
		Kind: plan.Review, Start: "gate", Steps: plan.Steps{"gate": g, "complete": &plan.Complete{Op: plan.OpComplete}},
	}}}
	for i, returns := range members {
		name := fmt.Sprint("v", i)
		p.Validators[name] = &plan.Judge{Returns: returns}
		g.Panel = append(g.Panel, name)
	}
	rows := paths.Of(p).Stages[0].Way[0].(*paths.Gate).Rows
	var say func(said []plan.Verdict)
	say = func(said []plan.Verdict) {
		if len(said) < len(members) {
			for _, v := range append([]plan.Verdict{""}, members[len(said)]...) {
				say(append(said[:len(said):len(said)], v))
			}
			return
		}
		decided, _ := decide(need, results(said...))
		var words []string
		for _, v := range said {
			if v == "" {
				v = paths.Error
			}
			words = append(words, string(v))
		}
		for _, row := range rows {
			if row.Covers(words) != (row.Decision == decided) {
				t.Fatalf("%v with %d needed decides %s, and the row of %s covers it: %v", words, need, decided, row.Decision, row.Covers(words))
			}
		}
	}
	say(nil)
}
