package command

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/spf13/pflag"

	"github.com/snodo-lang/snodo/compiler"
	"github.com/snodo-lang/snodo/compiler/plan"
	"github.com/snodo-lang/snodo/internal/trial"
	"github.com/snodo-lang/snodo/lang/diag"
	"github.com/snodo-lang/snodo/runtime"
	"github.com/snodo-lang/snodo/runtime/endpoint"
	"github.com/snodo-lang/snodo/runtime/proof"
	"github.com/snodo-lang/snodo/runtime/record"
	"github.com/snodo-lang/snodo/runtime/workspace"
)

var proveCommand = command{
	name:     "prove",
	synopsis: "[VALIDATOR...]",
	summary:  "puts the known cases of validators before them, and writes proofs",
	detail: `The package is that of the current folder; without a name, everything that it has controls for is
proven. Each case is a run of its own, by the same gate as any run: what came to no verdict is never
right. A proof holds where a good and a bad case were put and every answer was right; it is bound to
the validator, the model and the endpoint, and kept in .snodo/proofs/. The one written last counts.

--record keeps the exchanges of every run in a folder of its own below DIR, and --replay answers from
them without a network. A proof from a recording says so.

exit codes: 0 all are proven, 1 one is not, or the package has an error, 64 wrong usage`,
	example: "snodo prove tests",
	bind: func(flags *pflag.FlagSet) action {
		f := &proveFlags{}
		flags.IntVar(&f.runs, "runs", 1, "put each case to a judge `N` times, and count how often the answers differ")
		flags.BoolVar(&f.twins, "twins", false, "also withhold what was quoted, and expect unclear")
		flags.StringVar(&f.model, "model", "", "the `MODEL` of judges that name none; otherwise SNODO_MODEL")
		flags.IntVar(&f.jobs, "jobs", 8, "how many cases are before a judge at once, at most `N`")
		flags.StringVar(&f.record, "record", "", "keep every exchange with the endpoint below `DIR`, a folder that does not exist or is empty")
		flags.StringVar(&f.replay, "replay", "", "answer from the recordings below `DIR`, without a network")
		flags.StringArrayVar(&f.passEnv, "pass-env", nil, "give children the variable `NAME` too; may be repeated")
		flags.BoolVar(&f.json, "json", false, "print the proofs as JSON")
		f.color = bindColor(flags)
		return f.run
	},
}

type proveFlags struct {
	runs, jobs     int
	twins, json    bool
	model          string
	record, replay string
	passEnv        []string
	color          *colorFlag
}

func (f *proveFlags) run(ctx context.Context, s streams, args []string) (int, error) {
	if err := f.valid(); err != nil {
		return 0, err
	}
	ctx, stop := interruptible(ctx)
	defer stop()
	p, err := packageIn(".")
	if err != nil {
		return 0, err
	}
	defer p.close()
	repo, err := workspace.Open(ctx, ".")
	if err != nil {
		return 0, usagef("proofs are kept in a repository: %v", err)
	}
	defer repo.Close()
	trials, code, err := f.trials(s, p, args)
	if err != nil || code != exitOK {
		return code, err
	}
	setting, err := f.setting(s, p)
	if err != nil {
		return 0, err
	}
	var proofs []proved
	for _, t := range trials {
		one, err := f.prove(ctx, setting, t)
		if ctx.Err() != nil {
			return 0, &exitError{exitFailed, errors.New("interrupted before everything was proven")}
		}
		if err != nil {
			return 0, proveError(err)
		}
		if one.Proof, err = proof.Write(repo.MainWorktree(), one.Proof); err != nil {
			return 0, &exitError{exitFailed, err}
		}
		proofs = append(proofs, one)
	}
	if f.json {
		err = writeProofsJSON(s.out, proofs)
	} else {
		err = writeProofs(s.out, proofs, f.color.colors(s.out))
	}
	if err != nil {
		return 0, err
	}
	if slices.ContainsFunc(proofs, func(p proved) bool { return !p.Proven }) {
		return exitFailed, nil
	}
	return exitOK, nil
}

func (f *proveFlags) valid() error {
	switch {
	case f.runs < 1:
		return usagef("--runs must be at least 1")
	case f.jobs < 1:
		return usagef("--jobs must be at least 1")
	}
	if err := exclusive(f.record, f.replay, ""); err != nil {
		return err
	}
	if err := checkPassed(f.passEnv); err != nil {
		return err
	}
	if f.record != "" {
		if there, err := os.ReadDir(f.record); err == nil && len(there) > 0 {
			return usagef("--record: %s is not empty", f.record)
		}
	}
	if f.replay != "" {
		if _, err := os.Stat(f.replay); err != nil {
			return usagef("--replay: there is no folder %s", f.replay)
		}
	}
	return f.color.valid()
}

// trials returns those that are asked for. The code is not 0 where the
// package has an error, which is printed then.
func (f *proveFlags) trials(s streams, p place, names []string) ([]compiler.Trial, int, error) {
	all, report, err := compiler.Trials(p.source)
	if err != nil {
		return nil, 0, sourceError(".", err)
	}
	if report.Diagnostics.Count(diag.Error) > 0 {
		code, err := (&reportFlags{format: "text", color: f.color}).write(s.err, report)
		return nil, code, err
	}
	if len(all) == 0 {
		return nil, 0, usagef("the package has no controls: write `controls VALIDATOR { … }` with a good and a bad case")
	}
	var known []string
	for _, t := range all {
		known = append(known, t.Validator)
	}
	for _, name := range names {
		if !slices.Contains(known, name) {
			return nil, 0, usagef("there are no controls of %q%s; there are of %s", name, suggestion(name, known), strings.Join(slices.Compact(slices.Sorted(slices.Values(known))), ", "))
		}
	}
	if len(names) > 0 {
		all = slices.DeleteFunc(all, func(t compiler.Trial) bool { return !slices.Contains(names, t.Validator) })
	}
	return all, exitOK, nil
}

// setting is what all trials share. An endpoint is reached when the first
// judge is asked, since checks and rules need none.
func (f *proveFlags) setting(s streams, p place) (trial.Setting, error) {
	cache, err := workspace.CacheRoot()
	if err == nil {
		err = os.MkdirAll(cache, 0o700)
	}
	if err != nil {
		return trial.Setting{}, &exitError{exitFailed, err}
	}
	redact := redaction(os.Getenv("OPENAI_API_KEY"), nil)
	live := sync.OnceValues(func() (*endpoint.Client, error) { return endpoint.New(exchanges{}.config()) })
	var mu sync.Mutex
	return trial.Setting{
		FS: p.source.FS, Runs: f.runs, Jobs: f.jobs, Replay: f.replay != "", PassEnv: f.passEnv, Cache: cache,
		Redact: redact, Now: time.Now, Random: rand.Reader,
		Reach: func(q *runtime.Request, name string) (trial.Reached, error) { return f.reach(s.err, q, name, live) },
		Done: func(validator string, c proof.Case, r proof.Run) {
			mu.Lock()
			defer mu.Unlock()
			fmt.Fprintf(s.err, "%s  %s  %s\n", validator, caseWords(c), answerWords(r))
		},
	}, nil
}

// reach completes a run with the model, the endpoint and the recording.
func (f *proveFlags) reach(notes io.Writer, q *runtime.Request, name string, live func() (*endpoint.Client, error)) (trial.Reached, error) {
	if q.Model = f.model; q.Model == "" && f.replay == "" {
		q.Model = os.Getenv("SNODO_MODEL")
	}
	var to, from string
	if f.record != "" {
		to = filepath.Join(f.record, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
			return trial.Reached{}, err
		}
	}
	if f.replay != "" {
		from = filepath.Join(f.replay, filepath.FromSlash(name))
	}
	through, err := openExchanges(to, from, q.Redact)
	if err != nil {
		return trial.Reached{}, err
	}
	if err := through.fit(notes, q); err != nil {
		return trial.Reached{}, err
	}
	// What is kept or played of a run has a client of its own.
	connect := live
	if to != "" || from != "" {
		connect = func() (*endpoint.Client, error) { return endpoint.New(through.config()) }
	}
	client, err := connect()
	if err != nil {
		return trial.Reached{}, usagef("%v", err)
	}
	q.Chat = client
	if err := through.begin(q, client.Address()); err != nil {
		return trial.Reached{}, err
	}
	return trial.Reached{Endpoint: q.Redact(client.Address()), End: func(p record.Payload) { through.kept(notes, p) }}, nil
}

// A proved is a proof, and the cases of which no twin could be made.
type proved struct {
	proof.Proof
	twins   bool
	without []string
}

func (f *proveFlags) prove(ctx context.Context, s trial.Setting, t compiler.Trial) (proved, error) {
	p, err := s.Prove(ctx, t)
	if err != nil {
		return proved{}, err
	}
	out := proved{Proof: p}
	if f.twins && p.Kind == plan.KindJudge {
		out.twins = true
		if out.without, err = s.Twins(ctx, t, &out.Proof); err != nil {
			return proved{}, err
		}
	}
	return out, nil
}

// proveError words what kept a case from being put.
func proveError(err error) error {
	var usage *usageError
	var refused *runtime.UsageError
	switch {
	case errors.As(err, &usage):
		return usage
	case errors.As(err, &refused):
		return usagef("%s", refused.Reason)
	case errors.Is(err, fs.ErrNotExist):
		return usagef("%v", err)
	}
	return &exitError{exitFailed, err}
}

// proofsSchema names what prove --json prints.
const proofsSchema = "snodo.prove.v1"

func writeProofsJSON(w io.Writer, all []proved) error {
	out := struct {
		Schema string        `json:"schema"`
		Proven bool          `json:"proven"`
		Table  tally         `json:"table"`
		Proofs []proof.Proof `json:"proofs"`
	}{Schema: proofsSchema, Proven: true, Table: tally{}, Proofs: []proof.Proof{}}
	for _, p := range all {
		out.Proven = out.Proven && p.Proven
		out.Table.add(p.Proof)
		out.Proofs = append(out.Proofs, p.Proof)
	}
	e := json.NewEncoder(w)
	e.SetIndent("", "  ")
	e.SetEscapeHTML(false)
	return e.Encode(out)
}
