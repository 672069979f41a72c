package runtime

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/snodo-lang/snodo/compiler/plan"
	"github.com/snodo-lang/snodo/runtime/record"
)

// The lane of tasks: nothing is judged, and every turn becomes a row.

// A turn is what the last execution of a task came to.
type turn struct {
	outcome string // a halt type of a mode, empty where the change was taken
	reason  string
}

// turnOf is a turn that was not taken. Of a failed one it does not matter whether
// it changed anything.
func turnOf(outcome string, paths []string) turn {
	if outcome == plan.HaltCoderError {
		return turn{outcome, "the coder failed: it " + strings.Join(paths, ", ")}
	}
	return turn{outcome, executeReason(outcome, paths)}
}

// instruction is what the coder is to do: the task, or in a task its goal and
// what was said besides.
func (r *run) instruction() string {
	if r.stage.Kind != plan.Task {
		return r.Task
	}
	return strings.TrimSpace(*r.stage.Goal + "\n\n" + r.Task)
}

// keepTurn makes a row of the turn: kept where something was changed within the
// grants, discarded with its reason and its folder where not.
func (r *run) keepTurn(step *plan.Keep) (plan.Target, error) {
	row, recorded := r.recall.rows[r.attempt]
	if !recorded {
		row = record.Rowed{Turn: r.attempt, Decision: record.RowKeep}
		if r.turn.outcome != "" {
			row.Decision, row.Reason = record.RowDiscard, &r.turn.reason
		} else {
			commit := string(r.head)
			row.Commit = &commit
		}
		done, err := r.saysDone()
		if err != nil {
			return "", err
		}
		row.Done = done
		if err := r.append(row); err != nil {
			return "", err
		}
	}
	if row.Decision == record.RowKeep {
		r.kept++
	} else if r.coderFolder != nil {
		if err := r.coderFolder.Remove(); err != nil {
			return "", environment("remove what a discarded turn left", err)
		}
		r.coderFolder = nil
	}
	if row.Done || r.attempt >= step.Times {
		return step.Next.Done, nil
	}
	return step.Next.Again, nil
}

// saysDone says whether the coder has made the file by which it ends the task.
func (r *run) saysDone() (bool, error) {
	_, err := os.Lstat(r.donePath())
	switch {
	case err == nil:
		return true, nil
	case errors.Is(err, os.ErrNotExist):
		return false, nil
	}
	return false, environment("look whether the task is done", err)
}

// Notice is what is said of a task wherever one is met; of every other stage it
// is empty.
func Notice(s plan.Stage) string {
	if s.Kind != plan.Task {
		return ""
	}
	notice := "task: no judge: every completed turn is kept unscored"
	if slices.Contains(s.Powers, "publish") {
		notice += " and published"
	}
	return notice
}

// rowed is the reason of a task that completed.
func (r *run) rowed() string {
	return fmt.Sprintf("%d of %d turns were kept, unscored", r.kept, r.attempt)
}
