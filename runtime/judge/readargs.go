package judge

import (
	"strconv"
	"strings"
)

// readArguments are the arguments of a read tool, in the form in which equal
// ones are equal: paths are clean, and what a tool does not take is zero.
type readArguments struct {
	path       string
	start, end int
	pattern    string
	count      int
	rev        string
}

// takes says what each read tool takes, in order.
var takes = map[string][]string{
	readFile:      {"path"},
	readFileLines: {"path", "start", "end"},
	listFiles:     {"path"},
	searchText:    {"pattern", "path"},
	gitLog:        {"path", "count"},
	gitShow:       {"rev", "path"},
	readDiff:      {"path"},
}

// maxArgument is the most bytes of a text that a read tool takes.
const maxArgument = 4096

// arguments reads the arguments of a tool, or says all that is wrong with
// them.
func (r *reader) arguments(tool, raw string) (readArguments, []string) {
	var a readArguments
	c := &checker{words: &r.words.Arguments}
	if strings.TrimSpace(raw) == "" {
		raw = "{}"
	}
	t, err := parse(raw)
	if err != nil {
		return a, []string{c.words.NotJSON}
	}
	c.only(t, "", takes[tool]...)
	for _, name := range takes[tool] {
		switch name {
		case "path":
			if tool != readDiff || t.has(name) {
				a.path = c.path(t, name)
			}
		case "start":
			a.start = c.number(t, name)
		case "end":
			a.end = c.number(t, name)
		case "count":
			a.count = c.number(t, name)
		case "rev":
			a.rev = c.rev(t, name)
		case "pattern":
			a.pattern = c.pattern(t, name)
		default:
			panic("judge: no such argument: " + name)
		}
	}
	if tool == readFileLines && len(c.wrong) == 0 && a.end < a.start {
		c.wrong = append(c.wrong, c.words.Order)
	}
	return a, c.wrong
}

func (c *checker) path(t table, name string) string {
	s, ok := c.short(t, name)
	if !ok {
		return ""
	}
	p, ok := confine(s)
	if !ok {
		c.say(c.words.BadPath, name)
	}
	return p
}

func (c *checker) number(t table, name string) int {
	n, _ := c.line(t, "", name)
	return int(n)
}

func (c *checker) rev(t table, name string) string {
	s, ok := c.short(t, name)
	if ok && strings.TrimSpace(s) == "" {
		c.say(c.words.Blank, name)
	}
	return s
}

func (c *checker) pattern(t table, name string) string {
	s, ok := c.short(t, name)
	if !ok {
		return s
	}
	if !searchable(s) {
		c.say(c.words.Pattern, name)
	}
	return s
}

func (c *checker) short(t table, name string) (string, bool) {
	s, ok := c.text(t, "", name)
	if ok && len(s) > maxArgument {
		c.say(c.words.Long, name, "bytes", strconv.Itoa(maxArgument))
		return s, false
	}
	return s, ok
}
