package coder

import (
	"context"
	"errors"
	"os"
	"path"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/snodo-lang/snodo/compiler/plan"
	"github.com/snodo-lang/snodo/internal/glob"
	"github.com/snodo-lang/snodo/runtime/endpoint"
	"github.com/snodo-lang/snodo/runtime/judge"
)

// The names of the writing tools.
const (
	writeFile  = "write_file"
	editFile   = "edit_file"
	deleteFile = "delete_file"
)

// tools carries out the calls of one conversation.
type tools struct {
	*Request
	words   *plan.ModelWording
	reading judge.Reading
	folder  folder
	state   State // of the folder as it stands; nil where it has changed since
	written int   // bytes so far
	answers int   // bytes of the answers to this reply
}

func newTools(r *Request, root *os.Root) *tools {
	words := r.Wording.Judge
	words.NoSuchPath = r.Wording.Coder.Model.NoSuchPath
	return &tools{
		Request: r, words: &r.Wording.Coder.Model, folder: folder{root},
		reading: judge.Reading{Words: &words, Grants: r.Grants, Token: r.Token, Redact: r.Redact},
	}
}

// call carries out the n-th call of a reply, or says why it does not. The
// error is a failure of the surroundings, not of the call.
func (t *tools) call(ctx context.Context, n int, call endpoint.Call) (string, error) {
	if n == 0 {
		t.answers = 0
	}
	switch {
	case n >= maxCalls:
		return plan.Fill(t.words.TooManyCalls, "calls", strconv.Itoa(maxCalls)), nil
	case t.answers >= maxAnswers:
		return plan.Fill(t.words.ReplyFull, "bytes", strconv.Itoa(maxAnswers)), nil
	}
	answer, err := t.use(ctx, call)
	if errors.Is(err, ErrTooLarge) {
		answer, err = plan.Fill(t.words.WorkTooLarge, "error", err.Error()), nil
	}
	t.answers += len(answer)
	return answer, err
}

func (t *tools) use(ctx context.Context, call endpoint.Call) (string, error) {
	offered := func(o plan.Tool) bool { return o.Name == call.Name }
	switch {
	case !slices.ContainsFunc(t.Tools, offered):
		var names []string
		for _, o := range t.Tools {
			names = append(names, o.Name)
		}
		return plan.Fill(t.words.UndeclaredTool, "tool", judge.Said(call.Name), "tools", strings.Join(names, ", ")), nil
	case slices.Contains(plan.ReadTools, call.Name):
		return t.read(ctx, call)
	case call.Name == plan.RunCheck:
		return t.runCheck(ctx, call.Arguments)
	}
	answer, err := t.write(call)
	if no := (refusal)(""); errors.As(err, &no) {
		return string(no), nil
	}
	return answer, err
}

// take is the work as it stands, taken once until it changes.
func (t *tools) take(ctx context.Context) (State, error) {
	if t.state == nil {
		state, err := t.Work.Take(ctx)
		if err != nil {
			return nil, err
		}
		t.state = state
	}
	return t.state, nil
}

func (t *tools) read(ctx context.Context, call endpoint.Call) (string, error) {
	state, err := t.take(ctx)
	if err != nil {
		return "", err
	}
	var diff []judge.FileDiff
	if call.Name == "read_diff" {
		if diff, err = state.Diff(ctx); err != nil {
			return "", err
		}
	}
	return t.reading.Call(ctx, state, diff, call.Name, call.Arguments)
}

func (t *tools) runCheck(ctx context.Context, arguments string) (string, error) {
	a, wrong := judge.Texts(&t.Wording.Judge.Arguments, arguments, "check")
	if len(wrong) > 0 {
		return t.badArguments(plan.RunCheck, wrong), nil
	}
	name := a["check"]
	if !slices.Contains(t.Checks, name) {
		return plan.Fill(t.words.NoCheck, "check", judge.Said(name), "checks", strings.Join(t.Checks, ", ")), nil
	}
	state, err := t.take(ctx)
	if err != nil {
		return "", err
	}
	res, err := state.Check(ctx, name)
	if err != nil {
		return "", err
	}
	sentence := t.words.CheckBroken
	switch res.Verdict {
	case plan.Pass:
		return plan.Fill(t.words.CheckPassed, "check", name), nil
	case plan.Blocker:
		sentence = t.words.CheckFailed
	}
	return plan.Fill(sentence, "check", name) + "\n" + t.reading.Show(plan.RunCheck+" "+name, res.Output), nil
}

func (t *tools) badArguments(tool string, wrong []string) string {
	return plan.Fill(t.words.BadArguments, "tool", tool, "reason", strings.Join(wrong, "; "))
}

// A refusal says in words why nothing was done.
type refusal string

func (r refusal) Error() string { return string(r) }

// refuse fills a sentence about a path.
func (t *tools) refuse(sentence, p string, pairs ...string) error {
	return refusal(plan.Fill(sentence, append([]string{"path", t.reading.Name(p)}, pairs...)...))
}

// write carries out a writing tool. Every refusal comes before anything is
// changed.
func (t *tools) write(call endpoint.Call) (string, error) {
	takes := map[string][]string{writeFile: {"path", "content"}, editFile: {"path", "old", "new"}, deleteFile: {"path"}}[call.Name]
	if takes == nil {
		panic("coder: no such tool: " + call.Name)
	}
	a, wrong := judge.Texts(&t.Wording.Judge.Arguments, call.Arguments, takes...)
	if len(wrong) > 0 {
		return t.badArguments(call.Name, wrong), nil
	}
	p, err := t.mayWrite(call.Name, a["path"])
	if err != nil {
		return "", err
	}
	at, err := t.standing(p)
	if err != nil {
		return "", err
	}
	switch call.Name {
	case writeFile:
		return t.replace(p, at, a["content"])
	case editFile:
		return t.edit(p, at, a["old"], a["new"])
	}
	return t.remove(p, at)
}

// mayWrite returns the clean path of what a tool is to change, if the tool may
// change it.
func (t *tools) mayWrite(tool, given string) (string, error) {
	p, ok := judge.Confine(given)
	if !ok || strings.TrimSpace(given) == "" || len(given) > maxPath || slices.ContainsFunc(strings.Split(p, "/"), reserved) {
		return "", t.refuse(t.words.BadPath, given)
	}
	if p == "." {
		return "", t.refuse(t.words.IsFolder, p)
	}
	protected, err := t.Protected(p)
	if err != nil {
		return "", err
	}
	if protected {
		return "", t.refuse(t.words.Protected, p)
	}
	var globs []string
	for _, g := range t.Grants {
		if g.Tool != tool {
			continue
		}
		if len(g.In) == 0 || slices.ContainsFunc(g.In, func(in string) bool { return glob.Match(in, p) }) {
			return p, nil
		}
		globs = append(globs, g.In...)
	}
	return "", t.refuse(t.words.OutsideScope, p, "tool", tool, "globs", strings.Join(globs, ", "))
}

// maxPath is the most bytes of a path.
const maxPath = 4096

// reserved says whether git refuses to hold a name, because on some file
// system it is .git.
func reserved(element string) bool {
	plain := strings.Map(func(r rune) rune {
		if unicode.Is(unicode.Cf, r) {
			return -1
		}
		return r
	}, element)
	plain, _, _ = strings.Cut(plain, ":")
	plain = strings.TrimRight(plain, ". ")
	return strings.EqualFold(plain, ".git") || strings.EqualFold(plain, "git~1")
}

// standing looks at what stands at a path. The way to it leads through folders
// alone.
func (t *tools) standing(p string) (standing, error) {
	at, err := t.folder.stand(p)
	switch blocked := (*blockedError)(nil); {
	case errors.As(err, &blocked) && blocked.link:
		return at, t.refuse(t.words.IsLink, blocked.path)
	case errors.As(err, &blocked):
		return at, t.refuse(t.words.InTheWay, p, "blocking", t.reading.Name(blocked.path))
	case err != nil:
		return at, t.cannot(p, err)
	case at.kind == isFolder:
		return at, t.refuse(t.words.IsFolder, p)
	case at.kind == isOther:
		return at, t.refuse(t.words.Special, p)
	}
	return at, nil
}

// cannot words what the system says of a path.
func (t *tools) cannot(p string, err error) error {
	if e := (*os.PathError)(nil); errors.As(err, &e) {
		err = e.Err
	}
	if e := (*os.LinkError)(nil); errors.As(err, &e) {
		err = e.Err
	}
	return t.refuse(t.words.CannotWrite, p, "error", err.Error())
}

func (t *tools) replace(p string, at standing, content string) (string, error) {
	switch {
	case at.kind == isLink:
		return "", t.refuse(t.words.IsLink, p)
	case len(content) > maxFile:
		return "", t.refuse(t.words.Large, p, "bytes", strconv.Itoa(maxFile))
	case t.written+len(content) > maxWritten:
		return "", t.refuse(t.words.Spent, p, "bytes", strconv.Itoa(t.written))
	}
	t.written += len(content)
	t.state = nil
	if err := t.folder.write(p, content, at.executable); err != nil {
		return "", t.cannot(p, err)
	}
	return plan.Fill(t.words.Written, "path", t.reading.Name(p), "bytes", strconv.Itoa(len(content))), nil
}

func (t *tools) edit(p string, at standing, old, new string) (string, error) {
	switch {
	case at.kind == isNothing:
		return "", t.refuse(t.words.NoSuchPath, p)
	case at.kind == isLink:
		return "", t.refuse(t.words.IsLink, p)
	case at.size > maxFile:
		return "", t.refuse(t.words.Large, p, "bytes", strconv.Itoa(maxFile))
	case old == new:
		return "", refusal(t.words.EditSame)
	}
	content, err := t.folder.read(p)
	if err != nil {
		return "", t.cannot(p, err)
	}
	if !utf8.ValidString(content) {
		return "", t.refuse(t.words.NotText, p)
	}
	switch times := occurrences(content, old); {
	case times == 0 && occurrences(unixLines(content), unixLines(old)) > 0:
		return "", t.refuse(t.words.EditLines, p)
	case times == 0:
		return "", t.refuse(t.words.EditNone, p)
	case times > 1:
		return "", t.refuse(t.words.EditMany, p, "times", strconv.Itoa(times))
	}
	return t.replace(p, at, strings.Replace(content, old, new, 1))
}

// occurrences counts where a text occurs, also where it overlaps itself. The
// empty text occurs nowhere.
func occurrences(s, of string) int {
	if of == "" {
		return 0
	}
	n := 0
	for {
		i := strings.Index(s, of)
		if i < 0 {
			return n
		}
		n++
		s = s[i+1:]
	}
}

func unixLines(s string) string { return strings.ReplaceAll(s, "\r\n", "\n") }

func (t *tools) remove(p string, at standing) (string, error) {
	if at.kind == isNothing {
		return "", t.refuse(t.words.NoSuchPath, p)
	}
	t.state = nil
	if err := t.folder.remove(p); err != nil {
		return "", t.cannot(p, err)
	}
	return plan.Fill(t.words.Deleted, "path", t.reading.Name(path.Clean(p))), nil
}
