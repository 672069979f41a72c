package runtime

import (
	"context"
	"fmt"
	"maps"
	"runtime/debug"
	"slices"
	"strings"
	"sync"

	"golang.org/x/sync/errgroup"

	"github.com/snodo-lang/snodo/compiler/plan"
	"github.com/snodo-lang/snodo/runtime/judge"
	"github.com/snodo-lang/snodo/runtime/record"
	"github.com/snodo-lang/snodo/runtime/verdict"
)

// gate asks every member, decides, and follows the route of the decision. What
// the record has of a member is taken from there, unless there is something
// new for it.
func (r *run) gate(ctx context.Context, name string, g *plan.Gate) (plan.Target, *halt, error) {
	if g.Phase == plan.PostExecute && r.head == "" {
		if end, err := r.receive(ctx); end != nil || err != nil {
			return "", end, err
		}
	}
	v := &visit{Gate: g, where: at(name, r.attemptOf(g)), members: slices.Concat(g.Panel, g.Observe), results: map[string]record.Result{}}
	v.round = r.recall.rounds(v.where)
	r.Observer.Entered(name, v.members)
	due, err := r.due(v)
	if err != nil {
		return "", nil, environment("read the record", err)
	}
	for {
		if err := r.ask(ctx, v, due); err != nil {
			return "", nil, err
		}
		if ctx.Err() != nil {
			end := interrupted()
			return "", &end, nil
		}
		decision, err := r.decided(v)
		if err != nil {
			return "", nil, err
		}
		if decision == record.DecisionProceed {
			r.passed = append(r.passed, v.passes()...)
			return g.Next.Proceed, nil, nil
		}
		again, target, end, err := r.route(ctx, v, decision)
		if err != nil || end != nil || target != "" {
			return target, end, err
		}
		// Evidence was gathered: those that asked for it are asked again.
		v.round++
		due = again
	}
}

// A visit is a gate while it is walked through: the newest results of its
// members, and how often it has gathered evidence.
type visit struct {
	*plan.Gate
	where   place
	members []string // panel and observers, in the plan's order
	results map[string]record.Result
	round   int
}

// deciding returns the results of those who decide, in the plan's order.
func (v *visit) deciding() []record.Result {
	var out []record.Result
	for _, name := range v.Panel {
		out = append(out, v.results[name])
	}
	return out
}

// passes are those who decide and passed.
func (v *visit) passes() []string {
	var out []string
	for _, res := range v.deciding() {
		if res.Verdict != nil && *res.Verdict == plan.Pass && v.Phase == plan.PostExecute {
			out = append(out, res.Validator)
		}
	}
	return out
}

// due takes what the record has of the members of a gate, and returns those
// that are to be asked: who never spoke, who erred, and for whom there is new
// evidence.
func (r *run) due(v *visit) ([]string, error) {
	var due []string
	for _, name := range v.members {
		fresh, err := r.resupply(v.where, name)
		if err != nil {
			return nil, err
		}
		newest, spoke := r.recall.newest(v.where, name)
		if !spoke || newest.Result.Error != nil || fresh {
			due = append(due, name)
			continue
		}
		res := newest.Result
		res.Ruling = r.recall.ruling(res, string(r.subjectOf(v.where)))
		v.results[name] = res
		r.Observer.Recalled(newest)
	}
	return due, nil
}

// decided records what the gate makes of the results, unless the record has it.
func (r *run) decided(v *visit) (string, error) {
	decision, counts := decide(v.Need, v.deciding())
	if was, ok := r.recall.decided[v.where]; ok && was.Decision == decision && was.Counts == counts {
		return decision, nil
	}
	return decision, r.append(record.Decided{
		Step: v.where.step, Phase: v.Phase, Attempt: v.where.number(), Need: v.Need, Counts: counts, Decision: decision, Members: v.members,
	})
}

// attemptOf is the attempt that a gate judges: none before the work.
func (r *run) attemptOf(g *plan.Gate) *int {
	if g.Phase == plan.PreExecute {
		return nil
	}
	n := r.attempt
	return &n
}

// ask gets a result of every one of some members: judges side by side, checks
// and rules one after another beside them. One that fails does not cancel the
// others.
func (r *run) ask(ctx context.Context, v *visit, members []string) error {
	var judges, commands []string
	for _, member := range members {
		if _, ok := r.Plan.Validators[member].(*plan.Judge); ok {
			judges = append(judges, member)
		} else {
			commands = append(commands, member)
		}
	}
	var mu sync.Mutex
	one := func(member string) error {
		res, err := r.judged(ctx, v, member)
		mu.Lock()
		defer mu.Unlock()
		v.results[member] = res
		return err
	}
	var lanes errgroup.Group
	lanes.Go(func() error { return each(commands, 1, one) })
	lanes.Go(func() error { return each(judges, r.Jobs, one) })
	return lanes.Wait()
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
func (r *run) judged(ctx context.Context, v *visit, name string) (record.Result, error) {
	began := r.Now()
	supplied, evidence := r.suppliedTo(name)
	asked := r.timesAsked(v.where, name) + 1
	got := r.consult(ctx, question{visit: v, name: name, asked: asked, supplied: evidence})
	res := got.result
	if ctx.Err() != nil {
		// What an interruption cut short was not weighed and is not recorded:
		// it is asked when the run goes on.
		return res, nil
	}
	if err := r.untouched(); err != nil {
		return res, err
	}
	if r.Recording != nil {
		if err := r.Recording.Err(); err != nil {
			return res, environment("record the exchanges", err)
		}
	}
	res.Validator = name
	res.Proven = r.proven(name)
	res.Observed = slices.Contains(v.Observe, name)
	res.MS = r.Now().Sub(began).Milliseconds()
	if res.Examined == nil {
		res.Examined = []verdict.Examined{}
	}
	if res.Findings == nil {
		res.Findings = []verdict.Finding{}
	}
	res.GovernedBy = []string{}
	if check, ok := r.Plan.Validators[name].(*plan.Check); ok && v.Phase == plan.PostExecute {
		res.GovernedBy = governedBy(check.Run, r.changes.Paths())
	}
	res, err := r.redacted(res).Seal()
	if err != nil {
		return res, err
	}
	entry := record.Judged{Step: v.where.step, Attempt: v.where.number(), Asked: asked, Round: v.round, Supplied: supplied, Result: res, Spent: got.spent}
	if got.transcript != nil {
		file, digest, err := r.log.Keep(record.Transcripts, transcriptName(v.where, name, asked), got.transcript)
		if err != nil {
			return res, err
		}
		entry.Transcript, entry.TranscriptDigest = &file, &digest
	}
	return res, r.append(entry)
}

// redacted is a result as it may be kept, shown and told a coder.
func (r *run) redacted(res record.Result) record.Result {
	if e := res.Error; e != nil {
		res.Error = &verdict.Failure{Class: e.Class, Message: r.Redact(e.Message), Turn: e.Turn}
	}
	res.Findings = slices.Clone(res.Findings)
	for i := range res.Findings {
		f := &res.Findings[i]
		f.Because = r.Redact(f.Because)
		f.Quotes = slices.Clone(f.Quotes)
		for k := range f.Quotes {
			f.Quotes[k].Path, f.Quotes[k].Text = r.Redact(f.Quotes[k].Path), r.Redact(f.Quotes[k].Text)
		}
		f.Missing = slices.Clone(f.Missing)
		for k, m := range f.Missing {
			f.Missing[k].Args = maps.Clone(m.Args)
			for name, arg := range m.Args {
				if text, ok := arg.(string); ok {
					f.Missing[k].Args[name] = r.Redact(text)
				}
			}
		}
	}
	return res
}

// timesAsked is how often a member was asked in a place.
func (r *run) timesAsked(where place, name string) int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return len(r.recall.judged[where][name])
}

func transcriptName(where place, validator string, asked int) string {
	parts := []string{where.step}
	if where.attempt > 0 {
		parts = append(parts, fmt.Sprintf("attempt-%d", where.attempt))
	}
	parts = append(parts, record.FileWord(validator), fmt.Sprintf("ask-%d", asked))
	return strings.Join(parts, "_") + ".json"
}

// A question is put to one validator.
type question struct {
	*visit
	name     string
	asked    int // which time, from 1
	supplied []judge.Supplied
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
func (r *run) consult(ctx context.Context, q question) (got consulted) {
	v := r.Plan.Validators[q.name]
	defer func() {
		if p := recover(); p != nil {
			got = consulted{result: failed(verdict.Internal, fmt.Sprintf("snodo failed: %v\n%s", p, debug.Stack()))}
		}
		got.result.Kind = v.OfKind()
	}()
	switch v := v.(type) {
	case *plan.Judge:
		if r.Rehearsal != nil {
			return consulted{result: r.Rehearsal.play(q.name, v)}
		}
		return r.converse(ctx, q, v)
	case *plan.Check:
		return consulted{result: r.runCheck(ctx, q.name, v)}
	case *plan.Rule:
		return consulted{result: r.applyRule(ctx, v)}
	}
	panic(fmt.Sprintf("runtime: no such validator: %T", v))
}

// failed is the result of a validator that came to no verdict.
func failed(class verdict.Class, message string) record.Result {
	return record.Result{Error: &verdict.Failure{Class: class, Message: message}}
}
