package compiler

import (
	"fmt"
	"slices"

	"github.com/snodo-lang/snodo/compiler/plan"
	"github.com/snodo-lang/snodo/lang"
)

// The names of steps that every stage of a kind has.
const (
	executeStep  = "execute"
	keepStep     = "keep"
	completeStep = "complete"
)

func halt(as string) plan.Target { return plan.Target(plan.HaltPrefix + as) }

// stage lowers a mode, a review or a task with the graph of its steps.
func (l *lowerer) stage(s *stageForm) plan.Stage {
	out := plan.Stage{
		Kind: string(s.kind()), Title: title(s.decl),
		Grants: grants(s.grants), CoderTools: []plan.Tool{}, Powers: powers(s), HandsTo: []string{},
	}
	for _, ref := range s.hands {
		if next := key(must[*stageForm](l, ref)); !slices.Contains(out.HandsTo, next) {
			out.HandsTo = append(out.HandsTo, next)
		}
	}
	if s.coder != nil {
		coder := l.coder(must[*coderForm](l, *s.coder))
		out.Coder = &coder
	}
	switch s.kind() {
	case lang.KindTask:
		out.Goal = &s.goal.Value
		out.Start, out.Steps = taskSteps(numberOr(s.turns, taskTurns))
	case lang.KindMode, lang.KindReview:
		out.Start, out.Steps = l.judgedSteps(s)
	default:
		panic("compiler: no such kind of stage: " + string(s.kind()))
	}
	return out
}

// powers returns the powers of a stage in the order in which they are
// exercised.
func powers(s *stageForm) []string {
	out := []string{}
	for _, power := range plan.Powers {
		if _, ok := s.holds(power); ok {
			out = append(out, power)
		}
	}
	return out
}

// taskSteps is the lane without judges: every turn is executed and kept or
// discarded, and nothing that a turn leaves behind halts the next but an
// error of the surroundings.
func taskSteps(turns int) (string, plan.Steps) {
	return executeStep, plan.Steps{
		executeStep: &plan.Execute{Op: plan.OpExecute, Next: plan.ExecuteNext{
			Done: keepStep, NoChange: keepStep, ProtectedPath: keepStep, OutsideGrant: keepStep, CoderError: keepStep,
			Error: halt(plan.HaltEnvironmentError),
		}},
		keepStep: &plan.Keep{Op: plan.OpKeep, Times: turns, Next: plan.KeepNext{
			Again: executeStep, Done: completeStep, Error: halt(plan.HaltEnvironmentError),
		}},
		completeStep: &plan.Complete{Op: plan.OpComplete, Next: plan.CompleteNext{
			Done: plan.EndComplete, NothingKept: halt(plan.HaltNothingKept),
			Refused: halt(plan.HaltPowerRefused), Error: halt(plan.HaltEnvironmentError),
		}},
	}
}

// judgedSteps puts the gates before the work, the execution (in a mode), the
// gates after it and the completion in a row.
func (l *lowerer) judgedSteps(s *stageForm) (string, plan.Steps) {
	type link struct {
		name string
		step func(next plan.Target) plan.Step
	}
	var row []link
	add := func(phase string) {
		n := 0
		for _, g := range s.gates {
			if g.phase != phase {
				continue
			}
			n++
			v, _ := l.view(s, g)
			row = append(row, link{fmt.Sprintf("%s-%d", phase, n), func(next plan.Target) plan.Step { return l.gate(v, next) }})
		}
	}
	add(plan.PreExecute)
	if s.kind() == lang.KindMode {
		row = append(row, link{executeStep, execute})
	}
	add(plan.PostExecute)
	row = append(row, link{completeStep, complete})
	steps := make(plan.Steps)
	next := plan.Target(plan.EndComplete)
	for i := len(row) - 1; i >= 0; i-- {
		steps[row[i].name] = row[i].step(next)
		next = plan.Target(row[i].name)
	}
	return row[0].name, steps
}

func execute(next plan.Target) plan.Step {
	return &plan.Execute{Op: plan.OpExecute, Next: plan.ExecuteNext{
		Done: next, NoChange: halt(plan.HaltNoChange), ProtectedPath: halt(plan.HaltProtectedPath),
		OutsideGrant: halt(plan.HaltOutsideGrant), CoderError: halt(plan.HaltCoderError),
		Stalled: halt(plan.HaltRecoveryStalled), Error: halt(plan.HaltEnvironmentError),
	}}
}

func complete(next plan.Target) plan.Step {
	return &plan.Complete{Op: plan.OpComplete, Next: plan.CompleteNext{
		Done: next, Refused: halt(plan.HaltPowerRefused), Error: halt(plan.HaltEnvironmentError),
	}}
}

func (l *lowerer) gate(v *gateView, next plan.Target) plan.Step {
	g := &plan.Gate{
		Op: plan.OpGate, Phase: v.phase, Panel: l.names(v.deciding), Observe: l.names(v.watching), Need: v.need(),
		Next: plan.GateNext{Proceed: next, Error: plan.Route{{Do: plan.DoHalt, As: plan.HaltValidatorError}}},
	}
	if t := v.node.Title; t != nil {
		g.Title = &t.Value
	}
	for _, r := range v.gateForm.routes {
		verdict := plan.Verdict(r.node.Verdict.Text)
		route := l.route(v, r, verdict)
		switch verdict {
		case plan.Warn:
			g.Next.Warn = route
		case plan.Unclear:
			g.Next.Unclear = route
		case plan.Blocker:
			g.Next.Blocker = route
		default:
			panic("compiler: no route for " + string(verdict))
		}
	}
	return g
}

func (l *lowerer) names(members []member) []string {
	out := []string{}
	for _, m := range members {
		out = append(out, l.validator(m.form))
	}
	return out
}

func (l *lowerer) route(v *gateView, r *routeForm, verdict plan.Verdict) plan.Route {
	var out plan.Route
	as := string(verdict)
	for _, s := range r.steps {
		switch word := s.node.Word.Text; word {
		case plan.DoHalt:
			out = append(out, plan.Action{Do: plan.DoHalt, As: as})
		case plan.DoAsk:
			out = append(out, plan.Action{Do: plan.DoAsk, Role: l.role(must[*roleForm](l, *s.role))})
		case plan.DoRecover:
			as = plan.HaltRecoveryExhausted
			out = append(out, plan.Action{Do: plan.DoRecover, To: executeStep, Times: s.times.Value, Stalled: halt(plan.HaltRecoveryStalled)})
		case plan.DoGather:
			out = append(out, plan.Action{Do: plan.DoGather, Times: l.obtainableKinds(v)})
		default:
			panic("compiler: no such step of a route: " + word)
		}
	}
	return out
}

// obtainableKinds counts the kinds of evidence that the panel may request and
// the runtime can obtain: that many rounds of gathering can bring something.
func (l *lowerer) obtainableKinds(v *gateView) int {
	kinds := make(map[*evidenceForm]bool)
	for _, m := range v.deciding {
		j, ok := m.form.(*judgeForm)
		if !ok {
			continue
		}
		for _, ref := range j.evidence() {
			if e := must[*evidenceForm](l, ref); e.obtain != nil {
				kinds[e] = true
			}
		}
	}
	return len(kinds)
}
