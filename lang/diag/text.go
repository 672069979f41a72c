package diag

import (
	"bufio"
	"fmt"
	"io"
	"strconv"
	"strings"
)

// A Palette gives the parts of a rendered diagnostic their colours.
type Palette struct {
	severity [3]string // by Severity
	frame    string    // gutter, arrow, related places
	plain    string    // back to normal
}

// The palettes: without any colour, and with the colours of a terminal.
var (
	Plain = Palette{}
	ANSI  = Palette{
		severity: [3]string{Error: "\x1b[1;31m", Warning: "\x1b[1;33m", Note: "\x1b[1;36m"},
		frame:    "\x1b[34m",
		plain:    "\x1b[0m",
	}
)

// in returns text in a colour of the palette.
func (p Palette) in(colour, text string) string {
	if text == "" || colour == "" {
		return text
	}
	return colour + text + p.plain
}

// WriteText writes the diagnostics for people: sorted, each with an excerpt
// of what it is about. Sources returns the bytes of a file, or nil where they
// cannot be had; then there is no excerpt. Whatever stands in a source or a
// message, nothing but printable characters and line ends is written, and the
// palette's colours.
func WriteText(w io.Writer, l List, sources func(file string) []byte, p Palette) error {
	t := &textWriter{out: bufio.NewWriter(w), palette: p, open: sources, files: map[string]*lines{}}
	for i, d := range l.Sorted() {
		if i > 0 {
			t.line("")
		}
		t.diagnostic(d)
	}
	if err := t.out.Flush(); err != nil {
		return fmt.Errorf("write diagnostics: %w", err)
	}
	return nil
}

type textWriter struct {
	out     *bufio.Writer // keeps the first error
	palette Palette
	open    func(file string) []byte
	files   map[string]*lines
	width   int // of the line numbers of the diagnostic at hand
}

func (t *textWriter) line(parts ...string) {
	s := strings.TrimRight(strings.Join(parts, ""), " ")
	t.out.WriteString(s)
	t.out.WriteByte('\n')
}

func (t *textWriter) diagnostic(d Diagnostic) {
	colour := t.palette.severity[d.Severity]
	t.line(t.palette.in(colour, fmt.Sprintf("%s[%s]", d.Severity, d.Code)), ": ", visible(d.Message))
	t.width = len(strconv.Itoa(lastLine(d)))
	t.place(d.Range, '^', d.Label, colour)
	for _, r := range d.Related {
		t.place(r.Range, '-', r.Message, t.palette.frame)
	}
	if d.Help != "" {
		for i, s := range strings.Split(d.Help, "\n") {
			if i == 0 {
				t.line("  help: ", visible(s))
			} else {
				t.line("        ", visible(s))
			}
		}
	}
	t.line("  more: snodo explain ", string(d.Code))
}

// lastLine returns the greatest line number that d shows.
func lastLine(d Diagnostic) int {
	n := max(d.Range.Start.Line, d.Range.End.Line)
	for _, r := range d.Related {
		n = max(n, r.Range.Start.Line, r.Range.End.Line)
	}
	return n
}

// place shows where a range is and what stands there, marked and labelled.
func (t *textWriter) place(r Range, mark rune, label, colour string) {
	if r.File == "" && !r.Valid() {
		return
	}
	at := visible(r.File)
	if r.Valid() {
		at = fmt.Sprintf("%s:%d:%d", at, r.Start.Line, r.Start.Column)
	}
	t.line(strings.Repeat(" ", t.width), t.palette.in(t.palette.frame, "--> "), at)
	src := t.source(r.File)
	if src == nil || !r.Valid() {
		if label != "" {
			t.gutter("", visible(label))
		}
		return
	}
	t.gutter("", "")
	last := max(r.End.Line, r.Start.Line)
	if last > r.Start.Line && r.End.Column <= 1 {
		last-- // up to the end of the line above
	}
	for n := r.Start.Line; n <= last; n++ {
		if n == r.Start.Line+2 && n < last-1 {
			t.line(t.palette.in(t.palette.frame, "..."))
			n = last
		}
		x := src.excerpt(r, n)
		t.gutter(strconv.Itoa(n), x.text)
		said := ""
		if n == last && label != "" {
			said = " " + visible(label)
		}
		t.gutter("", strings.Repeat(" ", x.indent)+
			t.palette.in(colour, strings.Repeat(string(mark), x.marks)+said))
	}
	t.gutter("", "")
}

// gutter writes a line of an excerpt, with its number or without.
func (t *textWriter) gutter(number, text string) {
	pad := strings.Repeat(" ", t.width-len(number))
	t.line(t.palette.in(t.palette.frame, pad+number+" |"), " ", text)
}

func (t *textWriter) source(file string) *lines {
	src, found := t.files[file]
	if !found {
		if b := t.open(file); b != nil {
			src = newLines(b)
		}
		t.files[file] = src
	}
	return src
}
