package runtime

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/snodo-lang/snodo/compiler/plan"
	"github.com/snodo-lang/snodo/runtime/record"
	"github.com/snodo-lang/snodo/runtime/workspace"
)

// The powers. plan.Powers has them in the order in which they are exercised.
const (
	powerCommit  = "commit"
	powerApprove = "approve"
	powerMerge   = "merge"
	powerPublish = "publish"
)

// Exercises says whether the run is to exercise a power at its end.
func (q Request) Exercises(power string) bool {
	return q.exercises() && slices.Contains(q.Plan.Stages[q.Stage].Powers, power)
}

// complete exercises the powers of the stage, in the one order that there is,
// whatever order the plan has them in: each is announced before and recorded
// after. A rehearsed, replayed or partial run exercises none.
func (r *run) complete(ctx context.Context, step *plan.Complete) (plan.Target, *halt, error) {
	if r.stage.Kind == plan.Task && r.kept == 0 {
		return r.follow(step.Next.NothingKept, "no turn left anything to keep")
	}
	if !r.exercises() || r.head == "" {
		return step.Next.Done, nil, nil
	}
	for _, power := range plan.Powers {
		if !slices.Contains(r.stage.Powers, power) {
			continue
		}
		refused, err := r.exercise(ctx, power)
		if err != nil {
			return "", nil, err
		}
		if refused != nil {
			target, end, err := r.follow(step.Next.Refused, refused.Error())
			if end != nil {
				end.detail = r.byHand(refused)
			}
			return target, end, err
		}
	}
	return step.Next.Done, nil, nil
}

// exercise does what a power is for, unless the record says that it is done.
// Where the run was cut short between the act and its record, the act finds
// itself done: every one of them asks the world first.
func (r *run) exercise(ctx context.Context, power string) (*workspace.RefusedError, error) {
	if was, ok := r.recall.exercised[power]; ok && was.State == record.PowerDone {
		return nil, r.tell(ctx, was)
	}
	target := r.target(power)
	if _, announced := r.recall.intended[power]; !announced {
		if err := r.append(record.Intended{Power: power, Target: target}); err != nil {
			return nil, err
		}
	}
	reached, err := r.act(ctx, power, target)
	var refused *workspace.RefusedError
	if errors.As(err, &refused) {
		return refused, r.append(record.Exercised{Power: power, State: record.PowerRefused, Target: target})
	}
	if err != nil {
		return nil, environment("exercise the power "+power, err)
	}
	done := record.Exercised{Power: power, State: record.PowerDone, Target: reached}
	if err := r.append(done); err != nil {
		return nil, err
	}
	return nil, r.tell(ctx, done)
}

// resultBranch is the branch that holds the result.
func (r *run) resultBranch() string { return "snodo/" + r.id }

// target is what a power acts on.
func (r *run) target(power string) string {
	switch power {
	case powerCommit:
		return r.resultBranch()
	case powerApprove:
		return string(r.head)
	case powerMerge:
		return r.Branch
	case powerPublish:
		return r.Remote + "/" + r.resultBranch()
	}
	panic("runtime: no such power: " + power)
}

// act exercises a power and returns what it reached. A *workspace.RefusedError
// says that the world is not as it was when the work was judged.
func (r *run) act(ctx context.Context, power, target string) (reached string, err error) {
	switch power {
	case powerCommit:
		err := r.Repository.CreateBranch(ctx, target, r.head)
		if taken := (*workspace.RefError)(nil); errors.As(err, &taken) {
			return "", &workspace.RefusedError{Power: power, Reason: fmt.Sprintf("the branch %s exists and holds something else", target),
				ByHand: []string{"git branch ANOTHER-NAME " + string(r.head)}}
		}
		return target, err
	case powerApprove:
		return target, r.Repository.Annotate(ctx, r.head, r.approval(), r.Now())
	case powerMerge:
		if target == "" {
			return "", &workspace.RefusedError{Power: power, Reason: "no local branch stands on the base, so there is none to move",
				ByHand: []string{"git merge --ff-only " + string(r.head)}}
		}
		return target, r.Repository.FastForward(ctx, target, r.Base, r.head)
	case powerPublish:
		return r.publish(ctx, target)
	}
	panic("runtime: no such power: " + power)
}

// approval is the note on a commit that a review approved. It says where the
// record stood, so that the record can be held to it.
func (r *run) approval() string {
	return strings.Join([]string{
		fmt.Sprintf("approved by the stage %s of the protocol %s", r.Stage, r.Plan.Protocol.Name),
		"Snodo-Run: " + r.id, "Snodo-Plan: " + r.Plan.Digest, "Snodo-Base: " + string(r.Base), "Snodo-Record: " + r.log.Announcement(powerApprove),
	}, "\n")
}

// byHand says how a person can go on where a power was refused.
func (r *run) byHand(refused *workspace.RefusedError) string {
	lines := []string{"By hand, or else resume the run once what stands in the way is gone:"}
	for _, command := range refused.ByHand {
		lines = append(lines, "  "+command)
	}
	if len(lines) == 1 {
		return ""
	}
	return strings.Join(lines, "\n")
}

// tell keeps what a person is told at the end of a power that was exercised.
func (r *run) tell(ctx context.Context, done record.Exercised) error {
	if done.Power != powerPublish {
		return nil
	}
	told, err := r.published(ctx, done.Target)
	if err != nil {
		return environment("look at what was published", err)
	}
	r.told = append(r.told, told)
	return nil
}
