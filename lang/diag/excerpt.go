package diag

import (
	"bytes"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/mattn/go-runewidth"
)

const (
	tabWidth = 4
	most     = 110 // cells of an excerpt; what is longer is cut
	context  = 40  // cells shown in front of the range where a line is cut
)

// widths knows how wide characters are, whatever the locale says.
var widths = &runewidth.Condition{StrictEmojiNeutral: true}

// lines are the lines of a source.
type lines struct {
	src    []byte
	starts []int
}

func newLines(src []byte) *lines {
	l := &lines{src: src, starts: []int{0}}
	for i, c := range src {
		if c == '\n' {
			l.starts = append(l.starts, i+1)
		}
	}
	return l
}

// line returns line n, counted from 1, without its end, and the offset at
// which it starts. A line behind the last is empty.
func (l *lines) line(n int) (text []byte, start int) {
	if n > len(l.starts) {
		return nil, len(l.src)
	}
	start = l.starts[n-1]
	end := len(l.src)
	if n < len(l.starts) {
		end = l.starts[n] - 1
	}
	text = bytes.TrimSuffix(l.src[start:end], []byte("\r"))
	if n == 1 && bytes.HasPrefix(text, []byte("\uFEFF")) {
		text, start = text[3:], start+3
	}
	return text, start
}

// An excerpt is a line as it is shown, and where its marks go.
type excerpt struct {
	text          string
	indent, marks int // in cells
}

// excerpt shows line n as a part of r. On the lines behind the first of r, all
// that is not indentation is marked.
func (l *lines) excerpt(r Range, n int) excerpt {
	text, start := l.line(n)
	from := len(text) - len(bytes.TrimLeft(text, " \t"))
	to := len(text)
	if n == r.Start.Line {
		from = byteOf(text, start, r.Start)
	}
	if n == r.End.Line {
		to = byteOf(text, start, r.End)
	}
	x := draw(text, from, to)
	if n == r.Start.Line {
		x.marks = max(x.marks, 1) // an empty range is a place between two characters
	}
	return x
}

// byteOf returns the index in a line at which p is. The offset is believed
// where it lies in the line, since columns are slow to count in a long one.
func byteOf(line []byte, start int, p Position) int {
	if i := p.Offset - start; i >= p.Column-1 && i <= len(line) && i >= 0 {
		return i
	}
	i := 0
	for c := 1; c < p.Column && i < len(line); c++ {
		_, size := utf8.DecodeRune(line[i:])
		i += size
	}
	return i
}

// draw shows a line with the bytes from from up to to marked. Of a long line
// it shows the part around them.
func draw(line []byte, from, to int) excerpt {
	var out strings.Builder
	i, cell := 0, 0
	if long(line) {
		i = ahead(line, from)
	}
	if i > 0 {
		out.WriteString("…")
		cell = 1
	}
	x := excerpt{indent: -1}
	for i < len(line) && cell < most {
		if i >= from && x.indent < 0 {
			x.indent = cell
		}
		shown, width, size := glyph(line[i:], cell)
		if i >= from && i < to {
			x.marks += width
		}
		out.WriteString(shown)
		cell += width
		i += size
	}
	if x.indent < 0 {
		x.indent = cell
	}
	if i < len(line) {
		out.WriteString("…")
	}
	x.text = out.String()
	return x
}

// long reports whether a line is longer than an excerpt may be.
func long(line []byte) bool {
	cell := 0
	for i := 0; i < len(line) && cell <= most; {
		_, width, size := glyph(line[i:], cell)
		cell += width
		i += size
	}
	return cell > most
}

// ahead returns where to begin a line that is too long to show: a few cells
// in front of the byte from.
func ahead(line []byte, from int) int {
	for cell := 0; from > 0 && cell < context; {
		r, size := utf8.DecodeLastRune(line[:from])
		cell += max(1, widths.RuneWidth(r))
		from -= size
	}
	return from
}

// glyph returns how the first character of s is shown in the given cell, how
// many cells that takes, and how many bytes the character has.
func glyph(s []byte, cell int) (shown string, width, size int) {
	r, size := utf8.DecodeRune(s)
	switch {
	case r == '\t':
		width = tabWidth - cell%tabWidth
		return strings.Repeat(" ", width), width, size
	case r == utf8.RuneError && size == 1:
		shown = fmt.Sprintf("<0x%02X>", s[0])
		return shown, len(shown), size
	case hidden(r):
		shown = fmt.Sprintf("<U+%04X>", r)
		return shown, len(shown), size
	}
	return string(r), widths.RuneWidth(r), size
}

// hidden reports whether r, written to a terminal, might not show, or might
// do something.
func hidden(r rune) bool {
	return unicode.In(r, unicode.Cc, unicode.Cf, unicode.Zl, unicode.Zp)
}

// visible returns s with everything hidden in it written out.
func visible(s string) string {
	if !strings.ContainsFunc(s, func(r rune) bool { return hidden(r) || r == utf8.RuneError }) {
		return s
	}
	var out strings.Builder
	for i := 0; i < len(s); {
		shown, _, size := glyph([]byte(s[i:min(len(s), i+utf8.UTFMax)]), 0)
		out.WriteString(shown)
		i += size
	}
	return out.String()
}

// visibleLines is visible for a text of several lines.
func visibleLines(s string) string {
	lines := strings.Split(s, "\n")
	for i := range lines {
		lines[i] = visible(lines[i])
	}
	return strings.Join(lines, "\n")
}
