package lang

import (
	"fmt"
	"strings"
)

// What people write who come from other notations.

// slip returns what to do about a habit from other notations.
func (p *parser) slip(s *shape, sc scope, i int, what string) string {
	f := p.form(s, sc)
	if i == s.open && i >= 0 {
		return fmt.Sprintf("`%s` opens no block", p.lead(s))
	}
	if i >= s.last {
		if p.tokens[s.last-1].is(punct, ",") {
			return "leave the comma out, or go on with the list"
		}
		return ""
	}
	t := p.tokens[i]
	switch t.text {
	case "=", ":":
		return fmt.Sprintf("leave `%s` out: a value stands behind its word", t.text)
	case ";":
		return "leave `;` out: a statement ends with its line"
	case "#":
		return "a comment begins with `//`"
	case "'", "`", "“", "”", "„", "‘", "’", "«", "»":
		return "texts stand in double quotes"
	case "[", "]":
		return "a list has no brackets"
	}
	switch {
	case f.text && (t.kind == name || t.kind == other || t.kind == punct) && p.unquoted(s, i):
		return "put the text in quotes"
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
