package command

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"github.com/snodo-lang/snodo/compiler/plan"
	"github.com/snodo-lang/snodo/runtime"
	"github.com/snodo-lang/snodo/runtime/child"
	"github.com/snodo-lang/snodo/runtime/record"
	"github.com/snodo-lang/snodo/runtime/signature"
)

var evidenceCommand = command{
	name:     "evidence",
	synopsis: "RUN | attach RUN ID FILE",
	summary:  "lists what a run asks people for, by owner, or answers a request with a file",
	detail: `snodo evidence RUN lists the open requests. snodo evidence attach RUN ID FILE answers one:
all of FILE is kept, and its judge is shown 64 KiB of it when the run is resumed. - is standard input.
Where the owner's role pins a key, the answer is signed with it: from the file that --key names,
otherwise by the SSH agent.

exit codes: 0, 1 the answer is refused, 64 wrong usage`,
	example: "snodo evidence $RUN",
	bind: func(flags *pflag.FlagSet) action {
		f := &evidenceFlags{}
		flags.BoolVar(&f.json, "json", false, "print the requests as JSON")
		f.answer.bind(flags)
		return func(ctx context.Context, s streams, args []string) (int, error) {
			switch {
			case len(args) > 0 && args[0] == "attach":
				return f.attach(ctx, s, args[1:])
			case len(args) == 1:
				return exitOK, f.list(ctx, s, args[0])
			}
			return 0, usagef("name one run, or attach RUN ID FILE")
		}
	},
}

type evidenceFlags struct {
	json   bool
	answer answerFlags
}

// answerFlags say who speaks, and with which key.
type answerFlags struct {
	as, key string
	redact  []string
}

func (f *answerFlags) bind(flags *pflag.FlagSet) {
	flags.StringVar(&f.as, "as", "", "speak as `ROLE`")
	flags.StringVar(&f.key, "key", "", "sign with the private key in `FILE`; otherwise the SSH agent signs")
	flags.StringArrayVar(&f.redact, "redact", nil, "take `TEXT` out of what is kept, as when the run began; may be repeated")
}

func (f *answerFlags) valid() error {
	for _, text := range f.redact {
		if err := checkRedact(text); err != nil {
			return usagef("--redact takes %v", err)
		}
	}
	return nil
}

// sign signs a statement with the key of the flags, or the agent's.
func (f *answerFlags) sign(statement []byte, pinned string) (string, error) {
	pub, err := signature.Pinned(pinned)
	if err != nil {
		return "", err
	}
	if f.key != "" {
		return signature.WithFile(statement, f.key, pub)
	}
	return signature.WithAgent(statement, os.Getenv("SSH_AUTH_SOCK"), pub)
}

// open opens the record of a run that waits, to be written on.
func (f *answerFlags) open(ctx context.Context, run string) (*record.Log, *plan.Plan, func(string) string, error) {
	repo, dir, err := recordOf(ctx, run)
	if err != nil {
		return nil, nil, nil, err
	}
	defer repo.Close()
	redact := redaction(os.Getenv("OPENAI_API_KEY"), f.redact)
	log, _, err := record.Open(dir, time.Now, redact)
	var held *record.HeldError
	switch {
	case errors.As(err, &held):
		return nil, nil, nil, refused(&runtime.NotAcceptedError{Reason: fmt.Sprintf("run %s is going on: %v", run, err)})
	case err != nil:
		return nil, nil, nil, notOpened(run, err)
	}
	p, err := frozenPlan(log)
	if err != nil {
		return nil, nil, nil, errors.Join(err, log.Close())
	}
	return log, p, redact, nil
}

// frozenPlan reads the plan of a record, which must be the one that its run was
// started with.
func frozenPlan(log *record.Log) (*plan.Plan, error) {
	content, err := os.ReadFile(filepath.Join(log.Dir(), "plan.json"))
	if err != nil {
		return nil, environmentFailed(fmt.Errorf("read the plan of the run: %w", err))
	}
	p, err := plan.Read(content)
	if err != nil {
		return nil, environmentFailed(fmt.Errorf("read the plan of the run: %w", err))
	}
	state, err := record.Fold(log.Events())
	if err != nil {
		return nil, environmentFailed(err)
	}
	if state.Started.Plan != p.Digest {
		return nil, environmentFailed(fmt.Errorf("the plan of the record is %s, and the run was started with %s", p.Digest, state.Started.Plan))
	}
	return p, nil
}

// refused gives what is not accepted its exit code.
func refused(err error) error {
	var no *runtime.NotAcceptedError
	if errors.As(err, &no) {
		return &exitError{exitFailed, err}
	}
	return environmentFailed(err)
}

// maxAttached is the most bytes of an attached file.
const maxAttached = 64 << 20

func (f *evidenceFlags) attach(ctx context.Context, s streams, args []string) (int, error) {
	if len(args) != 3 {
		return 0, usagef("attach takes a run, the id of a request and a file: snodo evidence attach RUN ID FILE")
	}
	if err := f.answer.valid(); err != nil {
		return 0, err
	}
	run, id, file := args[0], args[1], args[2]
	content, err := evidenceFile(s.in, file)
	if err != nil {
		return 0, err
	}
	log, p, redact, err := f.answer.open(ctx, run)
	if err != nil {
		return 0, err
	}
	defer log.Close()
	source := filepath.Base(file)
	if file == "-" {
		source = "standard input"
	}
	q, err := runtime.Attach(log, p, redact, runtime.Attachment{Request: id, Role: f.answer.as, Source: source, Content: content, Sign: f.answer.sign})
	if err != nil {
		return 0, refused(err)
	}
	fmt.Fprintf(s.out, "%s is answered: %s bytes for judge %s\n", q.ID, fmt.Sprint(len(content)), q.Validator)
	return exitOK, writeWaiting(s.out, log.Events())
}

// evidenceFile reads what is attached: a regular file, or standard input.
func evidenceFile(in io.Reader, name string) ([]byte, error) {
	if name != "-" {
		info, err := os.Stat(name)
		if err != nil {
			return nil, usagef("read the evidence: %v", err)
		}
		if !info.Mode().IsRegular() {
			return nil, usagef("%s is no regular file", name)
		}
		file, err := os.Open(name)
		if err != nil {
			return nil, usagef("read the evidence: %v", err)
		}
		defer file.Close()
		in = file
	}
	content, err := io.ReadAll(io.LimitReader(in, maxAttached+1))
	if err != nil {
		return nil, usagef("read the evidence: %v", err)
	}
	if len(content) > maxAttached {
		return nil, usagef("%s is larger than 64 MiB: attach the part that shows it", name)
	}
	return content, nil
}

// writeWaiting says what a run still waits for, and how to go on.
func writeWaiting(w io.Writer, events []record.Event) error {
	state, err := record.Fold(events)
	if err != nil {
		return err
	}
	open := slices.DeleteFunc(slices.Clone(state.Requests), func(q record.Request) bool { return q.State != record.StateOpen })
	for _, q := range open {
		fmt.Fprintf(w, "still open: %s, of %s\n", q.ID, q.Owner)
	}
	fmt.Fprintf(w, "Next:\n  snodo resume %s\n", state.Started.Run)
	return nil
}

func (f *evidenceFlags) list(ctx context.Context, s streams, run string) error {
	r, err := loadRun(ctx, run)
	if err != nil {
		return err
	}
	requests := slices.Clone(r.state.Requests)
	if f.json {
		e := json.NewEncoder(s.out)
		e.SetEscapeHTML(false)
		if requests == nil {
			requests = []record.Request{}
		}
		return e.Encode(requests)
	}
	var owners []string
	closed := 0
	for _, q := range requests {
		switch {
		case q.State != record.StateOpen:
			closed++
		case !slices.Contains(owners, q.Owner):
			owners = append(owners, q.Owner)
		}
	}
	if len(owners) == 0 {
		fmt.Fprintf(s.out, "run %s asks for nothing\n", run)
	}
	for _, owner := range owners {
		fmt.Fprintf(s.out, "%s\n", owner)
		for _, q := range requests {
			if q.Owner == owner && q.State == record.StateOpen {
				writeRequest(s.out, run, q)
			}
		}
	}
	if closed > 0 {
		fmt.Fprintf(s.out, "%s closed\n", counted(closed, "request"))
	}
	return nil
}

func writeRequest(w io.Writer, run string, q record.Request) {
	what, command := "a ruling", fmt.Sprintf("snodo authorize %s %s --rule pass|blocker --as %s --because TEXT", run, q.Validator, q.Role)
	if q.Evidence != nil {
		what, command = call(*q.Evidence, q.Args), fmt.Sprintf("snodo evidence attach %s %s FILE", run, q.ID)
	}
	about := q.Validator
	if q.Criterion != "" {
		about += "/" + q.Criterion
	}
	fmt.Fprintf(w, "  %-4s %s  for %s\n", q.ID, child.Sanitize(what), about)
	for _, line := range strings.Split(child.Sanitize(q.Request), "\n") {
		fmt.Fprintf(w, "       %s\n", line)
	}
	fmt.Fprintf(w, "       %s\n", command)
}
