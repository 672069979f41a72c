package command

import (
	"context"
	"errors"
	"fmt"
	"io/fs"

	"github.com/spf13/pflag"

	"github.com/snodo-lang/snodo/runtime/record"
)

var showCommand = command{
	name:     "show",
	synopsis: "RUN",
	summary:  "prints one run in full",
	example:  "snodo show $RUN",
	bind: func(flags *pflag.FlagSet) action {
		var json bool
		flags.BoolVar(&json, "json", false, "print the payload as JSON")
		color := bindColor(flags)
		return func(ctx context.Context, s streams, args []string) (int, error) {
			if len(args) != 1 {
				return 0, usagef("name one run, such as 20261130-191530-7f3a09c1d2")
			}
			if err := color.valid(); err != nil {
				return 0, err
			}
			state, dir, err := stateOf(ctx, args[0])
			if err != nil {
				return 0, err
			}
			if state.Ended == nil {
				return 0, noOutcome(args[0], dir, state)
			}
			if !json {
				return exitOK, writeSummary(s.out, state.Payload(), state.Ended.Detail, color.colors(s.out))
			}
			out, err := state.Payload().Encode()
			if err != nil {
				return 0, err
			}
			_, err = s.out.Write(out)
			return exitOK, err
		}
	},
}

// noOutcome says how far a run has come that has not ended.
func noOutcome(run, dir string, state record.State) error {
	busy, err := record.Busy(dir)
	if err != nil {
		return err
	}
	what := "it was stopped before it had one"
	if busy {
		what = "it is still going on"
	}
	return usagef("run %s has no outcome: %s, after %s (%s sent, %s taken); the record is %s", run, what,
		counted(state.Events, "event"), counted(state.Dispatches, "coder"), counted(len(state.Attempts), "attempt"), dir)
}

// stateOf loads the record of a run of the repository that holds the current
// folder, and says where it stands.
func stateOf(ctx context.Context, run string) (record.State, string, error) {
	repo, dir, err := recordOf(ctx, run)
	if err != nil {
		return record.State{}, "", err
	}
	defer repo.Close()
	events, _, err := record.Load(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return record.State{}, "", usagef("run %s was stopped before its record began", run)
	}
	if err != nil {
		return record.State{}, "", fmt.Errorf("run %s: %w", run, err)
	}
	state, err := record.Fold(events)
	if err != nil {
		return record.State{}, "", fmt.Errorf("run %s: %w", run, err)
	}
	return state, dir, nil
}
