package lang

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/snodo-lang/snodo/lang/diag"
)

// MaxFile is the most bytes of a file (SN105).
const MaxFile = 4 << 20

// The other limits of the lexer.
const (
	maxLine   = 64 << 10 // bytes, without the line end
	maxBraces = 16       // levels
)

const byteOrderMark = "\uFEFF"

// A source is a text freed of the characters that may not stand in it, so
// that one of them inside a word does not tear the word. The cuts say where
// they were, and so keep every position true.
type source struct {
	path string
	text string
	cuts []cut
}

// A cut is what is missing from a source's text in front of the byte at.
type cut struct {
	at             int
	bytes, columns int32
}

// forbidden reports whether r hides what a reviewer reads.
func forbidden(r rune) bool {
	if r < utf8.RuneSelf {
		return r < ' ' && r != '\t' && r != '\n' || r == 0x7F
	}
	return unicode.In(r, unicode.Cc, unicode.Cf, unicode.Zl, unicode.Zp)
}

// separates reports whether a forbidden character parts words all the same.
func separates(r rune) bool { return unicode.IsSpace(r) }

// newSource examines every character and every line of a file.
func newSource(path string, src []byte, diags *reports) *source {
	s := &source{path: path, text: string(src)}
	if rest, found := strings.CutPrefix(s.text, byteOrderMark); found {
		s.text = rest
		s.cuts = append(s.cuts, cut{at: 0, bytes: int32(len(byteOrderMark))})
	}
	r := &reader{source: s, at: place{line: 1, column: 1, offset: int32(len(src) - len(s.text))}, diags: diags}
	r.read()
	if r.clean != nil {
		s.text = r.clean.String()
	}
	return s
}

// A reader walks over a source once, as it came.
type reader struct {
	*source
	at        place
	diags     *reports
	clean     *strings.Builder // nil while nothing has been cut
	lineStart int32
	overlong  *place // where the line passed its limit, nil while it has not
}

func (r *reader) read() {
	whole := r.text
	r.lineStart = r.at.offset
	for i := 0; i < len(whole); {
		c, size := utf8.DecodeRuneInString(whole[i:])
		switch {
		case c == '\r' && strings.HasPrefix(whole[i+1:], "\n"):
			r.keep(whole[i : i+1])
		case c == utf8.RuneError && size == 1:
			size = invalidRun(whole[i:])
			r.drop(whole, i, size, size, "")
		case forbidden(c):
			n := sameRun(whole[i:], c, size)
			size *= n
			with := ""
			if separates(c) {
				with = " "
			}
			r.drop(whole, i, size, n, with)
		default:
			r.keep(whole[i : i+size])
		}
		i += size
	}
	r.endLine()
}

// keep passes over one character that may stand.
func (r *reader) keep(s string) {
	if r.clean != nil {
		r.clean.WriteString(s)
	}
	if s == "\n" {
		r.endLine()
		r.at = place{line: r.at.line + 1, column: 1, offset: r.at.offset + 1}
		r.lineStart = r.at.offset
		return
	}
	if s != "\r" && r.overlong == nil && r.at.offset+int32(len(s))-r.lineStart > maxLine {
		over := r.at
		r.overlong = &over
	}
	r.at.column++
	r.at.offset += int32(len(s))
}

// drop passes over n characters in size bytes that may not stand, and leaves
// with in their place.
func (r *reader) drop(whole string, i, size, n int, with string) {
	if r.clean == nil {
		r.clean = new(strings.Builder)
		r.clean.WriteString(whole[:i])
	}
	r.clean.WriteString(with)
	r.cuts = append(r.cuts, cut{
		at:      r.clean.Len(),
		bytes:   int32(size - len(with)),
		columns: int32(n - len(with)),
	})
	from := r.at
	r.at.column += int32(n)
	r.at.offset += int32(size)
	r.report(whole[i:i+size], from)
}

func (r *reader) report(run string, from place) {
	d := diag.Diagnostic{
		Code:  diag.SN104,
		Range: diag.Range{File: r.path, Start: from.position(), End: r.at.position()},
		Label: "stands here",
		Help:  "remove it",
	}
	c, size := utf8.DecodeRuneInString(run)
	switch {
	case c == utf8.RuneError && size == 1:
		d.Message = fmt.Sprintf("the byte 0x%02X is not UTF-8", run[0])
		d.Help = "save the file as UTF-8"
	case c == '\r':
		d.Message = "a carriage return without a line feed (U+000D)"
		d.Help = "end lines with a line feed, with or without a carriage return before it"
	default:
		d.Message = fmt.Sprintf("the character U+%04X hides what a reviewer reads", c)
		d.Help = fmt.Sprintf("remove it, or write it on purpose in a text: `\\u{%X}`", c)
	}
	r.diags.Add(d)
}

// endLine reports the line that ends here if it is too long.
func (r *reader) endLine() {
	if r.overlong == nil {
		return
	}
	r.diags.Add(diag.Diagnostic{
		Code:    diag.SN105,
		Range:   diag.Range{File: r.path, Start: r.overlong.position(), End: r.at.position()},
		Message: "a line is longer than 64 KiB",
		Label:   "the limit is passed here",
		Help:    "break the line: a list goes on after a comma, a text over several lines stands in `\"\"\"`",
	})
	r.overlong = nil
}

// invalidRun returns the length of the bytes at the start of s that are no
// UTF-8.
func invalidRun(s string) int {
	n := 0
	for n < len(s) {
		c, size := utf8.DecodeRuneInString(s[n:])
		if c != utf8.RuneError || size != 1 {
			break
		}
		n++
	}
	return n
}

// sameRun returns how often c, of the given size, stands at the start of s.
func sameRun(s string, c rune, size int) int {
	n := 1
	for {
		next, _ := utf8.DecodeRuneInString(s[n*size:])
		if next != c || n*size >= len(s) {
			return n
		}
		if c == '\r' && strings.HasPrefix(s[n*size+1:], "\n") {
			return n
		}
		n++
	}
}
