// Package trial puts the known cases of a validator before it, each as a run
// of its own, by the same gate as any run. What goes in are the trials that
// the compiler made of the controls of a package; what comes out are proofs.
// The package decides nothing about a verdict but whether it is the one that
// the case expects, and keeps nothing.
package trial

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/snodo-lang/snodo/compiler"
	"github.com/snodo-lang/snodo/compiler/plan"
	"github.com/snodo-lang/snodo/runtime"
	"github.com/snodo-lang/snodo/runtime/judge"
	"github.com/snodo-lang/snodo/runtime/proof"
	"github.com/snodo-lang/snodo/runtime/record"
	"github.com/snodo-lang/snodo/runtime/verdict"
	"github.com/snodo-lang/snodo/runtime/workspace"
)

// MostTask is the most bytes of the task of a case.
const MostTask = 1 << 20

// A Reached says who answers for a judge in one run. End is called when the
// run is over, and may be nil.
type Reached struct {
	Endpoint string // its address
	End      func(record.Payload)
}

// A Setting is what all trials of one command share.
type Setting struct {
	FS      fs.FS // in which the paths of cases are
	Runs    int   // how often each case is put to a judge, at least 1
	Jobs    int   // how many cases are before a judge at once
	Replay  bool  // answers come from a recording
	PassEnv []string
	Cache   string // where folders are made
	Redact  func(string) string
	// Reach completes a run in which a judge is asked with what it takes to
	// reach the judge. The name is that of the run, unlike any other of the
	// command, and slash-separated.
	Reach  func(q *runtime.Request, name string) (Reached, error)
	Done   func(validator string, c proof.Case, r proof.Run) // a run is over; may be called side by side
	Now    func() time.Time
	Random io.Reader
}

// then is the time of the commits of a case: always the same, so that the same
// case is the same to the byte.
var then = time.Unix(1_000_000_000, 0)

// Prove puts every case of a trial, as often as it is set, and returns what
// came of it. The error is operational: a case that could not be put is one
// whose run has an error, and the proof does not hold.
func (s Setting) Prove(ctx context.Context, t compiler.Trial) (proof.Proof, error) {
	p := s.begun(t)
	var cases []proof.Case
	for _, c := range t.Cases {
		cases = append(cases, proof.Case{
			Folder: c.Folder, Sum: c.Sum, Expect: c.Expect, Violates: c.Violates, Needs: c.Needs, Withheld: []string{}, Runs: make([]proof.Run, s.times(t)),
		})
	}
	if err := s.answer(ctx, t, &p, cases); err != nil {
		return proof.Proof{}, err
	}
	p.Cases = cases
	return p, nil
}

// Twins makes of every case of a proof that was decided rightly, and with
// quotes, one that cannot be decided: the files that were quoted are withheld.
// It adds them to the proof with what came of them, and returns the folders of
// the cases of which no twin can be made, since no change is left of them.
func (s Setting) Twins(ctx context.Context, t compiler.Trial, p *proof.Proof) (without []string, err error) {
	var twins []proof.Case
	for i, c := range p.Cases {
		if c.Twin || c.Expect == plan.Unclear || slices.ContainsFunc(c.Runs, func(r proof.Run) bool { return r.Wrong != "" }) {
			continue
		}
		withheld := quoted(c)
		if len(withheld) > 0 {
			ok, err := s.leavesAChange(t, t.Cases[i], withheld)
			if err != nil {
				return nil, err
			}
			if ok {
				twins = append(twins, proof.Case{
					Folder: c.Folder, Sum: c.Sum, Expect: plan.Unclear, Violates: []string{}, Twin: true, Withheld: withheld, Runs: make([]proof.Run, len(c.Runs)),
				})
				continue
			}
		}
		without = append(without, c.Folder)
	}
	if err := s.answer(ctx, t, p, twins); err != nil {
		return nil, err
	}
	p.Cases = append(p.Cases, twins...)
	return without, nil
}

// times is how often a case is put: what is deterministic answers once.
func (s Setting) times(t compiler.Trial) int {
	if _, isJudge := t.Plan.Validators[t.Validator].(*plan.Judge); isJudge {
		return s.Runs
	}
	return 1
}

// begun is a proof before anybody was reached.
func (s Setting) begun(t compiler.Trial) proof.Proof {
	v := t.Plan.Validators[t.Validator]
	return proof.Proof{
		Subject: proof.Subject{Validator: t.Validator, Kind: v.OfKind(), Digest: v.Sum()},
		Replay:  s.Replay && v.OfKind() == plan.KindJudge, Time: s.Now().UTC(),
	}
}

// answer runs cases, each into its own place, and binds the proof to the model
// and the endpoint that answered.
func (s Setting) answer(ctx context.Context, t compiler.Trial, p *proof.Proof, cases []proof.Case) error {
	var mu sync.Mutex
	var work errgroup.Group
	work.SetLimit(1)
	if p.Kind == plan.KindJudge {
		work.SetLimit(max(1, s.Jobs))
	}
	for i := range cases {
		for n := range cases[i].Runs {
			work.Go(func() error {
				if ctx.Err() != nil {
					return ctx.Err()
				}
				run, by, err := s.run(ctx, t, cases[i], n)
				if err != nil {
					return err
				}
				mu.Lock()
				defer mu.Unlock()
				if p.Model != "" && (p.Model != by.Model || p.Endpoint != by.Endpoint) {
					return fmt.Errorf("%s was answered by %s at %s and by %s at %s: a proof is about one", t.Validator, p.Model, p.Endpoint, by.Model, by.Endpoint)
				}
				p.Model, p.Endpoint = by.Model, by.Endpoint
				cases[i].Runs[n] = run
				s.Done(t.Validator, cases[i], run)
				return nil
			})
		}
	}
	if err := work.Wait(); err != nil {
		return err
	}
	return ctx.Err()
}

// run puts a case once, and returns the model and the endpoint that answered.
func (s Setting) run(ctx context.Context, t compiler.Trial, c proof.Case, n int) (_ proof.Run, by proof.Subject, err error) {
	defer func() {
		if err != nil {
			err = fmt.Errorf("put the case %s: %w", c.Folder, err)
		}
	}()
	top, err := os.MkdirTemp(s.Cache, "trial-")
	if err != nil {
		return proof.Run{}, by, err
	}
	defer func() { err = errors.Join(err, workspace.RemoveAll(top)) }()
	q, err := s.request(ctx, t, c, top)
	if err != nil {
		return proof.Run{}, by, err
	}
	defer q.Repository.Close()
	var reached Reached
	if judge, ok := t.Plan.Validators[t.Validator].(*plan.Judge); ok {
		if reached, err = s.Reach(&q, Name(t.Validator, c, n)); err != nil {
			return proof.Run{}, by, err
		}
		by.Model, by.Endpoint = q.Model, reached.Endpoint
		if judge.Model != nil {
			by.Model = *judge.Model
		}
	}
	payload, err := runtime.Run(ctx, q)
	if err != nil {
		return proof.Run{}, by, err
	}
	if reached.End != nil {
		reached.End(payload)
	}
	run := answerIn(payload, t.Validator)
	run.Wrong = c.Judge(run)
	return run, by, nil
}

// Name is the path under which a run of a case is known to those who keep its
// exchanges: slash-separated, and unlike that of any other run.
func Name(validator string, c proof.Case, n int) string {
	flat := strings.NewReplacer("_", "__", "/", "_")
	word := flat.Replace(c.Folder)
	if c.Twin {
		word += "_twin"
	}
	return path.Join(url.PathEscape(validator), fmt.Sprintf("%s-%d", word, n+1))
}

// answerIn is what the validator said in a run. Where the run has no answer of
// it, that is an error: a value that is missing is no verdict.
func answerIn(p record.Payload, validator string) proof.Run {
	for _, g := range p.Gates {
		for _, r := range g.Results {
			if r.Validator == validator {
				return proof.Run{Verdict: r.Verdict, Error: r.Error, Findings: r.Findings}
			}
		}
	}
	return proof.Run{
		Error:    &verdict.Failure{Class: verdict.Tool, Message: "the case never came before the validator: " + p.Reason},
		Findings: []verdict.Finding{},
	}
}

// request makes the repository of a case and the run in which it is put.
func (s Setting) request(ctx context.Context, t compiler.Trial, c proof.Case, top string) (runtime.Request, error) {
	at := t.Cases[slices.IndexFunc(t.Cases, func(k compiler.Case) bool { return k.Folder == c.Folder })].Path
	task, err := s.task(at)
	if err != nil {
		return runtime.Request{}, err
	}
	states, err := s.states(t, at, c.Withheld)
	if err != nil {
		return runtime.Request{}, err
	}
	dir := filepath.Join(top, "repository")
	commits, err := workspace.MakeRepository(ctx, dir, then, states...)
	if err != nil {
		return runtime.Request{}, err
	}
	repo, err := workspace.Open(ctx, dir)
	if err != nil {
		return runtime.Request{}, err
	}
	q := runtime.Request{
		Plan: t.Plan, Repository: repo, Stage: compiler.TrialStage, Task: s.Redact(task), Base: commits[0], Jobs: 1,
		PassEnv: s.PassEnv, Cache: filepath.Join(top, "folders"), Redact: s.Redact, Observer: silent{}, Now: s.Now, Random: s.Random,
	}
	if len(commits) > 1 {
		q.Work = &commits[1]
	}
	return q, nil
}

func (s Setting) task(at string) (string, error) {
	text, err := fs.ReadFile(s.FS, path.Join(at, "task.md"))
	if err == nil && len(text) > MostTask {
		err = fmt.Errorf("the task is longer than %d bytes", MostTask)
	}
	return string(text), err
}

// states are the files before the work and, where the validator judges a
// result, those after it.
func (s Setting) states(t compiler.Trial, at string, withheld []string) ([]workspace.State, error) {
	folders := []string{"before"}
	if t.Plan.Validators[t.Validator].InPhase() == plan.PostExecute {
		folders = append(folders, "after")
	}
	var out []workspace.State
	for _, f := range folders {
		sub, err := fs.Sub(s.FS, path.Join(at, f))
		if err != nil {
			return nil, err
		}
		out = append(out, workspace.State{FS: sub, Withheld: withheld})
	}
	return out, nil
}

// quoted returns the files that the answers to a case quote, sorted.
func quoted(c proof.Case) []string {
	out := []string{}
	for _, r := range c.Runs {
		for _, f := range r.Findings {
			for _, q := range f.Quotes {
				out = append(out, q.Path)
			}
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// leavesAChange reports whether something of a case is left to be judged when
// files are withheld: a change, where the validator judges one, and otherwise
// the task.
func (s Setting) leavesAChange(t compiler.Trial, c compiler.Case, withheld []string) (bool, error) {
	states, err := s.states(t, c.Path, withheld)
	if err != nil || len(states) == 1 {
		return err == nil, err
	}
	var seen [2]map[string]string
	for i, state := range states {
		if seen[i], err = contents(state); err != nil {
			return false, err
		}
	}
	if len(seen[0]) != len(seen[1]) {
		return true, nil
	}
	for name, content := range seen[0] {
		if other, ok := seen[1][name]; !ok || other != content {
			return true, nil
		}
	}
	return false, nil
}

func contents(s workspace.State) (map[string]string, error) {
	out := map[string]string{}
	err := fs.WalkDir(s.FS, ".", func(name string, e fs.DirEntry, err error) error {
		if err != nil || !e.Type().IsRegular() || slices.Contains(s.Withheld, name) {
			return err
		}
		content, err := fs.ReadFile(s.FS, name)
		out[name] = string(content)
		return err
	})
	return out, err
}

// silent is shown what happens in a run, and says nothing of it.
type silent struct{}

func (silent) Recorded(record.Entry)       {}
func (silent) Entered(string, []string)    {}
func (silent) Turn(string, judge.Progress) {}
func (silent) Output(source, line string)  {}
func (silent) Recalled(record.Entry)       {}
func (silent) Begun(run, dir string)       {}
