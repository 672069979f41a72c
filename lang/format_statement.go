package lang

import (
	"math"
	"strings"
	"unicode/utf8"
)

// A page takes the text of a statement and knows how far its last line goes.
type page struct {
	strings.Builder
	column int // code points
}

// begin starts an empty page.
func (p *page) begin() {
	p.Reset()
	p.column = 0
}

// write puts text behind what is there. The text may have several lines.
func (p *page) write(text string) {
	p.WriteString(text)
	p.column = advanced(p.column, text)
}

// newLine begins a line.
func (p *page) newLine(indent int) {
	p.WriteByte('\n')
	p.column = 0
	p.write(strings.Repeat(" ", indent))
}

// advanced returns the column behind a text that begins in a column.
func advanced(column int, text string) int {
	if n := strings.LastIndexByte(text, '\n'); n >= 0 {
		return utf8.RuneCountInString(text[n+1:])
	}
	return column + utf8.RuneCountInString(text)
}

// statement lays a sound statement out, with its block.
func (f *formatter) statement(s *shape, depth int) {
	indent := depth * blockIndent
	switch {
	case s.open < 0:
		f.run(s.first, s.last, indent)
	case f.onOneLine(s, indent):
		f.run(s.first, s.close+1, indent)
	default:
		f.run(s.first, s.open+1, indent)
		f.block(s, depth+1)
		f.newLine(indent)
		f.write("}")
	}
}

// onOneLine reports whether a block stays on the line of its header: its
// author wrote it on one line, and all of it fits. Two statements never share
// a line, so such a block has at most one.
func (f *formatter) onOneLine(s *shape, indent int) bool {
	if f.tokens[s.close].below(f.tokens[s.open]) || f.through[s.close] > f.through[s.first] {
		return false
	}
	return f.fits(s.first, s.close+1, indent)
}

// block lays out what stands between the braces of a statement.
func (f *formatter) block(s *shape, depth int) {
	indent := depth * blockIndent
	for i := range s.body {
		b := &s.body[i]
		above := f.remarks(b.first, indent)
		f.nextLine(int(f.tokens[b.first].start.line), above, indent)
		f.statement(b, depth)
	}
	f.remarks(s.close, indent)
}

// nothingAbove stands for the source line above the first line of a block: no
// blank line is kept there.
const nothingAbove = math.MaxInt32

// remarks writes the comments in front of token i, the first of a statement or
// a closing brace: one that trails what stands before it on the same line, and
// the others on lines of their own. It returns the source line above what
// comes next.
func (f *formatter) remarks(i, indent int) (above int) {
	before := f.tokens[i-1]
	above = int(before.end.line)
	if before.is(punct, "{") {
		above = nothingAbove
	}
	for _, c := range f.gap(i) {
		line := c.Range.Start.Line
		if line == int(before.end.line) {
			f.write(" " + c.Text)
			continue
		}
		f.nextLine(line, above, indent)
		f.write(c.Text)
		above = line
	}
	return above
}

// nextLine begins a line for what stands in a line of the source, and a blank
// one before it where the source has one below the line above.
func (f *formatter) nextLine(line, above, indent int) {
	if line > above+1 {
		f.WriteByte('\n')
	}
	f.newLine(indent)
}

// run writes the tokens from first up to last, on one line where they fit and
// no comment stands between them.
func (f *formatter) run(first, last, indent int) {
	fits := f.fits(first, last, indent)
	for i := first; i < last; i++ {
		switch {
		case i == first:
		case len(f.gap(i)) > 0:
			f.interrupt(i, indent+continuedIndent)
		case !fits && f.continues(first, i), f.tokens[i-1].is(punct, ",") && !f.takes(first, i, last):
			f.newLine(indent + continuedIndent)
		default:
			f.write(blank(f.tokens[i-1], f.tokens[i]))
		}
		f.write(lineFeeds(f.tokens[i].text))
	}
}

// interrupt writes the comments in front of token i, which continues a
// statement, and begins a line for the token.
func (f *formatter) interrupt(i, indent int) {
	for _, c := range f.gap(i) {
		if c.Range.Start.Line == int(f.tokens[i-1].end.line) {
			f.write(" ")
		} else {
			f.newLine(indent)
		}
		f.write(c.Text)
	}
	f.newLine(indent)
}

// fits reports whether tokens fit on one line that begins in a column.
func (f *formatter) fits(first, last, column int) bool {
	for i := first; i < last; i++ {
		if i > first {
			column += len(blank(f.tokens[i-1], f.tokens[i]))
		}
		text := lineFeeds(f.tokens[i].text)
		line, _, _ := strings.Cut(text, "\n")
		if column+utf8.RuneCountInString(line) > pageWidth {
			return false
		}
		if column = advanced(column, text); column > pageWidth {
			return false
		}
	}
	return true
}

// takes reports whether the line has room for the item of a list that begins
// with token i, up to its comma or the end of the run.
func (f *formatter) takes(first, i, last int) bool {
	end := i + 1
	for end < last && !f.tokens[end-1].is(punct, ",") && !f.continues(first, end) {
		end++
	}
	return f.fits(i, end, f.column+1)
}

// continues reports whether token i of a run is a word that may begin a line,
// and not an item or a name that is spelt like one.
func (f *formatter) continues(first, i int) bool {
	return i > first+1 && f.continuation(i) && !f.continuation(i-1) &&
		(f.tokens[i-1].kind != punct || f.tokens[i-1].text == ")")
}

func (f *formatter) continuation(i int) bool {
	return f.tokens[i].kind == name && continuations[f.tokens[i].text]
}

// blank returns what stands between two tokens of one line. Where nothing
// does, they are two tokens all the same when they are read again.
func blank(a, b token) string {
	switch {
	case b.is(punct, ","), b.is(punct, ")"), a.is(punct, "("),
		a.is(punct, "{") && b.is(punct, "}"),
		b.is(punct, "(") && a.kind == name,
		b.is(punct, ".") && a.kind == name,
		a.is(punct, ".") && b.kind == name:
		return ""
	}
	return " "
}

// lineFeeds returns a text with every line end a line feed.
func lineFeeds(text string) string { return strings.ReplaceAll(text, "\r\n", "\n") }
