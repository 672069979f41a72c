package lang

import (
	"fmt"
	"slices"
	"strings"

	"github.com/snodo-lang/snodo/lang/diag"
)

// Files and lists that are written in another notation.

// foreign reports a file that is written in JSON or YAML. Nothing of it can be
// read, and that is said once.
func (p *parser) foreign() bool {
	if len(p.shapes) == 0 || p.tokens[0].flaw != sound {
		return false
	}
	first := &p.shapes[0]
	notation := ""
	switch t := p.tokens[0]; {
	case t.is(punct, "{"), t.is(other, "["):
		notation = "JSON"
	case t.is(other, "-"):
		notation = "YAML"
	case t.kind == name && t.text != "snodo" && first.open < 0 && len(p.tokens) > 1 && p.tokens[1].is(other, ":"):
		notation = "YAML"
	default:
		return false
	}
	p.diags.Add(diag.Diagnostic{
		Code:    diag.SN103,
		Range:   p.span(0),
		Message: "the file does not begin with its edition: it reads like " + notation,
		Help:    "a protocol has a language of its own: begin with `snodo 1`, and write declarations such as `judge NAME {`, one statement a line, without `:` between a word and its value",
	})
	return true
}

// endedEarly returns what to do about a statement that ended where a value was
// still expected, where the next line, from token below on, has it.
func (p *parser) endedEarly(s *shape, below int, sc scope) (help string) {
	if below >= len(p.tokens) || s.open >= 0 {
		return ""
	}
	words := p.written(s)
	switch next := p.tokens[below]; {
	case next.kind == text:
		raw, _, more := strings.Cut(next.text, "\n")
		if more {
			raw += "…"
		}
		return fmt.Sprintf("the text stands on the line of its word: `%s %s`", words, shortened(raw))
	case next.is(other, "-"):
		if items := p.dashed(below); len(items) > 0 {
			return fmt.Sprintf("a list stands behind its word, with commas: `%s %s`", words, strings.Join(items, ", "))
		}
	case sc != fileScope:
		if items := p.itemsBelow(below, sc); len(items) > 0 {
			return fmt.Sprintf("a value stands behind its word, on its line: `%s %s`", words, strings.Join(items, ", "))
		}
	}
	return ""
}

func (p *parser) isValue(t token) bool {
	return slices.Contains([]kind{name, text, number, duration}, t.kind)
}

// itemsBelow returns the values that stand on the lines from token i on, with
// or without commas.
func (p *parser) itemsBelow(i int, sc scope) []string {
	var items []string
	for ; i < len(p.tokens); i++ {
		t := p.tokens[i]
		if t.is(punct, ",") {
			continue
		}
		if !p.isValue(t) || known[sc][t.text] || !p.first(i) && !p.tokens[i-1].is(punct, ",") || meantWords(t.text, sc) != "" {
			break
		}
		items = append(items, shortened(t.text))
	}
	return items
}

// written returns a statement without its block, on one line.
func (p *parser) written(s *shape) string {
	return p.mended(&shape{first: s.first, last: s.last, open: -1}, mend{first: s.last, last: s.last})
}

// dashed returns the items of a list that is written as YAML has it, a dash
// and one value a line, from token i on.
func (p *parser) dashed(i int) []string {
	var items []string
	for ; i+1 < len(p.tokens) && p.tokens[i].is(other, "-") && p.isValue(p.tokens[i+1]); i += 2 {
		items = append(items, p.tokens[i+1].text)
	}
	return items
}

// meantForAbove reports whether a statement is what the one above, which was
// reported, lacks: a value or items on lines of their own.
func (p *parser) meantForAbove(s *shape, sc scope) bool {
	if s.first == 0 || s.first != p.below || s.open >= 0 {
		return false
	}
	switch t := p.tokens[s.first]; {
	case t.is(other, "-"):
	case !p.isValue(t):
		return false
	case t.kind == name && (sc == fileScope || meantWords(t.text, sc) != "" || !p.onlyItems(s)):
		return false
	}
	p.below = s.last
	return true
}

// onlyItems reports whether a statement is nothing but values and commas.
func (p *parser) onlyItems(s *shape) bool {
	for i := s.first; i < s.last; i++ {
		t := p.tokens[i]
		if i > s.first && !t.is(punct, ",") && !p.tokens[i-1].is(punct, ",") || !t.is(punct, ",") && !p.isValue(t) {
			return false
		}
	}
	return true
}
