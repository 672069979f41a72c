package runtime

import (
	"context"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/snodo-lang/snodo/compiler/plan"
	"github.com/snodo-lang/snodo/runtime/coder"
	"github.com/snodo-lang/snodo/runtime/record"
	"github.com/snodo-lang/snodo/runtime/verdict"
)

// A pastAttempt is an attempt that was sent back to the coder.
type pastAttempt struct {
	number    int
	failed    []coder.Failed
	passed    []string
	signature string // empty where no finding quotes a place
}

// route follows the route of a decision until a step of it applies. It
// returns who is to be asked again, or where the walk goes on, or its end.
func (r *run) route(ctx context.Context, name string, g *plan.Gate, decision string, results map[string]record.Result, round int) ([]string, plan.Target, *halt, error) {
	for _, a := range routeOf(g, decision) {
		switch a.Do {
		case plan.DoGather:
			if round >= a.Times {
				continue
			}
			again, err := r.gather(ctx, name, panel(g, results))
			if err != nil || len(again) > 0 {
				return again, "", nil, err
			}
		case plan.DoRecover:
			target, end, err := r.recover(name, g, plan.Verdict(decision), a, results)
			if err != nil || end != nil || target != "" {
				return nil, target, end, err
			}
		case plan.DoAsk:
			end, err := r.escalate(name, g, a.Role, panel(g, results))
			return nil, "", end, err
		case plan.DoHalt:
			return nil, "", &halt{as: a.As, phase: &g.Phase, reason: gateReason(g, decision, results)}, nil
		default:
			panic("runtime: no such action: " + a.Do)
		}
	}
	panic(fmt.Sprintf("runtime: the route of %s in %s does not end", decision, name))
}

func routeOf(g *plan.Gate, decision string) plan.Route {
	switch decision {
	case record.DecisionWarn:
		return g.Next.Warn
	case record.DecisionUnclear:
		return g.Next.Unclear
	case record.DecisionBlocker:
		return g.Next.Blocker
	case record.DecisionError:
		return g.Next.Error
	}
	panic("runtime: no such decision: " + decision)
}

// gateReason says in one line who brought a decision about.
func gateReason(g *plan.Gate, decision string, results map[string]record.Result) string {
	var who []string
	for _, res := range panel(g, results) {
		if decision == record.DecisionError && res.Error != nil {
			who = append(who, fmt.Sprintf("%s (%s)", res.Validator, res.Error.Class))
		}
		if res.Verdict != nil && string(*res.Verdict) == decision {
			who = append(who, res.Validator)
		}
	}
	return fmt.Sprintf("%d %s: %s", len(who), decision, strings.Join(who, ", "))
}

// recover sends the findings back to the coder, if the route still may. Where
// nothing has moved since the attempt before, it ends as stalled.
func (r *run) recover(name string, g *plan.Gate, v plan.Verdict, a plan.Action, results map[string]record.Result) (plan.Target, *halt, error) {
	if r.Work != nil {
		return "", nil, nil // there is no coder to send: the recovery counts as exhausted
	}
	state, err := record.Fold(r.log.Events())
	if err != nil {
		return "", nil, err
	}
	count := state.Recovered[record.RouteKey(name, v)] + 1
	if count > a.Times {
		return "", nil, nil
	}
	past := r.pastOf(g, state, results)
	if n := len(r.past); n > 0 && past.signature != "" && r.past[n-1].signature == past.signature {
		return r.follow(a.Stalled, "two attempts in a row were found to lack the same in the same places")
	}
	r.past = append(r.past, past)
	err = r.append(record.Recovering{Step: name, Verdict: v, Count: count, Times: a.Times, Attempt: r.attempt})
	return plan.Target(a.To), nil, err
}

// pastOf gathers what the coder is told of this attempt: the findings of the
// panel that were no passes, and who passed so far.
func (r *run) pastOf(g *plan.Gate, state record.State, results map[string]record.Result) pastAttempt {
	past := pastAttempt{number: r.attempt}
	var places []string
	quoted := false
	for _, res := range panel(g, results) {
		v := standing(res)
		if v == nil || *v == plan.Pass {
			continue
		}
		f := coder.Failed{Validator: res.Validator}
		for _, finding := range res.Findings {
			if finding.Verdict == plan.Pass {
				continue
			}
			f.Findings = append(f.Findings, finding)
			places = append(places, fmt.Sprintf("%q %q %s", res.Validator, finding.Criterion, finding.Verdict))
			for _, q := range finding.Quotes {
				quoted = true
				places = append(places, fmt.Sprintf("%q %d", q.Path, q.Line))
			}
		}
		past.failed = append(past.failed, f)
	}
	if quoted {
		past.signature = strings.Join(places, "\n")
	}
	for _, gate := range state.Gates() {
		for _, res := range gate.Results {
			if gate.Attempt != nil && !res.Observed && res.Verdict != nil && *res.Verdict == plan.Pass {
				past.passed = append(past.passed, res.Validator)
			}
		}
	}
	return past
}

// escalate opens one request for every missing item of an unclear finding,
// and one for every warn finding that stands in the way, and ends the run.
func (r *run) escalate(name string, g *plan.Gate, role string, results []record.Result) (*halt, error) {
	asked := record.Asked{Step: name, Role: role, Requests: []record.Request{}}
	var who []string
	unclear := slices.ContainsFunc(results, func(res record.Result) bool { return res.Verdict != nil && *res.Verdict == plan.Unclear })
	for _, res := range results {
		for _, f := range res.Findings {
			if f.Verdict == plan.Unclear {
				for _, m := range f.Missing {
					asked.Requests = append(asked.Requests, r.request(len(asked.Requests)+1, res.Validator, f, role, &m))
				}
			}
			if f.Verdict == plan.Warn && !unclear {
				asked.Requests = append(asked.Requests, r.request(len(asked.Requests)+1, res.Validator, f, role, nil))
			}
		}
		if v := res.Verdict; v != nil && (*v == plan.Unclear || *v == plan.Warn && !unclear) {
			who = append(who, res.Validator)
		}
	}
	kind := "warn"
	if unclear {
		kind = "unclear"
	}
	reason := fmt.Sprintf("%d %s: %s", len(who), kind, strings.Join(who, ", "))
	return &halt{as: plan.HaltEscalate, phase: &g.Phase, reason: reason}, r.append(asked)
}

// request words one request. m is nil for a warn finding, which asks for a
// ruling and for no evidence.
func (r *run) request(n int, validator string, f verdict.Finding, role string, m *verdict.Missing) record.Request {
	q := record.Request{ID: fmt.Sprintf("q%d", n), Validator: validator, Criterion: f.Criterion, Owner: role, Request: f.Because, State: record.StateOpen}
	if m == nil {
		return q
	}
	e := r.Plan.Evidence[m.Evidence]
	q.Evidence, q.Args, q.Request = &m.Evidence, m.Args, fill(e.Request, m.Args)
	if e.Owner != nil {
		q.Owner = *e.Owner
	}
	return q
}

// placeholder is a name in braces, or one in two pairs of them, which is
// literal.
var placeholder = regexp.MustCompile(`\{\{([A-Za-z_][A-Za-z0-9_]*(?:-[A-Za-z0-9_]+)*)\}\}|\{([A-Za-z_][A-Za-z0-9_]*(?:-[A-Za-z0-9_]+)*)\}`)

// fill puts arguments in the place of {name} placeholders; {{name}} is the
// literal {name}, and any other brace is itself. Where args holds no such
// name, as in a rehearsal, the placeholder stays.
func fill(text string, args map[string]any) string {
	return placeholder.ReplaceAllStringFunc(text, func(found string) string {
		if strings.HasPrefix(found, "{{") {
			return found[1 : len(found)-1]
		}
		if v, ok := args[found[1:len(found)-1]]; ok {
			return fmt.Sprint(v)
		}
		return found
	})
}
