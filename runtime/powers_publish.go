package runtime

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/snodo-lang/snodo/runtime/child"
	"github.com/snodo-lang/snodo/runtime/record"
	"github.com/snodo-lang/snodo/runtime/workspace"
)

// pushTime is how long a push may take.
const pushTime = 10 * time.Minute

// publish pushes the result to a branch of the remote and opens a draft change
// request, where the remote is that of a forge whose program is there. It
// returns the address of the request, or the branch where there is none.
func (r *run) publish(ctx context.Context, target string) (string, error) {
	refuse := func(format string, args ...any) (string, error) {
		return "", &workspace.RefusedError{Power: powerPublish, Reason: fmt.Sprintf(format, args...), ByHand: r.openings(ctx)}
	}
	address, err := r.Repository.RemoteURL(ctx, r.Remote)
	if err != nil {
		return "", err
	}
	if address == "" {
		return "", noRemote(r.Remote)
	}
	pushing, cancel := context.WithTimeout(ctx, pushTime)
	defer cancel()
	if err := r.Repository.Push(pushing, r.Remote, r.resultBranch(), r.head); err != nil {
		return "", err
	}
	if _, err := r.log.WriteChangeRequest(); err != nil {
		return "", err
	}
	f, ok := forgeOf(address)
	if !ok {
		return target, nil
	}
	answer := r.askForge(ctx, f, f.list(r.resultBranch()))
	switch {
	case ctx.Err() != nil:
		return "", context.Cause(ctx)
	case f.absent(answer):
		return target, nil
	case !answer.Succeeded():
		return refuse("%s is pushed, but %s could not be asked for its change request: it %s\n%s", target, f.program, answer, r.shown(f, answer))
	}
	open, err := f.requestOf(answer.Output.Head, string(r.head))
	if err != nil {
		return refuse("%s is pushed, but %v", target, err)
	}
	if open != "" {
		return open, nil
	}
	answer = r.askForge(ctx, f, f.create(r.draft()))
	if ctx.Err() != nil {
		return "", context.Cause(ctx)
	}
	if open = addressIn(answer.Output.Head + answer.Output.Tail); !answer.Succeeded() || open == "" {
		return refuse("%s is pushed, but %s did not open a change request: it %s\n%s", target, f.program, answer, r.shown(f, answer))
	}
	return open, nil
}

func noRemote(remote string) error {
	return &workspace.RefusedError{Power: powerPublish, Reason: fmt.Sprintf("the repository has no remote %q", remote),
		ByHand: []string{"git remote add " + quoted(remote) + " URL"}}
}

// draft is the change request of the result.
func (r *run) draft() changeRequest {
	return changeRequest{branch: r.resultBranch(), base: r.Branch, title: r.title(), body: filepath.Join(r.log.Dir(), record.ChangeRequestFile)}
}

// maxTitle is the longest title of a change request, in characters.
const maxTitle = 72

// title is the first line of what was to be done.
func (r *run) title() string {
	first, _, _ := strings.Cut(strings.TrimSpace(child.Sanitize(r.instruction())), "\n")
	if text := []rune(strings.TrimSpace(first)); len(text) > maxTitle {
		return string(text[:maxTitle-1]) + "…"
	} else if len(text) > 0 {
		return string(text)
	}
	return "snodo run " + r.id
}

// askForge runs the program of a forge. It is no child of the run as coders are: it
// gets what it needs to authenticate, and it alone.
func (r *run) askForge(ctx context.Context, f forge, args []string) child.Result {
	environ := append(child.Environment(os.Environ(), f.pass(), child.Attempt{Run: r.id, Number: r.attempt}), f.quiet...)
	return child.Run(ctx, child.Command{
		Argv: append([]string{f.program}, args...), Dir: r.Repository.Worktree(), Env: environ, Timeout: forgeTime, Output: forgeOutput,
	})
}

// shown is what a forge's program printed, without what it authenticates with.
func (r *run) shown(f forge, answer child.Result) string {
	text := printed(answer)
	for _, name := range f.tokens {
		if secret := os.Getenv(name); secret != "" {
			text = strings.ReplaceAll(text, secret, "["+name+"]")
		}
	}
	return r.Redact(text)
}

// published says what came of publishing, and what is left for a person.
func (r *run) published(ctx context.Context, target string) (string, error) {
	if strings.HasPrefix(target, "https://") {
		return "A draft change request is open: " + target, nil
	}
	return strings.Join(append([]string{
		fmt.Sprintf("The result is on %s. No change request was opened; its text is kept in %s", target, r.draft().body),
		"To open one:",
	}, indented(r.openings(ctx))...), "\n"), nil
}

func indented(lines []string) []string {
	out := make([]string, len(lines))
	for i, line := range lines {
		out[i] = "  " + line
	}
	return out
}

// openings are the commands that open a change request by hand.
func (r *run) openings(ctx context.Context) []string {
	if address, err := r.Repository.RemoteURL(ctx, r.Remote); err == nil {
		if f, ok := forgeOf(address); ok {
			return []string{f.byHand(r.draft())}
		}
	}
	return []string{fmt.Sprintf("git request-pull %s %s %s:refs/heads/%s", r.Base, quoted(r.Remote), r.head, r.resultBranch())}
}
