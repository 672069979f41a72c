package lang

import (
	"fmt"
	"strings"

	"github.com/snodo-lang/snodo/lang/diag"
)

// Statements and braces that stand where they cannot.

// placed reports a statement that does not begin a line, and whether it does.
func (p *parser) placed(s *shape) bool {
	if s.crowded && p.tokens[s.first].flaw == sound {
		p.misplaced(s, "two statements share a line", "begin a new line here")
	}
	return !s.crowded
}

// braced reports an opening brace that is missing or stands below what it
// opens, and whether neither is so.
func (p *parser) braced(s *shape) bool {
	switch {
	case s.open < 0 || p.tokens[s.open].flaw == missing:
		p.braceless(s)
		return false
	case s.lowBrace:
		p.report(diag.Diagnostic{
			Range:   p.span(s.open),
			Message: "`{` must stand on the line of what it opens",
			Help:    fmt.Sprintf("move it up, behind `%s`", shortened(p.tokens[s.last-1].text)),
		})
		return false
	}
	return true
}

// braceless reports a header that lacks its brace. One that was put in for it
// is certain to belong there.
func (p *parser) braceless(s *shape) {
	if s.open < 0 || p.tokens[s.open].flaw != missing {
		p.expected(s, s.last, "`{`", "")
		return
	}
	r := p.rangeAt(s, s.last)
	d := diag.Diagnostic{
		Range:   r,
		Message: fmt.Sprintf("expected `{`, found %s", p.described(s, s.last)),
		Edits:   []diag.Edit{{Range: r, Text: " {"}},
	}
	d.Help = fmt.Sprintf("a block stands in braces: `%s {`", p.written(s))
	p.report(d)
}

// disorder reports what is misplaced in the block of a statement that is not
// known, and so is never read statement by statement.
func (p *parser) disorder(s *shape) {
	for i := range s.body {
		b := &s.body[i]
		p.placed(b)
		if b.open >= 0 {
			p.braced(b)
		}
		p.disorder(b)
	}
}

// misplaced reports a statement for the place where it stands.
func (p *parser) misplaced(s *shape, message, help string) {
	p.report(diag.Diagnostic{Range: p.span(s.first), Message: message, Help: help})
}

// cannotStart reports a token that begins no statement. A flawed one has been
// reported.
func (p *parser) cannotStart(s *shape, sc scope) {
	t := p.tokens[s.first]
	if t.flaw != sound || p.meantForAbove(s, sc) {
		return
	}
	d := diag.Diagnostic{
		Range:   p.span(s.first),
		Message: fmt.Sprintf("%s begins no statement", quoted(t)),
		Help:    "a statement begins with a word",
	}
	if sc == fileScope {
		d.Message = fmt.Sprintf("%s begins no declaration", quoted(t))
		d.Help = "a declaration begins with a word: `role`, `evidence`, `criteria`, `judge`, `check`, `rule`, `controls`, `coder`, `mode`, `review`, `task` or `protocol`"
	}
	switch {
	case s.crowded:
		d.Message = fmt.Sprintf("expected the end of the line, found %s", quoted(t))
		d.Help = "nothing follows `}` on its line"
	case t.text == "#" || t.text == "/":
		d.Help = "a comment begins with `//`"
	case t.is(punct, ","):
		d.Help = "a comma stands at the end of the line above"
	case t.is(punct, "{"):
		d.Help = "`{` stands on the line of what it opens"
	case t.is(other, "-"):
		d.Help = "a list stands behind its word, on its line, with commas between the items"
	case sc == evidenceScope && t.kind == text:
		d.Help = fmt.Sprintf("a command stands behind its word: `obtain %s`", shortened(p.written(s)))
	case t.kind == text && p.fieldInQuotes(s, sc):
		d.Help = fmt.Sprintf("a word has no quotes: `%s`", unquotedName(t))
		d.Edits = []diag.Edit{{Range: d.Range, Text: unquotedName(t)}}
	}
	p.report(d)
}

// fieldInQuotes reports whether a statement that begins with a text is one of
// the scope, or a route, but for the quotes.
func (p *parser) fieldInQuotes(s *shape, sc scope) bool {
	bare := unquotedName(p.tokens[s.first])
	m := *s
	m.meant = bare
	switch {
	case bare == "" || s.open >= 0 || sc == unknownScope || p.flawed(s):
		return false
	case sc == gateScope && routeShows[bare] != "":
		_, err := statementParsers[sc](p.statementTokens(&m, name))
		return err == nil
	case sc == fileScope || !known[sc][bare]:
		return false
	}
	_, err := statementParsers[sc](p.statementTokens(&m, keyword))
	return err == nil
}

// unquotedName returns the name that a text is but for its quotes, or "".
func unquotedName(t token) string {
	inner := strings.TrimSuffix(strings.TrimPrefix(t.text, `"`), `"`)
	if inner == "" || !isLetter(rune(inner[0])) || nameLength(inner) != len(inner) {
		return ""
	}
	return inner
}

// strayBrace reports a closing brace that closes nothing. The declaration
// above has likely ended too early.
func (p *parser) strayBrace(s *shape) {
	p.report(diag.Diagnostic{
		Range:   p.between(s.close, s.last-1),
		Message: "`}` closes nothing",
		Help:    "remove it, or the one above that closes too much",
	})
	p.file.Damaged = true
	if n := len(p.file.Decls); n > 0 {
		if d, ok := p.file.Decls[n-1].(*Declaration); ok {
			d.Damaged = true
		}
	}
}

// danglingComma reports a comma behind which the list does not go on.
func (p *parser) danglingComma(i int) {
	p.report(diag.Diagnostic{
		Range:   p.span(i),
		Message: fmt.Sprintf("expected the next item of the list, found the statement `%s`", p.tokens[i+1].text),
		Help:    "leave the comma out: behind one, a list goes on in the next line",
	})
}
