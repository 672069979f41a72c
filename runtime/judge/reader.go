package judge

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"strconv"
	"strings"

	"github.com/snodo-lang/snodo/compiler/plan"
	"github.com/snodo-lang/snodo/runtime/content"
	"github.com/snodo-lang/snodo/runtime/verdict"
)

// The names of the read tools.
const (
	readFile      = "read_file"
	readFileLines = "read_file_lines"
	listFiles     = "list_files"
	searchText    = "search_text"
	gitLog        = "git_log"
	gitShow       = "git_show"
	readDiff      = "read_diff"
)

// A reader carries out the read tools of one judge, within its bounds.
type reader struct {
	material *material
	words    *plan.JudgeWording
	tree     Tree
	diff     []FileDiff
	scopes   map[string]scope
	turnOf   map[string]int // the turn that has the answer, by call
	spent    int            // bytes shown so far
	examined []verdict.Examined
}

// An outcome is what a call of a read tool came to.
type outcome struct {
	content  string
	repeated bool
}

// refusal is an answer that shows nothing: what was asked for cannot be
// shown, in words.
type refusal string

func (r refusal) Error() string { return string(r) }

// call carries out a call of a granted tool in the given turn. The error is
// a failure of the tree, not of the call.
func (r *reader) call(ctx context.Context, tool, arguments string, turn int) (outcome, error) {
	a, reasons := r.arguments(tool, arguments)
	if len(reasons) > 0 {
		return outcome{content: plan.Fill(r.words.BadArguments, "tool", tool, "reason", strings.Join(reasons, "; "))}, nil
	}
	key := fmt.Sprintf("%s %#v", tool, a)
	if before, ok := r.turnOf[key]; ok {
		return outcome{content: plan.Fill(r.words.Repeated, "turn", strconv.Itoa(before)), repeated: true}, nil
	}
	spent := outcome{content: plan.Fill(r.words.ReadingSpent, "bytes", strconv.Itoa(maxReading))}
	if r.spent >= maxReading {
		return spent, nil
	}
	r.turnOf[key] = turn
	p := &page{words: r.words, room: min(maxReply, maxReading-r.spent)}
	err := r.read(ctx, tool, a, p)
	var no refusal
	switch {
	case errors.As(err, &no):
		return outcome{content: string(no)}, nil
	case err != nil:
		return outcome{}, fmt.Errorf("%s: %w", tool, err)
	case p.text.Len() == 0 && p.cut > 0: // not a line fits in what is left
		r.spent = maxReading
		delete(r.turnOf, key)
		return spent, nil
	}
	r.spent += p.text.Len()
	r.examined = append(r.examined, verdict.Examined{Tool: tool, Path: a.path, Turn: turn})
	what := tool
	if a.path != "" {
		what += " " + r.material.name(a.path)
	}
	if p.encoding != "" {
		what += " " + string(p.encoding)
	}
	return outcome{content: r.material.between(what, p.end())}, nil
}

func (r *reader) read(ctx context.Context, tool string, a readArguments, p *page) error {
	switch tool {
	case readFile:
		return r.file(ctx, tool, a, p)
	case readFileLines:
		return r.file(ctx, tool, a, p)
	case listFiles:
		return r.list(ctx, a, p)
	case searchText:
		return r.search(ctx, a, p)
	case gitLog:
		return r.log(ctx, a, p)
	case gitShow:
		return r.show(ctx, a, p)
	case readDiff:
		return r.differences(a, p)
	}
	panic("judge: no such read tool: " + tool)
}

// entry finds what stands at a path that the tool may read.
func (r *reader) entry(ctx context.Context, p string) (Entry, error) {
	e, err := r.tree.Entry(ctx, p)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return e, r.refuse(r.words.NoSuchPath, p)
	case err != nil:
		return e, err
	}
	return e, r.readable(e, p)
}

// readable says whether an entry is something of the tree itself.
func (r *reader) readable(e Entry, p string) error {
	switch e.Kind {
	case Link:
		// Where it leads is what its author wrote.
		return r.refuse(r.words.IsLink, p, "target", r.material.between("target", r.material.name(e.Target)))
	case Submodule:
		return r.refuse(r.words.IsSubmodule, p)
	case File, Folder:
		return nil
	}
	panic("judge: no such kind of entry: " + string(e.Kind))
}

func (r *reader) refuse(sentence, p string, pairs ...string) error {
	return refusal(plan.Fill(sentence, append([]string{"path", r.material.name(p)}, pairs...)...))
}

func (r *reader) outside(tool, p string) error {
	return r.refuse(r.words.OutsideScope, p, "globs", strings.Join(r.scopes[tool], ", "))
}

func (r *reader) file(ctx context.Context, tool string, a readArguments, p *page) error {
	if !r.scopes[tool].holds(a.path) {
		return r.outside(tool, a.path)
	}
	e, err := r.entry(ctx, a.path)
	if err != nil {
		return err
	}
	if e.Kind == Folder {
		return r.refuse(r.words.IsFolder, a.path)
	}
	raw, err := r.tree.Read(ctx, a.path)
	if errors.Is(err, ErrTooLarge) {
		return r.refuse(r.words.TooLarge, a.path)
	}
	if err != nil {
		return err
	}
	return r.write(raw, a, p)
}

// write shows the lines of a file that are asked for; end is 0 where all are.
func (r *reader) write(raw []byte, a readArguments, p *page) error {
	text, encoding, ok := content.Read(raw)
	if !ok {
		return r.refuse(r.words.IsBinary, a.path, "bytes", strconv.Itoa(len(raw)))
	}
	if encoding != content.UTF8 {
		p.encoding = encoding
	}
	lines := linesOf(r.material.clean(text))
	if len(lines) == 0 {
		p.note(plan.Fill(r.words.EmptyFile, "path", r.material.name(a.path)))
		return nil
	}
	first, last := 1, len(lines)
	if a.end > 0 {
		first, last = a.start, min(a.end, last)
	}
	if first > last {
		return r.refuse(r.words.LinesBeyond, a.path, "lines", strconv.Itoa(len(lines)))
	}
	p.numbered(a.path, first, lines[first-1:last], r.material.seen)
	return nil
}

func (r *reader) list(ctx context.Context, a readArguments, p *page) error {
	e, err := r.entry(ctx, a.path)
	if r.hides(listFiles, a.path, e, err) {
		return r.outside(listFiles, a.path)
	}
	if err != nil {
		return err
	}
	if e.Kind != Folder {
		return r.refuse(r.words.IsFile, a.path)
	}
	entries, err := r.tree.Walk(ctx, a.path)
	if err != nil {
		return err
	}
	parent, last := a.path+"/", ""
	if a.path == "." {
		parent = ""
	}
	for _, e := range entries {
		if !r.scopes[listFiles].holds(e.Path) {
			continue
		}
		name, _, folder := strings.Cut(strings.TrimPrefix(e.Path, parent), "/")
		if folder {
			name += "/"
		}
		if name != last {
			p.line(r.material.name(parent + name))
			last = name
		}
	}
	if last != "" {
		return nil
	}
	if len(r.scopes[listFiles]) > 0 {
		return r.outside(listFiles, a.path)
	}
	p.note(r.words.NothingFound)
	return nil
}

// hides says whether a tool may not tell what stands at a path: it is no folder
// in which something may be seen, and outside of what the tool is granted.
func (r *reader) hides(tool, path string, e Entry, err error) bool {
	return !r.scopes[tool].holds(path) && (err != nil || e.Kind != Folder)
}

func (r *reader) log(ctx context.Context, a readArguments, p *page) error {
	if !r.scopes[gitLog].holds(a.path) {
		return r.outside(gitLog, a.path)
	}
	commits, err := r.tree.Log(ctx, a.path, a.count)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	for _, c := range commits {
		line := strings.Join([]string{c.ID, c.Date, oneLine(c.Author), oneLine(c.Subject)}, "  ")
		whole, rest := shorten(r.words, r.material.clean(line))
		p.line(whole + rest)
	}
	if len(commits) == 0 {
		p.note(r.words.NothingFound)
	}
	return nil
}

func oneLine(s string) string { return strings.Join(strings.Fields(s), " ") }

func (r *reader) show(ctx context.Context, a readArguments, p *page) error {
	if !r.scopes[gitShow].holds(a.path) {
		return r.outside(gitShow, a.path)
	}
	e, raw, err := r.tree.Show(ctx, a.rev, a.path)
	switch {
	case errors.Is(err, ErrRevision):
		return refusal(plan.Fill(r.words.BadRevision, "rev", r.material.name(a.rev)))
	case errors.Is(err, fs.ErrNotExist):
		return r.refuse(r.words.NoSuchPath, a.path)
	case errors.Is(err, ErrTooLarge):
		return r.refuse(r.words.TooLarge, a.path)
	case err != nil:
		return err
	case e.Kind == Folder:
		return r.refuse(r.words.IsFolder, a.path)
	}
	if err := r.readable(e, a.path); err != nil {
		return err
	}
	return r.write(raw, a, p)
}

func (r *reader) differences(a readArguments, p *page) error {
	shown := false
	for _, f := range within(r.diff, r.scopes[readDiff]) {
		if a.path == "" || a.path == "." || f.Path == a.path || strings.HasPrefix(f.Path, a.path+"/") {
			p.diff(f.Path, r.material.difference(p, f), r.material.seen)
			shown = true
		}
	}
	switch {
	case shown:
		return nil
	case a.path == "":
		p.note(r.words.NothingFound)
		return nil
	case !r.scopes[readDiff].holds(a.path):
		return r.outside(readDiff, a.path)
	}
	return r.refuse(r.words.Unchanged, a.path)
}
