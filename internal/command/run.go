package command

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/spf13/pflag"

	"github.com/snodo-lang/snodo/compiler/plan"
	"github.com/snodo-lang/snodo/runtime"
	"github.com/snodo-lang/snodo/runtime/child"
	"github.com/snodo-lang/snodo/runtime/confine"
	"github.com/snodo-lang/snodo/runtime/endpoint"
	"github.com/snodo-lang/snodo/runtime/workspace"
)

var runCommand = command{
	name:     "run",
	synopsis: "[PLAN|DIR]",
	summary:  "walks a stage of a protocol: sends the coder, asks the judges, and says whether the work is accepted",
	detail: `PLAN is a file that snodoc wrote, DIR the folder of a package; nothing is the current folder.
The repository is the one that holds the current folder.

exit codes: 0 complete, 1 blocker, 2 escalate, 3 validator_error, 4 internal_error,
5 environment_error, 64 wrong usage, 65 the protocol does not check or the plan is not valid`,
	example: `snodo run --task "Say what the project is for" --coder-command 'echo A demonstration. > DEMO.md' --rehearse pass`,
	bind: func(flags *pflag.FlagSet) action {
		f := &runFlags{}
		f.bind(flags)
		return func(ctx context.Context, s streams, args []string) (int, error) {
			return f.run(ctx, s, args)
		}
	},
}

// runFlags are what a run is started with.
type runFlags struct {
	stage, task, taskFile string
	coder, command        string
	work, base, phase     string
	model, rehearse       string
	record, replay        string
	jobs                  int
	maxTokens             tokenLimit
	passEnv, redact       []string
	writable              []string
	within                string
	remote                string
	exchanges             exchanges
	json                  bool
	color                 *colorFlag
}

func (f *runFlags) bind(flags *pflag.FlagSet) {
	flags.StringVar(&f.stage, "stage", "", "the `NAME` of the stage to walk instead of the one the protocol starts with")
	flags.StringVar(&f.task, "task", "", "what is to be done, in `TEXT`")
	flags.StringVar(&f.taskFile, "task-file", "", "what is to be done, in `FILE`; - is standard input")
	flags.StringVar(&f.coder, "coder", "", "the `NAME` of another coder of the protocol")
	flags.StringVar(&f.command, "coder-command", "", "a shell command, `CMD`, in the place of the stage's coder")
	flags.StringVar(&f.work, "work", "", "judge `REV`, a work that exists, by the protocol of its base; no coder is sent")
	flags.StringVar(&f.base, "base", "", "what the work is compared with, `REV`; otherwise its merge base with origin/HEAD, main or master")
	flags.StringVar(&f.phase, "phase", "", "run only the gates of the phase `P`, and exercise no power")
	flags.StringVar(&f.model, "model", "", "the `MODEL` of judges that name none; otherwise SNODO_MODEL")
	flags.IntVar(&f.jobs, "jobs", 8, "how many judges speak at once, at most `N`")
	flags.Var(&f.maxTokens, "max-tokens", "the most tokens that the judges of the run may take together, `N`; a judge that would take more is an error")
	flags.StringVar(&f.rehearse, "rehearse", "", "play the judges without an endpoint: one verdict, or NAME=VERDICT pairs, in `SPEC`")
	flags.StringVar(&f.record, "record", "", "keep every exchange with the endpoint in `DIR`, a folder that does not exist or is empty")
	flags.StringVar(&f.replay, "replay", "", "answer from the recording in `DIR`, without a network; exercise no power")
	flags.StringArrayVar(&f.passEnv, "pass-env", nil, "give children the variable `NAME` too; may be repeated")
	flags.StringArrayVar(&f.writable, "writable", nil, "let the system keep children from writing anything but their folder, temporary files and `DIR`; may be repeated")
	flags.StringVar(&f.within, "within", "", "run children within `COMMAND`, which is put before theirs")
	flags.StringVar(&f.remote, "remote", "origin", "the remote, `R`, that the power publish pushes to")
	flags.StringArrayVar(&f.redact, "redact", nil, "take `TEXT` out of everything that is shown, sent or kept; may be repeated")
	flags.BoolVar(&f.json, "json", false, "print the payload as JSON on standard output")
	f.color = bindColor(flags)
}

func (f *runFlags) run(ctx context.Context, s streams, args []string) (int, error) {
	if err := f.valid(args); err != nil {
		return 0, err
	}
	ctx, stop := interruptible(ctx)
	defer stop()
	q, closed, err := f.request(ctx, s, args)
	if err != nil {
		return 0, err
	}
	defer closed()
	d := newDisplay(s.err, q)
	q.Observer = d
	p, err := runtime.Run(ctx, q)
	d.close()
	if err != nil {
		return 0, runError(err)
	}
	f.exchanges.end(s.err, p)
	return writeOutcome(s, p, d.detail, f.json, f.color)
}

func (f *runFlags) valid(args []string) error {
	if len(args) > 1 {
		return usagef("one plan or folder at a time, not %d", len(args))
	}
	if f.task != "" && f.taskFile != "" {
		return usagef("--task and --task-file exclude each other")
	}
	if f.work == "" && f.base != "" {
		return usagef("--base says what a work is compared with, and there is no --work")
	}
	if err := exclusive(f.record, f.replay, f.rehearse); err != nil {
		return err
	}
	if f.phase != "" {
		if err := oneOf("phase", f.phase, plan.PreExecute, plan.PostExecute); err != nil {
			return err
		}
	}
	if err := checkPassed(f.passEnv); err != nil {
		return err
	}
	if f.writable != nil && f.within != "" {
		return usagef("--writable and --within exclude each other: children are confined by the system, or by a command of yours")
	}
	for _, text := range f.redact {
		if err := checkRedact(text); err != nil {
			return usagef("--redact takes %v", err)
		}
	}
	return f.color.valid()
}

// checkPassed refuses variables that no child may be given.
func checkPassed(names []string) error {
	for _, name := range names {
		if err := child.CheckPass(name); err != nil {
			return usagef("--pass-env: %v", err)
		}
	}
	return nil
}

// request gathers what the run needs. What stands in its way is said before
// anything is spent. The function that it returns gives resources back.
func (f *runFlags) request(ctx context.Context, s streams, args []string) (runtime.Request, func(), error) {
	task, err := f.taskText(s.in)
	if err != nil {
		return runtime.Request{}, nil, err
	}
	where := "."
	if len(args) == 1 {
		where = args[0]
	}
	// A typing mistake is told before anything about the repository is.
	info, err := os.Stat(where)
	if err != nil {
		return runtime.Request{}, nil, missingFolder(where, err)
	}
	redact := redaction(os.Getenv("OPENAI_API_KEY"), f.redact)
	if f.exchanges, err = openExchanges(f.record, f.replay, redact); err != nil {
		return runtime.Request{}, nil, err
	}
	repo, err := workspace.Open(ctx, ".")
	if err != nil {
		return runtime.Request{}, nil, environmentFailed(err)
	}
	q := runtime.Request{
		Repository: repo, Task: redact(task), Remote: f.remote, Phase: f.phase, Model: f.model, Jobs: f.jobs, MaxTokens: int64(f.maxTokens), Coder: f.coder, Command: f.command,
		PassEnv: f.passEnv, Now: time.Now, Random: rand.Reader, Redact: redact, Redacted: len(f.redact),
	}
	if q.Model == "" && f.replay == "" {
		q.Model = os.Getenv("SNODO_MODEL")
	}
	if err := errors.Join(f.confine(&q), f.complete(ctx, s, &q, where, info)); err != nil {
		return runtime.Request{}, nil, errors.Join(err, repo.Close())
	}
	return q, func() { repo.Close() }, nil
}

// confine finds what children are confined to, or by. Where they cannot be
// confined, the run does not begin.
func (f *runFlags) confine(q *runtime.Request) error {
	if f.within != "" {
		q.Within = strings.Fields(f.within)
		if len(q.Within) == 0 {
			return usagef("--within names no command")
		}
		if _, err := exec.LookPath(q.Within[0]); err != nil {
			return environmentFailed(fmt.Errorf("--within: %w", err))
		}
	}
	if f.writable == nil {
		return nil
	}
	if err := confine.Available(); err != nil {
		return environmentFailed(err)
	}
	q.Writable = []string{}
	for _, dir := range f.writable {
		abs, err := filepath.Abs(dir)
		if err != nil {
			return usagef("--writable: %v", err)
		}
		if info, err := os.Stat(abs); err != nil || !info.IsDir() {
			return usagef("--writable: there is no folder %s", dir)
		}
		q.Writable = append(q.Writable, abs)
	}
	return nil
}

// complete fills in what depends on the repository: the commits, the plan
// and the endpoint.
func (f *runFlags) complete(ctx context.Context, s streams, q *runtime.Request, where string, info os.FileInfo) error {
	if err := f.commits(ctx, s, q); err != nil {
		return err
	}
	if err := f.plan(ctx, s, q, where, info); err != nil {
		return err
	}
	if f.stage == "" {
		f.stage = q.Plan.Protocol.Starts
	}
	q.Stage = f.stage
	if f.rehearse != "" {
		r, err := runtime.ParseRehearsal(f.rehearse, q.Plan)
		if err != nil {
			return usagef("--rehearse: %v", err)
		}
		q.Rehearsal = r
	}
	var err error
	if q.Cache, err = workspace.CacheRoot(); err != nil {
		return environmentFailed(err)
	}
	if err := f.exchanges.fit(s.err, q); err != nil {
		return err
	}
	address := ""
	if q.NeedsEndpoint() {
		client, err := endpoint.New(f.exchanges.config())
		if err != nil {
			return usagef("%v", err)
		}
		q.Chat, address = client, client.Address()
	}
	if err := runtime.Check(*q); err != nil {
		return runError(err)
	}
	if err := publishable(ctx, q); err != nil {
		return err
	}
	return f.exchanges.begin(q, address)
}

// A tokenLimit is a number of tokens, at least 1. 0 is no limit, and cannot be
// written.
type tokenLimit int64

func (l *tokenLimit) Type() string { return "N" }

func (l *tokenLimit) String() string {
	if *l == 0 {
		return ""
	}
	return strconv.FormatInt(int64(*l), 10)
}

func (l *tokenLimit) Set(s string) error {
	n, err := strconv.ParseInt(s, 10, 64)
	if err != nil || n < 1 {
		return errors.New("a number of tokens, at least 1")
	}
	*l = tokenLimit(n)
	return nil
}

// maxTask is the most bytes of a task: more is no task but a document, and a
// judge is told all of it.
const maxTask = 1 << 20

func (f *runFlags) taskText(in io.Reader) (string, error) {
	task, err := f.readTask(in)
	switch {
	case err != nil:
		return "", err
	case len(task) > maxTask:
		return "", usagef("the task is longer than 1 MiB")
	case !utf8.ValidString(task) || strings.ContainsRune(task, 0):
		return "", usagef("the task is no text in UTF-8")
	}
	return task, nil
}

func (f *runFlags) readTask(in io.Reader) (string, error) {
	switch f.taskFile {
	case "":
		return f.task, nil
	case "-":
		text, err := io.ReadAll(io.LimitReader(in, maxTask+1))
		if err != nil {
			return "", usagef("read the task from standard input: %v", err)
		}
		return string(text), nil
	}
	text, err := os.ReadFile(f.taskFile)
	if err != nil {
		return "", usagef("read the task: %v", err)
	}
	return string(text), nil
}

// environmentFailed ends a run that could not begin, with the exit code of an
// environment error.
func environmentFailed(err error) error {
	return &exitError{runtime.ExitCode(runtime.EnvironmentError), err}
}

// runError gives an error of the runtime its exit code.
func runError(err error) error {
	var usage *runtime.UsageError
	if errors.As(err, &usage) {
		return usagef("%s", usage.Reason)
	}
	return environmentFailed(err)
}

// planBytes reads a plan: from the base where the work exists already and the
// file is part of the repository, so that a change cannot bring its own judge.
func planBytes(ctx context.Context, q *runtime.Request, where string) ([]byte, string, error) {
	inside, err := insideOf(q.Repository.Worktree(), where)
	if err != nil {
		return nil, "", err
	}
	if inside != "" && q.Work != nil {
		blob, err := q.Repository.Tree(q.Base).ReadFile(ctx, inside)
		if err == nil {
			return blob.Content, inside, nil
		}
		work, workErr := q.Repository.Tree(*q.Work).ReadFile(ctx, inside)
		if workErr == nil && work.Content != nil {
			return nil, "", &exitError{exitInvalid, fmt.Errorf("%s is no part of the base: a work cannot bring the plan by which it is judged", inside)}
		}
	}
	content, err := os.ReadFile(where)
	if err != nil {
		return nil, "", usagef("read the plan: %v", err)
	}
	return content, inside, nil
}

// insideOf returns the slash-separated path of a file below top, empty where
// it lies outside.
func insideOf(top, name string) (string, error) {
	abs, err := filepath.Abs(name)
	if err != nil {
		return "", err
	}
	if abs, err = filepath.EvalSymlinks(abs); err != nil {
		return "", missingFolder(name, err)
	}
	if real, err := filepath.EvalSymlinks(top); err == nil {
		top = real
	}
	rel, err := filepath.Rel(top, abs)
	if err != nil || !filepath.IsLocal(rel) {
		return "", nil
	}
	return filepath.ToSlash(rel), nil
}
