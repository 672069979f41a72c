package runtime

import (
	"fmt"
	"slices"

	"github.com/snodo-lang/snodo/compiler/plan"
	"github.com/snodo-lang/snodo/runtime/record"
)

// A recall is what a record knows of the walk that it belongs to. A run that
// is resumed walks again from its start; what the record has is taken from it
// and neither done nor recorded a second time. The recall of a new run is
// empty.
type recall struct {
	dispatched map[int]record.Dispatched // by attempt
	returned   map[int]record.Returned
	kept       map[int]int // conversations of a coder that are kept
	taken      map[int]record.Taken
	refused    map[int]record.Refused
	judged     map[place]map[string][]record.Judged // by validator, in their order
	decided    map[place]record.Decided             // where nothing was judged or ruled since
	recovering map[place]map[plan.Verdict]record.Recovering
	gathered   map[place]map[string]record.Gathered // by request, whichever step asked
	attached   []record.Attached
	ruled      []record.Ruled
	asked      int                  // requests that were ever opened
	rows       map[int]record.Rowed // by turn
	intended   map[string]record.Intended
	exercised  map[string]record.Exercised
}

// A place is a gate in an attempt; 0 is before the work. An evidence belongs to
// the attempt alone.
type place struct {
	step    string
	attempt int
}

// number is the attempt as events have it: null before the work.
func (p place) number() *int {
	if p.attempt == 0 {
		return nil
	}
	n := p.attempt
	return &n
}

func at(step string, attempt *int) place {
	if attempt == nil {
		return place{step, 0}
	}
	return place{step, *attempt}
}

// remember reads the events of a run.
func remember(events []record.Event) (*recall, error) {
	c := &recall{
		dispatched: map[int]record.Dispatched{}, returned: map[int]record.Returned{}, kept: map[int]int{}, taken: map[int]record.Taken{},
		refused: map[int]record.Refused{}, judged: map[place]map[string][]record.Judged{}, decided: map[place]record.Decided{},
		recovering: map[place]map[plan.Verdict]record.Recovering{}, gathered: map[place]map[string]record.Gathered{},
		rows: map[int]record.Rowed{}, intended: map[string]record.Intended{}, exercised: map[string]record.Exercised{},
	}
	attempt := 0
	for _, e := range events {
		entry, err := e.Entry()
		if err != nil {
			return nil, fmt.Errorf("read event %d: %w", e.Seq, err)
		}
		if taken, ok := entry.(record.Taken); ok {
			attempt = taken.Attempt
		}
		if err := c.add(entry, attempt); err != nil {
			return nil, fmt.Errorf("read event %d: %w", e.Seq, err)
		}
	}
	return c, nil
}

func (c *recall) add(entry record.Entry, attempt int) error {
	switch e := entry.(type) {
	case record.Dispatched:
		c.dispatched[e.Attempt] = e
		delete(c.returned, e.Attempt)
	case record.Returned:
		c.returned[e.Attempt] = e
		if e.Transcript != nil {
			c.kept[e.Attempt]++
		}
	case record.Taken:
		c.taken[e.Attempt] = e
	case record.Refused:
		c.refused[e.Attempt] = e
	case record.Judged:
		where := at(e.Step, e.Attempt)
		sub(c.judged, where)[e.Result.Validator] = append(c.judged[where][e.Result.Validator], e)
		delete(c.decided, where)
	case record.Decided:
		c.decided[at(e.Step, e.Attempt)] = e
	case record.Recovering:
		sub(c.recovering, place{e.Step, e.Attempt})[e.Verdict] = e
	case record.Gathered:
		key, err := requestKey(e.Evidence, e.Args)
		if err != nil {
			return err
		}
		sub(c.gathered, place{"", attempt})[key] = e
	case record.Asked:
		c.asked += len(e.Requests)
	case record.Attached:
		c.attached = append(c.attached, e)
	case record.Ruled:
		c.ruled = append(c.ruled, e)
		for where, by := range c.judged {
			if _, spoke := by[e.Validator]; spoke {
				delete(c.decided, where) // it may rest on the verdict that was ruled on
			}
		}
	case record.Rowed:
		c.rows[e.Turn] = e
	case record.Intended:
		c.intended[e.Power] = e
	case record.Exercised:
		c.exercised[e.Power] = e
	case record.Ended:
		c.end(e)
	case record.Started, record.Prepared, record.Replied, record.Checked, record.Resumed:
	default:
		panic(fmt.Sprintf("runtime: no such entry: %T", entry))
	}
	return nil
}

// end forgets what is to be tried again by a run that goes on from here.
func (c *recall) end(e record.Ended) {
	switch e.HaltType {
	case plan.HaltCoderError:
		for attempt, r := range c.refused {
			if r.As == plan.HaltCoderError {
				delete(c.refused, attempt)
				delete(c.returned, attempt)
			}
		}
	case plan.HaltPowerRefused:
		for power, x := range c.exercised {
			if x.State == record.PowerRefused {
				delete(c.exercised, power)
			}
		}
	}
}

// sub returns the inner map at a key, made where there is none.
func sub[K comparable, L comparable, V any](m map[K]map[L]V, key K) map[L]V {
	if m[key] == nil {
		m[key] = map[L]V{}
	}
	return m[key]
}

// requestKey tells requests for evidence apart, by kind and arguments.
func requestKey(evidence string, args map[string]any) (string, error) {
	return plan.Digest(struct {
		Evidence string         `json:"evidence"`
		Args     map[string]any `json:"args"`
	}{evidence, args})
}

// newest returns the last word of a validator in a place.
func (c *recall) newest(where place, validator string) (record.Judged, bool) {
	all := c.judged[where][validator]
	if len(all) == 0 {
		return record.Judged{}, false
	}
	return all[len(all)-1], true
}

// rounds is how often a gate has gathered evidence.
func (c *recall) rounds(where place) int {
	rounds := 0
	for _, all := range c.judged[where] {
		for _, j := range all {
			rounds = max(rounds, j.Round)
		}
	}
	return rounds
}

// ruling returns the ruling on a verdict, nil where nobody ruled on it.
func (c *recall) ruling(r record.Result, commit string) *record.Ruling {
	i := slices.IndexFunc(c.ruled, func(u record.Ruled) bool {
		return u.Validator == r.Validator && u.Hash == r.Hash && u.Commit == commit
	})
	if i < 0 {
		return nil
	}
	u := c.ruled[i]
	return &record.Ruling{Rule: u.Rule, Role: u.Role, Because: u.Because, Signature: u.Signature}
}
