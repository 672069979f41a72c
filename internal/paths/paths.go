// Package paths works out what can happen in a plan: the way through each
// stage, for every gate the table from verdicts to what happens, and the
// bound of every loop. A verified plan goes in; a Table comes out, which can
// be written as text, as JSON and as a picture.
//
// The package follows the plan to the letter. It never runs anything, knows no
// default, and leaves out what cannot occur instead of saying that it does not.
package paths

import (
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"slices"

	"github.com/snodo-lang/snodo/compiler/plan"
)

// Schema names the format of a Table in JSON.
const Schema = "snodo.paths.v1"

// A Table is what can happen in a plan.
type Table struct {
	Schema   string    `json:"schema"`
	Plan     string    `json:"plan"` // its digest
	Protocol string    `json:"protocol"`
	Title    *string   `json:"title"`
	Starts   string    `json:"starts"`
	Anywhere []Outcome `json:"anywhere"` // what can happen at every step
	Stages   []Stage   `json:"stages"`   // the one that a run begins in first, the others by name
}

// A Stage is the way through a mode, a review or a task.
type Stage struct {
	Name    string   `json:"stage"`
	Kind    string   `json:"kind"`
	Title   *string  `json:"title"`
	Judged  bool     `json:"judged"`  // false in a task: nobody judges what it keeps
	Publish bool     `json:"publish"` // what it completes with leaves the repository
	HandsTo []string `json:"hands_to"`
	Way     []Step   `json:"way"` // in the order in which they are walked
	Bounds  Bounds   `json:"bounds"`
}

// A Step is an *Act or a *Gate.
type Step interface {
	// Label is the name of the step. That of an act which is no step of the
	// plan is its operation.
	Label() string
	step()
}

// OpReceive is the operation of an Act that is no step of the plan: a review
// takes the work that it is about, which exists already.
const OpReceive = "receive"

// An Act is a step that does something and judges nothing.
type Act struct {
	Name     *string   `json:"step"` // null where the plan has no such step
	Op       string    `json:"op"`   // plan.OpExecute, OpKeep or OpComplete, or OpReceive
	Coder    *string   `json:"coder"`
	Powers   []string  `json:"powers"`
	Outcomes []Outcome `json:"outcomes"`
}

// An Outcome is what an act can come to, and where that leads.
type Outcome struct {
	Name string      `json:"outcome"`
	To   plan.Target `json:"to"`
}

// A Gate is a step that asks its panel and decides.
type Gate struct {
	Name    string   `json:"step"`
	Op      string   `json:"op"` // plan.OpGate
	Title   *string  `json:"title"`
	Phase   string   `json:"phase"`
	Need    int      `json:"need"` // passes
	Panel   []Member `json:"panel"`
	Observe []Member `json:"observe"` // these never gate
	Rows    []Row    `json:"rows"`    // in the order in which a gate decides
}

// A Member is a validator of a gate.
type Member struct {
	Name    string         `json:"validator"`
	Kind    string         `json:"kind"`
	Returns []plan.Verdict `json:"returns"` // besides an error, which everything can come to
}

func (a *Act) Label() string {
	if a.Name == nil {
		return a.Op
	}
	return *a.Name
}
func (g *Gate) Label() string { return g.Name }
func (*Act) step()            {}
func (*Gate) step()           {}

// Of returns what can happen in a plan that plan.Verify accepts.
func Of(p *plan.Plan) *Table {
	t := &Table{
		Schema: Schema, Plan: p.Digest, Protocol: p.Protocol.Name, Title: p.Protocol.Title, Starts: p.Protocol.Starts,
		Anywhere: []Outcome{
			{"environment", halt(plan.HaltEnvironmentError)},
			{"interruption", halt(plan.HaltInterrupted)},
			{"internal", halt(plan.HaltInternalError)},
		},
		Stages: []Stage{},
	}
	names := slices.Sorted(maps.Keys(p.Stages))
	slices.SortStableFunc(names, func(a, b string) int {
		if (a == t.Starts) == (b == t.Starts) {
			return 0
		}
		if a == t.Starts {
			return -1
		}
		return 1
	})
	for _, name := range names {
		t.Stages = append(t.Stages, stageOf(p, name, p.Stages[name]))
	}
	return t
}

func halt(as string) plan.Target { return plan.Target(plan.HaltPrefix + as) }

func stageOf(p *plan.Plan, name string, s plan.Stage) Stage {
	out := Stage{
		Name: name, Kind: s.Kind, Title: s.Title, Judged: s.Kind != plan.Task, Publish: slices.Contains(s.Powers, "publish"),
		HandsTo: slices.Clone(s.HandsTo), Bounds: boundsOf(s),
	}
	received := s.Kind != plan.Review
	for at := s.Start; at != ""; {
		step := s.Steps[at]
		if g, gate := step.(*plan.Gate); gate && g.Phase == plan.PostExecute && !received {
			out.Way = append(out.Way, receive(at))
			received = true
		}
		out.Way = append(out.Way, stepOf(p, s, at, out.Bounds))
		at = onward(s, step)
	}
	return out
}

// onward is the step behind a step, empty behind the last. A verified stage is
// one row of steps: what leads elsewhere ends or goes back.
func onward(s plan.Stage, step plan.Step) string {
	next := plan.EndComplete
	switch step := step.(type) {
	case *plan.Execute:
		next = step.Next.Done
	case *plan.Gate:
		next = step.Next.Proceed
	case *plan.Keep:
		next = step.Next.Done
	case *plan.Complete:
		next = step.Next.Done
	default:
		panic(fmt.Sprintf("paths: no such step: %T", step))
	}
	if _, ok := s.Steps[string(next)]; !ok {
		return ""
	}
	return string(next)
}

func stepOf(p *plan.Plan, s plan.Stage, name string, b Bounds) Step {
	switch step := s.Steps[name].(type) {
	case *plan.Execute:
		return &Act{Name: &name, Op: step.Op, Coder: s.Coder, Powers: []string{}, Outcomes: executeOutcomes(step, b)}
	case *plan.Gate:
		return gateOf(p, name, step)
	case *plan.Keep:
		return &Act{Name: &name, Op: step.Op, Powers: []string{}, Outcomes: []Outcome{
			{"again", step.Next.Again}, {"done", step.Next.Done}, {"error", step.Next.Error},
		}}
	case *plan.Complete:
		return &Act{Name: &name, Op: step.Op, Powers: slices.Clone(s.Powers), Outcomes: completeOutcomes(step, s.Powers)}
	default:
		panic(fmt.Sprintf("paths: no such step: %T", step))
	}
}

// executeOutcomes leaves out that a recovery stalls where nothing recovers.
func executeOutcomes(e *plan.Execute, b Bounds) []Outcome {
	out := []Outcome{
		{"done", e.Next.Done}, {"no_change", e.Next.NoChange}, {"protected_path", e.Next.ProtectedPath},
		{"outside_grant", e.Next.OutsideGrant}, {"coder_error", e.Next.CoderError},
	}
	if e.Next.Stalled != "" && b.Dispatches > 1 {
		out = append(out, Outcome{"stalled", e.Next.Stalled})
	}
	return append(out, Outcome{"error", e.Next.Error})
}

// completeOutcomes leaves out that a power is refused where there is none.
func completeOutcomes(c *plan.Complete, powers []string) []Outcome {
	out := []Outcome{{"done", c.Next.Done}}
	if c.Next.NothingKept != "" {
		out = append(out, Outcome{"nothing_kept", c.Next.NothingKept})
	}
	if len(powers) > 0 {
		out = append(out, Outcome{"refused", c.Next.Refused})
	}
	return append(out, Outcome{"error", c.Next.Error})
}

// receive is what comes before the first gate of a review that is about a
// finished work. The plan has no step for it, and a run has.
func receive(next string) *Act {
	return &Act{Op: OpReceive, Powers: []string{}, Outcomes: []Outcome{
		{"done", plan.Target(next)}, {"no_change", halt(plan.HaltNoChange)},
		{"protected_path", halt(plan.HaltProtectedPath)}, {"error", halt(plan.HaltEnvironmentError)},
	}}
}

func gateOf(p *plan.Plan, name string, g *plan.Gate) *Gate {
	panel := members(p, g.Panel)
	return &Gate{
		Name: name, Op: g.Op, Title: g.Title, Phase: g.Phase, Need: g.Need,
		Panel: panel, Observe: members(p, g.Observe), Rows: rowsOf(panel, g),
	}
}

func members(p *plan.Plan, names []string) []Member {
	out := []Member{}
	for _, name := range names {
		v := p.Validators[name]
		out = append(out, Member{Name: name, Kind: v.OfKind(), Returns: v.CanReturn()})
	}
	return out
}

// WriteJSON writes a table as one JSON object.
func WriteJSON(w io.Writer, t *Table) error {
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	if err := e.Encode(t); err != nil {
		return fmt.Errorf("write paths: %w", err)
	}
	return nil
}
