package docstest

import (
	"fmt"
	"regexp"
	"strings"
)

// A Command is one that a console block types.
type Command struct {
	Line int    // in the page, from 1
	Text string // without the prompt; a line that ends in \ goes on in the next
	Want string // what the block says that it prints
}

// prompt is what stands before a command.
const prompt = "$ "

// Commands returns what a console block types.
func (b Block) Commands() ([]Command, error) {
	var all []Command
	lines := strings.Split(strings.TrimSuffix(b.Text, "\n"), "\n")
	for i := 0; i < len(lines); i++ {
		text, typed := strings.CutPrefix(lines[i], prompt)
		switch {
		case typed:
			c := Command{Line: b.Line + 1 + i, Text: text}
			for strings.HasSuffix(lines[i], `\`) && i+1 < len(lines) {
				i++
				c.Text += "\n" + lines[i]
			}
			all = append(all, c)
		case len(all) == 0:
			return nil, fmt.Errorf("line %d: a console block begins with a command, behind %q", b.Line+1+i, prompt)
		default:
			all[len(all)-1].Want += lines[i] + "\n"
		}
	}
	return all, nil
}

// Anything stands for what a page does not say.
const Anything = "…"

var runID = regexp.MustCompile(`\b[0-9]{8}-[0-9]{6}-[0-9a-f]{10}\b`)

// Runs are the run ids of a page, and what came in their place.
type Runs map[string]string

// Real puts the real ids in the place of those of the page. One that did not
// come yet stays as it is.
func (r Runs) Real(text string) string {
	return runID.ReplaceAllStringFunc(text, func(id string) string {
		if real, ok := r[id]; ok {
			return real
		}
		return id
	})
}

// Match holds what was printed to what the page says, and learns the ids of
// runs that the page names for the first time. Blanks at the end of a line, and
// a time in a column there, do not count.
func (r Runs) Match(want, got string) error {
	pattern, named := r.pattern(want)
	m := pattern.FindStringSubmatch(trimmed(got))
	if m == nil {
		return fmt.Errorf("it printed\n%s\nand the page says\n%s", indented(got), indented(want))
	}
	for i, id := range named {
		if real, ok := r[id]; ok && real != m[i+1] {
			return fmt.Errorf("the page calls two runs %s: %s and %s", id, real, m[i+1])
		}
		r[id] = m[i+1]
	}
	return nil
}

// pattern returns what the page says as an expression, and the ids that its
// groups are to be the real ones of.
func (r Runs) pattern(want string) (*regexp.Regexp, []string) {
	var named []string
	var b strings.Builder
	b.WriteString("^")
	for line := range strings.Lines(trimmed(want)) {
		line = strings.TrimSuffix(line, "\n")
		if line == Anything {
			b.WriteString(`(?:.*\n)*?`)
			continue
		}
		quoted := strings.ReplaceAll(regexp.QuoteMeta(line), Anything, ".*?")
		b.WriteString(runID.ReplaceAllStringFunc(quoted, func(id string) string {
			if real, ok := r[id]; ok {
				return real
			}
			named = append(named, id)
			return "(" + runID.String() + ")"
		}))
		b.WriteString(`\n`)
	}
	b.WriteString("$")
	return regexp.MustCompile(b.String()), named
}

// took is the time that a line ends with, in a column of its own.
var took = regexp.MustCompile(`(?:  +|\t)[0-9][0-9.hms]*s$`)

// trimmed is a text without blanks and times at the ends of its lines, and with
// an end to its last one.
func trimmed(text string) string {
	var b strings.Builder
	for line := range strings.Lines(text) {
		line = took.ReplaceAllString(strings.TrimRight(line, " \t\r\n"), "")
		b.WriteString(strings.TrimRight(line, " \t") + "\n")
	}
	return b.String()
}

func indented(text string) string {
	return "  " + strings.ReplaceAll(strings.TrimSuffix(text, "\n"), "\n", "\n  ")
}
