package command

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"

	"github.com/spf13/pflag"

	"github.com/snodo-lang/snodo/runtime/record"
)

var showCommand = command{
	name:     "show",
	synopsis: "RUN",
	summary:  "prints one run in full, or what one of its judges was told and said",
	example:  "snodo show $RUN",
	bind: func(flags *pflag.FlagSet) action {
		f := &showFlags{}
		flags.BoolVar(&f.json, "json", false, "print the payload, or the conversations, as JSON")
		flags.StringVar(&f.transcript, "transcript", "", "print the conversations of the judge `VALIDATOR`")
		f.color = bindColor(flags)
		return func(ctx context.Context, s streams, args []string) (int, error) {
			if len(args) != 1 {
				return 0, usagef("name one run, such as 20261130-191530-7f3a09c1d2")
			}
			return f.show(ctx, s, args[0])
		}
	},
}

type showFlags struct {
	json       bool
	transcript string
	color      *colorFlag
}

func (f *showFlags) show(ctx context.Context, s streams, run string) (int, error) {
	if err := f.color.valid(); err != nil {
		return 0, err
	}
	r, err := loadRun(ctx, run)
	if err != nil {
		return 0, err
	}
	if f.transcript != "" {
		return exitOK, f.talk(s, r)
	}
	if r.state.Ended == nil {
		return 0, noOutcome(run, r.dir, r.state)
	}
	if !f.json {
		return exitOK, writeSummary(s.out, r.state.Payload(), r.state.Ended.Detail, f.color.colors(s.out))
	}
	out, err := r.state.Payload().Encode()
	if err != nil {
		return 0, err
	}
	_, err = s.out.Write(out)
	return exitOK, err
}

// talk prints the conversations of one judge or coder, in their order.
func (f *showFlags) talk(s streams, r loadedRun) error {
	all, err := record.Conversations(r.dir, r.events, f.transcript)
	if err != nil {
		return err
	}
	if len(all) == 0 {
		return usagef("there is no conversation of %q in run %s: no judge of this name was asked, and no model of this name was sent", f.transcript, r.state.Started.Run)
	}
	if f.json {
		e := json.NewEncoder(s.out)
		e.SetEscapeHTML(false)
		return e.Encode(all)
	}
	for i, c := range all {
		if i > 0 {
			fmt.Fprintln(s.out)
		}
		if err := writeConversation(s.out, c); err != nil {
			return err
		}
	}
	return nil
}

// noOutcome says how far a run has come that has not ended.
func noOutcome(run, dir string, state record.State) error {
	busy, err := record.Busy(dir)
	if err != nil {
		return err
	}
	what := fmt.Sprintf("it was stopped before it had one, and snodo resume %s goes on with it", run)
	if busy {
		what = "it is still going on"
	}
	return usagef("run %s has no outcome: %s; %s, %s sent, %s taken; the record is %s", run, what,
		counted(state.Events, "event"), counted(state.Dispatches, "coder"), counted(len(state.Attempts), "attempt"), dir)
}

// A loadedRun is a record as it was read.
type loadedRun struct {
	dir    string
	events []record.Event
	state  record.State
}

// loadRun loads the record of a run of the repository that holds the current
// folder, and says where it stands.
func loadRun(ctx context.Context, run string) (loadedRun, error) {
	repo, dir, err := recordOf(ctx, run)
	if err != nil {
		return loadedRun{}, err
	}
	defer repo.Close()
	events, _, err := record.Load(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return loadedRun{}, usagef("run %s was stopped before its record began", run)
	}
	if err != nil {
		return loadedRun{}, fmt.Errorf("run %s: %w", run, err)
	}
	state, err := record.Fold(events)
	if err != nil {
		return loadedRun{}, fmt.Errorf("run %s: %w", run, err)
	}
	return loadedRun{dir, events, state}, nil
}
