package command

import (
	"bytes"
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/spf13/pflag"

	"github.com/snodo-lang/snodo/compiler/plan"
	"github.com/snodo-lang/snodo/runtime"
	"github.com/snodo-lang/snodo/runtime/endpoint"
	"github.com/snodo-lang/snodo/runtime/record"
	"github.com/snodo-lang/snodo/runtime/workspace"
)

var resumeCommand = command{
	name:     "resume",
	synopsis: "RUN",
	summary:  "goes on with a run that stopped or was killed",
	detail: `What the record has is not done again: no judge is asked again whose verdict is recorded, and no
coder is sent again whose work is. The plan, the model and the base are those of the run.
A run that is complete or blocked gives its payload again.

exit codes: those of snodo run`,
	example: "snodo resume $RUN",
	bind: func(flags *pflag.FlagSet) action {
		f := &resumeFlags{}
		flags.BoolVar(&f.json, "json", false, "print the payload as JSON on standard output")
		flags.StringArrayVar(&f.redact, "redact", nil, "take `TEXT` out of everything, as when the run began; may be repeated")
		f.color = bindColor(flags)
		return func(ctx context.Context, s streams, args []string) (int, error) {
			if len(args) != 1 {
				return 0, usagef("name one run, such as 20261130-191530-7f3a09c1d2")
			}
			return f.resume(ctx, s, args[0])
		}
	},
}

type resumeFlags struct {
	json   bool
	redact []string
	color  *colorFlag
}

func (f *resumeFlags) resume(ctx context.Context, s streams, run string) (int, error) {
	if err := f.color.valid(); err != nil {
		return 0, err
	}
	for _, text := range f.redact {
		if err := checkRedact(text); err != nil {
			return 0, usagef("--redact takes %v", err)
		}
	}
	ctx, stop := interruptible(ctx)
	defer stop()
	repo, dir, err := recordOf(ctx, run)
	if err != nil {
		return 0, err
	}
	defer repo.Close()
	redact := redaction(os.Getenv("OPENAI_API_KEY"), f.redact)
	log, torn, err := record.Open(dir, time.Now, redact)
	if err != nil {
		return 0, notOpened(run, err)
	}
	if torn {
		fmt.Fprintf(s.err, "note: the last line of the record was cut off by a crash, and is left out\n")
	}
	q, err := f.request(ctx, s, repo, log)
	if err != nil {
		return 0, errors.Join(err, log.Close())
	}
	q.Redact = redact
	d := newDisplay(s.err, q)
	q.Observer = d
	p, err := runtime.Resume(ctx, log, q)
	d.close()
	if err != nil {
		return 0, runError(err)
	}
	return writeOutcome(s, p, d.detail, f.json, f.color)
}

// request is what the run was started with, and the way to an endpoint where
// one may be asked.
func (f *resumeFlags) request(ctx context.Context, s streams, repo *workspace.Repository, log *record.Log) (runtime.Request, error) {
	state, err := record.Fold(log.Events())
	if err != nil {
		return runtime.Request{}, err
	}
	p, err := frozenPlan(log)
	if err != nil {
		return runtime.Request{}, err
	}
	q, err := runtime.Recorded(state.Started, p)
	if err != nil {
		return runtime.Request{}, environmentFailed(err)
	}
	q.Repository, q.Now, q.Random = repo, time.Now, rand.Reader
	if q.Cache, err = workspace.CacheRoot(); err != nil {
		return runtime.Request{}, environmentFailed(err)
	}
	settled, err := runtime.Settled(log.Events())
	if err != nil || settled {
		return q, err
	}
	if n := state.Started.Redacted; len(f.redact) < n {
		return runtime.Request{}, usagef("the run was begun with %s to take out, which are kept nowhere: name them again with --redact", counted(n, "text"))
	}
	if changed := changedSources(repo, p); len(changed) > 0 {
		fmt.Fprintf(s.err, "note: %s has changed since the run began; the run goes on with its own plan\n", changed[0])
	}
	return q, f.reach(&q)
}

// reach sets the way to the endpoint, or to the recording that the run is
// answered from.
func (f *resumeFlags) reach(q *runtime.Request) error {
	if !q.NeedsEndpoint() {
		return nil
	}
	e, err := openExchanges("", q.Replay, q.Redact)
	if err != nil {
		return err
	}
	client, err := endpoint.New(e.config())
	if err != nil {
		return usagef("%v", err)
	}
	q.Chat = client
	return nil
}

// changedSources are the sources of a plan that are other files now.
func changedSources(repo *workspace.Repository, p *plan.Plan) []string {
	var changed []string
	for _, src := range p.Sources {
		content, err := os.ReadFile(filepath.Join(repo.Worktree(), filepath.FromSlash(src.Path)))
		sum := sha256.Sum256(content)
		if err == nil && hex.EncodeToString(sum[:]) != src.SHA256 {
			changed = append(changed, src.Path)
		}
	}
	return changed
}

// recordOf finds the record of a run in the repository that holds the current
// folder.
func recordOf(ctx context.Context, run string) (*workspace.Repository, string, error) {
	if !record.ValidID(run) {
		return nil, "", usagef("%q is not the name of a run, such as 20261130-191530-7f3a09c1d2", run)
	}
	repo, err := workspace.Open(ctx, ".")
	if err != nil {
		return nil, "", usagef("%v", err)
	}
	dir := filepath.Join(record.Root(repo.MainWorktree()), run)
	if _, err := os.Stat(dir); err != nil {
		return nil, "", errors.Join(usagef("there is no run %s in this repository", run), repo.Close())
	}
	return repo, dir, nil
}

// notOpened words why a record cannot be written on.
func notOpened(run string, err error) error {
	var held *record.HeldError
	switch {
	case errors.As(err, &held):
		return environmentFailed(fmt.Errorf("run %s is going on: %w", run, err))
	case errors.Is(err, fs.ErrNotExist):
		return environmentFailed(fmt.Errorf("run %s was stopped before its record began; begin it anew", run))
	}
	return environmentFailed(fmt.Errorf("run %s: %w", run, err))
}

// writeOutcome prints the end of a run and returns its exit code.
func writeOutcome(s streams, p record.Payload, detail string, asJSON bool, color *colorFlag) (int, error) {
	if !asJSON {
		return runtime.ExitCode(p.Outcome), writeSummary(s.out, p, detail, color.colors(s.out))
	}
	out, err := p.Encode()
	if err != nil {
		return 0, runError(err)
	}
	if _, err := bytes.NewReader(out).WriteTo(s.out); err != nil {
		return 0, runError(err)
	}
	return runtime.ExitCode(p.Outcome), nil
}
