package plan

import (
	"fmt"
	"slices"
	"strings"
)

// A stage is total when every step has a next step for every outcome that it
// can have, every path from its start reaches an end, and every loop has a
// bound. Loops are made by recover and by a task's next turn alone, and both
// carry their bound; so it is enough that everything else only goes forward.

func verifyStages(p *Plan) error {
	for _, name := range sorted(p.Stages) {
		s := p.Stages[name]
		if err := verifyStage(p, s); err != nil {
			return invalid("stage %q: %v", name, err)
		}
	}
	return nil
}

func verifyStage(p *Plan, s Stage) error {
	if err := verifyStageHead(p, s); err != nil {
		return err
	}
	if !mayStart(s, s.Steps[s.Start]) {
		return fmt.Errorf("it starts at %q, and no %s can", s.Start, s.Kind)
	}
	gates := 0
	for _, name := range sorted(s.Steps) {
		var err error
		switch step := s.Steps[name].(type) {
		case *Execute:
			err = verifyExecute(s, step)
		case *Gate:
			gates++
			err = verifyGate(p, s, step)
		case *Keep:
			if s.Kind != Task || step.Times < 1 || step.Times > 200 {
				err = fmt.Errorf("keep belongs to a task and has a number of turns")
			}
		case *Complete:
			if (s.Kind == Task) != (step.Next.NothingKept != "") {
				err = fmt.Errorf("nothing_kept belongs to a task and to nothing else")
			}
		default:
			panic(fmt.Sprintf("plan: no such step: %T", step))
		}
		if err == nil {
			err = verifyTargets(s, name)
		}
		if err != nil {
			return fmt.Errorf("step %q: %w", name, err)
		}
	}
	if (s.Kind == Task) == (gates > 0) {
		return fmt.Errorf("a task has no gate, and every other stage has one")
	}
	return verifyPaths(s)
}

func verifyStageHead(p *Plan, s Stage) error {
	if !slices.Contains([]string{Mode, Review, Task}, s.Kind) {
		return fmt.Errorf("there is no kind %q", s.Kind)
	}
	if (s.Kind == Review) != (s.Coder == nil) {
		return fmt.Errorf("a review has no coder, and every other stage has one")
	}
	if s.Coder != nil {
		if _, ok := p.Coders[*s.Coder]; !ok {
			return fmt.Errorf("its coder %q is not in the plan", *s.Coder)
		}
	}
	if (s.Kind == Task) != (s.Goal != nil) {
		return fmt.Errorf("a task has a goal, and no other stage has one")
	}
	if err := verifyGrants(s.Grants); err != nil {
		return err
	}
	if err := verifyCoderTools(p, s); err != nil {
		return err
	}
	writes := slices.ContainsFunc(s.Grants, func(g Grant) bool { return slices.Contains(WriteTools, g.Tool) })
	if writes != (s.Kind != Review) {
		return fmt.Errorf("a review writes nothing, and every other stage does")
	}
	for _, power := range s.Powers {
		if !slices.Contains(mayHold[s.Kind], power) {
			return fmt.Errorf("a %s cannot hold the power %s", s.Kind, power)
		}
	}
	at := -1
	for _, power := range s.Powers {
		i := slices.Index(Powers, power)
		if i <= at {
			return fmt.Errorf("power %q is unknown, or out of order", power)
		}
		at = i
	}
	for _, next := range s.HandsTo {
		if _, ok := p.Stages[next]; !ok {
			return fmt.Errorf("it hands to %q, which is no stage of the plan", next)
		}
	}
	return nil
}

// mayHold are the powers that a stage of each kind may hold.
var mayHold = map[string][]string{
	Mode:   {"commit", "merge", "publish"},
	Review: {"approve", "merge", "publish"},
	Task:   {"commit", "publish"},
}

func verifyExecute(s Stage, e *Execute) error {
	if s.Kind == Review {
		return fmt.Errorf("a review executes nothing")
	}
	if (s.Kind == Task) != (e.Next.Stalled == "") {
		return fmt.Errorf("a mode can stall, and a task cannot")
	}
	return nil
}

func verifyGate(p *Plan, s Stage, g *Gate) error {
	if !phase(g.Phase) {
		return fmt.Errorf("there is no phase %q", g.Phase)
	}
	if len(g.Panel) == 0 || g.Need < 1 || g.Need > len(g.Panel) {
		return fmt.Errorf("it needs %d passes of a panel of %d", g.Need, len(g.Panel))
	}
	seen := make(map[string]bool)
	for _, name := range slices.Concat(g.Panel, g.Observe) {
		v, ok := p.Validators[name]
		if !ok || v.InPhase() != g.Phase || seen[name] {
			return fmt.Errorf("member %q is no validator of its phase, or stands twice", name)
		}
		seen[name] = true
	}
	can := Reachable(p, g)
	for _, r := range []struct {
		verdict Verdict
		route   Route
	}{{Warn, g.Next.Warn}, {Unclear, g.Next.Unclear}, {Blocker, g.Next.Blocker}} {
		if can[r.verdict] != (len(r.route) > 0) {
			return fmt.Errorf("the gate can decide %s and has no route for it, or the other way round", r.verdict)
		}
		if err := verifyRoute(p, s, g, r.verdict, r.route); err != nil {
			return fmt.Errorf("route of %s: %w", r.verdict, err)
		}
	}
	if !slices.Equal(g.Next.Error, Route{{Do: DoHalt, As: HaltValidatorError}}) {
		return fmt.Errorf("an error halts as %s and does nothing else", HaltValidatorError)
	}
	return nil
}

// Reachable says which decisions other than proceed and error the gate can
// come to, from what the members of its panel can return.
func Reachable(p *Plan, g *Gate) map[Verdict]bool {
	can := make(map[Verdict]bool)
	warners := 0
	for _, name := range g.Panel {
		returns := p.Validators[name].CanReturn()
		can[Unclear] = can[Unclear] || slices.Contains(returns, Unclear)
		can[Blocker] = can[Blocker] || slices.Contains(returns, Blocker)
		if slices.Contains(returns, Warn) {
			warners++
		}
	}
	can[Warn] = warners > len(g.Panel)-g.Need
	return can
}

// Obtainable counts the kinds of evidence that members of the panel may
// request and commands can obtain: the most rounds of gathering.
func Obtainable(p *Plan, g *Gate) int {
	kinds := make(map[string]bool)
	for _, name := range g.Panel {
		j, ok := p.Validators[name].(*Judge)
		if !ok {
			continue
		}
		for _, kind := range j.Requests {
			if p.Evidence[kind].Obtain != nil {
				kinds[kind] = true
			}
		}
	}
	return len(kinds)
}

func verifyRoute(p *Plan, s Stage, g *Gate, of Verdict, route Route) error {
	seen := make(map[string]bool)
	for i, a := range route {
		last := i == len(route)-1
		if seen[a.Do] || last != (a.Do == DoHalt || a.Do == DoAsk) {
			return fmt.Errorf("it holds each step once and ends in halt or ask")
		}
		seen[a.Do] = true
		if err := verifyAction(p, s, g, of, a, seen[DoRecover]); err != nil {
			return err
		}
	}
	return nil
}

func verifyAction(p *Plan, s Stage, g *Gate, of Verdict, a Action, recovered bool) error {
	switch a.Do {
	case DoHalt:
		as := string(of)
		if recovered {
			as = HaltRecoveryExhausted
		}
		if of == Unclear || a != (Action{Do: DoHalt, As: as}) {
			return fmt.Errorf("halt is for warn and blocker, and here as %s", as)
		}
	case DoAsk:
		if _, ok := p.Roles[a.Role]; !ok || of == Blocker || a != (Action{Do: DoAsk, Role: a.Role}) {
			return fmt.Errorf("ask is for warn and unclear, and of a role of the plan")
		}
	case DoGather:
		if of != Unclear || a.Times < 1 || a != (Action{Do: DoGather, Times: Obtainable(p, g)}) {
			return fmt.Errorf("gather is for unclear, and has a round for each evidence that a command can obtain")
		}
	case DoRecover:
		_, executes := s.Steps[a.To].(*Execute)
		whole := a == Action{Do: DoRecover, To: a.To, Times: a.Times, Stalled: a.Stalled}
		if of == Unclear || g.Phase != PostExecute || s.Kind != Mode || !executes || !whole ||
			a.Times < 1 || a.Times > 20 || a.Stalled != HaltPrefix+HaltRecoveryStalled {
			return fmt.Errorf("recover is for warn and blocker after the work of a mode, and bounded")
		}
	default:
		return fmt.Errorf("there is no step %q", a.Do)
	}
	return nil
}

// verifyTargets refuses a target that is empty, names no step and is no end,
// or ends the run in a way that does not belong there.
func verifyTargets(s Stage, name string) error {
	for outcome, target := range forward(s.Steps[name]) {
		halt, isHalt := strings.CutPrefix(string(target), HaltPrefix)
		switch {
		case isHalt && halt == wantHalt[outcome] && (s.Kind != Task || !judgeless[outcome]):
		case !isHalt && mayFollow(s, outcome, s.Steps[name], s.Steps[string(target)]):
		case target == EndComplete && outcome == "complete:done":
		default:
			return fmt.Errorf("outcome %s leads to %q", outcome, target)
		}
	}
	return nil
}

// wantHalt is the halt that an outcome leads to.
var wantHalt = map[string]string{
	"execute:no_change":      HaltNoChange,
	"execute:protected_path": HaltProtectedPath,
	"execute:outside_grant":  HaltOutsideGrant,
	"execute:coder_error":    HaltCoderError,
	"execute:stalled":        HaltRecoveryStalled,
	"execute:error":          HaltEnvironmentError,
	"keep:error":             HaltEnvironmentError,
	"complete:nothing_kept":  HaltNothingKept,
	"complete:refused":       HaltPowerRefused,
	"complete:error":         HaltEnvironmentError,
}

// judgeless are the outcomes that a task keeps a row about and that halt
// every other stage.
var judgeless = map[string]bool{
	"execute:no_change": true, "execute:protected_path": true,
	"execute:outside_grant": true, "execute:coder_error": true,
}

// mayStart says whether a stage may begin with a step: with its first gate, or
// with the execution where nothing is judged before it.
func mayStart(s Stage, first Step) bool {
	switch first := first.(type) {
	case *Execute:
		return s.Kind != Review
	case *Gate:
		return s.Kind == Review || s.Kind == Mode && first.Phase == PreExecute
	}
	return false
}

// mayFollow says whether to may come after from for an outcome. The work goes
// from the gates before it to its execution, to the gates after it, to its
// completion, and leaves none of them out.
func mayFollow(s Stage, outcome string, from, to Step) bool {
	switch to := to.(type) {
	case nil:
		return false
	case *Execute:
		g, gate := from.(*Gate)
		return outcome == "keep:again" || gate && g.Phase == PreExecute
	case *Keep:
		return outcome == "execute:done" || judgeless[outcome]
	case *Gate:
		if g, gate := from.(*Gate); gate {
			return g.Phase == to.Phase || s.Kind == Review && g.Phase == PreExecute
		}
		return outcome == "execute:done" && s.Kind == Mode && to.Phase == PostExecute
	case *Complete:
		g, gate := from.(*Gate)
		return outcome == "keep:done" || gate && (g.Phase == PostExecute || s.Kind == Review)
	}
	panic(fmt.Sprintf("plan: no such step: %T", to))
}

// forward returns the targets of a step by op and outcome.
func forward(step Step) map[string]Target {
	switch s := step.(type) {
	case *Execute:
		n := s.Next
		out := map[string]Target{
			"execute:done": n.Done, "execute:no_change": n.NoChange, "execute:protected_path": n.ProtectedPath,
			"execute:outside_grant": n.OutsideGrant, "execute:coder_error": n.CoderError, "execute:error": n.Error,
		}
		if n.Stalled != "" {
			out["execute:stalled"] = n.Stalled
		}
		return out
	case *Gate:
		return map[string]Target{"gate:proceed": s.Next.Proceed}
	case *Keep:
		return map[string]Target{"keep:again": s.Next.Again, "keep:done": s.Next.Done, "keep:error": s.Next.Error}
	case *Complete:
		out := map[string]Target{"complete:done": s.Next.Done, "complete:refused": s.Next.Refused, "complete:error": s.Next.Error}
		if s.Next.NothingKept != "" {
			out["complete:nothing_kept"] = s.Next.NothingKept
		}
		return out
	}
	panic(fmt.Sprintf("plan: no such step: %T", step))
}

// verifyPaths refuses a step that nothing leads to, a loop without a bound,
// and a stage that cannot complete.
func verifyPaths(s Stage) error {
	const open, closed = 1, 2
	state := make(map[string]int)
	completes := false
	var walk func(name string) error
	walk = func(name string) error {
		switch state[name] {
		case open:
			return fmt.Errorf("step %q leads back to itself without a bound", name)
		case closed:
			return nil
		}
		state[name] = open
		for outcome, target := range forward(s.Steps[name]) {
			completes = completes || target == EndComplete
			if _, ok := s.Steps[string(target)]; !ok || outcome == "keep:again" {
				continue
			}
			if err := walk(string(target)); err != nil {
				return err
			}
		}
		state[name] = closed
		return nil
	}
	if err := walk(s.Start); err != nil {
		return err
	}
	for _, name := range sorted(s.Steps) {
		if state[name] == 0 {
			return fmt.Errorf("nothing leads to step %q", name)
		}
	}
	if !completes {
		return fmt.Errorf("it never completes")
	}
	return nil
}
