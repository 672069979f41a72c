package command

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"

	"github.com/spf13/pflag"

	"github.com/snodo-lang/snodo/compiler/plan"
	"github.com/snodo-lang/snodo/runtime"
	"github.com/snodo-lang/snodo/runtime/child"
	"github.com/snodo-lang/snodo/runtime/record"
	"github.com/snodo-lang/snodo/runtime/workspace"
)

var verifyCommand = command{
	name:     "verify",
	synopsis: "RUN",
	summary:  "checks the record of a run against itself and the repository",
	detail: `The chain of events, the payload, the frozen plan, every transcript and piece of evidence, the
signatures, and the commits of the run must fit each other. --head takes the hash that the payload,
the summary or a change request carries: without it, a tail that was cut off or rewritten together
with all that follows from it is found only where a commit stands behind it.

exit codes: 0 the record is whole, 1 it is not, 64 wrong usage`,
	example: "snodo verify $RUN",
	bind: func(flags *pflag.FlagSet) action {
		f := &verifyFlags{}
		flags.StringVar(&f.head, "head", "", "the `HASH` with which the record was said to end")
		return func(ctx context.Context, s streams, args []string) (int, error) {
			if len(args) != 1 {
				return 0, usagef("name one run, such as 20261130-191530-7f3a09c1d2")
			}
			return f.verify(ctx, s, args[0])
		}
	},
}

type verifyFlags struct{ head string }

// recordHash is the hash of an event.
var recordHash = regexp.MustCompile(`^sha256:[0-9a-f]{64}$`)

func (f *verifyFlags) verify(ctx context.Context, s streams, run string) (int, error) {
	if f.head != "" && !recordHash.MatchString(f.head) {
		return 0, usagef("--head takes a hash such as sha256:… with 64 digits, not %q", f.head)
	}
	repo, dir, err := recordOf(ctx, run)
	if err != nil {
		return 0, err
	}
	defer repo.Close()
	busy, err := record.Busy(dir)
	switch {
	case err != nil:
		return 0, err
	case busy:
		return 0, usagef("run %s is going on: its record can be verified once it has stopped", run)
	}
	report, err := record.Verify(ctx, dir, commitsOf{repo}, f.head)
	if err != nil {
		return 0, err
	}
	statements, err := unsigned(dir)
	if err != nil {
		return 0, err
	}
	report.Findings = append(report.Findings, statements...)
	for _, note := range report.Notes {
		fmt.Fprintf(s.err, "note: %s\n", child.Sanitize(note.String()))
	}
	for _, finding := range report.Findings {
		fmt.Fprintln(s.out, child.Sanitize(finding.String()))
	}
	if len(report.Findings) > 0 {
		fmt.Fprintf(s.out, "run %s: the record is not whole, %s\n", run, counted(len(report.Findings), "finding"))
		return exitFailed, nil
	}
	fmt.Fprintf(s.out, "run %s: the record is whole: %s, %s and %s fit each other\nit ends with %s\n", run,
		counted(report.Events, "event"), counted(report.Files, "kept file"), counted(report.Commits, "commit"), report.Head)
	return exitOK, nil
}

// unsigned finds evidence and rulings for which nobody answers as the plan
// demands. A record whose events or plan cannot be read has that found
// already.
func unsigned(dir string) ([]record.Finding, error) {
	events, _, err := record.Load(dir)
	if err != nil {
		return nil, nil
	}
	content, err := os.ReadFile(filepath.Join(dir, "plan.json"))
	if err != nil {
		return nil, nil
	}
	p, err := plan.Read(content)
	if err != nil {
		return nil, nil
	}
	err = runtime.CheckStatements(events, p)
	var several interface{ Unwrap() []error }
	if !errors.As(err, &several) {
		return nil, err
	}
	var findings []record.Finding
	for _, one := range several.Unwrap() {
		findings = append(findings, record.Finding{Where: "events.jsonl", What: "holds what nobody answers for: " + one.Error()})
	}
	return findings, nil
}

// commitsOf shows a record what it needs of a repository.
type commitsOf struct{ *workspace.Repository }

func (c commitsOf) Held(ctx context.Context, id string) (record.HeldCommit, bool, error) {
	info, err := c.Commit(ctx, workspace.Commit(id))
	var unknown *workspace.RevisionError
	if errors.As(err, &unknown) {
		return record.HeldCommit{}, false, nil
	}
	held := record.HeldCommit{Tree: info.Tree, Trailers: info.Trailers}
	for _, parent := range info.Parents {
		held.Parents = append(held.Parents, string(parent))
	}
	return held, err == nil, err
}

func (c commitsOf) Kept(ctx context.Context, run string) (map[int]string, error) {
	refs, err := c.RunRefs(ctx)
	kept := map[int]string{}
	for _, ref := range refs {
		if ref.Run == run {
			kept[ref.Attempt] = string(ref.Commit)
		}
	}
	return kept, err
}
