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

// endedEarly notes that a statement ended where a value was still expected,
// and returns what to do where the next line has it.
func (p *parser) endedEarly(s *shape) (help string) {
	p.below = s.last
	if s.last >= len(p.tokens) || s.open >= 0 {
		return ""
	}
	words := p.written(s)
	switch next := p.tokens[s.last]; {
	case next.kind == text:
		raw, _, more := strings.Cut(next.text, "\n")
		if more {
			raw += "…"
		}
		return fmt.Sprintf("the text stands on the line of its word: `%s %s`", words, shortened(raw))
	case next.is(other, "-"):
		if items := p.dashed(s.last); len(items) > 0 {
			return fmt.Sprintf("a list stands behind its word, with commas: `%s %s`", words, strings.Join(items, ", "))
		}
	}
	return ""
}

// written returns a statement without its block, on one line.
func (p *parser) written(s *shape) string {
	return p.mended(&shape{first: s.first, last: s.last, open: -1}, mend{first: s.last, last: s.last})
}

// dashed returns the items of a list that is written as YAML has it, a dash
// and one value a line, from token i on.
func (p *parser) dashed(i int) []string {
	values := []kind{name, text, number, duration}
	var items []string
	for ; i+1 < len(p.tokens) && p.tokens[i].is(other, "-") && slices.Contains(values, p.tokens[i+1].kind); i += 2 {
		items = append(items, p.tokens[i+1].text)
	}
	return items
}

// meantForAbove reports whether a statement is what the one above, which was
// reported, lacks: a text or an item on a line of its own.
func (p *parser) meantForAbove(s *shape) bool {
	t := p.tokens[s.first]
	if s.first == 0 || s.first != p.below || s.open >= 0 || t.kind != text && !t.is(other, "-") {
		return false
	}
	p.below = s.last
	return true
}
