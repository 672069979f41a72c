package lang

import (
	"slices"
	"strings"

	"github.com/alecthomas/participle/v2/lexer"

	"github.com/snodo-lang/snodo/internal/nearest"
	"github.com/snodo-lang/snodo/lang/diag"
)

// A mend is what stands in the place of some tokens of a statement, where it
// is certain what was meant.
type mend struct {
	why         string
	first, last int    // the tokens, without the last
	text        string // "" leaves them out
	also        int    // another token that is left out, 0 for none
}

// certain returns the mend of a habit from other notations at token i, which
// is not what was expected. It is one with which the statement fits its form.
func (p *parser) certain(s *shape, sc scope, i int, what string) (mend, bool) {
	if i >= s.last || i == s.first {
		return mend{}, false
	}
	for _, find := range []func(*shape, scope, int, string) (mend, bool){
		p.mendWord, p.mendRoute, p.mendTimeout, p.mendList,
	} {
		if m, ok := find(s, sc, i, what); ok {
			return m, p.holds(s, sc, m)
		}
	}
	return mend{}, false
}

// mendWord is about signs and words that do not belong there at all.
func (p *parser) mendWord(s *shape, sc scope, i int, what string) (mend, bool) {
	t := p.tokens[i]
	switch {
	case sc == fileScope && i == s.first+2 && p.twice(s, i-1):
		return mend{why: "`" + p.lead(s) + "` stands twice", first: i - 1, last: i}, true
	case what == "a name" && unquotedName(t) != "" && (p.quotedName(s, i) || t.text[1] >= 'a'), what == "the name of a validator" && unquotedName(t) != "":
		return mend{why: "a name has no quotes", first: i, last: i + 1, text: unquotedName(t)}, true
	case what != "`->`" && (t.is(other, "=") || t.is(other, ":")):
		return mend{why: "leave `" + t.text + "` out: a value stands behind its word", first: i, last: i + 1}, true
	case t.is(other, ";") && i+1 == s.last:
		return mend{why: "leave `;` out: a statement ends with its line", first: i, last: i + 1}, true
	}
	return mend{}, false
}

// mendRoute is about what stands between a verdict and its steps.
func (p *parser) mendRoute(s *shape, _ scope, i int, what string) (mend, bool) {
	const arrow = "a verdict and what happens for it have `->` between them"
	const between = "the steps of a route have `then` between them"
	t, next := p.tokens[i], token{}
	if i+1 < s.last {
		next = p.tokens[i+1]
	}
	switch {
	case what == "`->`" && t.is(name, "then"):
		return mend{why: arrow, first: i, last: i + 1, text: "->"}, true
	case what == "`->`" && t.kind == other:
		last := i
		for last < s.last && (p.tokens[last].kind == other || p.tokens[last].is(punct, "->")) {
			last++
		}
		return mend{why: arrow, first: i, last: last, text: "->"}, true
	case what == "`->`" && t.kind == name:
		return mend{why: arrow, first: i, last: i, text: "->"}, true
	case !strings.HasPrefix(what, "`then`"):
	case t.is(punct, ",") && next.is(name, "then"):
		return mend{why: "leave the comma out: " + between, first: i, last: i + 1}, true
	case t.is(punct, ","), t.is(punct, "->"):
		return mend{why: between, first: i, last: i + 1, text: "then"}, true
	case t.is(name, "times"):
		return mend{why: "leave `times` out", first: i, last: i + 1}, true
	}
	return mend{}, false
}

// mendTimeout is about the time limit behind a command.
func (p *parser) mendTimeout(s *shape, _ scope, i int, what string) (mend, bool) {
	const why = "the time limit of a command stands behind `timeout`"
	if clauses[p.lead(s)] != "timeout" || !strings.HasSuffix(what, "the end of the line") {
		return mend{}, false
	}
	t, before := p.tokens[i], p.tokens[i-1]
	switch {
	case t.kind == duration && before.is(name, "timeout") && p.tokens[i-2].is(punct, ","):
		return mend{why: "leave the comma in front of `timeout` out", first: i - 2, last: i - 1}, true
	case t.kind == duration:
		return mend{why: why, first: i, last: i, text: "timeout"}, true
	case t.kind == name && i+1 < s.last && p.tokens[i+1].kind == duration && len(nearest.To(t.text, []string{"timeout"})) > 0:
		return mend{why: why, first: i, last: i + 1, text: "timeout"}, true
	}
	return mend{}, false
}

// mendList is about what stands between the items of a list, and around it.
func (p *parser) mendList(s *shape, sc scope, i int, what string) (mend, bool) {
	const commas = "put commas between the items of a list"
	t, before := p.tokens[i], p.tokens[i-1]
	if t.is(other, "[") {
		for j := i + 1; j < s.last; j++ {
			if p.tokens[j].is(other, "]") {
				return mend{why: "a list has no brackets", first: i, last: i + 1, also: j}, true
			}
		}
	}
	switch {
	case !strings.HasPrefix(what, "a comma"):
	case before.is(name, "and") && i-2 > s.first && p.tokens[i-2].is(punct, ","):
		return mend{why: "leave `and` out: a comma is enough", first: i - 1, last: i}, true
	case t.is(name, "and") && i+1 < s.last:
		return mend{why: commas, first: i, last: i + 1, text: ","}, true
	case t.kind == before.kind && p.isValue(t) && !continuations[t.text] && !known[sc][t.text] && !p.first(i):
		return mend{why: commas, first: i, last: i, text: ","}, true
	}
	return mend{}, false
}

// edits returns the mend as edits of the source.
func (p *parser) edits(m mend) []diag.Edit {
	r := p.span(m.first)
	text := m.text
	switch {
	case text == ",":
		r = p.between(m.first-1, max(m.first, m.last)-1)
		r.Start = p.tokens[m.first-1].end.position()
	case m.first == m.last:
		r.End = r.Start
		text += " "
	default:
		r = p.between(m.first, m.last-1)
		if text != "" && p.tokens[m.first-1].end.offset == p.tokens[m.first].start.offset {
			text = " " + text
		}
	}
	out := []diag.Edit{{Range: r, Text: text}}
	if m.also > 0 {
		out = append(out, diag.Edit{Range: p.span(m.also)})
	}
	return out
}

// keeps reports whether token i of a statement stays with a mend.
func (m mend) keeps(i int) bool { return (i < m.first || i >= m.last) && (i != m.also || i == 0) }

// mended returns a statement as it is with a mend, on one line.
func (p *parser) mended(s *shape, m mend) string {
	var words []string
	for i := s.first; i <= s.last; i++ {
		if i == m.first && m.text != "" {
			words = append(words, m.text)
		}
		if i < s.last && m.keeps(i) {
			words = append(words, p.tokens[i].text)
		}
	}
	if s.open >= 0 {
		words = append(words, "{")
	}
	return spaced(words)
}

// holds reports whether a statement fits its form with a mend.
func (p *parser) holds(s *shape, sc scope, m mend) bool {
	var tokens []lexer.Token
	for i := s.first; i <= s.last; i++ {
		if i == m.first && m.text != "" {
			t := p.lexed(s.first)
			t.Type, t.Value = name, m.text
			if m.text == "," || m.text == "->" {
				t.Type = punct
			}
			tokens = append(tokens, t)
		}
		if i < s.last && m.keeps(i) {
			tokens = append(tokens, p.lexed(i))
		}
	}
	tokens[0].Type = p.key(s, sc)
	return p.fits(s, sc, tokens)
}

// fits reports whether tokens are the form of a statement: of a header, what
// stands in front of its brace.
func (p *parser) fits(s *shape, sc scope, tokens []lexer.Token) bool {
	var err error
	lead := p.lead(s)
	read, header := heads[Kind(lead)]
	_, opens := scopes[Kind(lead)]
	ended := append(slices.Clone(tokens), lexer.Token{Type: end}, endOfFile)
	switch {
	case sc == fileScope && header:
		_, err = read(append(slices.Clone(tokens[1:]), endOfFile))
		return err == nil && (opens == (s.open >= 0) || Kind(lead) == KindEvidence)
	case sc == fileScope && lead == "import":
		_, err = run[importNode](ended)
	case sc == fileScope:
		_, err = run[editionNode](ended)
	case gateWords[lead]:
		_, err = run[gateHead](append(slices.Clone(tokens), endOfFile))
		return err == nil && s.open >= 0
	case s.open >= 0:
		return false
	default:
		_, err = statementParsers[sc](ended)
	}
	return err == nil
}

// spaced joins tokens as a person writes them.
func spaced(words []string) string {
	var b strings.Builder
	for i, w := range words {
		tight := i == 0 || w == "," || w == ")" || w == "." || words[i-1] == "(" || words[i-1] == "." || w == "("
		if !tight {
			b.WriteByte(' ')
		}
		b.WriteString(w)
	}
	return b.String()
}
