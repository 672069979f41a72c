package lang

import (
	"strings"

	"github.com/snodo-lang/snodo/lang/diag"
)

// A mend is what stands in the place of some tokens of a statement, where it
// is certain what was meant.
type mend struct {
	why         string
	first, last int    // the tokens, without the last
	text        string // "" leaves them out
}

// certain returns the mend of a habit from other notations at token i, which
// is not what was expected.
func (p *parser) certain(s *shape, sc scope, i int, what string) (mend, bool) {
	if i >= s.last || i == s.first {
		return mend{}, false
	}
	t := p.tokens[i]
	switch {
	case what == "`->`" && t.kind == other:
		last := i
		for last < s.last && (p.tokens[last].kind == other || p.tokens[last].is(punct, "->")) {
			last++
		}
		return mend{"a verdict and what happens for it have `->` between them", i, last, "->"}, true
	case what == "`->`" && t.kind == name:
		return mend{"a verdict and what happens for it have `->` between them", i, i, "->"}, true
	case (t.is(other, "=") || t.is(other, ":")) && (s.open >= 0 || !gateWords[p.lead(s)]):
		return mend{"leave `" + t.text + "` out: a value stands behind its word", i, i + 1, ""}, true
	case t.is(other, ";") && i+1 == s.last:
		return mend{"leave `;` out: a statement ends with its line", i, i + 1, ""}, true
	case strings.HasPrefix(what, "`then`") && t.is(punct, ","):
		return mend{"the steps of a route have `then` between them", i, i + 1, "then"}, true
	case strings.HasPrefix(what, "a comma") && t.kind == name && !continuations[t.text] && !known[sc][t.text] && p.tokens[i-1].kind == name && !p.first(i):
		return mend{"put commas between the items of a list", i, i, ","}, true
	}
	return mend{}, false
}

// edit returns the mend as an edit of the source.
func (p *parser) edit(m mend) diag.Edit {
	if m.first < m.last {
		text := m.text
		if text != "" && p.tokens[m.first-1].end.offset == p.tokens[m.first].start.offset {
			text = " " + text
		}
		return diag.Edit{Range: p.between(m.first, m.last-1), Text: text}
	}
	r := p.span(m.first)
	r.End = r.Start
	if m.text == "," {
		r = p.span(m.first - 1)
		r.Start = r.End
		return diag.Edit{Range: r, Text: m.text}
	}
	return diag.Edit{Range: r, Text: m.text + " "}
}

// mended returns a statement as it is with a mend, on one line.
func (p *parser) mended(s *shape, m mend) string {
	var words []string
	for i := s.first; i <= s.last; i++ {
		if i == m.first && m.text != "" {
			words = append(words, m.text)
		}
		if i < s.last && (i < m.first || i >= m.last) {
			words = append(words, p.tokens[i].text)
		}
	}
	if s.open >= 0 {
		words = append(words, "{")
	}
	return spaced(words)
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
