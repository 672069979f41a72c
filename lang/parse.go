// Package lang turns the text of a protocol file into a tree.
//
// What goes in are the bytes of one file; what comes out are its syntax tree,
// with every comment, and the diagnostics of the first hundred (SN1xx). The
// tree is there whatever the bytes are: a syntax error costs the statement it
// stands in, and no more. Format gives the same bytes back in the one layout
// that a source has. The package resolves no name, knows no default and reads
// no second file; what the tree means is the compiler's to say.
//
// The way through: newSource frees the bytes of what may not stand in them,
// scan makes tokens, a layout pairs the braces, a shaper cuts statements, and
// the grammar reads each declaration whole or, where that fails, statement by
// statement.
package lang

import (
	"bytes"
	"strings"

	"github.com/alecthomas/participle/v2"
	"github.com/alecthomas/participle/v2/lexer"

	"github.com/snodo-lang/snodo/lang/diag"
)

// Parse reads one file. The path is the one that ranges and diagnostics are
// to carry; nothing is read from it. The tree is never nil. A file above the
// limit of 4 MiB is read up to there, and nothing else is said of it.
func Parse(path string, src []byte) (*File, diag.List) {
	if len(src) > MaxFile {
		p := parse(path, src[:bytes.LastIndexByte(src[:MaxFile], '\n')+1])
		p.file.Damaged = true
		return p.file, tooLong(path)
	}
	p := parse(path, src)
	return p.file, p.diags.sorted()
}

func tooLong(path string) diag.List {
	var l diag.List
	start := diag.Position{Line: 1, Column: 1}
	l.Add(diag.Diagnostic{
		Code:    diag.SN105,
		Range:   diag.Range{File: path, Start: start, End: start},
		Message: "the file is larger than 4 MiB",
		Help:    "divide it: all files of a folder form one package",
	})
	return l
}

// A parser holds one file on its way to the tree.
type parser struct {
	*layout
	shapes []shape
	ahead  []*Declaration // of each shape, nil where it was not read ahead
	file   *File
	// below is the token behind the last statement that ended too early, and
	// behind what stands on the next lines and was meant for it.
	below int
}

func newParser(path string, src []byte) *parser {
	diags := new(reports)
	tokens, comments := scan(newSource(path, src, diags), diags)
	l := newLayout(path, tokens, diags)
	return &parser{layout: l, shapes: l.shapes(), file: &File{Path: path, Comments: comments}}
}

func parse(path string, src []byte) *parser {
	p := newParser(path, src)
	if p.foreign() {
		p.file.Damaged = true
		return p
	}
	p.readAhead()
	for i := 0; i < len(p.shapes); i++ {
		s, inside := p.shapes[i], 0
		if kind := Kind(p.tokens[s.first].text); kind != KindEvidence && scopes[kind] != fileScope && !s.stray {
			s, inside = p.indented(p.shapes[i:])
		}
		p.top(&s, i)
		i += inside
	}
	return p
}

// indented returns the first of some statements. A header without a brace is
// given the statements below it that stand further to the right, as other
// notations have it, and their number is returned. The missing brace is
// reported with the header.
func (p *parser) indented(shapes []shape) (shape, int) {
	s := shapes[0]
	if s.open >= 0 || p.tokens[s.first].kind != name {
		return s, 0
	}
	n := 1
	for n < len(shapes) {
		t := p.tokens[shapes[n].first]
		if shapes[n].stray || !p.first(shapes[n].first) || t.start.column <= p.tokens[s.first].start.column {
			break
		}
		n++
	}
	if n > 1 {
		s.body, s.spoiled = shapes[1:n], true
	}
	return s, n - 1
}

// top takes the statement that stands n-th in the file.
func (p *parser) top(s *shape, n int) {
	t := p.tokens[s.first]
	switch {
	case s.stray:
		p.strayBrace(s)
	case n == 0 && p.halfEdition(s):
		// The compiler says that the file has no edition.
	case t.kind != name:
		p.cannotStart(s, fileScope)
		p.file.Damaged = true
	case t.text == "snodo":
		p.edition(s, n)
	case t.text == "import":
		p.imported(s)
	case topWords[t.text]:
		p.declaration(s, n)
	default:
		if u, ok := p.statement(s, fileScope); ok {
			p.file.Decls = append(p.file.Decls, u.(*Unknown))
		} else {
			p.file.Damaged = true
		}
	}
}

// edition takes a statement that begins with snodo. What is no edition at all
// is left to the compiler, which says that the file has none.
func (p *parser) edition(s *shape, n int) {
	switch {
	case p.file.Edition != nil:
		p.misplaced(s, "the edition stands once, in the first statement", "leave this line out")
		return
	case n > 0 && p.file.Late == nil:
		if n, err := run[editionNode](p.statementTokens(s, keyword)); err == nil && !p.flawed(s) {
			p.file.Late = &Edition{Number: p.number(n.Number), Range: p.whole(s)}
		}
		return
	case n > 0 || s.last-s.first < 2:
		return
	}
	t := p.tokens[s.first+1]
	if t.kind != number && (t.kind != duration || t.flaw == sound) {
		return
	}
	e := &Edition{Number: Number{Range: p.rangeOf(t)}, Range: p.between(s.first, s.first+1)}
	e.Number.Value, _ = parseNumber(t.text)
	if t.flaw != sound {
		e.Number.Value = 1 // so that nobody else complains about it
	}
	p.file.Edition = e
	if p.flawed(s) {
		return
	}
	if _, err := run[editionNode](p.statementTokens(s, keyword)); err != nil {
		p.unexpected(s, fileScope, err)
	}
}

// halfEdition reports whether a statement is an edition whose word is missing,
// or stands behind its number.
func (p *parser) halfEdition(s *shape) bool {
	n := s.last - s.first
	return p.tokens[s.first].kind == number && s.open < 0 && !p.flawed(s) &&
		(n == 1 || n == 2 && p.tokens[s.first+1].kind == name)
}

func (p *parser) imported(s *shape) {
	p.placed(s)
	if p.flawed(s) {
		p.file.Damaged = true
		return
	}
	n, err := run[importNode](p.statementTokens(s, keyword))
	if err != nil {
		p.unexpected(s, fileScope, err)
		p.file.Damaged = true
		return
	}
	p.file.Imports = append(p.file.Imports, p.importOf(s, n))
	if len(p.file.Decls) > 0 {
		p.misplaced(s, "an import stands before all declarations", "move it up, behind the edition")
	}
}

func (p *parser) importOf(s *shape, n *importNode) *Import {
	i := &Import{Path: p.text(n.Path), Range: p.whole(s)}
	if n.Alias != nil {
		alias := p.name(*n.Alias)
		i.Alias = &alias
	}
	return i
}

// declaration takes the declaration that stands n-th in the file.
func (p *parser) declaration(s *shape, n int) {
	d := p.ahead[n]
	if d == nil || s.spoiled {
		if d = p.begun(s); !p.piecewise(d, s) {
			p.file.Damaged = true
			return
		}
	}
	p.file.Decls = append(p.file.Decls, d)
}

// begun returns a declaration of which nothing is known but its word.
func (p *parser) begun(s *shape) *Declaration {
	word := p.word(s)
	return &Declaration{Kind: Kind(word.Text), Word: word, Header: p.header(s), Range: p.whole(s)}
}

// run gives tokens to the production P of the grammar.
func run[P any](tokens []lexer.Token) (*P, error) {
	production, err := participle.ParserForProduction[P](grammar())
	if err != nil {
		panic(err) // P is no production
	}
	peeking, err := lexer.Upgrade(&stream{tokens: tokens})
	if err != nil {
		return nil, err
	}
	return production.ParseFromLexer(peeking)
}

// key returns the kind that the first word of a statement has for the
// grammar.
func (p *parser) key(s *shape, sc scope) kind {
	t := p.tokens[s.first]
	switch {
	case s.meant != "":
		return keyword
	case t.kind != name:
		return t.kind
	case sc == gateScope && (routeShows[t.text] != "" || s.first+1 < s.last && p.tokens[s.first+1].is(punct, "->")):
		return name
	case known[sc][t.text]:
		return keyword
	}
	return unknown
}

// inside returns the scope of the block that a statement opens.
func (p *parser) inside(s *shape, sc scope) scope {
	word := p.lead(s)
	switch {
	case p.key(s, sc) != keyword:
		return unknownScope
	case gateWords[word]:
		return gateScope
	}
	if inner, opens := scopes[Kind(word)]; opens && sc == fileScope {
		return inner
	}
	return unknownScope
}

// stream returns statements as the grammar reads them.
func (p *parser) stream(shapes []shape, sc scope) []lexer.Token {
	tokens := 1
	for i := range shapes {
		tokens += streamed(&shapes[i])
	}
	out := make([]lexer.Token, 0, tokens)
	for i := range shapes {
		out = p.appendStatement(out, &shapes[i], sc)
	}
	return append(out, lexer.Token{Type: lexer.EOF})
}

// streamed is how many tokens a statement has for the grammar, or a few more.
func streamed(s *shape) int {
	n := s.last - s.first + 1
	if s.meant != "" {
		n++
	}
	if s.open >= 0 {
		n += 2
	}
	for i := range s.body {
		n += streamed(&s.body[i])
	}
	return n
}

func (p *parser) appendStatement(out []lexer.Token, s *shape, sc scope) []lexer.Token {
	out = p.appendHead(out, s, p.key(s, sc))
	if s.open >= 0 {
		out = append(out, p.lexed(s.open))
		inner := p.inside(s, sc)
		for i := range s.body {
			out = p.appendStatement(out, &s.body[i], inner)
		}
		if s.close < len(p.tokens) {
			out = append(out, p.lexed(s.close))
		}
	}
	return append(out, lexer.Token{Type: end})
}

// appendHead appends the tokens of a statement in front of its block, the
// first of them as one of the kind that is given.
func (p *parser) appendHead(out []lexer.Token, s *shape, as kind) []lexer.Token {
	first := len(out)
	for i := s.first; i < s.last; i++ {
		t := p.lexed(i)
		if i > s.first || s.meant == "" {
			out = append(out, t)
			continue
		}
		for word := range strings.FieldsSeq(s.meant) {
			t.Value = word
			out = append(out, t)
		}
	}
	if len(out) > first {
		out[first].Type = as
	}
	return out
}

// statementTokens returns the tokens of one statement, up to the brace of a
// block.
func (p *parser) statementTokens(s *shape, as kind) []lexer.Token {
	out := p.appendHead(nil, s, as)
	if s.open >= 0 {
		out = append(out, p.lexed(s.open))
	}
	return append(out, lexer.Token{Type: end}, lexer.Token{Type: lexer.EOF})
}

// lexed returns token i as participle has it.
func (p *parser) lexed(i int) lexer.Token {
	t := p.tokens[i]
	return lexer.Token{Type: t.kind, Value: t.text, Pos: lexer.Position{
		Offset: int(t.start.offset), Line: int(t.start.line), Column: int(t.start.column),
	}}
}
