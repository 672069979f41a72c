package command

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"github.com/snodo-lang/snodo/runtime/child"
	"github.com/snodo-lang/snodo/runtime/record"
	"github.com/snodo-lang/snodo/runtime/workspace"
)

var runsCommand = command{
	name:     "runs",
	synopsis: "[prune]",
	summary:  "lists what ran, newest first, or removes what finished runs left behind",
	detail: `snodo runs prune removes the folders and the kept commits of runs that are complete or blocked, and
of those whose record is gone. What can be resumed keeps all that it has, as does a run that is going
on; a result that no branch and no tag holds is kept too. Records stay.`,
	example: "snodo runs",
	bind: func(flags *pflag.FlagSet) action {
		f := &runsFlags{}
		flags.BoolVar(&f.json, "json", false, "print the runs as JSON")
		flags.IntVarP(&f.last, "last", "n", 20, "list the newest `N`")
		return func(ctx context.Context, s streams, args []string) (int, error) {
			switch {
			case len(args) == 0:
				return exitOK, f.list(ctx, s)
			case len(args) == 1 && args[0] == "prune":
				if flags.Changed("json") || flags.Changed("last") {
					return 0, usagef("snodo runs prune takes no flags: it looks at all runs")
				}
				return exitOK, pruneRuns(ctx, s)
			}
			return 0, usagef("the only word behind runs is prune, not %q%s", strings.Join(args, " "), suggestion(args[0], []string{"prune"}))
		}
	},
}

type runsFlags struct {
	json bool
	last int
}

// The states of a run, as they are listed.
const (
	runEnded   = "ended"
	runGoingOn = "going on"
	runStopped = "stopped" // killed: it has no outcome, and can be resumed
	runDamaged = "damaged" // its record cannot be read
	runUnbegun = "unbegun" // killed before its record began
)

// A listedRun is one line of the list.
type listedRun struct {
	Run       string  `json:"run"`
	State     string  `json:"state"`
	Outcome   *string `json:"outcome"`   // null unless it has ended
	HaltType  *string `json:"halt_type"` // null unless it has halted
	Started   *string `json:"started"`   // RFC 3339, in UTC; null where that cannot be told
	Stage     *string `json:"stage"`
	Rehearsal bool    `json:"rehearsal"`
	Replay    bool    `json:"replay"`
	Task      *string `json:"task"`
}

func (f *runsFlags) list(ctx context.Context, s streams) error {
	if f.last < 1 {
		return usagef("--last takes a number of at least 1")
	}
	repo, err := workspace.Open(ctx, ".")
	if err != nil {
		return usagef("%v", err)
	}
	defer repo.Close()
	root := record.Root(repo.MainWorktree())
	ids, err := runIDs(root)
	if err != nil {
		return err
	}
	runs, err := newest(root, ids, f.last)
	if err != nil {
		return err
	}
	if f.json {
		e := json.NewEncoder(s.out)
		e.SetEscapeHTML(false)
		return e.Encode(runs)
	}
	if err := writeRuns(s.out, runs); err != nil {
		return err
	}
	if older := len(ids) - len(runs); older > 0 {
		fmt.Fprintf(s.err, "and %s, which snodo runs --last %d lists too\n", counted(older, "older run"), len(ids))
	}
	return nil
}

// newest reads the records of the newest runs, at most last of them, and of no
// more than is needed to tell which they are: a name tells the second alone.
func newest(root string, ids []string, last int) ([]listedRun, error) {
	const second = len("20060102-150405")
	end := min(last, len(ids))
	for end > 0 && end < len(ids) && ids[end][:second] == ids[end-1][:second] {
		end++
	}
	runs := []listedRun{}
	for _, id := range ids[:end] {
		r, err := listed(filepath.Join(root, id))
		if err != nil {
			return nil, err
		}
		runs = append(runs, r)
	}
	slices.SortStableFunc(runs, func(a, b listedRun) int {
		if order := strings.Compare(b.Run[:second], a.Run[:second]); order != 0 {
			return order
		}
		return b.begun().Compare(a.begun())
	})
	return runs[:min(last, len(runs))], nil
}

// runIDs returns the names of the runs in a folder of records, newest first.
func runIDs(root string) ([]string, error) {
	dir, err := os.Open(root)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("list runs: %w", err)
	}
	defer dir.Close()
	entries, err := dir.ReadDir(-1) // in no order: the names are put in one below
	if err != nil {
		return nil, fmt.Errorf("list runs: %w", err)
	}
	var ids []string
	for _, e := range entries {
		if e.IsDir() && record.ValidID(e.Name()) {
			ids = append(ids, e.Name())
		}
	}
	slices.Sort(ids) // a name begins with the time
	slices.Reverse(ids)
	return ids, nil
}

// begun is when the run began, the zero time where that cannot be told.
func (r listedRun) begun() time.Time {
	if r.Started == nil {
		return time.Time{}
	}
	at, err := time.Parse(time.RFC3339Nano, *r.Started)
	if err != nil {
		return time.Time{}
	}
	return at
}

// listed reads the record of one run.
func listed(dir string) (listedRun, error) {
	r := listedRun{Run: filepath.Base(dir)}
	var events []record.Event
	var state record.State
	var err error
	if r.State, events, state, err = stateOf(dir); err != nil || state.Events == 0 {
		return r, err
	}
	r.Rehearsal, r.Replay = state.Started.Rehearsal != nil, state.Started.Replay != nil
	r.Stage, r.Task = &state.Started.Stage, &state.Started.Task
	r.Started = &events[0].Time
	if state.Ended != nil {
		r.Outcome = &state.Ended.Outcome
		if state.Ended.HaltType != "" {
			r.HaltType = &state.Ended.HaltType
		}
	}
	return r, nil
}

// stateOf says where a run stands, what its events are, and what they amount
// to; of a run without events that is nothing.
func stateOf(dir string) (string, []record.Event, record.State, error) {
	busy, err := record.Busy(dir)
	if err != nil {
		return "", nil, record.State{}, err
	}
	events, _, err := record.Load(dir)
	var state record.State
	if err == nil {
		state, err = record.Fold(events)
	}
	switch {
	case err != nil && !errors.Is(err, fs.ErrNotExist):
		return runDamaged, nil, record.State{}, nil
	case busy:
		return runGoingOn, events, state, nil
	case len(events) == 0:
		return runUnbegun, events, state, nil
	case state.Ended == nil:
		return runStopped, events, state, nil
	}
	return runEnded, events, state, nil
}

// shownTask is how much of a task stands in a line of the list, in characters.
const shownTask = 60

func writeRuns(w io.Writer, runs []listedRun) error {
	b := &strings.Builder{}
	stages, words := 0, 0
	for _, r := range runs {
		stages, words = max(stages, len(orDash(r.Stage))), max(words, len(r.word()))
	}
	for _, r := range runs {
		when := "-"
		if at := r.begun(); !at.IsZero() {
			when = at.Format("2006-01-02 15:04")
		}
		task := ""
		if r.Task != nil {
			task = cutRunes(firstLine(strings.TrimSpace(child.Sanitize(*r.Task))), shownTask)
		}
		line := fmt.Sprintf("%s  %-16s  %-*s  %-*s  %s", r.Run, when, stages, orDash(r.Stage), words, r.word(), task)
		b.WriteString(strings.TrimRight(line, " ") + "\n")
	}
	if len(runs) == 0 {
		b.WriteString("nothing has run in this repository\n")
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// word is what stands for the state of a run: its outcome, once it has one.
func (r listedRun) word() string {
	word := r.State
	if r.State == runEnded {
		word = *r.Outcome
	}
	switch {
	case r.Rehearsal:
		word += ", rehearsed"
	case r.Replay:
		word += ", replayed"
	}
	return word
}

func orDash(s *string) string {
	if s == nil {
		return "-"
	}
	return *s
}

func cutRunes(text string, limit int) string {
	if runes := []rune(text); len(runes) > limit {
		return string(runes[:limit-1]) + "…"
	}
	return text
}
