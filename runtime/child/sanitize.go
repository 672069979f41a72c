package child

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// A sanitizer turns what a program printed for a terminal into plain text,
// piece by piece: escape sequences, control and format characters are
// dropped, invalid UTF-8 is replaced, and a carriage return, by which
// progress is overwritten, begins a new line. Only tabs and newlines remain.
type sanitizer struct {
	state   sequence
	pending []byte // the beginning of a character
	cr      bool   // a carriage return that may be followed by a newline
}

// A sequence is what kind of escape sequence the next character belongs to.
type sequence int

const (
	plain      sequence = iota
	escape              // after ESC
	nameless            // after ESC and intermediate characters
	control             // after CSI, up to its final character
	textual             // after OSC, DCS, SOS, PM or APC, up to BEL, ST or the end of the line
	textualEsc          // after ESC in such a one
)

// write appends the plain text of p to out.
func (s *sanitizer) write(out *strings.Builder, p []byte) {
	if len(s.pending) > 0 {
		p = append(s.pending, p...)
		s.pending = nil
	}
	for len(p) > 0 {
		if !utf8.FullRune(p) {
			s.pending = append([]byte(nil), p...)
			return
		}
		r, n := utf8.DecodeRune(p)
		p = p[n:]
		s.rune(out, r)
	}
}

// flush ends the text: what was begun and not ended is replaced.
func (s *sanitizer) flush(out *strings.Builder) {
	if len(s.pending) > 0 {
		s.pending = nil
		s.rune(out, utf8.RuneError)
	}
	s.endLine(out)
}

// endLine writes the newline of a carriage return that stood alone.
func (s *sanitizer) endLine(out *strings.Builder) {
	if s.cr {
		s.cr = false
		out.WriteByte('\n')
	}
}

func (s *sanitizer) rune(out *strings.Builder, r rune) {
	switch s.state {
	case plain:
		s.plain(out, r)
	case escape:
		s.escape(out, r)
	case nameless:
		if r < ' ' || r > '/' {
			s.state = plain
		}
		s.unlessEnd(out, r)
	case control:
		if r < ' ' || r >= '@' {
			s.state = plain
		}
		s.unlessEnd(out, r)
	case textual:
		switch r {
		case '\a', '\u009c':
			s.state = plain
		case '\x1b':
			s.state = textualEsc
		}
		s.unlessEnd(out, r)
	case textualEsc:
		if s.state = plain; r != '\\' {
			s.escape(out, r)
		}
	default:
		panic("child: unknown state of an escape sequence")
	}
}

// unlessEnd lets the end of a line end any sequence, so that one that is
// never closed hides no more than its line.
func (s *sanitizer) unlessEnd(out *strings.Builder, r rune) {
	if r == '\n' || r == '\r' || r == '\x1b' && s.state == plain {
		s.state = plain
		s.plain(out, r)
	}
}

func (s *sanitizer) escape(out *strings.Builder, r rune) {
	switch {
	case r == '[':
		s.state = control
	case strings.ContainsRune("]PX^_", r):
		s.state = textual
	case r >= ' ' && r <= '/':
		s.state = nameless
	default:
		s.state = plain
		s.unlessEnd(out, r)
	}
}

func (s *sanitizer) plain(out *strings.Builder, r rune) {
	if r != '\n' && r != '\r' {
		s.endLine(out)
	}
	switch {
	case r == '\n':
		s.cr = false
		out.WriteByte('\n')
	case r == '\r':
		s.cr = true
	case r == '\t':
		out.WriteByte('\t')
	case r == '\x1b':
		s.state = escape
	case r == '\u009b':
		s.state = control
	case strings.ContainsRune("\u0090\u0098\u009d\u009e\u009f", r):
		s.state = textual
	case unicode.In(r, unicode.Cc, unicode.Cf, unicode.Zl, unicode.Zp):
	default:
		out.WriteRune(r)
	}
}

// Sanitize returns text without escape sequences, control characters and
// format characters. Tabs and newlines stay.
func Sanitize(text string) string {
	var s sanitizer
	var out strings.Builder
	s.write(&out, []byte(text))
	s.flush(&out)
	return out.String()
}
