package runtime

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/snodo-lang/snodo/compiler/plan"
	"github.com/snodo-lang/snodo/runtime/child"
	"github.com/snodo-lang/snodo/runtime/record"
	"github.com/snodo-lang/snodo/runtime/rules"
	"github.com/snodo-lang/snodo/runtime/verdict"
	"github.com/snodo-lang/snodo/runtime/workspace"
)

// The exit codes that a shell gives where a command did not run, or was ended
// by a signal. They say nothing about the work.
const (
	exitNotExecutable = 126
	exitNotFound      = 127
	exitSignalled     = 128
)

// runCheck runs a check in a fresh folder of what its phase is about.
func (r *run) runCheck(ctx context.Context, name string, c *plan.Check) record.Result {
	return r.runCheckOn(ctx, name, c, r.subject(c.Phase))
}

// runCheckOn runs a check in a fresh folder of a commit. Only an exit says
// something about the work; whatever else happens is an error.
func (r *run) runCheckOn(ctx context.Context, name string, c *plan.Check, on workspace.Commit) record.Result {
	folder, _, err := r.makeFolder(ctx, "check", on)
	if err != nil {
		return failed(verdict.Tool, err.Error())
	}
	res := r.shell(ctx, folder, name, c.Run, time.Duration(c.TimeoutMS)*time.Millisecond, nil)
	changed, err := folder.ChangedTracked(ctx)
	if err = errors.Join(err, folder.Remove()); err != nil {
		return failed(verdict.Tool, err.Error())
	}
	because := fmt.Sprintf("`%s` %s", c.Run, res)
	if out := printed(res); out != "" {
		because += "\n" + out
	}
	switch {
	case res.Ending == child.TimedOut:
		return failed(verdict.Timeout, because)
	case res.Ending == child.Exited && (res.Code == exitNotExecutable || res.Code == exitNotFound):
		return failed(verdict.Tool, because+"\nThat is how a shell says that a command cannot be run; it says nothing about the work.")
	case res.Ending == child.Exited && res.Code >= exitSignalled:
		return failed(verdict.Tool, because+"\nThat is how a shell says that a command was ended by a signal; it says nothing about the work.")
	case res.Ending != child.Exited:
		return failed(verdict.Tool, because)
	case len(changed) > 0:
		return failed(verdict.Tool, fmt.Sprintf("`%s` changed tracked files: %s", c.Run, strings.Join(changed, ", ")))
	case res.Code == 0:
		return found(plan.Pass, fmt.Sprintf("`%s` %s", c.Run, res), nil)
	}
	return found(plan.Blocker, because, nil)
}

// subject is the commit that a phase is about: the base before the work, the
// result after it.
func (r *run) subject(phase string) workspace.Commit {
	if phase == plan.PreExecute {
		return r.Base
	}
	return r.head
}

// subjectOf is the commit that a gate is about.
func (r *run) subjectOf(where place) workspace.Commit {
	if where.attempt == 0 {
		return r.Base
	}
	return r.head
}

// applyRule applies a built-in rule to the change.
func (r *run) applyRule(ctx context.Context, rule *plan.Rule) record.Result {
	out, err := rules.Judge(ctx, rule, r.changes, r.Repository.Tree(r.head))
	if err != nil {
		return failed(verdict.Tool, err.Error())
	}
	if out.Verdict == plan.Pass {
		return found(plan.Pass, "holds for all of the change", nil)
	}
	res := record.Result{Verdict: &out.Verdict}
	for _, f := range out.Findings {
		finding := verdict.Finding{Verdict: plan.Blocker, Because: f.Because, Quotes: []verdict.Quote{}}
		if f.Line > 0 {
			// The place alone: a credential is never repeated.
			finding.Quotes = append(finding.Quotes, verdict.Quote{Path: f.Path, Line: f.Line})
		}
		res.Findings = append(res.Findings, finding)
	}
	return res
}

// found is the result of a validator with one finding.
func found(v plan.Verdict, because string, quotes []verdict.Quote) record.Result {
	if quotes == nil {
		quotes = []verdict.Quote{}
	}
	return record.Result{Verdict: &v, Findings: []verdict.Finding{{Verdict: v, Because: because, Quotes: quotes}}}
}
