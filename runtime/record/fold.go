package record

import (
	"fmt"
	"slices"
	"strings"

	"github.com/snodo-lang/snodo/compiler/plan"
	"github.com/snodo-lang/snodo/runtime/verdict"
)

// A State is what the events of a run amount to.
type State struct {
	Started    Started
	Head       string // the newest commit of the work; empty before there is one
	Attempts   []Attempt
	Dispatches int
	Recovered  map[string]int // recoveries by step and verdict, as RouteKey makes them
	Powers     []Exercised
	Rows       []Row // of a task
	Requests   []Request
	Refused    *Refused
	Usage      *verdict.Usage // of all judges that spoke; nil where none did
	Spent      Spent          // of all judges and coders, as it counts against the limit
	Ended      *Ended
	Events     int
	LastHash   string

	away    bool                  // a coder was sent and has not come back
	replied int64                 // tokens of its replies
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
		entry, err := e.Entry()
		if err != nil {
			return State{}, fmt.Errorf("fold event %d: %w", e.Seq, err)
		}
		if started := e.Kind == KindStarted; started != (e.Seq == 1) {
			return State{}, fmt.Errorf("fold event %d: a run starts once, with its first event", e.Seq)
		}
		if err := s.apply(entry); err != nil {
			return State{}, fmt.Errorf("fold event %d: %w", e.Seq, err)
		}
		s.Events, s.LastHash = e.Seq, e.Hash
	}
	return s, nil
}

func (s *State) apply(entry Entry) error {
	switch e := entry.(type) {
	case Started:
		s.Started = e
	case Prepared, Checked, Gathered, Intended:
	case Replied:
		s.Spent = s.Spent.plus(e.Spent)
		s.replied += e.Spent.Tokens
	case Returned:
		s.away = false
		if e.Spent != nil {
			// What a turn took that failed is in none of the replies.
			s.Spent = s.Spent.plus(Spent{e.Spent.Tokens - s.replied, e.Spent.Estimated})
		}
	case Resumed:
		s.Ended, s.Refused = nil, nil
	case Dispatched:
		// One that was cut short was abandoned, and counts with the one in its
		// place.
		if !s.away {
			s.Dispatches++
		}
		s.away = true
		s.replied = 0
	case Taken:
		s.Head = e.Commit
		s.settle(StateOvertaken, func(Request) bool { return true }, StateOpen, StateAnswered)
		s.Attempts = append(s.Attempts, Attempt{Number: e.Attempt, Commit: e.Commit, Tree: e.Tree})
		s.results = map[string]Result{}
	case Refused:
		s.Refused = &e
	case Judged:
		s.results[e.Step+" "+e.Result.Validator] = e.Result
		s.settle(StateSuperseded, func(r Request) bool { return r.Validator == e.Result.Validator }, StateOpen)
		s.spend(e.Result.Usage)
		if e.Spent != nil {
			s.Spent = s.Spent.plus(*e.Spent)
		}
	case Decided:
		return s.decide(e)
	case Recovering:
		s.Recovered[RouteKey(e.Step, e.Verdict)] = e.Count
	case Asked:
		for _, q := range e.Requests {
			q.Commit, q.Role = e.Commit, e.Role
			s.Requests = append(s.Requests, q)
		}
	case Attached:
		s.settle(StateAnswered, func(r Request) bool { return r.ID == e.Request }, StateOpen)
	case Ruled:
		s.rule(e)
		s.settle(StateRuled, func(r Request) bool { return r.Validator == e.Validator }, StateOpen, StateAnswered)
	case Rowed:
		s.Rows = append(s.Rows, Row{Turn: e.Turn, Decision: e.Decision, Commit: e.Commit, Reason: e.Reason})
	case Exercised:
		s.exercise(e)
	case Ended:
		s.Ended = &e
	default:
		panic(fmt.Sprintf("record: no such entry: %T", entry))
	}
	return nil
}

// settle moves the requests that fit from one of some states to another.
func (s *State) settle(to string, fits func(Request) bool, from ...string) {
	s.Requests = slices.Clone(s.Requests)
	for i, r := range s.Requests {
		if slices.Contains(from, r.State) && fits(r) {
			s.Requests[i].State = to
		}
	}
}

// rule puts a ruling beside the verdict that it rules on.
func (s *State) rule(e Ruled) {
	ruling := &Ruling{Rule: e.Rule, Role: e.Role, Because: e.Because, Signature: e.Signature}
	on := func(r *Result) {
		if r.Validator == e.Validator && r.Hash == e.Hash {
			r.Ruling = ruling
		}
	}
	for key, r := range s.results {
		on(&r)
		s.results[key] = r
	}
	for step, g := range s.before {
		g.Results = slices.Clone(g.Results)
		for i := range g.Results {
			on(&g.Results[i])
		}
		s.before[step] = g
	}
	if n := len(s.Attempts); n > 0 {
		for _, g := range s.Attempts[n-1].Gates {
			for i := range g.Results {
				on(&g.Results[i])
			}
		}
	}
}

// exercise keeps the newest word on each power.
func (s *State) exercise(e Exercised) {
	s.Powers = slices.DeleteFunc(slices.Clone(s.Powers), func(p Exercised) bool { return p.Power == e.Power })
	s.Powers = append(s.Powers, e)
}

// Result returns the newest result of a validator in a gate of the current
// attempt, or before the work.
func (s State) Result(step, validator string) (Result, bool) {
	r, ok := s.results[step+" "+validator]
	return r, ok
}

// Newest returns the newest result of a validator: of the current attempt, or
// before the work.
func (s State) Newest(validator string) (Result, bool) {
	for key, r := range s.results {
		if strings.HasSuffix(key, " "+validator) && r.Validator == validator {
			return r, true
		}
	}
	return Result{}, false
}

// AskedOf says whom the route asks about a validator, if anybody, and about
// which commit.
func (s State) AskedOf(validator string) (role, commit string, asked bool) {
	for _, q := range slices.Backward(s.Requests) {
		if q.Validator == validator && (q.State == StateOpen || q.State == StateAnswered) {
			return q.Role, q.Commit, true
		}
	}
	return "", "", false
}

// spend adds what a conversation used.
func (s *State) spend(u *verdict.Usage) {
	switch {
	case u == nil:
	case s.Usage == nil:
		s.Usage = u
	default:
		sum := s.Usage.Plus(*u)
		s.Usage = &sum
	}
}

// decide keeps a decision with the results that it rests on. A decision
// without them, or about no attempt that there is, has no meaning.
func (s *State) decide(d Decided) error {
	g := GateRecord{Step: d.Step, Phase: d.Phase, Attempt: d.Attempt, Need: d.Need, Counts: d.Counts, Decision: d.Decision, Results: []Result{}}
	for _, name := range d.Members {
		r, ok := s.results[d.Step+" "+name]
		if !ok {
			return fmt.Errorf("%s decides without a result of %s", d.Step, name)
		}
		g.Results = append(g.Results, r)
	}
	outcome, ok := attemptOutcomes[d.Decision]
	if !ok {
		return fmt.Errorf("%s decides %q", d.Step, d.Decision)
	}
	if d.Attempt == nil {
		if _, decided := s.before[d.Step]; !decided {
			s.order = append(s.order, d.Step)
		}
		s.before[d.Step] = g
		return nil
	}
	n := len(s.Attempts)
	if n == 0 || s.Attempts[n-1].Number != *d.Attempt {
		return fmt.Errorf("%s decides about attempt %d, which is not the newest", d.Step, *d.Attempt)
	}
	a := &s.Attempts[n-1]
	a.Outcome = outcome
	for i := range a.Gates {
		if a.Gates[i].Step == d.Step {
			a.Gates[i] = g
			return nil
		}
	}
	a.Gates = append(a.Gates, g)
	return nil
}

// attemptOutcomes are the outcomes of an attempt by its last decision.
var attemptOutcomes = map[string]string{
	DecisionProceed: "passed",
	DecisionWarn:    "warned",
	DecisionUnclear: "warned",
	DecisionBlocker: "blocked",
	DecisionError:   "error",
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
