package runtime

import (
	"fmt"
	"slices"
	"strings"

	"github.com/snodo-lang/snodo/compiler/plan"
)

// A UsageError says that a run was asked for that the plan cannot give.
type UsageError struct{ Reason string }

func (e *UsageError) Error() string { return e.Reason }

func refuse(format string, args ...any) error {
	return &UsageError{fmt.Sprintf(format, args...)}
}

// Check refuses a request that cannot be run from its start to its end,
// before anything is spent on it.
func Check(q Request) error {
	stage, ok := q.Plan.Stages[q.Stage]
	if !ok {
		return refuse("the protocol has no stage %q", q.Stage)
	}
	for _, check := range []func(Request, plan.Stage) error{checkTask, checkPhase, checkCoder, checkModels} {
		if err := check(q, stage); err != nil {
			return err
		}
	}
	return nil
}

// exercises says whether the run would exercise powers at its end.
func (q Request) exercises() bool {
	return q.Phase == "" && q.Rehearsal == nil && q.Replay == ""
}

// sends says whether the run would send a coder.
func (q Request) sends(stage plan.Stage) bool {
	return stage.Kind != plan.Review && q.Work == nil && q.Phase != plan.PreExecute
}

// coder returns the coder that would be sent; ok is false where the stage
// has none.
func (q Request) coder(stage plan.Stage) (string, plan.Coder, bool) {
	if stage.Coder == nil {
		return "", plan.Coder{}, false
	}
	name := *stage.Coder
	if q.Coder != "" {
		name = q.Coder
	}
	coder := q.Plan.Coders[name]
	if q.Command != "" {
		coder = plan.Coder{Kind: plan.CoderCommand, Run: q.Command, TimeoutMS: coder.TimeoutMS}
	}
	return name, coder, true
}

func checkTask(q Request, stage plan.Stage) error {
	if strings.TrimSpace(q.Task) == "" && stage.Kind != plan.Task {
		return refuse("no task: say what is to be done with --task or --task-file")
	}
	if stage.Kind == plan.Task && q.Work != nil {
		return refuse("stage %q is a task, which judges nothing: --work has no meaning there", q.Stage)
	}
	if q.Jobs < 1 {
		return refuse("--jobs must be at least 1")
	}
	if q.MaxTokens < 0 {
		return refuse("--max-tokens must be at least 1")
	}
	return nil
}

func checkPhase(q Request, stage plan.Stage) error {
	has := map[string]bool{}
	for _, step := range stage.Steps {
		if g, ok := step.(*plan.Gate); ok {
			has[g.Phase] = true
		}
	}
	switch q.Phase {
	case "":
		if stage.Kind == plan.Review && has[plan.PostExecute] && q.Work == nil {
			return refuse("stage %q reviews a work that exists: name it with --work REV", q.Stage)
		}
	case plan.PreExecute, plan.PostExecute:
		if !has[q.Phase] {
			return refuse("stage %q has no gate of the phase %s", q.Stage, q.Phase)
		}
		if stage.Kind == plan.Review && q.Phase == plan.PostExecute && q.Work == nil {
			return refuse("stage %q reviews a work that exists: name it with --work REV", q.Stage)
		}
	default:
		return refuse("there is no phase %q: it is %s or %s", q.Phase, plan.PreExecute, plan.PostExecute)
	}
	return nil
}

func checkCoder(q Request, stage plan.Stage) error {
	if q.Coder != "" && q.Command != "" {
		return refuse("--coder and --coder-command exclude each other")
	}
	if (q.Coder != "" || q.Command != "") && !q.sends(stage) {
		return refuse("no coder is sent in this run, so there is none to choose")
	}
	if q.Coder != "" {
		if _, ok := q.Plan.Coders[q.Coder]; !ok {
			return refuse("the protocol has no coder %q", q.Coder)
		}
	}
	return nil
}

// checkModels wants a model, and one that can be spoken to, for the coder and
// every judge that may be asked. A rehearsal plays judges, and no coder.
func checkModels(q Request, stage plan.Stage) error {
	if name, c, ok := q.coderModel(stage); ok {
		if err := q.reaches(fmt.Sprintf("coder %q", name), c.Model); err != nil {
			return err
		}
	}
	if q.Rehearsal != nil {
		return nil
	}
	for _, name := range q.asked(stage) {
		if err := q.reaches(fmt.Sprintf("judge %q", name), q.modelOf(q.Plan.Validators[name].(*plan.Judge))); err != nil {
			return err
		}
	}
	return nil
}

// reaches says why somebody could not speak to a model.
func (q Request) reaches(who, model string) error {
	if model == "" {
		return refuse("%s needs a model, and none is named: use --model or SNODO_MODEL", who)
	}
	if q.Chat == nil {
		return refuse("%s needs an endpoint, and none is configured", who)
	}
	if client, ok := q.Chat.(interface{ Accepts(string) error }); ok {
		if err := client.Accepts(model); err != nil {
			return refuse("%s cannot use its model: %v", who, err)
		}
	}
	return nil
}

// coderModel returns the coder that would be sent, if it is a model.
func (q Request) coderModel(stage plan.Stage) (string, plan.Coder, bool) {
	name, c, ok := q.coder(stage)
	return name, c, ok && q.sends(stage) && c.Kind == plan.CoderModel
}

func (q Request) modelOf(j *plan.Judge) string {
	if j.Model != nil {
		return *j.Model
	}
	return q.Model
}

// asked returns the judges that the stage may ask in this run, by name.
func (q Request) asked(stage plan.Stage) []string {
	var names []string
	for _, step := range stage.Steps {
		g, ok := step.(*plan.Gate)
		if !ok || q.Phase != "" && q.Phase != g.Phase {
			continue
		}
		for _, name := range slices.Concat(g.Panel, g.Observe) {
			if _, ok := q.Plan.Validators[name].(*plan.Judge); ok {
				names = append(names, name)
			}
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// NeedsEndpoint says whether the run may ask a judge that is not rehearsed, or
// send a coder that is a model.
func (q Request) NeedsEndpoint() bool {
	stage, ok := q.Plan.Stages[q.Stage]
	if !ok {
		return false
	}
	_, _, model := q.coderModel(stage)
	return model || q.Rehearsal == nil && len(q.asked(stage)) > 0
}
