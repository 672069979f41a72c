package importer

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// The bounds of what is written on one line: of a text, far inside the lexer's
// 64 KiB, and of the words of a comment.
const (
	maxText    = 60_000 // bytes
	maxComment = 4_000  // bytes
	wrap       = 100    // code points
)

// A block is a run of lines. Their indentation is the formatter's.
type block struct {
	lines []string
	owner string // whose lines they are, so that comments need not say it
}

func (b *block) line(format string, args ...any) {
	b.lines = append(b.lines, fmt.Sprintf(format, args...))
}

// comment writes words as a comment, broken between them.
func (b *block) comment(words string) {
	line := "//"
	for _, w := range strings.Fields(visible(words)) {
		if line != "//" && utf8.RuneCountInString(line)+1+utf8.RuneCountInString(w) > wrap {
			b.raw(line)
			line = "//"
		}
		line += " " + w
	}
	b.raw(line)
}

// quote writes lines as comments as they are.
func (b *block) quote(lines ...string) {
	for _, l := range lines {
		b.raw(strings.TrimRight("// "+visible(l), " "))
	}
}

// carry writes the comments of the YAML.
func (b *block) carry(comments []comment) {
	for _, c := range comments {
		b.raw(strings.TrimRight("//"+visible(c.text), " \t"))
	}
}

// raw writes one comment, in pieces where it is longer than a line may be.
func (b *block) raw(line string) {
	for len(line) > maxComment {
		at := maxComment
		for !utf8.RuneStart(line[at]) {
			at--
		}
		b.lines = append(b.lines, line[:at])
		line = "// " + line[at:]
	}
	b.lines = append(b.lines, line)
}

// hidden reports whether a character may not stand in a source.
func hidden(r rune) bool {
	return r != '\t' && unicode.In(r, unicode.Cc, unicode.Cf, unicode.Zl, unicode.Zp)
}

// visible writes the characters that a source may not hold as escapes.
func visible(s string) string {
	if !strings.ContainsFunc(s, hidden) {
		return s
	}
	var out strings.Builder
	for _, r := range s {
		if hidden(r) {
			fmt.Fprintf(&out, `\u{%x}`, r)
		} else {
			out.WriteRune(r)
		}
	}
	return out.String()
}

// quoted writes a text on one line.
func quoted(s string) string {
	var out strings.Builder
	out.WriteByte('"')
	for _, r := range s {
		switch {
		case r == '"' || r == '\\':
			out.WriteByte('\\')
			out.WriteRune(r)
		case r == '\n':
			out.WriteString(`\n`)
		case r == '\t':
			out.WriteString(`\t`)
		case hidden(r):
			fmt.Fprintf(&out, `\u{%x}`, r)
		default:
			out.WriteRune(r)
		}
	}
	out.WriteByte('"')
	return out.String()
}

// text writes a text of one line or several, word for word but for the line
// ends at its end. What a block cannot hold stands in quotes.
func text(s string) string {
	s = strings.TrimRight(s, "\n")
	lines := strings.Split(s, "\n")
	if len(lines) == 1 || strings.Contains(s, `"""`) || strings.ContainsFunc(strings.ReplaceAll(s, "\n", ""), hidden) {
		return quoted(s)
	}
	const indent = "    "
	var out strings.Builder
	out.WriteString(`"""` + "\n")
	for _, l := range lines {
		if strings.TrimSpace(l) != "" {
			out.WriteString(indent)
		} else if l != "" {
			return quoted(s) // blanks alone on a line would be taken for indentation
		}
		out.WriteString(l + "\n")
	}
	out.WriteString(indent + `"""`)
	return out.String()
}

// tooLong reports whether a text does not fit the lines of a source.
func tooLong(s string) bool {
	for _, l := range strings.Split(text(s), "\n") {
		if len(l) > maxText {
			return true
		}
	}
	return false
}

// texts writes a list of texts.
func texts(values []string) string {
	var out []string
	for _, v := range values {
		out = append(out, quoted(v))
	}
	return strings.Join(out, ", ")
}

// title returns what stands behind the name of a declaration: a text of one
// line, or nothing.
func title(s string) string {
	if s = oneLine(s); s == "" {
		return ""
	}
	return " " + quoted(s)
}

// oneLine brings a text onto one line.
func oneLine(s string) string { return strings.Join(strings.Fields(s), " ") }
