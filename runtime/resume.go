package runtime

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/snodo-lang/snodo/compiler/plan"
	"github.com/snodo-lang/snodo/runtime/child"
	"github.com/snodo-lang/snodo/runtime/record"
	"github.com/snodo-lang/snodo/runtime/workspace"
)

// Recorded is the request that a run was started with, as its record has it.
// The repository, the way to an endpoint, and what shows and bounds the run on
// this machine are the caller's to fill in.
func Recorded(s record.Started, p *plan.Plan) (Request, error) {
	if s.Plan != p.Digest {
		return Request{}, fmt.Errorf("the plan of the record is %s, and the run was started with %s", p.Digest, s.Plan)
	}
	q := Request{
		Plan: p, Stage: s.Stage, Task: s.Task, Base: workspace.Commit(s.Base), Branch: or(s.Branch), Remote: s.Remote, Phase: or(s.Phase), Model: or(s.Model),
		Jobs: s.Jobs, Coder: or(s.Coder), Command: or(s.Command), Replay: or(s.Replay),
		Seed: s.Seed, Writable: s.Writable, Within: s.Within, PassEnv: s.PassEnv, Guarded: s.Guarded, Redacted: s.Redacted,
	}
	if s.Work != nil {
		work := workspace.Commit(*s.Work)
		q.Work = &work
	}
	if s.MaxTokens != nil {
		q.MaxTokens = *s.MaxTokens
	}
	if s.Rehearsal != nil {
		r, err := ParseRehearsal(*s.Rehearsal, p)
		if err != nil {
			return Request{}, fmt.Errorf("the rehearsal of the record: %w", err)
		}
		q.Rehearsal = r
	}
	return q, nil
}

func or(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}

// Settled says whether nothing would come of going on with a run: it came to
// an end that stands, or it waits for people and none has done anything since.
func Settled(events []record.Event) (bool, error) {
	state, err := record.Fold(events)
	if err != nil || state.Ended == nil {
		return false, err
	}
	switch state.Ended.Outcome {
	case Complete, Blocked:
		return true, nil
	case Escalate:
		last := events[len(events)-1].Kind
		return last == record.KindEnded, nil
	}
	return false, nil
}

// Resume goes on with a run that had stopped or was killed. It walks again from
// the start, takes what the record has from there, and does only what it does
// not have. Of a settled run it returns the payload again. The log is closed.
func Resume(ctx context.Context, log *record.Log, q Request) (record.Payload, error) {
	state, err := record.Fold(log.Events())
	if err != nil {
		return record.Payload{}, errors.Join(err, log.Close())
	}
	settled, err := Settled(log.Events())
	switch {
	case err != nil:
		return record.Payload{}, errors.Join(err, log.Close())
	case settled:
		// A run that was killed right behind its last event has no payload yet.
		p := state.Payload()
		return p, errors.Join(log.WritePayload(p), log.Close())
	}
	if err := CheckStatements(log.Events(), q.Plan); err != nil {
		return record.Payload{}, errors.Join(fmt.Errorf("the record holds what nobody signed: %w", err), log.Close())
	}
	if err := Check(q); err != nil {
		return record.Payload{}, errors.Join(err, log.Close())
	}
	r, err := newRun(q, state.Started.Run, log, seed(state.Started.Seed))
	if err != nil {
		return record.Payload{}, errors.Join(err, log.Close())
	}
	defer r.log.Close()
	r.spent.total, r.spent.about = state.Spent.Tokens, state.Spent.Estimated
	resumed := record.Resumed{Survived: child.EndSurvivors(r.id)}
	if state.Ended != nil {
		resumed.From = &state.Ended.HaltType
	}
	if err := r.append(resumed); err != nil {
		return record.Payload{}, err
	}
	return r.through(ctx)
}

// next returns the commands with which a person can go on from here.
func (r *run) next(e record.Ended) ([]string, error) {
	switch e.Outcome {
	case Complete:
		if r.Phase != "" {
			return []string{"snodo show " + r.id}, nil
		}
		return r.handOver(), nil
	case Blocked:
		return []string{"snodo show " + r.id}, nil
	case Escalate:
		return r.answers()
	}
	return []string{"snodo resume " + r.id}, nil
}

// answers are the commands that answer what is asked for, and then the one that
// goes on.
func (r *run) answers() ([]string, error) {
	state, err := record.Fold(r.log.Events())
	if err != nil {
		return nil, err
	}
	next := []string{}
	for _, q := range state.Requests {
		if q.State != record.StateOpen {
			continue
		}
		command := fmt.Sprintf("snodo evidence attach %s %s FILE", r.id, q.ID)
		role := q.Owner
		if q.Evidence == nil {
			command = fmt.Sprintf("snodo authorize %s %s --rule pass --as %s --because TEXT", r.id, q.Validator, role)
		}
		if r.Plan.Roles[role].Key != nil {
			command += " --key FILE"
		}
		if !slices.Contains(next, command) {
			next = append(next, command)
		}
	}
	return append(next, "snodo resume "+r.id), nil
}
