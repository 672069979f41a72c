package paths

import (
	"fmt"

	"github.com/snodo-lang/snodo/compiler/plan"
)

// Bounds are the bounds of the loops of a stage, for one run from its start
// to its end. What a resumed run does anew, because it was cut short or
// because a person has answered, is not among them.
type Bounds struct {
	Dispatches int         `json:"dispatches"` // the most times that the coder is sent
	Gates      []GateBound `json:"gates"`      // in the order of the way
}

// A GateBound bounds one gate.
type GateBound struct {
	Step        string `json:"step"`
	Times       int    `json:"times"`         // the most times that it is entered, and its members asked
	Rounds      int    `json:"rounds"`        // the most rounds of gathering each time
	RoundsInAll int    `json:"rounds_in_all"` // and in the whole run
}

// boundsOf adds up the loops of a stage. Recoveries are counted for each route
// and for the run, so every one of them may be used up, and each sends the
// coder once more. A gate is entered once more only for a recovery that itself
// or a gate behind it asked for: one that a gate before it asked for keeps an
// attempt from reaching it.
func boundsOf(s plan.Stage) Bounds {
	b := Bounds{Gates: []GateBound{}}
	var gates []*plan.Gate
	for at := s.Start; at != ""; at = onward(s, s.Steps[at]) {
		switch step := s.Steps[at].(type) {
		case *plan.Execute:
			b.Dispatches++
		case *plan.Keep:
			b.Dispatches = step.Times
		case *plan.Gate:
			gates = append(gates, step)
			b.Gates = append(b.Gates, GateBound{Step: at, Times: 1, Rounds: times(step.Next.Unclear, plan.DoGather)})
		case *plan.Complete:
		default:
			panic(fmt.Sprintf("paths: no such step: %T", step))
		}
	}
	recoveries := 0
	for i := len(gates) - 1; i >= 0; i-- {
		if gates[i].Phase == plan.PostExecute {
			recoveries += times(gates[i].Next.Blocker, plan.DoRecover) + times(gates[i].Next.Warn, plan.DoRecover)
			b.Gates[i].Times += recoveries
		}
		b.Gates[i].RoundsInAll = b.Gates[i].Times * b.Gates[i].Rounds
	}
	b.Dispatches += recoveries
	return b
}

// times is how often a route may take a step.
func times(route plan.Route, do string) int {
	for _, a := range route {
		if a.Do == do {
			return a.Times
		}
	}
	return 0
}
