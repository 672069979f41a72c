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
func (r *run) route(ctx context.Context, v *visit, decision string) ([]string, plan.Target, *halt, error) {
	for _, a := range routeOf(v.Gate, decision) {
		switch a.Do {
		case plan.DoGather:
			if v.round >= a.Times {
				continue
			}
			again, err := r.gather(ctx, v.where, v.deciding())
			if err != nil || len(again) > 0 {
				return again, "", nil, err
			}
		case plan.DoRecover:
			target, end, err := r.recover(v, plan.Verdict(decision), a)
			if err != nil || end != nil || target != "" {
				return nil, target, end, err
			}
		case plan.DoAsk:
			end, err := r.escalate(v, a.Role)
			return nil, "", end, err
		case plan.DoHalt:
			return nil, "", &halt{as: a.As, phase: &v.Phase, reason: gateReason(v, decision)}, nil
		default:
			panic("runtime: no such action: " + a.Do)
		}
	}
	panic(fmt.Sprintf("runtime: the route of %s in %s does not end", decision, v.where.step))
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
func gateReason(v *visit, decision string) string {
	var who []string
	for _, res := range v.deciding() {
		if decision == record.DecisionError && res.Error != nil {
			who = append(who, fmt.Sprintf("%s (%s)", res.Validator, res.Error.Class))
		}
		if counts := standing(res); counts != nil && string(*counts) == decision {
			who = append(who, res.Validator)
		}
	}
	return fmt.Sprintf("%d %s: %s", len(who), decision, strings.Join(who, ", "))
}

// recover sends the findings back to the coder, if the route still may. Where
// nothing has moved since the attempt before, it ends as stalled.
func (r *run) recover(v *visit, verdict plan.Verdict, a plan.Action) (plan.Target, *halt, error) {
	if r.Work != nil {
		return "", nil, nil // there is no coder to send: the recovery counts as exhausted
	}
	route := record.RouteKey(v.where.step, verdict)
	past := r.pastOf(v)
	if _, recorded := r.recall.recovering[v.where][verdict]; recorded {
		r.recovered[route]++
		r.past = append(r.past, past)
		return plan.Target(a.To), nil, nil
	}
	if r.recovered[route] >= a.Times {
		return "", nil, nil
	}
	if n := len(r.past); n > 0 && past.signature != "" && r.past[n-1].signature == past.signature {
		return r.follow(a.Stalled, "two attempts in a row were found to lack the same in the same places")
	}
	r.recovered[route]++
	r.past = append(r.past, past)
	err := r.append(record.Recovering{Step: v.where.step, Verdict: verdict, Count: r.recovered[route], Times: a.Times, Attempt: r.attempt})
	return plan.Target(a.To), nil, err
}

// pastOf gathers what the coder is told of this attempt: the findings of the
// panel that were no passes, and who passed so far.
func (r *run) pastOf(v *visit) pastAttempt {
	past := pastAttempt{number: r.attempt, passed: append(slices.Clone(r.passed), v.passes()...)}
	var places []string
	quoted := false
	for _, res := range v.deciding() {
		counts := standing(res)
		if counts == nil || *counts == plan.Pass {
			continue
		}
		f := coder.Failed{Validator: res.Validator}
		for _, finding := range wanting(res) {
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
	return past
}

// wanting returns the findings of a result that are no passes. Where a person
// has ruled on it, what they found is the finding.
func wanting(res record.Result) []verdict.Finding {
	if res.Ruling != nil {
		return []verdict.Finding{{Verdict: res.Ruling.Rule, Because: res.Ruling.Because, Quotes: []verdict.Quote{}}}
	}
	return slices.DeleteFunc(slices.Clone(res.Findings), func(f verdict.Finding) bool { return f.Verdict == plan.Pass })
}

// escalate opens one request for every missing item of an unclear finding,
// and one for every warn finding that stands in the way, and ends the run.
// What is asked for already is not asked for again.
func (r *run) escalate(v *visit, role string) (*halt, error) {
	state, err := record.Fold(r.log.Events())
	if err != nil {
		return nil, err
	}
	stands := func(res record.Result) plan.Verdict {
		if counts := standing(res); counts != nil {
			return *counts
		}
		return ""
	}
	kind := plan.Warn
	if slices.ContainsFunc(v.deciding(), func(res record.Result) bool { return stands(res) == plan.Unclear }) {
		kind = plan.Unclear
	}
	var who []string
	asked := record.Asked{Step: v.where.step, Role: role, Commit: string(r.subjectOf(v.where)), Requests: []record.Request{}}
	for _, res := range v.deciding() {
		if stands(res) != kind {
			continue
		}
		who = append(who, res.Validator)
		for _, q := range r.requests(res, kind, role) {
			if !slices.ContainsFunc(state.Requests, q.Asks) {
				q.ID = fmt.Sprintf("q%d", r.recall.asked+len(asked.Requests)+1)
				asked.Requests = append(asked.Requests, q)
			}
		}
	}
	end := &halt{as: plan.HaltEscalate, phase: &v.Phase, reason: fmt.Sprintf("%d %s: %s", len(who), kind, strings.Join(who, ", "))}
	if len(asked.Requests) == 0 {
		return end, nil
	}
	return end, r.append(asked)
}

// requests words what is asked of people because of a result.
func (r *run) requests(res record.Result, kind plan.Verdict, role string) []record.Request {
	var out []record.Request
	for _, f := range res.Findings {
		switch {
		case f.Verdict != kind:
		case kind == plan.Warn:
			out = append(out, r.request(res.Validator, f, role, nil))
		default:
			for _, m := range f.Missing {
				out = append(out, r.request(res.Validator, f, role, &m))
			}
		}
	}
	return out
}

// request words one request. m is nil for a warn finding, which asks for a
// ruling and for no evidence.
func (r *run) request(validator string, f verdict.Finding, role string, m *verdict.Missing) record.Request {
	q := record.Request{Validator: validator, Criterion: f.Criterion, Owner: role, Request: f.Because, State: record.StateOpen}
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
