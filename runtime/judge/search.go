package judge

import (
	"context"
	"errors"
	"io"
	"regexp"
	"regexp/syntax"
	"strconv"
	"unicode/utf8"

	"github.com/snodo-lang/snodo/compiler/plan"
	"github.com/snodo-lang/snodo/runtime/content"
)

// maxProgram is how large a pattern may become when it is compiled, in the
// instructions of its program. The time that a line takes grows with it.
const maxProgram = 4096

// searchable says whether a text is a pattern of RE2 that can be searched
// for.
func searchable(pattern string) bool {
	parsed, err := syntax.Parse(pattern, syntax.Perl)
	if err != nil {
		return false
	}
	program, err := syntax.Compile(parsed.Simplify())
	return err == nil && len(program.Inst) <= maxProgram
}

// maxSearched is the size up to which a file is searched.
const maxSearched = 4 << 20

func (r *reader) search(ctx context.Context, a readArguments, p *page) error {
	pattern := regexp.MustCompile(a.pattern) // compiled before, when it was read
	e, err := r.entry(ctx, a.path)
	if r.hides(searchText, a.path, e, err) {
		return r.outside(searchText, a.path)
	}
	if err != nil {
		return err
	}
	entries := []Entry{e}
	if e.Kind == Folder {
		if entries, err = r.tree.Walk(ctx, a.path); err != nil {
			return err
		}
	}
	allowed, skipped := 0, 0
	for _, e := range entries {
		if e.Kind != File || !r.scopes[searchText].holds(e.Path) {
			continue
		}
		allowed++
		if e.Size > maxSearched {
			skipped++
			continue
		}
		raw, err := r.tree.Read(ctx, e.Path)
		if err != nil && !errors.Is(err, ErrTooLarge) {
			return err
		}
		text, _, ok := content.Read(raw)
		if err != nil || !ok {
			skipped++
			continue
		}
		if err := r.matches(ctx, pattern, e.Path, text, p); err != nil {
			return err
		}
	}
	if allowed == 0 && len(r.scopes[searchText]) > 0 {
		return r.outside(searchText, a.path)
	}
	if p.text.Len() == 0 && p.cut == 0 {
		p.note(r.words.NothingFound)
	}
	if skipped > 0 {
		p.note(plan.Fill(r.words.SearchSkipped, "files", strconv.Itoa(skipped)))
	}
	return nil
}

// matches writes the lines of a file that match, below its name.
func (r *reader) matches(ctx context.Context, pattern *regexp.Regexp, file, text string, p *page) error {
	named := false
	for i, line := range linesOf(r.material.legible(text)) {
		if err := ctx.Err(); err != nil {
			return err
		}
		if !matches(ctx, pattern, line) {
			continue
		}
		if !named {
			p.line(r.material.name(file))
			named = true
		}
		p.numbered(file, i+1, []string{r.material.harmless(reveal(line))}, r.material.seen)
	}
	return ctx.Err()
}

// longLine is the length from which a line is searched so that the search of
// it can be ended.
const longLine = 4 << 10

// matches says whether a line matches. Where ctx ends meanwhile, what it says
// means nothing.
func matches(ctx context.Context, pattern *regexp.Regexp, line string) bool {
	if len(line) < longLine {
		return pattern.MatchString(line)
	}
	return pattern.MatchReader(&endable{ctx: ctx, line: line})
}

// An endable is a line that ends early where its context does.
type endable struct {
	ctx  context.Context
	line string
	at   int
}

func (e *endable) ReadRune() (rune, int, error) {
	if e.at >= len(e.line) || e.ctx.Err() != nil {
		return 0, 0, io.EOF
	}
	r, n := utf8.DecodeRuneInString(e.line[e.at:])
	e.at += n
	return r, n, nil
}
