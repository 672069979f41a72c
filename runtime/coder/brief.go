// Package coder words what the one who does the work is told. A task, what
// earlier attempts were found to lack and the bounds of the change go in; the
// brief comes out. It adds nothing to the wording of the plan, and never
// softens a finding.
package coder

import (
	"slices"
	"strconv"
	"strings"

	"github.com/snodo-lang/snodo/compiler/plan"
	"github.com/snodo-lang/snodo/runtime/verdict"
)

// A Brief is what a coder is told: the original task once and unchanged, then
// every finding of every earlier attempt that asked for recovery, then what
// already passed and must stay.
type Brief struct {
	Task     string
	Grants   []plan.Grant
	Protects []string
	Attempts []Attempt
	Passed   []string // validators
}

// An Attempt is an earlier one that was sent back.
type Attempt struct {
	Number int
	Failed []Failed
}

// Failed are the findings of one validator.
type Failed struct {
	Validator string
	Findings  []verdict.Finding // those that are not passes
}

// Write puts the brief into the words of the plan.
func (b Brief) Write(w plan.CoderWording) string {
	var out strings.Builder
	out.WriteString(plan.Fill(w.Task, "task", b.Task))
	if len(b.Attempts) > 0 {
		out.WriteString(w.Findings)
	}
	for _, a := range b.Attempts {
		out.WriteString(plan.Fill(w.Attempt, "attempt", strconv.Itoa(a.Number)))
		for _, f := range a.Failed {
			writeFailed(&out, w, f)
		}
	}
	if len(b.Passed) > 0 {
		out.WriteString(plan.Fill(w.Passed, "validators", strings.Join(b.Passed, ", ")))
	}
	out.WriteString(plan.Fill(w.Bounds, "grants", bounds(b.Grants), "protects", protects(b.Protects)))
	return out.String()
}

func writeFailed(out *strings.Builder, w plan.CoderWording, f Failed) {
	for _, finding := range f.Findings {
		criterion := finding.Criterion
		if criterion == "" {
			criterion = "-"
		}
		out.WriteString(plan.Fill(w.Finding, "validator", f.Validator, "criterion", criterion, "verdict", string(finding.Verdict), "because", finding.Because))
		for _, q := range finding.Quotes {
			out.WriteString(plan.Fill(w.Quote, "path", q.Path, "line", strconv.Itoa(q.Line), "text", q.Text))
		}
	}
}

func bounds(grants []plan.Grant) string {
	var parts []string
	for _, g := range grants {
		if !slices.Contains(plan.WriteTools, g.Tool) {
			continue
		}
		where := "anywhere"
		if len(g.In) > 0 {
			where = "in " + strings.Join(g.In, ", ")
		}
		parts = append(parts, g.Tool+" "+where)
	}
	return strings.Join(parts, "; ")
}

func protects(globs []string) string {
	if len(globs) == 0 {
		return "the protocol's own files"
	}
	return strings.Join(globs, ", ") + ", and the protocol's own files"
}
