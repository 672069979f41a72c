package lang

import (
	"bytes"
	"cmp"
	"slices"
	"strings"

	"github.com/snodo-lang/snodo/lang/diag"
)

// Format returns src in the one layout that a source has:
//
//   - A block is indented by two spaces. A block that the author put on one
//     line stays there while it fits; every other one has a line for each
//     statement and one for its brace.
//   - A statement stands on one line while it fits 120 code points. Where it
//     does not, a line begins before each word that may continue a statement
//     (then, in, tested, violates, needs, from), and lists are broken where the
//     next item would pass the limit. Such lines are indented by four spaces
//     more than the statement. How the author broke it plays no part, and
//     neither does the length of a comment.
//   - One blank line stands between declarations; where the author left none
//     between two of one kind that have a line each, none. Elsewhere the
//     author's blank lines stay, one where there were several.
//   - A comment stays between the two tokens where it stands, on their line or
//     on its own. It is the only thing that breaks a line which could go on.
//   - Texts stay as they were written. Lines end with a line feed, and there is
//     no byte order mark.
//
// The lines of whatever does not parse stay byte for byte as they are, line
// ends included, and the diagnostics say why: they are those of Parse. A file
// above the limit of 4 MiB, or with more errors than are reported, is returned
// as it is.
//
// The result is read again before it is returned. Where it does not say what
// src says, token by token, the error is a *RefusedError and there is no
// result.
func Format(path string, src []byte) ([]byte, diag.List, error) {
	if len(src) > MaxFile {
		return bytes.Clone(src), tooLong(path), nil
	}
	p := parse(path, src)
	if p.diags.omitted > 0 {
		// What is wrong is not known in full, so nor is what must stay.
		return bytes.Clone(src), p.diags.sorted(), nil
	}
	out := newFormatter(p, string(src)).format()
	if reason := difference(p, parse(path, out), len(out)); reason != "" {
		return nil, p.diags.sorted(), &RefusedError{Path: path, Reason: reason}
	}
	return out, p.diags.sorted(), nil
}

// The measures of the layout, in code points.
const (
	pageWidth       = 120
	blockIndent     = 2 // of a statement, against the block it stands in
	continuedIndent = 4 // of a line that continues a statement, against it
)

// A formatter lays one file out.
type formatter struct {
	*parser
	src     string
	through []int // by token: how many comments begin before it
	page
}

func newFormatter(p *parser, src string) *formatter {
	f := &formatter{parser: p, src: src, through: make([]int, len(p.tokens)+1)}
	n := 0
	for i, t := range p.tokens {
		for n < len(p.file.Comments) && p.file.Comments[n].Range.Start.Offset < int(t.start.offset) {
			n++
		}
		f.through[i] = n
	}
	f.through[len(p.tokens)] = len(p.file.Comments)
	return f
}

// gap returns the comments between token i and the one before it.
func (f *formatter) gap(i int) []Comment {
	before := 0
	if i > 0 {
		before = f.through[i-1]
	}
	return f.file.Comments[before:f.through[i]]
}

// A piece is a part of the file outside every block: a statement, a comment
// on a line of its own, or lines that are kept.
type piece struct {
	text string
	word string // the first word of a statement; "" for anything else
	kept bool
	lines
}

// lines are lines of the source, the last included. They count from 1.
type lines struct{ first, last int }

func (l lines) touch(m lines) bool { return l.first <= m.last && m.first <= l.last }

// format returns the file in its layout.
func (f *formatter) format() []byte {
	pieces := f.pieces()
	apart := separations(pieces)
	var out bytes.Buffer
	for i, p := range pieces {
		if apart[i] {
			out.WriteByte('\n')
		}
		out.WriteString(p.text)
		out.WriteByte('\n')
	}
	if strings.HasSuffix(f.src, "\r") {
		out.Truncate(out.Len() - 1) // or the error that it is would be half a line end
	}
	return out.Bytes()
}

// pieces cuts the file outside its blocks and lays each piece out.
func (f *formatter) pieces() []piece {
	c := &cutter{formatter: f, kept: f.keptLines(), starts: lineStarts(f.src)}
	for i := range f.shapes {
		s := &f.shapes[i]
		for _, comment := range f.gap(s.first) {
			c.comment(comment)
		}
		c.statement(s)
	}
	for _, comment := range f.gap(len(f.tokens)) {
		c.comment(comment)
	}
	c.keep(len(c.starts))
	return c.out
}

// A cutter collects the pieces of a file from its top to its end.
type cutter struct {
	*formatter
	kept   []lines // ascending; those still to come
	past   int     // the last line that was kept
	starts []int   // where the lines of the source begin
	out    []piece
}

// keep takes the kept lines that begin at or above a line.
func (c *cutter) keep(line int) {
	for len(c.kept) > 0 && c.kept[0].first <= line {
		k := c.kept[0]
		c.kept = c.kept[1:]
		c.past = k.last
		end := len(c.src)
		if k.last < len(c.starts) {
			end = c.starts[k.last] - len("\n")
		}
		c.out = append(c.out, piece{text: c.src[c.starts[k.first-1]:end], kept: true, lines: k})
	}
}

func (c *cutter) comment(comment Comment) {
	line := comment.Range.Start.Line
	c.keep(line)
	if line <= c.past {
		return
	}
	if n := len(c.out); n > 0 && c.out[n-1].last == line {
		c.out[n-1].text += " " + comment.Text
		return
	}
	c.out = append(c.out, piece{text: comment.Text, lines: lines{line, line}})
}

func (c *cutter) statement(s *shape) {
	at := c.linesOf(c.whole(s))
	c.keep(at.first)
	if at.first <= c.past {
		return
	}
	c.begin()
	c.formatter.statement(s, 0)
	c.out = append(c.out, piece{text: c.String(), word: c.tokens[s.first].text, lines: at})
}

func (f *formatter) linesOf(r diag.Range) lines { return lines{r.Start.Line, r.End.Line} }

// keptLines returns the lines that must stay as they are, ascending: those of
// every diagnostic, those of every statement outside the blocks that is not
// whole in the tree, and those of every statement that shares a line with them.
func (f *formatter) keptLines() []lines {
	var kept []lines
	for _, d := range f.diags.list {
		kept = append(kept, f.linesOf(d.Range))
	}
	whole := f.wholeStatements()
	for i := range f.shapes {
		s := &f.shapes[i]
		if !whole[f.tokens[s.first].start.offset] {
			kept = append(kept, f.linesOf(f.whole(s)))
		}
	}
	kept = merged(kept)
	rest := kept
	var more []lines
	for i := range f.shapes {
		at := f.linesOf(f.whole(&f.shapes[i]))
		for len(rest) > 0 && rest[0].last < at.first {
			rest = rest[1:]
		}
		if len(rest) > 0 && rest[0].touch(at) {
			more = append(more, at)
		}
	}
	return merged(append(kept, more...))
}

// wholeStatements returns where the statements outside the blocks begin that
// the tree has without damage, by their offsets.
func (f *formatter) wholeStatements() map[int32]bool {
	whole := map[int32]bool{}
	add := func(r diag.Range) { whole[int32(r.Start.Offset)] = true }
	if f.file.Edition != nil {
		add(f.file.Edition.Range)
	}
	for _, i := range f.file.Imports {
		add(i.Range)
	}
	for _, d := range f.file.Decls {
		if d, ok := d.(*Declaration); ok && d.Damaged {
			continue
		}
		add(d.Span())
	}
	return whole
}

// merged returns the same lines, ascending and each once.
func merged(all []lines) []lines {
	slices.SortFunc(all, func(a, b lines) int { return cmp.Or(a.first-b.first, a.last-b.last) })
	var out []lines
	for _, l := range all {
		if n := len(out); n > 0 && out[n-1].touch(l) {
			out[n-1].last = max(out[n-1].last, l.last)
			continue
		}
		out = append(out, l)
	}
	return out
}

// lineStarts returns where the lines of src begin, the first behind a byte
// order mark. Where two stand there, the second is an error, which must not
// become the first.
func lineStarts(src string) []int {
	starts := []int{0}
	if rest, found := strings.CutPrefix(src, byteOrderMark); found && !strings.HasPrefix(rest, byteOrderMark) {
		starts[0] = len(byteOrderMark)
	}
	for i := range len(src) {
		if src[i] == '\n' {
			starts = append(starts, i+1)
		}
	}
	return starts
}

// separations tells in front of which pieces a blank line stands.
func separations(pieces []piece) []bool {
	apart := make([]bool, len(pieces))
	above := -1 // the nearest piece that is no comment
	for i, p := range pieces {
		apart[i] = i > 0 && p.first > pieces[i-1].last+1
		if p.word == "" && !p.kept {
			continue
		}
		if above >= 0 && !mayTouch(pieces[above], p) && !slices.Contains(apart[above+1:i+1], true) {
			apart[above+1] = true
		}
		above = i
	}
	return apart
}

// mayTouch reports whether no blank line need stand between two pieces that
// are no comments.
func mayTouch(a, b piece) bool {
	if a.kept || b.kept {
		return true
	}
	return a.word == b.word && !strings.Contains(a.text+b.text, "\n")
}
