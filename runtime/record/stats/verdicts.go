// Package stats says how the verdicts of judges fell, and so what the inputs
// of a project lack. What goes in are the records of runs, newest first; what
// comes out are counts. Checks and rules are not counted: they cannot be
// unclear, and their many passes would hide what judges say.
//
// The package reads no more records than a question needs, writes nothing, and
// never guesses: what no record says is counted as not known.
package stats

import (
	"fmt"
	"slices"

	"github.com/snodo-lang/snodo/compiler/plan"
	"github.com/snodo-lang/snodo/runtime/record"
	"github.com/snodo-lang/snodo/runtime/verdict"
)

// A Judge is one of a protocol. Judges of two protocols are never counted as
// one, whatever their names.
type Judge struct {
	Protocol string `json:"protocol"`
	Name     string `json:"judge"`
}

// A Verdict is what a judge came to when it was asked once. A judge that was
// asked again has given another.
type Verdict struct {
	Judge    Judge
	Observed bool              // its gate did not count it
	As       *plan.Verdict     // nil where an error stands in its place
	Findings []verdict.Finding // one for each criterion
	Settled  *Settlement       // of an unclear one, where its run says more
}

// A Settlement is what an unclear verdict would have had to be, as far as its
// own run tells: by a person's ruling, or by what the same judge said later
// about the same commit.
type Settlement struct {
	By Source
	As plan.Verdict // never unclear
}

// A Source says who settled an unclear verdict.
type Source int

// The sources of a settlement.
const (
	ByRuling Source = iota
	ByLaterVerdict
)

// A Run is what the record of a run holds for statistics.
type Run struct {
	Kind     RunKind
	Verdicts []Verdict // in the order in which they were given
}

// A RunKind says whether judges were asked in a run.
type RunKind int

// The kinds of runs. Only the verdicts of real ones are counted.
const (
	Real RunKind = iota
	Rehearsal
	Replay
)

// Of reads the events of a run. It gives an event no meaning of its own: one
// that cannot be decoded is an error.
func Of(events []record.Event) (Run, error) {
	f := follower{commits: map[int]string{}, open: map[question][]asked{}}
	for _, e := range events {
		switch e.Kind {
		case record.KindStarted, record.KindTaken, record.KindJudged, record.KindRuled:
		default:
			continue
		}
		entry, err := e.Entry()
		if err != nil {
			return Run{}, fmt.Errorf("count event %d: %w", e.Seq, err)
		}
		f.follow(entry)
	}
	return f.run, nil
}

// A follower goes through the events of a run and knows which unclear verdicts
// are not settled yet.
type follower struct {
	run      Run
	protocol string
	commits  map[int]string // by attempt; 0 is the base
	open     map[question][]asked
}

// A question is what a judge is asked again and again until it can tell: one
// gate about one commit. Attempt 0 is before the work.
type question struct {
	step    string
	attempt int
	judge   string
}

// An asked is an unclear verdict: where it stands among the run's, and its
// hash, which rulings are bound to.
type asked struct {
	index int
	hash  string
}

func (f *follower) follow(entry record.Entry) {
	switch e := entry.(type) {
	case record.Started:
		f.protocol = e.Protocol
		f.commits[0] = e.Base
		switch {
		case e.Rehearsal != nil:
			f.run.Kind = Rehearsal
		case e.Replay != nil:
			f.run.Kind = Replay
		}
	case record.Taken:
		f.commits[e.Attempt] = e.Commit
	case record.Judged:
		if e.Result.Kind == plan.KindJudge {
			f.judged(e)
		}
	case record.Ruled:
		f.ruled(e)
	default:
		panic(fmt.Sprintf("stats: no such entry: %T", entry))
	}
}

func (f *follower) judged(e record.Judged) {
	q := question{step: e.Step, judge: e.Result.Validator}
	if e.Attempt != nil {
		q.attempt = *e.Attempt
	}
	f.run.Verdicts = append(f.run.Verdicts, Verdict{
		Judge: Judge{f.protocol, e.Result.Validator}, Observed: e.Result.Observed, As: e.Result.Verdict, Findings: e.Result.Findings,
	})
	switch as := e.Result.Verdict; {
	case as == nil: // an error weighs nothing, and so settles nothing
	case *as == plan.Unclear:
		f.open[q] = append(f.open[q], asked{len(f.run.Verdicts) - 1, e.Result.Hash})
	default:
		f.settle(q, Settlement{ByLaterVerdict, *as})
	}
}

// ruled settles what the ruling is about. A judge that was asked several times
// was asked the same each time, so a ruling on its newest verdict says it of
// those before.
func (f *follower) ruled(e record.Ruled) {
	for q, open := range f.open {
		about := q.judge == e.Validator && f.commits[q.attempt] == e.Commit
		if about && slices.ContainsFunc(open, func(a asked) bool { return a.hash == e.Hash }) {
			f.settle(q, Settlement{ByRuling, e.Rule})
		}
	}
}

func (f *follower) settle(q question, s Settlement) {
	for _, a := range f.open[q] {
		f.run.Verdicts[a.index].Settled = &s
	}
	delete(f.open, q)
}
