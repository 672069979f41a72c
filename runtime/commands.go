package runtime

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/snodo-lang/snodo/compiler/plan"
	"github.com/snodo-lang/snodo/runtime/child"
	"github.com/snodo-lang/snodo/runtime/judge"
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

// runCheck runs a check in a fresh folder of the result. Only an exit says
// something about the work; whatever else happens is an error.
func (r *run) runCheck(ctx context.Context, name string, c *plan.Check) record.Result {
	folder, _, err := r.makeFolder(ctx, "check", r.subject(c.Phase))
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

// gather carries out what unclear findings of the panel request and commands
// can obtain, and returns the judges that have something new.
func (r *run) gather(ctx context.Context, step string, results []record.Result) ([]string, error) {
	type order struct {
		missing verdict.Missing
		judges  []string
	}
	orders := map[string]*order{}
	var keys []string
	for _, res := range results {
		for _, f := range res.Findings {
			for _, m := range f.Missing {
				if r.Plan.Evidence[m.Evidence].Obtain == nil || m.Args == nil && len(r.Plan.Evidence[m.Evidence].Params) > 0 {
					continue
				}
				key, err := plan.Digest(m)
				if err != nil {
					return nil, err
				}
				if orders[key] == nil {
					orders[key] = &order{missing: m}
					keys = append(keys, key)
				}
				orders[key].judges = appendNew(orders[key].judges, res.Validator)
			}
		}
	}
	var again []string
	for _, key := range keys {
		o := orders[key]
		got, known := r.gathered[key]
		if !known {
			var err error
			if got, err = r.obtain(ctx, step, o.missing, o.judges); err != nil {
				return nil, err
			}
			r.gathered[key] = got
		}
		if got == nil {
			continue // it could not start: the request stays open
		}
		for _, name := range o.judges {
			// A judge that has it already has nothing new to go on.
			if r.given[name+" "+key] {
				continue
			}
			r.given[name+" "+key] = true
			r.supplied[name] = append(r.supplied[name], *got)
			again = appendNew(again, name)
		}
	}
	return again, nil
}

func appendNew(list []string, word string) []string {
	for _, have := range list {
		if have == word {
			return list
		}
	}
	return append(list, word)
}

// obtain runs the command of an evidence in a fresh folder of the result. Its
// output is evidence however it ended; nil where it could not start.
func (r *run) obtain(ctx context.Context, step string, m verdict.Missing, judges []string) (*judge.Supplied, error) {
	o := r.Plan.Evidence[m.Evidence].Obtain
	argv := make([]string, len(o.Argv))
	for i, arg := range o.Argv {
		argv[i] = fill(arg, m.Args)
	}
	commit := r.head
	if commit == "" {
		commit = r.Base
	}
	folder, _, err := r.makeFolder(ctx, "obtain", commit)
	if err != nil {
		return nil, err
	}
	res := child.Run(ctx, child.Command{
		Argv: argv, Dir: folder.Dir(), Env: r.environment(), Timeout: time.Duration(o.TimeoutMS) * time.Millisecond,
		Line: func(line string) { r.Observer.Output(m.Evidence, r.Redact(line)) },
	})
	if err := folder.Remove(); err != nil {
		return nil, environment("remove the folder of "+m.Evidence, err)
	}
	entry := record.Gathered{Step: step, Evidence: m.Evidence, Args: m.Args, Argv: argv, Judges: judges, Ending: res.String(), MS: res.Elapsed.Milliseconds()}
	if res.Ending == child.NotStarted {
		return nil, r.append(entry)
	}
	name := fmt.Sprintf("gathered-%03d.txt", len(r.log.Events())+1)
	file, digest, err := r.log.Keep(record.Evidence, name, []byte(printed(res)))
	if err != nil {
		return nil, err
	}
	entry.File, entry.Digest = &file, &digest
	source := fmt.Sprintf("the command %q, which %s", argv, res)
	return &judge.Supplied{Evidence: m.Evidence, Args: m.Args, Source: source, Head: res.Output.Head, Tail: res.Output.Tail, Omitted: int(res.Output.Omitted)}, r.append(entry)
}
