package lang

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/snodo-lang/snodo/lang/diag"
)

// A scanner turns a source into tokens and comments. It goes over the text
// once, from left to right, and always gets to its end.
type scanner struct {
	*source
	offset   int // in text
	lineEnd  int // where the line ends that was looked at last
	at       place
	cuts     []cut // those still to come
	tokens   []token
	comments []Comment
	diags    *reports
	texts    []textStart // those of the line of the last, in quotes
}

// scan returns the tokens of src, without statement ends, and its comments.
func scan(src *source, diags *reports) ([]token, []Comment) {
	const lettersOfAToken = 6 // with the space around it, in most files more
	s := &scanner{source: src, cuts: src.cuts, at: place{line: 1, column: 1}, diags: diags}
	s.tokens = make([]token, 0, len(src.text)/lettersOfAToken)
	for s.next() {
	}
	return s.tokens, s.comments
}

// next scans one token, one comment or one blank. It is false at the end.
func (s *scanner) next() bool {
	s.settle()
	rest := s.text[s.offset:]
	if rest == "" {
		return false
	}
	c, size := utf8.DecodeRuneInString(rest)
	switch {
	case c == ' ' || c == '\t' || c == '\n' || c == '\r':
		s.move(1)
	case strings.HasPrefix(rest, "//"):
		s.comment(rest)
	case strings.HasPrefix(rest, `"""`):
		s.block(rest)
	case c == '"':
		s.quoted(rest)
	case isLetter(c):
		s.emit(name, nameLength(rest), sound)
	case isDigit(c):
		s.number(rest)
	case strings.HasPrefix(rest, "->"):
		s.emit(punct, 2, sound)
	case strings.ContainsRune("{}(),.", c):
		s.emit(punct, 1, sound)
	default:
		s.emit(other, size, sound)
	}
	return true
}

// emit makes a token of the next n bytes.
func (s *scanner) emit(k kind, n int, f flaw) {
	t := token{kind: k, flaw: f, text: s.text[s.offset : s.offset+n], start: s.at}
	s.move(n)
	t.end = s.at
	s.tokens = append(s.tokens, t)
}

// settle takes the cuts in front of the next byte into the position.
func (s *scanner) settle() {
	for len(s.cuts) > 0 && s.cuts[0].at <= s.offset {
		s.at.offset += s.cuts[0].bytes
		s.at.column += s.cuts[0].columns
		s.cuts = s.cuts[1:]
	}
}

// move goes on by n bytes.
func (s *scanner) move(n int) {
	for stop := s.offset + n; s.offset < stop; {
		s.settle()
		c, size := utf8.DecodeRuneInString(s.text[s.offset:])
		s.offset += size
		s.at.offset += int32(size)
		s.at.column++
		if c == '\n' {
			s.at.line++
			s.at.column = 1
		}
	}
}

// line returns rest up to the end of its line. It looks for that end once a
// line, however many texts the line holds.
func (s *scanner) line(rest string) string {
	if s.lineEnd <= s.offset {
		n := strings.IndexByte(rest, '\n')
		if n < 0 {
			n = len(rest)
		}
		s.lineEnd = s.offset + n
	}
	return rest[:s.lineEnd-s.offset]
}

func (s *scanner) comment(rest string) {
	line := strings.TrimRight(s.line(rest), " \t\r")
	from := s.at
	s.move(len(line))
	s.comments = append(s.comments, Comment{Text: line, Range: s.span(from, s.at)})
}

func (s *scanner) span(from, to place) diag.Range {
	return diag.Range{File: s.path, Start: from.position(), End: to.position()}
}

// isLetter reports whether c may begin a name.
func isLetter(c rune) bool {
	return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || c == '_'
}

func isDigit(c rune) bool { return '0' <= c && c <= '9' }

// nameLength returns the length of the name at the start of s. A hyphen
// belongs to it where a letter or digit follows: a->b is a name and an arrow.
func nameLength(s string) int {
	n := 0
	for n < len(s) {
		switch c := rune(s[n]); {
		case isLetter(c) || isDigit(c):
			n++
		case c == '-' && n+1 < len(s) && (isLetter(rune(s[n+1])) || isDigit(rune(s[n+1]))):
			n += 2
		default:
			return n
		}
	}
	return n
}

// wordLength returns the length of the word that begins with a digit at the
// start of s, however malformed.
func wordLength(s string) int {
	word := func(c rune) bool { return c == '_' || unicode.IsLetter(c) || unicode.IsDigit(c) }
	n := 0
	for n < len(s) {
		c, size := utf8.DecodeRuneInString(s[n:])
		if c == '.' || c == '-' {
			next, _ := utf8.DecodeRuneInString(s[n+1:])
			if !word(next) {
				return n
			}
		} else if !word(c) {
			return n
		}
		n += size
	}
	return n
}
