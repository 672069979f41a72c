package paths

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/snodo-lang/snodo/compiler/plan"
)

// stageWith makes a stage of the gates, in their order, with the other steps
// that its kind has.
func stageWith(kind string, gates ...*plan.Gate) plan.Stage {
	s := plan.Stage{Kind: kind, Powers: []string{}, HandsTo: []string{}, Steps: plan.Steps{
		"complete": &plan.Complete{Op: plan.OpComplete, Next: plan.CompleteNext{Done: plan.EndComplete, Refused: "halt:power_refused", Error: "halt:environment_error"}},
	}}
	next := "complete"
	execute := func() {
		s.Steps["execute"] = &plan.Execute{Op: plan.OpExecute, Next: plan.ExecuteNext{
			Done: plan.Target(next), NoChange: "halt:no_change", ProtectedPath: "halt:protected_path", OutsideGrant: "halt:outside_grant",
			CoderError: "halt:coder_error", Stalled: "halt:recovery_stalled", Error: "halt:environment_error"}}
		next = "execute"
	}
	executed := kind != plan.Mode
	for i := len(gates) - 1; i >= 0; i-- {
		if gates[i].Phase == plan.PreExecute && !executed {
			execute()
			executed = true
		}
		gates[i].Next.Proceed = plan.Target(next)
		next = fmt.Sprintf("gate-%d", i+1)
		s.Steps[next] = gates[i]
	}
	if !executed {
		execute()
	}
	s.Start = next
	return s
}

// A walk counts what one run did.
type walk struct {
	dispatches int
	times      map[string]int
	rounds     map[string]int
}

// walked makes one run of a stage: r decides for every gate, among what its
// routes allow. It spells the loops as the language does: counts by route and
// for the run, rounds by visit.
func walked(s plan.Stage, r *rand.Rand) walk {
	w := walk{times: map[string]int{}, rounds: map[string]int{}}
	recovered := map[string]int{}
	for at := s.Start; ; {
		switch step := s.Steps[at].(type) {
		case *plan.Execute:
			w.dispatches++
			at = string(step.Next.Done)
		case *plan.Gate:
			w.times[at]++
			at = decidedBy(at, step, &w, recovered, r)
			if at == "" {
				return w
			}
		default:
			return w
		}
	}
}

// decidedBy returns where a gate leads, empty where the run ends.
func decidedBy(at string, g *plan.Gate, w *walk, recovered map[string]int, r *rand.Rand) string {
	for round := 0; ; {
		routes := map[string]plan.Route{"blocker": g.Next.Blocker, "warn": g.Next.Warn, "unclear": g.Next.Unclear}
		decision := []string{"proceed", "blocker", "warn", "unclear"}[r.IntN(4)]
		if decision == "proceed" || len(routes[decision]) == 0 {
			return string(g.Next.Proceed)
		}
		ends := true
		for _, a := range routes[decision] {
			if a.Do == plan.DoGather && round < a.Times {
				round++
				w.rounds[at]++
				ends = false
				break
			}
			if key := at + decision; a.Do == plan.DoRecover && recovered[key] < a.Times {
				recovered[key]++
				return a.To
			}
		}
		if ends {
			return ""
		}
	}
}

// Runs at random: none goes beyond a bound, and each bound is reached.
func TestBoundsAreThoseOfTheWalk(t *testing.T) {
	gate := func(phase string, next plan.GateNext) *plan.Gate {
		return &plan.Gate{Op: plan.OpGate, Phase: phase, Next: next}
	}
	for name, tc := range map[string]struct {
		stage plan.Stage
		want  Bounds
	}{
		"one gate": {
			stageWith(plan.Mode, gate(plan.PostExecute, plan.GateNext{Blocker: recovering(3)})),
			Bounds{4, []GateBound{{"gate-1", 4, 0, 0}}},
		},
		"nothing recovers": {
			stageWith(plan.Mode, gate(plan.PostExecute, plan.GateNext{Blocker: halting("blocker"), Unclear: gathering(2)})),
			Bounds{1, []GateBound{{"gate-1", 1, 2, 2}}},
		},
		"two gates after the work and one before": {
			stageWith(plan.Mode,
				gate(plan.PreExecute, plan.GateNext{Unclear: gathering(1)}),
				gate(plan.PostExecute, plan.GateNext{Blocker: recovering(2)}),
				gate(plan.PostExecute, plan.GateNext{Blocker: recovering(1), Warn: recovering(1), Unclear: gathering(1)})),
			Bounds{5, []GateBound{{"gate-1", 1, 1, 1}, {"gate-2", 5, 0, 0}, {"gate-3", 3, 1, 3}}},
		},
		"a review": {
			stageWith(plan.Review, gate(plan.PostExecute, plan.GateNext{Unclear: gathering(1), Blocker: halting("blocker")})),
			Bounds{0, []GateBound{{"gate-1", 1, 1, 1}}},
		},
	} {
		got := boundsOf(tc.stage)
		if diff := cmp.Diff(tc.want, got); diff != "" {
			t.Errorf("%s: (-want +got)\n%s", name, diff)
		}
		r := rand.New(rand.NewPCG(3, 4))
		reached := Bounds{Gates: make([]GateBound, len(got.Gates))}
		for range 8_000 {
			w := walked(tc.stage, r)
			reached.Dispatches = max(reached.Dispatches, w.dispatches)
			for i, g := range got.Gates {
				at := &reached.Gates[i]
				at.Step, at.Rounds = g.Step, g.Rounds
				at.Times, at.RoundsInAll = max(at.Times, w.times[g.Step]), max(at.RoundsInAll, w.rounds[g.Step])
			}
		}
		if diff := cmp.Diff(got, reached); diff != "" {
			t.Errorf("%s: (-said +reached)\n%s", name, diff)
		}
	}
}

func TestATaskIsBoundedByItsTurns(t *testing.T) {
	s := plan.Stage{Kind: plan.Task, Start: "execute", Steps: plan.Steps{
		"execute":  &plan.Execute{Op: plan.OpExecute, Next: plan.ExecuteNext{Done: "keep"}},
		"keep":     &plan.Keep{Op: plan.OpKeep, Times: 4, Next: plan.KeepNext{Again: "execute", Done: "complete", Error: "halt:environment_error"}},
		"complete": &plan.Complete{Op: plan.OpComplete, Next: plan.CompleteNext{Done: plan.EndComplete, NothingKept: "halt:nothing_kept"}},
	}}
	if diff := cmp.Diff(Bounds{4, []GateBound{}}, boundsOf(s)); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

// What cannot happen is not said to.
func TestOnlyOutcomesThatCanOccurAreListed(t *testing.T) {
	gate := func(next plan.GateNext) *plan.Gate {
		return &plan.Gate{Op: plan.OpGate, Phase: plan.PostExecute, Panel: []string{"v"}, Need: 1, Next: next}
	}
	p := &plan.Plan{Validators: plan.Validators{"v": &plan.Check{Kind: plan.KindCheck, Phase: plan.PostExecute, Returns: two}}}
	outcomes := func(s plan.Stage, label string) string {
		var names []string
		for _, step := range stageOf(p, "s", s).Way {
			if a, act := step.(*Act); act && a.Label() == label {
				for _, o := range a.Outcomes {
					names = append(names, o.Name)
				}
			}
		}
		return strings.Join(names, " ")
	}
	once := stageWith(plan.Mode, gate(plan.GateNext{Blocker: halting("blocker"), Error: invalid}))
	twice := stageWith(plan.Mode, gate(plan.GateNext{Blocker: recovering(1), Error: invalid}))
	twice.Powers = []string{"commit"}
	review := stageWith(plan.Review, gate(plan.GateNext{Blocker: halting("blocker"), Error: invalid}))
	for _, tc := range []struct {
		stage       plan.Stage
		label, want string
	}{
		{once, "execute", "done no_change protected_path outside_grant coder_error error"},
		{twice, "execute", "done no_change protected_path outside_grant coder_error stalled error"},
		{once, "complete", "done error"},
		{twice, "complete", "done refused error"},
		{once, "receive", ""},
		{review, "receive", "done no_change protected_path error"},
	} {
		if got := outcomes(tc.stage, tc.label); got != tc.want {
			t.Errorf("%s of a %s: %s, want %s", tc.label, tc.stage.Kind, got, tc.want)
		}
	}
}
