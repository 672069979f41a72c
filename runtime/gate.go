package runtime

import (
	"context"
	"fmt"
	"runtime/debug"
	"slices"
	"strings"
	"sync"

	"golang.org/x/sync/errgroup"

	"github.com/snodo-lang/snodo/compiler/plan"
	"github.com/snodo-lang/snodo/runtime/record"
	"github.com/snodo-lang/snodo/runtime/verdict"
)

// gate asks every member, decides, and follows the route of the decision.
func (r *run) gate(ctx context.Context, name string, g *plan.Gate) (plan.Target, *halt, error) {
	if g.Phase == plan.PostExecute && r.head == "" {
		if end, err := r.receive(ctx); end != nil || err != nil {
			return "", end, err
		}
	}
	members := slices.Concat(g.Panel, g.Observe)
	r.Observer.Entered(name, members)
	results, err := r.ask(ctx, name, g, members)
	if err != nil {
		return "", nil, err
	}
	for round := 0; ; round++ {
		if ctx.Err() != nil {
			end := interrupted()
			return "", &end, nil
		}
		decision, err := r.decided(name, g, members, results)
		if err != nil {
			return "", nil, err
		}
		if decision == record.DecisionProceed {
			return g.Next.Proceed, nil, nil
		}
		again, target, end, err := r.route(ctx, name, g, decision, results, round)
		if err != nil || end != nil || target != "" {
			return target, end, err
		}
		// Evidence was gathered: those that asked for it are asked again.
		for _, member := range again {
			if results[member], err = r.judged(ctx, name, g, member, round+1); err != nil {
				return "", nil, err
			}
		}
	}
}

// decided records what the gate makes of the results.
func (r *run) decided(name string, g *plan.Gate, members []string, results map[string]record.Result) (string, error) {
	decision, counts := decide(g.Need, panel(g, results))
	return decision, r.append(record.Decided{
		Step: name, Phase: g.Phase, Attempt: r.attemptOf(g), Need: g.Need, Counts: counts, Decision: decision, Members: members,
	})
}

// panel returns the results of those who decide, in the plan's order.
func panel(g *plan.Gate, results map[string]record.Result) []record.Result {
	var out []record.Result
	for _, name := range g.Panel {
		out = append(out, results[name])
	}
	return out
}

// attemptOf is the attempt that a gate judges: none before the work.
func (r *run) attemptOf(g *plan.Gate) *int {
	if g.Phase == plan.PreExecute {
		return nil
	}
	n := r.attempt
	return &n
}

// ask gets a result of every member: judges side by side, checks and rules
// one after another beside them. One that fails does not cancel the others.
func (r *run) ask(ctx context.Context, name string, g *plan.Gate, members []string) (map[string]record.Result, error) {
	var judges, commands []string
	for _, member := range members {
		if _, ok := r.Plan.Validators[member].(*plan.Judge); ok {
			judges = append(judges, member)
		} else {
			commands = append(commands, member)
		}
	}
	var mu sync.Mutex
	results := make(map[string]record.Result, len(members))
	one := func(member string) error {
		res, err := r.judged(ctx, name, g, member, 0)
		mu.Lock()
		defer mu.Unlock()
		results[member] = res
		return err
	}
	var lanes errgroup.Group
	lanes.Go(func() error { return each(commands, 1, one) })
	lanes.Go(func() error { return each(judges, r.Jobs, one) })
	return results, lanes.Wait()
}

// each does something for every name, at most limit of them at once. It
// returns the first error, and waits for the others all the same.
func each(names []string, limit int, do func(name string) error) error {
	var work errgroup.Group
	work.SetLimit(limit)
	for _, name := range names {
		work.Go(func() error { return do(name) })
	}
	return work.Wait()
}

// judged gets the result of one member and records it. The only error is that
// it could not be recorded; everything else is part of the result.
func (r *run) judged(ctx context.Context, step string, g *plan.Gate, name string, round int) (record.Result, error) {
	began := r.Now()
	got := r.consult(ctx, step, g, name, round)
	res := got.result
	if ctx.Err() != nil {
		// What an interruption cut short was not weighed and is not recorded:
		// it is asked when the run goes on.
		return res, nil
	}
	if r.Recording != nil {
		if err := r.Recording.Err(); err != nil {
			return res, environment("record the exchanges", err)
		}
	}
	res.Validator = name
	res.Observed = slices.Contains(g.Observe, name)
	res.MS = r.Now().Sub(began).Milliseconds()
	if res.Examined == nil {
		res.Examined = []verdict.Examined{}
	}
	if res.Findings == nil {
		res.Findings = []verdict.Finding{}
	}
	res, err := res.Seal()
	if err != nil {
		return res, err
	}
	entry := record.Judged{Step: step, Attempt: r.attemptOf(g), Result: res, Spent: got.spent}
	if got.transcript != nil {
		file, digest, err := r.log.Keep(record.Transcripts, transcriptName(step, r.attemptOf(g), name, round), got.transcript)
		if err != nil {
			return res, err
		}
		entry.Transcript, entry.TranscriptDigest = &file, &digest
	}
	return res, r.append(entry)
}

func transcriptName(step string, attempt *int, validator string, round int) string {
	parts := []string{step}
	if attempt != nil {
		parts = append(parts, fmt.Sprintf("attempt-%d", *attempt))
	}
	parts = append(parts, strings.NewReplacer("/", "_", ".", "_").Replace(validator), fmt.Sprintf("round-%d", round))
	return strings.Join(parts, "_") + ".json"
}

// consulted is what came of asking a validator: its result and, where it is a
// judge that was spoken to, the conversation and what that took.
type consulted struct {
	result     record.Result
	transcript []byte
	spent      *record.Spent
}

// consult asks one validator. A panic in it is an error of class internal,
// with the stack in the record, and never a pass.
func (r *run) consult(ctx context.Context, step string, g *plan.Gate, name string, round int) (got consulted) {
	v := r.Plan.Validators[name]
	defer func() {
		if p := recover(); p != nil {
			got = consulted{result: failed(verdict.Internal, fmt.Sprintf("snodo failed: %v\n%s", p, debug.Stack()))}
		}
		got.result.Kind = v.OfKind()
	}()
	switch v := v.(type) {
	case *plan.Judge:
		if r.Rehearsal != nil {
			return consulted{result: r.Rehearsal.play(name, v)}
		}
		return r.converse(ctx, step, g.Phase, name, v, round)
	case *plan.Check:
		return consulted{result: r.runCheck(ctx, name, v)}
	case *plan.Rule:
		return consulted{result: r.applyRule(ctx, v)}
	}
	panic(fmt.Sprintf("runtime: no such validator: %T", v))
}

// failed is the result of a validator that came to no verdict.
func failed(class verdict.Class, message string) record.Result {
	return record.Result{Error: &verdict.Failure{Class: class, Message: message}}
}
