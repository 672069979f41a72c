// Package runtime is the interpreter of plans. A plan, a repository and a task
// go in; a record comes out, and the payload that it amounts to. The package
// has no opinion: what happens for an outcome stands in the plan, and every
// outcome rests on something that was recorded. It never compiles, words or
// defaults anything.
package runtime

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime/debug"
	"strings"
	"sync"
	"time"

	"github.com/snodo-lang/snodo/compiler/plan"
	"github.com/snodo-lang/snodo/runtime/child"
	"github.com/snodo-lang/snodo/runtime/judge"
	"github.com/snodo-lang/snodo/runtime/record"
	"github.com/snodo-lang/snodo/runtime/workspace"
)

// A Request is everything that a run is started with. Check refuses one that
// cannot be run.
type Request struct {
	Plan       *plan.Plan // read and verified
	Repository *workspace.Repository
	Stage      string // a stage of the plan
	Task       string
	Base       workspace.Commit
	Branch     string              // the branch that Base stands on and that is merged into; empty: none
	Remote     string              // the name of the remote that is published to
	Work       *workspace.Commit   // what is judged, where the work exists already
	Phase      string              // the only phase whose gates run; empty: both
	Model      string              // for judges that name none; may be empty
	Jobs       int                 // how many judges speak at once
	MaxTokens  int64               // the most that the judges may take in all; 0: no limit
	Coder      string              // another coder of the plan than the stage's; may be empty
	Command    string              // a shell command in the place of a coder; may be empty
	Rehearsal  *Rehearsal          // nil: judges are real
	Chat       judge.Chat          // needed where a real judge may be asked
	Recording  Recording           // what Chat's exchanges are kept in; nil: nothing
	Replay     string              // the folder of the recording that Chat speaks from; empty: none
	Seed       string              // that of the run that Replay recorded, or is going to be; empty: a new one
	PassEnv    []string            // names of variables that children get besides the usual
	Writable   []string            // folders that children may write besides their own; confined to them by the system if not nil
	Within     []string            // the command in which children run: what is put before theirs
	Guarded    []string            // paths of the repository that only people change: the protocol's own files
	Cache      string              // where folders are made
	Redact     func(string) string // takes out what may be neither shown, sent nor kept
	Redacted   int                 // how many texts of a user's it takes out besides the endpoint's key
	Observer   Observer
	Now        func() time.Time
	Random     io.Reader
}

// A Recording keeps exchanges with an endpoint.
type Recording interface {
	// Err says what kept an exchange from being kept. The run ends then:
	// nothing is spent on what was to be recorded and is not.
	Err() error
}

// An Observer is shown what happens while it happens. Its methods may be
// called side by side.
type Observer interface {
	Recorded(record.Entry)                    // an event is on disk
	Entered(step string, members []string)    // a gate begins
	Turn(validator string, at judge.Progress) // a judge begins a turn
	Output(source, line string)               // a child printed a line
	Recalled(record.Entry)                    // a work or a verdict is taken from the record
	Begun(run, dir string)                    // the record exists
}

// A run is one walk through a stage. Only the walk itself changes it; judges
// and checks hand their results back.
type run struct {
	Request
	id    string
	dir   string // of the folders
	stage plan.Stage
	seed  seed
	spent *spending

	mu  sync.Mutex // guards log: validators finish side by side
	log *record.Log

	coderFolder *workspace.Folder
	folders     int // made so far, for their names
	head        workspace.Commit
	changes     *workspace.ChangeSet // of base and head
	attempt     int
	trees       map[string]bool // those of earlier attempts
	past        []pastAttempt
	passed      []string           // who passed this attempt so far
	turn        turn               // of a task, the last one
	kept        int                // turns of a task that were kept
	recovered   map[string]int     // recoveries by route
	supplied    map[string][]piece // evidence by judge, on the current subject

	told []string // what a person is told of the powers at the end

	recall   *recall // what the record knows; guarded by mu
	tampered error   // what a child has changed that is not its own; guarded by mu
}

// halt is where a walk ends: a halt type and what a person is told. The zero
// halt type is completion.
type halt struct {
	as     string
	phase  *string
	reason string // one line
	detail string // what happened and what to do, may be empty
}

// Run walks the stage to its end and returns the payload. An error means that
// there is none: the run could not begin.
func Run(ctx context.Context, q Request) (record.Payload, error) {
	if err := Check(q); err != nil {
		return record.Payload{}, err
	}
	r, err := begin(q)
	if err != nil {
		return record.Payload{}, err
	}
	defer r.log.Close()
	return r.through(ctx)
}

// through walks to the end and writes the payload.
func (r *run) through(ctx context.Context) (record.Payload, error) {
	end, err := r.guarded(ctx)
	if err == nil {
		var p record.Payload
		if p, err = r.finish(end); err == nil {
			return p, nil
		}
	}
	return r.unrecorded(err)
}

// unrecorded is the payload of a run whose record could not be written on: an
// environment error, whatever was decided before, since nothing holds it. It
// fits the events that are on disk.
func (r *run) unrecorded(cause error) (record.Payload, error) {
	state, err := record.Fold(r.log.Events())
	if err != nil {
		return record.Payload{}, errors.Join(cause, err)
	}
	state.Ended = &record.Ended{
		Outcome: EnvironmentError, HaltType: plan.HaltEnvironmentError,
		Reason: r.Redact("the record cannot be written: " + cause.Error()), Next: []string{},
	}
	return state.Payload(), nil
}

// begin claims the run and writes the first event.
func begin(q Request) (*run, error) {
	from := seed(q.Seed)
	if from == "" {
		var err error
		if from, err = newSeed(q.Random); err != nil {
			return nil, fmt.Errorf("begin run: %w", err)
		}
	}
	id, dir, err := record.Claim(q.Repository.MainWorktree(), q.Now(), q.Random)
	if err != nil {
		return nil, err
	}
	encoded, err := plan.Encode(q.Plan)
	if err != nil {
		return nil, err
	}
	log, err := record.Create(dir, encoded, q.Task, q.Now, q.Redact)
	if err != nil {
		return nil, errors.Join(err, os.RemoveAll(dir))
	}
	r, err := newRun(q, id, log, from)
	if err != nil {
		return nil, err
	}
	r.Observer.Begun(id, dir)
	started := record.Started{
		Schema: record.Schema, Run: id, Seed: string(r.seed), Plan: q.Plan.Digest, Protocol: q.Plan.Protocol.Name, Stage: q.Stage, Gate: q.gateWord(),
		Task: q.Task, Base: string(q.Base), Branch: optional(q.Branch), Remote: q.Remote, Phase: optional(q.Phase), Model: optional(q.Model), Coder: optional(q.Coder), Command: optional(q.Command), Jobs: q.Jobs,
	}
	if q.MaxTokens > 0 {
		started.MaxTokens = &q.MaxTokens
	}
	if q.Work != nil {
		started.Work = optional(string(*q.Work))
	}
	if q.Rehearsal != nil {
		started.Rehearsal = &q.Rehearsal.Spec
	}
	started.Replay = optional(q.Replay)
	started.Writable, started.Within = q.Writable, q.Within
	started.PassEnv, started.Guarded, started.Redacted = list(q.PassEnv), list(q.Guarded), q.Redacted
	return r, r.append(started)
}

// gateWord says whether the run is judged, or a task.
func (q Request) gateWord() string {
	if q.Plan.Stages[q.Stage].Kind == plan.Task {
		return record.GateTask
	}
	return record.GateJudged
}

// newRun is a walk that has not begun, with what its record knows.
func newRun(q Request, id string, log *record.Log, from seed) (*run, error) {
	known, err := remember(log.Events())
	if err != nil {
		return nil, err
	}
	return &run{
		Request: q, id: id, dir: filepath.Join(q.Cache, id), stage: q.Plan.Stages[q.Stage], seed: from,
		spent: &spending{limit: q.MaxTokens}, log: log, recall: known,
		trees: map[string]bool{}, recovered: map[string]int{}, supplied: map[string][]piece{},
	}, nil
}

func optional(s string) *string {
	if s == "" {
		return nil
	}
	return &s
}

// append records an event and shows it.
func (r *run) append(e record.Entry) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	event, err := r.log.Append(e)
	if err != nil {
		return err
	}
	// What is shown is what was recorded, with what may not be shown taken out.
	kept, err := event.Entry()
	if err != nil {
		return err
	}
	if err := r.recall.add(kept, r.attempt); err != nil {
		return err
	}
	r.Observer.Recorded(kept)
	return nil
}

// guarded walks, and makes a panic of the interpreter an internal error: it
// is never a pass, and the stack is kept.
func (r *run) guarded(ctx context.Context) (end halt, err error) {
	defer func() {
		if p := recover(); p != nil {
			end = halt{as: plan.HaltInternalError, reason: fmt.Sprintf("snodo failed: %v", p), detail: string(debug.Stack())}
		}
	}()
	return r.walk(ctx)
}

// walk goes from step to step until one ends the run.
func (r *run) walk(ctx context.Context) (halt, error) {
	at := plan.Target(r.stage.Start)
	for {
		if ctx.Err() != nil {
			return interrupted(), nil
		}
		var end *halt
		var err error
		switch step := r.stage.Steps[string(at)].(type) {
		case *plan.Execute:
			if r.Phase == plan.PreExecute {
				return r.partial(), nil
			}
			at, end, err = r.execute(ctx, step)
		case *plan.Gate:
			switch {
			case r.Phase == "" || r.Phase == step.Phase:
				at, end, err = r.gate(ctx, string(at), step)
			case r.Phase == plan.PreExecute:
				return r.partial(), nil
			default:
				at = step.Next.Proceed
			}
		case *plan.Complete:
			at, end, err = r.complete(ctx, step)
		case *plan.Keep:
			at, err = r.keepTurn(step)
		default:
			panic(fmt.Sprintf("runtime: no such step: %q", at))
		}
		if env := (*environmentError)(nil); errors.As(err, &env) {
			if ctx.Err() != nil {
				return interrupted(), nil
			}
			return halt{as: plan.HaltEnvironmentError, reason: env.Error()}, nil
		}
		if err != nil {
			return halt{}, err
		}
		if end != nil {
			return *end, nil
		}
		if at == plan.EndComplete {
			return r.completed(), nil
		}
	}
}

// An environmentError is a failure of what a run stands on: git, folders,
// programs. It is never a finding.
type environmentError struct{ err error }

func (e *environmentError) Error() string { return e.err.Error() }
func (e *environmentError) Unwrap() error { return e.err }

func environment(operation string, err error) error {
	if err == nil {
		return nil
	}
	return &environmentError{fmt.Errorf("%s: %w", operation, err)}
}

func interrupted() halt {
	return halt{as: plan.HaltInterrupted, reason: "interrupted"}
}

func (r *run) partial() halt {
	return halt{phase: optional(plan.PreExecute), reason: "the gates before the work proceeded; nothing else was to run"}
}

func (r *run) completed() halt {
	phase := optional(plan.PostExecute)
	if r.head == "" {
		phase = optional(plan.PreExecute)
	}
	reason := "every gate proceeded"
	if r.stage.Kind == plan.Task {
		reason = r.rowed()
	}
	if r.Phase != "" {
		reason = "every gate of " + r.Phase + " proceeded; nothing else was to run"
	}
	return halt{phase: phase, reason: reason}
}

// finish writes the last event and the payload, and removes the folders that
// nobody needs any more.
func (r *run) finish(end halt) (record.Payload, error) {
	ended := record.Ended{Outcome: Complete, HaltType: end.as, Phase: end.phase, Reason: end.reason, Detail: end.detail}
	if end.as != "" {
		ended.Outcome = outcomes[end.as]
	}
	var err error
	if ended.Next, err = r.next(ended); err != nil {
		return record.Payload{}, err
	}
	if ended.Outcome == Complete {
		if r.head != "" && r.Work == nil {
			ended.Detail = fmt.Sprintf("The result is commit %s, kept at %s", r.head, r.ref())
		}
		ended.Detail = strings.TrimSpace(strings.Join(append([]string{ended.Detail}, r.told...), "\n"))
		if err := workspace.RemoveAll(r.dir); err != nil {
			ended.Detail = strings.TrimSpace(ended.Detail + "\nThe folder of the run could not be removed: " + err.Error())
		}
	} else if r.coderFolder != nil {
		ended.Detail = strings.TrimSpace(ended.Detail + "\nWhat the coder left stands in " + r.coderFolder.Dir())
	}
	if err := r.append(ended); err != nil {
		return record.Payload{}, err
	}
	state, err := record.Fold(r.log.Events())
	if err != nil {
		return record.Payload{}, err
	}
	p := state.Payload()
	return p, r.log.WritePayload(p)
}

// handOver returns the commands that begin the stages that may follow.
func (r *run) handOver() []string {
	next := []string{}
	for _, stage := range r.stage.HandsTo {
		command := "snodo run --stage " + stage + " --task-file " + quoted(filepath.Join(r.log.Dir(), "task.md"))
		if r.head != "" && r.Plan.Stages[stage].Kind == plan.Review {
			command += " --work " + string(r.head) + " --base " + string(r.Base)
		}
		next = append(next, command+" "+quoted(filepath.Join(r.log.Dir(), "plan.json")))
	}
	return next
}

// quoted returns a word as a shell takes it.
func quoted(word string) string {
	if !strings.ContainsFunc(word, func(c rune) bool {
		return !strings.ContainsRune("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./:@%+=,", c)
	}) && word != "" {
		return word
	}
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}

// makeFolder checks out a commit in a fresh folder and prepares it.
func (r *run) makeFolder(ctx context.Context, what string, c workspace.Commit) (*workspace.Folder, time.Duration, error) {
	f, err := r.Repository.MakeFolder(ctx, r.freePlace(what), c)
	if err != nil {
		return nil, 0, environment("make a folder for "+what, err)
	}
	prepare := r.Plan.Protocol.Prepare
	if prepare == nil {
		return f, 0, nil
	}
	began := r.Now()
	if err := r.prepare(ctx, f, prepare); err != nil {
		return nil, 0, errors.Join(err, f.Remove())
	}
	return f, r.Now().Sub(began), nil
}

// freePlace is where a folder may be made. One that a killed run has left there
// is passed over.
func (r *run) freePlace(what string) string {
	r.mu.Lock()
	defer r.mu.Unlock()
	for {
		r.folders++
		dir := filepath.Join(r.dir, fmt.Sprintf("%02d-%s", r.folders, what))
		if _, err := os.Lstat(dir); err != nil {
			return dir
		}
	}
}

// prepare runs the protocol's prepare command. Its failure says nothing about
// the work, so it is never a finding.
func (r *run) prepare(ctx context.Context, f *workspace.Folder, c *plan.Command) error {
	res := r.guard(ctx, "prepare", func() child.Result {
		return child.Run(ctx, r.command(f, "prepare", c.Run, time.Duration(c.TimeoutMS)*time.Millisecond, nil))
	})
	if err := r.untouched(); err != nil {
		return err
	}
	if !res.Succeeded() {
		return environment("prepare", errors.New(strings.TrimSpace(fmt.Sprintf("`%s` %s\n%s", c.Run, res, printed(res)))))
	}
	changed, err := f.ChangedTracked(ctx)
	if err != nil {
		return environment("prepare", err)
	}
	if len(changed) > 0 {
		return environment("prepare", fmt.Errorf("`%s` changed tracked files: %s", c.Run, strings.Join(changed, ", ")))
	}
	return nil
}

// shell runs a shell command in a folder, as a child of this run.
func (r *run) shell(ctx context.Context, f *workspace.Folder, source, command string, limit time.Duration, stdin []byte) child.Result {
	return r.watched(ctx, r.command(f, source, command, limit, stdin))
}

func (r *run) command(f *workspace.Folder, source, command string, limit time.Duration, stdin []byte) child.Command {
	return child.Command{
		Argv: child.Shell(command), Dir: f.Dir(), Env: r.environment(), Stdin: stdin, Timeout: limit,
		Line: func(line string) { r.Observer.Output(source, r.Redact(line)) },
	}
}

// environment is that of every child of this run.
func (r *run) environment() []string {
	return child.Environment(os.Environ(), r.PassEnv, child.Attempt{Run: r.id, Number: r.attempt, Done: r.donePath()})
}

// printed is what a child printed, with what was left out said.
func printed(res child.Result) string {
	return strings.TrimSpace(res.Output.Join(fmt.Sprintf("[%d bytes left out here]", res.Output.Omitted)))
}
