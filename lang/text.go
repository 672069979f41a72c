package lang

import (
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/snodo-lang/snodo/lang/diag"
)

const blockQuotes = `"""`

// quoted scans a text. One that is not closed ends with its line, or before
// the brace that ends the line, so that the rest of the file keeps its shape.
func (s *scanner) quoted(rest string) {
	line := s.line(rest)
	n := 1
	for n < len(line) && line[n] != '"' {
		if line[n] == '\\' && n+1 < len(line) {
			n++
		}
		n++
	}
	if n < len(line) {
		s.emitText(line[:n+1], sound)
		return
	}
	line = strings.TrimRight(line, " \t\r")
	if before, found := strings.CutSuffix(line, "{"); found && len(before) > 0 {
		line = strings.TrimRight(before, " \t")
	}
	s.emitText(line, unclosed)
	t := s.tokens[len(s.tokens)-1]
	s.joinTorn()
	d := diag.Diagnostic{
		Code:    diag.SN102,
		Range:   s.span(t.start, t.end),
		Message: "the text is not closed",
		Label:   "begins here, and the line ends without a second quote",
		Help:    "end it with `\"`; a text over several lines stands in `\"\"\"`",
	}
	if line == `"` && len(s.tokens) > 1 && !t.below(s.tokens[len(s.tokens)-2]) {
		d.Label = "begins here, and nothing follows it"
		d.Help = "if this quote is to end a text, put another in front of that text"
	}
	s.diags.Add(d)
}

// A textStart is where a text begins.
type textStart struct {
	token  int
	offset int
}

// joinTorn makes one token of a text that is not closed and of what stands on
// its line from the first text on. Which of the quotes is missing cannot be
// told, so that what seems to stand between texts may be part of one. No block
// is torn by it.
func (s *scanner) joinTorn() {
	last := len(s.tokens) - 1
	from, depth := textStart{token: last}, 0
	for i, texts := last-1, s.texts; i >= 0 && len(texts) > 0; i-- {
		t := s.tokens[i]
		for len(texts) > 0 && texts[len(texts)-1].token > i {
			texts = texts[:len(texts)-1]
		}
		switch {
		case s.tokens[last].below(t) || t.is(punct, "{") && depth == 0:
			texts = nil
		case t.is(punct, "}"):
			depth++
		case t.is(punct, "{"):
			depth--
		case depth == 0 && len(texts) > 0 && texts[len(texts)-1].token == i:
			from = texts[len(texts)-1]
		}
	}
	if from.token == last {
		return
	}
	joined := s.tokens[from.token]
	joined.flaw, joined.end = unclosed, s.tokens[last].end
	joined.text = s.text[from.offset:s.offset]
	s.tokens = append(s.tokens[:from.token], joined)
	s.texts = s.texts[:0]
}

// emitText makes a token of a text and reports its unknown escapes.
func (s *scanner) emitText(raw string, f flaw) {
	from, before, cuts := s.at, s.offset, s.cuts
	var bad []stretch
	if f == sound {
		_, bad = unquote(raw)
	}
	if len(bad) > 0 {
		f = flawed
	}
	if n := len(s.texts); n > 0 && s.tokens[s.texts[n-1].token].start.line != s.at.line {
		s.texts = s.texts[:0]
	}
	s.texts = append(s.texts, textStart{len(s.tokens), s.offset})
	s.emit(text, len(raw), f)
	walk := &scanner{source: s.source, offset: before, at: from, cuts: cuts}
	for _, b := range bad {
		walk.move(before + b.start - walk.offset)
		walk.settle()
		start := walk.at
		walk.move(b.end - b.start)
		s.diags.Add(diag.Diagnostic{
			Code:    diag.SN102,
			Range:   s.span(start, walk.at),
			Message: fmt.Sprintf("`%s` is no escape", shortened(raw[b.start:b.end])),
			Help:    "the escapes are `\\\"`, `\\\\`, `\\n`, `\\t` and `\\u{…}` with the number of a character; a backslash is written `\\\\`",
		})
	}
}

// A stretch is a part of a text, in bytes.
type stretch struct{ start, end int }

// unquote returns what a text in single quotes means, and its unknown
// escapes, which it leaves out. The closing quote may be missing.
func unquote(raw string) (value string, bad []stretch) {
	raw = raw[1:]
	if closed, found := strings.CutSuffix(raw, `"`); found {
		raw = closed
	}
	if !strings.Contains(raw, `\`) {
		return raw, nil
	}
	var out strings.Builder
	for i := 0; i < len(raw); {
		next := strings.IndexByte(raw[i:], '\\')
		if next < 0 {
			out.WriteString(raw[i:])
			break
		}
		out.WriteString(raw[i : i+next])
		i += next
		meaning, n, ok := escape(raw[i:])
		out.WriteString(meaning)
		if !ok {
			bad = append(bad, stretch{i + 1, i + 1 + n})
		}
		i += n
	}
	return out.String(), bad
}

// escape returns what the escape at the start of s means, and its length.
func escape(s string) (meaning string, n int, ok bool) {
	if len(s) == 1 {
		return "", 1, false
	}
	switch s[1] {
	case '"', '\\':
		return s[1:2], 2, true
	case 'n':
		return "\n", 2, true
	case 't':
		return "\t", 2, true
	case 'u':
		if c, n := character(s); n > 0 {
			return c, n, c != ""
		}
	}
	_, size := utf8.DecodeRuneInString(s[1:])
	return "", 1 + size, false
}

// character returns what \u{…} at the start of s means and its length. It is
// "" where there is no such character, and 0 where s has no such form.
func character(s string) (c string, n int) {
	const longest = len(`\u{10FFFF}`)
	digits, found := strings.CutPrefix(s, `\u{`)
	if !found {
		return "", 0
	}
	digits = digits[:min(len(digits), longest)]
	digits, _, found = strings.Cut(digits, "}")
	if !found {
		return "", 0
	}
	n = len(`\u{}`) + len(digits)
	v, err := strconv.ParseUint(digits, 16, 32)
	if err != nil || n > longest || !utf8.ValidRune(rune(v)) {
		return "", n
	}
	return string(rune(v)), n
}

// block scans a text in triple quotes. One that is not closed ends before the
// next declaration word in column one, or with the file.
func (s *scanner) block(rest string) {
	if n := strings.Index(rest[len(blockQuotes):], blockQuotes); n >= 0 {
		s.emit(text, n+2*len(blockQuotes), sound)
		return
	}
	from := s.at
	s.emit(text, len(strings.TrimRight(rest[:declarationLine(rest)], " \t\r\n")), unclosed)
	s.diags.Add(diag.Diagnostic{
		Code:    diag.SN102,
		Range:   s.span(from, place{from.line, from.column + 3, from.offset + 3}),
		Message: "the block of text is not closed",
		Label:   "begins here",
		Help:    "end it with `\"\"\"`",
	})
}

// declarationLine returns where in s the next line begins whose first word
// is a declaration word in column one, or the length of s.
func declarationLine(s string) int {
	for i := 0; ; {
		next := strings.IndexByte(s[i:], '\n')
		if next < 0 {
			return len(s)
		}
		i += next + 1
		if topWords[s[i:i+nameLength(s[i:])]] {
			return i
		}
	}
}

// unblock returns what a block means: everything between the quotes but for
// the first and the last line end and the indentation of the closing line.
// Line ends are line feeds, however the file writes them.
func unblock(raw string) string {
	raw = strings.TrimSuffix(strings.TrimPrefix(raw, blockQuotes), blockQuotes)
	first, rest, several := strings.Cut(strings.ReplaceAll(raw, "\r\n", "\n"), "\n")
	if !several {
		return first
	}
	lines := strings.Split(rest, "\n")
	last := lines[len(lines)-1]
	indent := last[:len(last)-len(strings.TrimLeft(last, " \t"))]
	for i := range lines {
		lines[i] = dedent(lines[i], indent)
	}
	if lines[len(lines)-1] == "" {
		lines = lines[:len(lines)-1]
	}
	if strings.Trim(first, " \t") != "" {
		lines = append([]string{first}, lines...)
	}
	return strings.Join(lines, "\n")
}

// dedent removes from line what it shares with indent.
func dedent(line, indent string) string {
	n := 0
	for n < len(line) && n < len(indent) && line[n] == indent[n] {
		n++
	}
	return line[n:]
}

// meaning returns the value of a text token.
func meaning(raw string) string {
	if strings.HasPrefix(raw, blockQuotes) {
		return unblock(raw)
	}
	value, _ := unquote(raw)
	return value
}
