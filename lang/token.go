package lang

import (
	"bytes"
	"io"

	"github.com/alecthomas/participle/v2/lexer"

	"github.com/snodo-lang/snodo/lang/diag"
)

// A kind is the kind of a token, in participle's numbering: negative, so that
// no kind is ever taken for a character.
type kind = lexer.TokenType

// The kinds of tokens. The scanner makes the first group. keyword and unknown
// are given by the keyer to the first word of a statement, so that one token
// of lookahead decides every production; end is put behind every statement.
const (
	name kind = -(iota + 2)
	text
	number
	duration
	punct
	other

	keyword // the first word of a statement that is known where it stands
	unknown // the first word of a statement that is not
	end     // the end of a statement
)

// A place is a diag.Position of half the size: a file has many tokens.
type place struct{ line, column, offset int32 }

func (p place) position() diag.Position {
	return diag.Position{Line: int(p.line), Column: int(p.column), Offset: int(p.offset)}
}

// A token is one token of the source. Comments are kept apart.
type token struct {
	kind       kind
	flaw       flaw
	text       string // as written, without the characters that SN104 names
	start, end place
}

// A flaw is what is wrong with a token. It has been reported by whoever set
// it, and the statement that the token stands in is dropped.
type flaw uint8

const (
	sound    flaw = iota
	flawed        // a malformed number, a text with an unknown escape
	unclosed      // a text or block whose end is missing
	missing       // a brace that is not in the source, put in where one must be
)

// is reports whether t is this name or this punctuation.
func (t token) is(k kind, text string) bool { return t.kind == k && t.text == text }

// below reports whether t begins on a line below the end of u.
func (t token) below(u token) bool { return t.start.line > u.end.line }

// notation is the lexer as participle wants it: the names of the kinds, and a
// way from a source to a stream of tokens with statement ends.
type notation struct{}

// Symbols names the kinds for the grammar.
func (notation) Symbols() map[string]kind {
	return map[string]kind{
		"EOF": lexer.EOF, "Name": name, "Text": text, "Number": number, "Duration": duration,
		"Punct": punct, "Other": other, "Keyword": keyword, "Unknown": unknown, "End": end,
	}
}

// Lex scans a whole source. What is wrong with it is not told here: Parse
// does that.
func (notation) Lex(path string, r io.Reader) (lexer.Lexer, error) {
	var src bytes.Buffer
	if _, err := src.ReadFrom(r); err != nil {
		return nil, err
	}
	p := newParser(path, src.Bytes())
	return &stream{tokens: p.stream(p.shapes, fileScope)}, nil
}

// A stream hands tokens to participle.
type stream struct{ tokens []lexer.Token }

// Next returns the next token, and the token EOF for ever after the last.
func (s *stream) Next() (lexer.Token, error) {
	if len(s.tokens) == 0 {
		return lexer.Token{Type: lexer.EOF}, nil
	}
	t := s.tokens[0]
	if len(s.tokens) > 1 {
		s.tokens = s.tokens[1:]
	}
	return t, nil
}
