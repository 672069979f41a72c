package command

import (
	"fmt"
	"io"
	"strings"
	"sync"
	"time"

	"github.com/snodo-lang/snodo/compiler/plan"
	"github.com/snodo-lang/snodo/runtime"
	"github.com/snodo-lang/snodo/runtime/child"
	"github.com/snodo-lang/snodo/runtime/judge"
	"github.com/snodo-lang/snodo/runtime/record"
)

// A display shows a run while it goes on: one line for each change of state,
// and on a terminal the members of the current gate in place below them.
type display struct {
	mu     sync.Mutex
	w      io.Writer
	now    func() time.Time
	stage  string
	notice string // of a task
	pinned pinned
	detail string // of the end, for the summary

	members []member
	stop    chan struct{}
	stopped sync.WaitGroup
}

// A member is a validator of the current gate.
type member struct {
	name  string
	state string
	since time.Time
	done  bool
}

// A pinned shows the members of a gate below the lines of a log.
type pinned interface {
	clear()
	draw(lines []string)
	shows() bool // whether what is drawn can be seen
}

func newDisplay(w io.Writer, q runtime.Request) *display {
	d := &display{w: w, now: q.Now, stage: q.Stage, notice: runtime.Notice(q.Plan.Stages[q.Stage]), pinned: nowhere{}, stop: make(chan struct{})}
	if isTerminal(w) {
		d.pinned = &below{w: w}
		d.stopped.Go(d.tick)
	}
	return d
}

// tick redraws the pinned lines, whose elapsed times go on by themselves.
func (d *display) tick() {
	t := time.NewTicker(time.Second)
	defer t.Stop()
	for {
		select {
		case <-d.stop:
			return
		case <-t.C:
			d.mu.Lock()
			d.redraw()
			d.mu.Unlock()
		}
	}
}

func (d *display) close() {
	close(d.stop)
	d.stopped.Wait()
	d.mu.Lock()
	defer d.mu.Unlock()
	d.members = nil
	d.redraw()
}

// say prints a line above the pinned ones.
func (d *display) say(format string, args ...any) {
	d.pinned.clear()
	fmt.Fprintf(d.w, format+"\n", args...)
	d.pinned.draw(d.lines())
}

func (d *display) redraw() {
	d.pinned.clear()
	d.pinned.draw(d.lines())
}

func (d *display) lines() []string {
	var out []string
	for _, m := range d.members {
		if !m.done {
			out = append(out, fmt.Sprintf("  %-20s %s  %s", m.name, m.state, elapsed(d.now().Sub(m.since).Truncate(time.Second))))
		}
	}
	return out
}

// Begun says where the record is.
func (d *display) Begun(run, dir string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.say("run %s begins in stage %s; its record is %s", run, d.stage, dir)
}

// Entered shows the members of a gate.
func (d *display) Entered(step string, members []string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.members = nil
	for _, name := range members {
		d.members = append(d.members, member{name: name, state: "waiting", since: d.now()})
	}
	d.say("%s: %s", step, strings.Join(members, ", "))
}

// Turn shows that a judge goes on.
func (d *display) Turn(validator string, at judge.Progress) {
	d.mu.Lock()
	defer d.mu.Unlock()
	state := fmt.Sprintf("turn %d of %d", at.Turn, at.Turns)
	if at.Verdict {
		state += ", the verdict"
	}
	if in := at.Usage.Input; in != nil {
		state += fmt.Sprintf(", %d tokens", *in)
	}
	for i := range d.members {
		if d.members[i].name == validator {
			d.members[i].state = state
		}
	}
	if d.pinned.shows() {
		d.redraw()
		return
	}
	d.say("  %-8s %s  %s", "", validator, state)
}

// Output shows a line that a child printed, marked as its own.
func (d *display) Output(source, line string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.say("%s | %s", source, line)
}

// Recorded shows what an event means for a person who watches.
func (d *display) Recorded(e record.Entry) {
	d.mu.Lock()
	defer d.mu.Unlock()
	switch e := e.(type) {
	case record.Rowed:
		reason := ""
		if e.Reason != nil {
			reason = ": " + *e.Reason
		}
		d.say("turn %d: %s, unscored%s", e.Turn, e.Decision, reason)
	case record.Started:
		if e.Gate == record.GateTask {
			d.say("%s", d.notice)
		}
		if e.Rehearsal != nil {
			d.say("rehearsal: judges are played (%s)", *e.Rehearsal)
		}
		if e.Replay != nil {
			d.say("replay: judges are answered from %s, and no endpoint is asked", *e.Replay)
		}
	case record.Dispatched:
		d.say("attempt %d: the coder is sent into %s", e.Attempt, e.Folder)
	case record.Replied:
		d.say("  coder    turn %d of %d, %d tokens", e.Turn, e.Turns, e.Spent.Tokens)
	case record.Checked:
		d.say("  coder    ran %s on its work: %s", e.Check, e.Came)
	case record.Returned:
		if e.Failure != nil {
			d.say("attempt %d: the coder %s", e.Attempt, *e.Failure)
		}
	case record.Taken:
		d.say("attempt %d: %s changed, +%d -%d, commit %.12s", e.Attempt, counted(e.Files, "file"), e.Added, e.Removed, e.Commit)
	case record.Refused:
		d.say("attempt %d: %s %s", e.Attempt, e.As, strings.Join(e.Paths, ", "))
	case record.Judged:
		d.judged(e.Result)
	case record.Decided:
		d.members = nil
		ruled := ""
		if e.Decision == record.DecisionProceed && e.Counts.Pass < e.Need {
			ruled = "; people ruled on the others"
		}
		d.say("%s: %s (%d of %d pass, %d needed%s)", e.Step, e.Decision, e.Counts.Pass, e.Counts.Expected, e.Need, ruled)
	case record.Recovering:
		d.say("recovery %d of %d: the findings go back to the coder", e.Count, e.Times)
	case record.Gathered:
		d.say("gathered %s for %s: the command %s", call(e.Evidence, e.Args), strings.Join(e.Judges, ", "), e.Ending)
	case record.Ended:
		d.detail = e.Detail
	case record.Resumed:
		from := "it was killed"
		if e.From != nil {
			from = "it had stopped: " + *e.From
		}
		d.say("the run goes on in stage %s; %s", d.stage, from)
		if e.Survived > 0 {
			d.say("%s of before were still running, and were ended", counted(e.Survived, "child process"))
		}
	case record.Prepared, record.Asked, record.Intended, record.Exercised, record.Attached, record.Ruled:
	default:
		panic(fmt.Sprintf("command: no such entry: %T", e))
	}
}

// Recalled shows what a resumed run takes from its record and does not repeat.
func (d *display) Recalled(e record.Entry) {
	d.mu.Lock()
	defer d.mu.Unlock()
	switch e := e.(type) {
	case record.Taken:
		d.say("attempt %d: commit %.12s, as recorded", e.Attempt, e.Commit)
	case record.Judged:
		for i := range d.members {
			if d.members[i].name == e.Result.Validator {
				d.members[i].done = true
			}
		}
		d.say("  %-8s %s  as recorded", verdictWord(e.Result), e.Result.Validator)
	default:
		panic(fmt.Sprintf("command: no such entry is recalled: %T", e))
	}
}

func (d *display) judged(r record.Result) {
	for i := range d.members {
		if d.members[i].name == r.Validator {
			d.members[i].done = true
		}
	}
	said := ""
	if lines := resultLines(r); len(lines) > 0 && (r.Verdict == nil || *r.Verdict != plan.Pass) {
		said = "  " + child.Sanitize(lines[0])
	}
	d.say("  %-8s %s%s", verdictWord(r), r.Validator, said)
}

// nowhere is where no terminal is: the log says it all.
type nowhere struct{}

func (nowhere) clear()        {}
func (nowhere) draw([]string) {}
func (nowhere) shows() bool   { return false }

// below pins lines at the bottom of a terminal.
type below struct {
	w     io.Writer
	drawn int
}

// clear removes the pinned lines: up a line and erase it, for each of them
// (ECMA-48, CUU and EL).
func (b *below) clear() {
	fmt.Fprint(b.w, strings.Repeat("\x1b[1A\x1b[2K", b.drawn))
	b.drawn = 0
}

func (b *below) shows() bool { return true }

func (b *below) draw(lines []string) {
	for _, line := range lines {
		fmt.Fprintln(b.w, line)
	}
	b.drawn = len(lines)
}
