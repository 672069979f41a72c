package runtime

import (
	"context"
	"errors"
	"fmt"

	"github.com/snodo-lang/snodo/compiler/plan"
	"github.com/snodo-lang/snodo/runtime/record"
	"github.com/snodo-lang/snodo/runtime/workspace"
)

// complete exercises the powers of the stage, each announced before and
// recorded after. A rehearsed, replayed or partial
// run exercises none.
func (r *run) complete(ctx context.Context, step *plan.Complete) (plan.Target, *halt, error) {
	if r.stage.Kind == plan.Task && r.kept == 0 {
		return r.follow(step.Next.NothingKept, "no turn left anything to keep")
	}
	if !r.exercises() || r.head == "" {
		return step.Next.Done, nil, nil
	}
	for _, power := range r.stage.Powers {
		refusal, err := r.exercise(ctx, power)
		if err != nil {
			return "", nil, err
		}
		if refusal != "" {
			return r.follow(step.Next.Refused, refusal)
		}
	}
	return step.Next.Done, nil, nil
}

// exercise does what a power is for. A refusal says why it could not.
func (r *run) exercise(ctx context.Context, power string) (refusal string, err error) {
	if power != "commit" {
		panic("runtime: power " + power + " came past Check")
	}
	branch := "snodo/" + r.id
	if err := r.append(record.Intended{Power: power, Target: branch}); err != nil {
		return "", err
	}
	state := "done"
	err = r.Repository.CreateBranch(ctx, branch, r.head)
	if taken := (*workspace.RefError)(nil); errors.As(err, &taken) {
		state, refusal, err = "refused", fmt.Sprintf("the branch %s exists and holds something else", branch), nil
	}
	if err != nil {
		return "", environment("create the branch "+branch, err)
	}
	return refusal, r.append(record.Exercised{Power: power, State: state, Target: branch})
}
