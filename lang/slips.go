package lang

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// What people write who come from other notations.

// slip returns what to do about a habit from other notations.
func (p *parser) slip(s *shape, sc scope, i int, what string) string {
	f := p.form(s, sc)
	_, opens := scopes[Kind(p.lead(s))]
	opens = opens && sc == fileScope || gateWords[p.lead(s)]
	if i == s.open && i >= 0 {
		if opens {
			return ""
		}
		return fmt.Sprintf("`%s` opens no block", p.lead(s))
	}
	if i >= s.last {
		if p.tokens[s.last-1].is(punct, ",") {
			return "leave the comma out, or go on with the list"
		}
		return ""
	}
	t := p.tokens[i]
	if help := p.strangeName(s, i, what); help != "" {
		return help
	}
	if strings.HasSuffix(what, "the end of the line") && continuations[t.text] && p.first(i) {
		return p.wrongContinuation(s, i)
	}
	switch t.text {
	case ":":
		if opens && s.open < 0 && i+1 == s.last {
			return fmt.Sprintf("a block stands in braces, with `}` behind it: `%s {`", p.written(&shape{first: s.first, last: i, open: -1}))
		}
		return "leave `:` out: a value stands behind its word"
	case "=":
		return fmt.Sprintf("leave `%s` out: a value stands behind its word", t.text)
	case ";":
		return "leave `;` out: a statement ends with its line"
	case "#":
		return "a comment begins with `//`"
	case "'", "`", "“", "”", "„", "‘", "’", "«", "»":
		return "texts stand in double quotes" + p.requoted(s, i, f)
	case "[", "]":
		return "a list has no brackets"
	}
	switch {
	case f.text && (t.kind == name || t.kind == other || t.kind == punct) && p.unquoted(s, i):
		return "put the text in quotes" + p.requoted(s, i, f)
	case t.kind == name && i > s.first && known[sc][t.text] && strings.HasSuffix(what, "the end of the line"):
		return fmt.Sprintf("begin a new line before `%s`", t.text)
	case strings.HasPrefix(what, "a comma") && t.kind != punct && t.kind != other:
		return "put commas between the items of a list"
	}
	return ""
}

// unquoted reports whether the text of a statement has been written without
// quotes around or in front of token i.
func (p *parser) unquoted(s *shape, i int) bool {
	for _, t := range p.tokens[s.first+1 : i] {
		if t.kind == text {
			return false
		}
	}
	return true
}

// strangeName returns what to do about a name that no name can be: one with a
// letter that none may hold, or a text in the place of one that is missing.
func (p *parser) strangeName(s *shape, i int, what string) string {
	t := p.tokens[i]
	before := p.tokens[i-1]
	letter, _ := utf8.DecodeRuneInString(t.text)
	switch {
	case t.kind == other && unicode.IsLetter(letter) && (what == "a name" || before.kind == name && before.end == t.start):
		return "a name is made of the letters a to z, digits, `_` and `-`"
	case what == "a name" && t.kind == text && topWords[p.lead(s)]:
		return fmt.Sprintf("a name stands in front of it: `%s NAME %s`", p.lead(s), shortened(t.text))
	}
	return ""
}

// wrongContinuation says why the line that token i begins belongs to the one
// above.
func (p *parser) wrongContinuation(s *shape, i int) string {
	if t := p.tokens[i]; t.text == "from" && i+1 < s.last && p.tokens[i+1].kind == text {
		return fmt.Sprintf("an import is written `import %s`", shortened(p.tokens[i+1].text))
	}
	return fmt.Sprintf("a line that begins with `%s` goes on with the one above, which ends here", p.tokens[i].text)
}

// requoted shows a statement with the quotes that its text lacks, or has of
// another kind. It is "" where that is not plain.
func (p *parser) requoted(s *shape, i int, f form) string {
	last := s.last
	for j := s.first; j < i; j++ {
		if p.tokens[j].kind == text {
			return ""
		}
	}
	if j := last - 2; j > i && clauses[p.lead(s)] == "timeout" && p.tokens[j].is(name, "timeout") {
		last = j
	}
	first := i
	if p.tokens[i].kind != other && strings.HasSuffix(f.value, "in quotes") {
		first = s.first + 1 // the first word of the text was taken for its value
		if p.lead(s) == "criterion" {
			first++
		}
	}
	words := p.asWritten(first, last)
	if mark, _ := utf8.DecodeRuneInString(words); strings.ContainsRune("'`“„‘«", mark) {
		words = strings.Trim(words, "'`“”„‘’«»")
	}
	if words == "" || strings.ContainsAny(words, "\"\\,'`“”„‘’«»[](){}") {
		return ""
	}
	line := append(p.wordsOf(s.first, first), `"`+words+`"`)
	return ": `" + shownLine(spaced(append(line, p.wordsOf(last, s.last)...))) + "`"
}

// wordsOf returns the tokens from first up to last.
func (p *parser) wordsOf(first, last int) []string {
	var out []string
	for _, t := range p.tokens[first:last] {
		out = append(out, t.text)
	}
	return out
}

// asWritten returns the tokens from first up to last, with one blank where
// the source parts them.
func (p *parser) asWritten(first, last int) string {
	var b strings.Builder
	for i := first; i < last; i++ {
		if i > first && p.tokens[i].start != p.tokens[i-1].end {
			b.WriteByte(' ')
		}
		b.WriteString(p.tokens[i].text)
	}
	return b.String()
}
