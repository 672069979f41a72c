package lang

import (
	"errors"
	"fmt"
	"regexp"
	"strings"
	"sync"

	"github.com/alecthomas/participle/v2"
	"github.com/alecthomas/participle/v2/lexer"

	"github.com/snodo-lang/snodo/lang/diag"
)

// The wording of SN101: what was expected, what stands there instead, and the
// form of the statement.

func (p *parser) report(d diag.Diagnostic) {
	d.Code = diag.SN101
	p.diags.Add(d)
}

// expected reports that something else stands at token i, which is the first
// behind what was understood. Behind a statement's last token stands its end.
func (p *parser) expected(s *shape, i int, what, help string) {
	f := p.form(s, fileScope)
	if gateWords[p.lead(s)] {
		f = forms[p.lead(s)]
	}
	if help == "" {
		help = "write `" + f.shows + "`"
	}
	p.report(diag.Diagnostic{
		Range:   p.rangeAt(s, i),
		Message: fmt.Sprintf("expected %s, found %s", what, p.described(s, i)),
		Help:    help,
	})
}

// failed returns the token at which a production gave up; s.last stands for
// the statement's end.
func (p *parser) failed(s *shape, err error) int {
	var at *participle.UnexpectedTokenError
	if !errors.As(err, &at) {
		return s.first
	}
	if t := at.Unexpected; t.Type != lexer.EOF && t.Type != end {
		for i := s.first; i < s.last; i++ {
			if int(p.tokens[i].start.offset) == t.Pos.Offset {
				return i
			}
		}
		return s.open
	}
	return s.last
}

// rangeAt returns the range of token i of a statement, or the empty one
// behind the statement.
func (p *parser) rangeAt(s *shape, i int) diag.Range {
	if i < s.last || i == s.open && p.tokens[i].flaw != missing {
		return p.span(i)
	}
	r := p.span(s.last - 1)
	r.Start = r.End
	return r
}

// described quotes token i of a statement, or says what stands behind it.
func (p *parser) described(s *shape, i int) string {
	switch {
	case i < s.last || i == s.open && p.tokens[i].flaw != missing:
		return quoted(p.tokens[i])
	case i+1 < len(p.tokens) && p.tokens[i].flaw == missing && !p.first(i+1):
		return quoted(p.tokens[i+1])
	case i >= len(p.tokens):
		return "the end of the file"
	case p.tokens[i].is(punct, "}") && !p.first(i):
		return "`}`"
	}
	return "the end of the line"
}

// quoted returns a token as a message shows it.
func quoted(t token) string {
	if t.kind == text {
		raw, _, more := strings.Cut(t.text, "\n")
		if more {
			raw += "…"
		}
		return "the text " + shortened(raw)
	}
	if t.text == "\u00A0" {
		return "a no-break space"
	}
	return "`" + shortened(t.text) + "`"
}

// unexpected reports a statement that does not fit its form.
func (p *parser) unexpected(s *shape, sc scope, err error) {
	if !errors.As(err, new(*participle.UnexpectedTokenError)) {
		p.misplaced(s, "the statement is too long", "divide its list among several statements")
		return
	}
	i := p.failed(s, err)
	what := p.wanted(s, sc, i, err)
	help := p.slip(s, sc, i, what)
	shows := p.form(s, sc).shows
	var edits []diag.Edit
	early := *s
	early.last = i
	if i == s.last || i+1 == s.last && p.tokens[i].is(other, ":") && strings.HasPrefix(p.form(s, sc).value, what) {
		p.below = s.last
		if mend := p.endedEarly(&early, s.last, sc); mend != "" {
			help = mend
		}
	}
	if m, sure := p.certain(s, sc, i, what); sure {
		help, edits = m.why+": `"+shownLine(p.mended(s, m))+"`", p.edits(m)
	}
	switch {
	case len(edits) > 0:
	case what == "`->`":
		help = "a verdict and what happens for it have `->` between them: `" + shows + "`"
	case help == "":
		help = "write `" + shows + "`"
	case !strings.HasSuffix(help, "`"):
		help += ": `" + shows + "`"
	}
	p.report(diag.Diagnostic{
		Range:   p.rangeAt(s, i),
		Message: fmt.Sprintf("expected %s, found %s", what, p.described(s, i)),
		Help:    help,
		Edits:   edits,
	})
}

// shownLine returns a statement short enough for a line of help.
func shownLine(line string) string {
	const most = 100
	if runes := []rune(line); len(runes) > most {
		return string(runes[:most]) + "…"
	}
	return line
}

// firstSymbol finds what participle expected first.
var firstSymbol = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\(expected \(*("(?:[^"\\]|\\.)*"|<\w+>|\w+)`) })

// wanted says in words what was expected at token i.
func (p *parser) wanted(s *shape, sc scope, i int, err error) string {
	f := p.form(s, sc)
	symbol := ""
	if m := firstSymbol().FindStringSubmatch(err.Error()); m != nil {
		symbol = m[1]
	}
	switch symbol {
	case "", `"{"`:
		return p.wantedInHeader(s, sc, i)
	case "<end>":
		return p.wantedEnd(s, sc, i)
	case "<name>":
		return "a name"
	case "<text>":
		if f.value != "" {
			return f.value
		}
		return "a text in quotes"
	case "<number>":
		return "a number"
	case `"all"`:
		return f.value
	case `"tested"`:
		return "a comma or `tested by`"
	case "StepNode":
		return "a step: `halt`, `ask ROLE`, `recover N` or `gather`"
	case "ParamNode":
		return "a parameter"
	case `")"`:
		return "a comma or `)`"
	case "ListNode", "ValueNode", "RefNode":
		return p.wantedValue(s, i, f)
	}
	return "`" + strings.Trim(symbol, `"`) + "`"
}

// clauses are the words of the clause that may follow a statement's values.
var clauses = map[string]string{
	"import": "as", "prepare": "timeout", "run": "timeout", "obtain": "timeout", "grants": "in", "bad": "violates",
}

// wantedEnd says what was expected at token i where the statement could have
// ended.
func (p *parser) wantedEnd(s *shape, sc scope, i int) string {
	if p.key(s, sc) == name {
		return "`then` or the end of the line"
	}
	clause := clauses[p.lead(s)]
	for _, t := range p.tokens[s.first+1 : i] {
		if t.is(name, clause) {
			clause = ""
		}
	}
	switch list := p.inList(s, i); {
	case clause != "" && list:
		return "a comma, `" + clause + "` or the end of the line"
	case clause != "":
		return "`" + clause + "` or the end of the line"
	case list:
		return "a comma or the end of the line"
	}
	return "the end of the line"
}

// wantedValue says what value was expected at token i: behind some words it
// is not that of the statement.
func (p *parser) wantedValue(s *shape, i int, f form) string {
	for j := i - 1; j > s.first; j-- {
		t := p.tokens[j]
		if t.kind != name {
			continue
		}
		switch t.text {
		case "in", "by":
			return "a glob in quotes"
		case "violates":
			return "the name of a criterion"
		case "needs":
			return "the name of an evidence"
		case "timeout":
			return "a duration"
		case "from":
			return "the name of a role"
		case "of":
			return "a number"
		}
	}
	if f.value == "" {
		return "a value"
	}
	return f.value
}

// wantedInHeader says what was expected where a production ended.
func (p *parser) wantedInHeader(s *shape, sc scope, i int) string {
	word := p.lead(s)
	switch {
	case gateWords[word] && sc != fileScope:
		if i == s.first+1 {
			return "a title in quotes or `{`"
		}
		return "`{`"
	case i == s.first+1 && word == "controls":
		return "the name of a validator"
	case i == s.first+1:
		return "a name"
	case word == "evidence" && p.inParentheses(s, i):
		return "a type: `text`, `name`, `path`, `line` or `one of`"
	case word == "role" && i == s.first+3:
		return "`key` or the end of the line"
	case word == "role" || word == "evidence":
		return "the end of the line"
	case word != "controls" && i == s.first+2:
		return "a title in quotes or `{`"
	}
	return "`{`"
}

func (p *parser) inParentheses(s *shape, i int) bool {
	for j := i - 1; j > s.first; j-- {
		if p.tokens[j].kind == punct && (p.tokens[j].text == "(" || p.tokens[j].text == ")") {
			return p.tokens[j].text == "("
		}
	}
	return false
}

// lists are the words that a list follows.
var lists = set("protects", "obtain", "grants", "requests", "returns", "include", "files_in_scope",
	"tests_exist_for_modified", "hands", "panel", "observe", "in", "by", "violates")

// inList reports whether the value in front of token i is an item of a list.
func (p *parser) inList(s *shape, i int) bool {
	for j := i - 2; j >= s.first; j-- {
		t := p.tokens[j]
		switch {
		case t.is(punct, ","):
			return true
		case t.is(punct, "."):
			j--
		case t.kind == name && j == i-2:
			return lists[t.text] || t.text == "to"
		default:
			return false
		}
	}
	return false
}
