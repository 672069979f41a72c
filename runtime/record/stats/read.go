package stats

import (
	"container/heap"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"os"
	"path/filepath"
	"slices"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/snodo-lang/snodo/runtime/record"
)

// A Record is that of a run which has not been read. Load proves it and returns
// its events: none of a run that was stopped before its first.
type Record struct {
	Run  string
	Load func() ([]record.Event, error)
}

// Kept lists the records of a repository, whose main worktree is given, newest
// first. It opens none of them.
func Kept(worktree string) (iter.Seq[Record], error) {
	root := record.Root(worktree)
	dir, err := os.Open(root)
	if errors.Is(err, fs.ErrNotExist) {
		return func(func(Record) bool) {}, nil
	}
	if err != nil {
		return nil, fmt.Errorf("list runs: %w", err)
	}
	defer dir.Close()
	names, err := dir.Readdirnames(-1)
	if err != nil {
		return nil, fmt.Errorf("list runs: %w", err)
	}
	// A question is answered by the newest few, so that not all are sorted.
	heap.Init((*newestFirst)(&names))
	return func(yield func(Record) bool) {
		for left := newestFirst(slices.Clone(names)); len(left) > 0; {
			name := heap.Pop(&left).(string)
			if !record.ValidID(name) {
				continue
			}
			if !yield(Record{name, func() ([]record.Event, error) { return load(filepath.Join(root, name)) }}) {
				return
			}
		}
	}, nil
}

// newestFirst is a heap of names. A run is named by the time at which it began.
type newestFirst []string

func (n newestFirst) Len() int           { return len(n) }
func (n newestFirst) Less(i, j int) bool { return n[i] > n[j] }
func (n newestFirst) Swap(i, j int)      { n[i], n[j] = n[j], n[i] }
func (n *newestFirst) Push(name any)     { *n = append(*n, name.(string)) }
func (n *newestFirst) Pop() any {
	last := len(*n) - 1
	name := (*n)[last]
	*n = (*n)[:last]
	return name
}

// load reads a record as far as it is whole. What a run that is going on is
// writing, or what a crash cut off, is not there yet.
func load(dir string) ([]record.Event, error) {
	events, _, err := record.Load(dir)
	if !errors.Is(err, fs.ErrNotExist) {
		return events, err
	}
	// A run that has a payload has had events.
	if _, there := os.Lstat(filepath.Join(dir, "run.json")); there == nil {
		return nil, fmt.Errorf("its events are gone: %w", err)
	}
	return nil, nil
}

// A Question says which verdicts are asked for: the newest Last, or all where
// Last is 0, of runs that began at Since or later, or of all where Since is
// zero. Verdicts are as new as the run is in which they were given.
type Question struct {
	Last  int
	Since time.Time
}

// A Report answers a question.
type Report struct {
	Question   Question
	Asked      Stretch
	Before     *Stretch // as many verdicts, right before those; nil where there are none
	Rehearsals int      // runs that were met and left out, as Replays
	Replays    int
	Unread     []Unread
}

// A Stretch is a row of verdicts with nothing left out between them. Its length
// is counted by those of the Panel; what stands between and before them is
// counted with it.
type Stretch struct {
	Panel     Figures // judges that gate
	Observers Figures
	Runs      int // in which these verdicts were given
}

// An Unread is a record that was left out because it cannot be read or trusted.
type Unread struct {
	Run    string
	Reason error
}

// abreast is how many records are read side by side. That many, less one, are
// read in vain at most.
const abreast = 4

// Read answers a question from records that stand newest first, and stops as
// soon as it can. A record that cannot be trusted is named in the report. The
// error is that of the context alone.
func Read(ctx context.Context, records iter.Seq[Record], q Question) (Report, error) {
	r := reader{report: Report{Question: q}, asked: stretch{limit: q.Last}, since: q.Since.UTC().Format(runTime)}
	r.now = &r.asked
	for some := range chunks(records, abreast) {
		if err := ctx.Err(); err != nil {
			return Report{}, fmt.Errorf("read records: %w", err)
		}
		for _, m := range readAll(some) {
			r.add(m)
			if r.done {
				return r.answer(), nil
			}
		}
	}
	return r.answer(), nil
}

// chunks gives the records n at a time.
func chunks(records iter.Seq[Record], n int) iter.Seq[[]Record] {
	return func(yield func([]Record) bool) {
		var some []Record
		for rec := range records {
			if some = append(some, rec); len(some) == n {
				if !yield(some) {
					return
				}
				some = nil
			}
		}
		if len(some) > 0 {
			yield(some)
		}
	}
}

// A read is what came of reading one record.
type read struct {
	id  string
	run Run
	err error
}

func readAll(records []Record) []read {
	all := make([]read, len(records))
	var g errgroup.Group
	for i, rec := range records {
		g.Go(func() error {
			events, err := rec.Load()
			all[i] = read{id: rec.Run, err: err}
			if err == nil {
				all[i].run, all[i].err = Of(events)
			}
			return nil
		})
	}
	_ = g.Wait() // what went wrong stands with its record
	return all
}

// runTime is the form of the time that the name of a run begins with.
const runTime = "20060102-150405"

// A reader fills the stretch that is asked for, then the one before it.
type reader struct {
	report        Report
	asked, before stretch
	now           *stretch // that is being filled
	since         string   // as it stands in the name of a run
	done          bool
}

// A stretch is filled up to its limit, or without one where that is 0.
type stretch struct {
	limit            int
	panel, observers *counter
	runs             int
	run              string // that was counted last
}

func (s *stretch) full() bool {
	return s.limit > 0 && s.panel != nil && s.panel.tally.Verdicts() >= s.limit
}

func (s *stretch) add(run string, v Verdict) {
	if s.panel == nil {
		s.panel, s.observers = newCounter(), newCounter()
	}
	if run != s.run {
		s.run = run
		s.runs++
	}
	if v.Observed {
		s.observers.add(v)
	} else {
		s.panel.add(v)
	}
}

func (s *stretch) figures() Stretch {
	if s.panel == nil {
		return Stretch{}
	}
	return Stretch{s.panel.figures(), s.observers.figures(), s.runs}
}

// turn goes from the stretch that is asked for to the one before it, and from
// there to the end.
func (r *reader) turn() {
	if r.now == &r.before || r.asked.panel == nil || r.asked.panel.tally.Verdicts() == 0 {
		r.done = true
		return
	}
	r.before.limit = r.asked.panel.tally.Verdicts()
	r.now = &r.before
}

func (r *reader) add(m read) {
	if r.now == &r.asked && m.id < r.since {
		r.turn()
	}
	switch {
	case r.done:
	case m.err != nil:
		r.report.Unread = append(r.report.Unread, Unread{m.id, m.err})
	case m.run.Kind == Rehearsal:
		r.report.Rehearsals++
	case m.run.Kind == Replay:
		r.report.Replays++
	default:
		for _, v := range slices.Backward(m.run.Verdicts) {
			if r.now.add(m.id, v); r.now.full() {
				r.turn()
			}
			if r.done {
				return
			}
		}
	}
}

func (r *reader) answer() Report {
	r.report.Asked = r.asked.figures()
	if before := r.before.figures(); before.Panel.Verdicts() > 0 {
		r.report.Before = &before
	}
	return r.report
}
