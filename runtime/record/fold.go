package record

import (
	"fmt"

	"github.com/snodo-lang/snodo/compiler/plan"
)

// A State is what the events of a run amount to.
type State struct {
	Started    Started
	Head       string // the newest commit of the work; empty before there is one
	Attempts   []Attempt
	Dispatches int
	Recovered  map[string]int // recoveries by step and verdict, as RouteKey makes them
	Powers     []Exercised
	Requests   []Request
	Refused    *Refused
	Ended      *Ended
	Events     int
	LastHash   string

	before  map[string]GateRecord // gates before the work
	order   []string              // their steps, as they were decided
	results map[string]Result     // newest results by step and validator, of the current attempt
}

// An Attempt is one judged pass over one state of the work.
type Attempt struct {
	Number  int
	Commit  string
	Tree    string
	Outcome string // empty until a gate has decided
	Gates   []GateRecord
}

// A GateRecord is the last decision of a gate, as the payload shows it.
type GateRecord struct {
	Step     string   `json:"step"`
	Phase    string   `json:"phase"`
	Attempt  *int     `json:"attempt"`
	Need     int      `json:"need"`
	Counts   Counts   `json:"counts"`
	Decision string   `json:"decision"`
	Results  []Result `json:"results"`
}

// RouteKey names a route of a run: its recoveries are counted under it.
func RouteKey(step string, v plan.Verdict) string { return step + " " + string(v) }

// Fold makes the state of a run from its events. It is the only place where
// events are given a meaning: the payload, the display and every command that
// looks at a run use it.
func Fold(events []Event) (State, error) {
	s := State{Recovered: map[string]int{}, before: map[string]GateRecord{}, results: map[string]Result{}}
	for _, e := range events {
		entry, err := decode(e)
		if err != nil {
			return State{}, fmt.Errorf("fold event %d: %w", e.Seq, err)
		}
		if started := e.Kind == KindStarted; started != (e.Seq == 1) {
			return State{}, fmt.Errorf("fold event %d: a run starts once, with its first event", e.Seq)
		}
		s.apply(entry)
		s.Events, s.LastHash = e.Seq, e.Hash
	}
	return s, nil
}

func (s *State) apply(entry Entry) {
	switch e := entry.(type) {
	case Started:
		s.Started = e
	case Prepared, Returned, Gathered, Intended:
	case Dispatched:
		s.Dispatches++
	case Taken:
		s.Head = e.Commit
		s.Attempts = append(s.Attempts, Attempt{Number: e.Attempt, Commit: e.Commit, Tree: e.Tree})
		s.results = map[string]Result{}
	case Refused:
		s.Refused = &e
	case Judged:
		s.results[e.Step+" "+e.Result.Validator] = e.Result
	case Decided:
		s.decide(e)
	case Recovering:
		s.Recovered[RouteKey(e.Step, e.Verdict)] = e.Count
	case Asked:
		s.Requests = append(s.Requests, e.Requests...)
	case Exercised:
		s.Powers = append(s.Powers, e)
	case Ended:
		s.Ended = &e
	default:
		panic(fmt.Sprintf("record: no such entry: %T", entry))
	}
}

func (s *State) decide(d Decided) {
	g := GateRecord{Step: d.Step, Phase: d.Phase, Attempt: d.Attempt, Need: d.Need, Counts: d.Counts, Decision: d.Decision, Results: []Result{}}
	for _, name := range d.Members {
		g.Results = append(g.Results, s.results[d.Step+" "+name])
	}
	if d.Attempt == nil {
		if _, decided := s.before[d.Step]; !decided {
			s.order = append(s.order, d.Step)
		}
		s.before[d.Step] = g
		return
	}
	a := &s.Attempts[len(s.Attempts)-1]
	a.Outcome = attemptOutcome(d.Decision)
	for i := range a.Gates {
		if a.Gates[i].Step == d.Step {
			a.Gates[i] = g
			return
		}
	}
	a.Gates = append(a.Gates, g)
}

// attemptOutcome is the outcome of an attempt whose last decision is given.
func attemptOutcome(decision string) string {
	switch decision {
	case DecisionProceed:
		return "passed"
	case DecisionWarn, DecisionUnclear:
		return "warned"
	case DecisionBlocker:
		return "blocked"
	case DecisionError:
		return "error"
	}
	panic("record: no such decision: " + decision)
}

// The decisions of a gate.
const (
	DecisionProceed = "proceed"
	DecisionWarn    = "warn"
	DecisionUnclear = "unclear"
	DecisionBlocker = "blocker"
	DecisionError   = "error"
)

// Gates returns the last decision of every gate that ran: those before the
// work first, then those of the last attempt.
func (s State) Gates() []GateRecord {
	gates := []GateRecord{}
	for _, step := range s.order {
		gates = append(gates, s.before[step])
	}
	if n := len(s.Attempts); n > 0 {
		gates = append(gates, s.Attempts[n-1].Gates...)
	}
	return gates
}
