package compiler

import (
	"fmt"
	"slices"
	"strings"

	"github.com/snodo-lang/snodo/compiler/plan"
	"github.com/snodo-lang/snodo/lang"
	"github.com/snodo-lang/snodo/lang/diag"
)

// checkDuties reports what a stage of each kind must have and lacks, and says
// of every task that nothing of it is judged.
func checkDuties(c *compilation) error {
	for _, u := range c.units {
		for _, s := range c.forms[u].stages {
			switch s.kind() {
			case lang.KindMode:
				c.mustWork(s)
				c.mustBeJudged(s)
			case lang.KindReview:
				c.mustBeJudged(s)
			case lang.KindTask:
				c.mustWork(s)
				c.mustHaveGoal(s)
				c.report(unscored(s))
			default:
				panic("compiler: no such kind of stage: " + string(s.kind()))
			}
		}
	}
	return nil
}

// mustWork reports a stage that executes and has nobody to, or cannot write.
func (c *compilation) mustWork(s *stageForm) {
	if s.decl.Damaged {
		return
	}
	if !s.present["coder"] {
		c.report(noCoder(s))
	}
	writes, known := false, true
	for _, line := range s.grants {
		known = known && len(line.tools) == len(line.node.Tools)
		for _, t := range line.tools {
			writes = writes || isWriter(t.Text)
			known = known && isTool(t.Text)
		}
	}
	// A misspelt word may be the line or the tool that seems to be missing.
	misspelt := s.present["grants"] && len(s.grants) == 0
	if !writes && known && !misspelt {
		c.report(cannotWrite(s))
	}
}

// mustBeJudged reports a stage without the gate that makes it what it is.
func (c *compilation) mustBeJudged(s *stageForm) {
	need := []string{plan.PostExecute}
	if s.kind() == lang.KindReview {
		need = phases
	}
	has := slices.ContainsFunc(need, func(phase string) bool { return s.present[phase] })
	if !has && !s.vague && !s.decl.Damaged {
		c.report(unjudged(s))
	}
}

func (c *compilation) mustHaveGoal(s *stageForm) {
	blank := s.goal != nil && strings.TrimSpace(s.goal.Value) == ""
	if blank || !s.present["goal"] && !s.decl.Damaged {
		c.report(noGoal(s))
	}
}

func noCoder(s *stageForm) diag.Diagnostic {
	return diag.Diagnostic{
		Code: diag.SN410, Range: s.decl.Header,
		Message: fmt.Sprintf("%s executes and has no coder", called(s.decl)),
		Help:    fmt.Sprintf("name one: `coder NAME`; to judge work that exists already, declare a review: `review %s { … }`", s.decl.Name.Text),
	}
}

func cannotWrite(s *stageForm) diag.Diagnostic {
	return diag.Diagnostic{
		Code: diag.SN410, Range: s.decl.Header,
		Message: fmt.Sprintf("%s executes and is granted no tool that writes", called(s.decl)),
		Help:    fmt.Sprintf("write `grants write_file, edit_file`; to judge work that exists already, declare a review: `review %s { … }`", s.decl.Name.Text),
	}
}

func unjudged(s *stageForm) diag.Diagnostic {
	lacks := "no post_execute gate, so nothing judges its result"
	gate := "post_execute { panel VALIDATOR … }"
	if s.kind() == lang.KindReview {
		lacks = "no gate, so it judges nothing"
	}
	return diag.Diagnostic{
		Code: diag.SN509, Range: s.decl.Header,
		Message: fmt.Sprintf("%s has %s", called(s.decl), lacks),
		Help:    fmt.Sprintf("write one: `%s`; for work that is not to be judged, declare a task: `task %s { goal \"…\" … }`", gate, s.decl.Name.Text),
	}
}

func noGoal(s *stageForm) diag.Diagnostic {
	d := diag.Diagnostic{
		Code: diag.SN517, Range: s.decl.Header,
		Message: fmt.Sprintf("%s has no goal", called(s.decl)),
		Help:    "say what its coder is to do: `goal \"…\"`",
	}
	if s.goal != nil {
		d.Range = s.goal.Range
		d.Message = fmt.Sprintf("the goal of %s is blank", called(s.decl))
	}
	return d
}

func unscored(s *stageForm) diag.Diagnostic {
	kept := "kept unscored"
	if _, ok := s.holds("publish"); ok {
		kept = "kept unscored and published"
	}
	return diag.Diagnostic{
		Code: diag.SN521, Range: s.decl.Header,
		Message: "task: no judge: every completed turn is " + kept,
		Help:    "to have the result judged, declare a `mode` with a gate",
	}
}
