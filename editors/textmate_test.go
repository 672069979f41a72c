package editors_test

import (
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/dlclark/regexp2"
)

// A rule is one rule of a TextMate grammar, as far as ours uses them.
type rule struct {
	Name, Match, Begin, End, Include     string
	Captures, BeginCaptures, EndCaptures map[string]struct{ Name string }
	Patterns                             []*rule

	match, end *regexp2.Regexp // match is that of Match or Begin
}

// A grammar is a TextMate grammar.
type grammar struct {
	ScopeName  string
	FileTypes  []string
	Patterns   []*rule
	Repository map[string]*rule
}

// readGrammar reads a grammar and compiles its expressions.
func readGrammar(t *testing.T, path string) *grammar {
	t.Helper()
	src, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var g grammar
	if err := json.Unmarshal(src, &g); err != nil {
		t.Fatalf("%s: %v", path, err)
	}
	if err := g.compile(append(slices.Clone(g.Patterns), valuesOf(g.Repository)...)); err != nil {
		t.Fatalf("%s: %v", path, err)
	}
	return &g
}

func valuesOf(rules map[string]*rule) []*rule {
	var out []*rule
	for _, r := range rules {
		out = append(out, r)
	}
	return out
}

func (g *grammar) compile(rules []*rule) error {
	for _, r := range rules {
		if r.Include != "" && g.Repository[strings.TrimPrefix(r.Include, "#")] == nil {
			return fmt.Errorf("include %s: there is no such rule", r.Include)
		}
		for source, to := range map[string]**regexp2.Regexp{r.Match + r.Begin: &r.match, r.End: &r.end} {
			if source == "" {
				continue
			}
			expression, err := regexp2.Compile(source, regexp2.None)
			if err != nil {
				return err
			}
			*to = expression
		}
		if err := g.compile(r.Patterns); err != nil {
			return err
		}
	}
	return nil
}

// flat replaces includes and plain groups of patterns by the rules in them.
func (g *grammar) flat(rules []*rule) []*rule {
	var out []*rule
	for _, r := range rules {
		switch {
		case r.Include != "":
			out = append(out, g.flat([]*rule{g.Repository[strings.TrimPrefix(r.Include, "#")]})...)
		case r.match == nil:
			out = append(out, g.flat(r.Patterns)...)
		default:
			out = append(out, r)
		}
	}
	return out
}

// A stretch is a scope and the bytes that have it.
type stretch struct {
	Scope      string
	Start, End int
}

// An open rule has begun and not ended.
type open struct {
	*rule
	rules []*rule // inside it
	start int
}

// A tokenizer goes through a source line by line, as editors do: no expression
// ever sees more than one line.
type tokenizer struct {
	grammar *grammar
	stack   []open
	line    []rune
	offsets []int // of each rune of the line in the source, and of its end
	found   []stretch
}

// tokenize returns the scopes of a source, by where they begin.
func (g *grammar) tokenize(src string) []stretch {
	t := &tokenizer{grammar: g, stack: []open{{rule: &rule{}, rules: g.flat(g.Patterns)}}}
	offset := 0
	for line := range strings.Lines(src) {
		t.line, t.offsets = []rune(strings.TrimRight(line, "\r\n")), t.offsets[:0]
		for i := range strings.TrimRight(line, "\r\n") {
			t.offsets = append(t.offsets, offset+i)
		}
		t.offsets = append(t.offsets, offset+len(strings.TrimRight(line, "\r\n")))
		t.run()
		offset += len(line)
	}
	for len(t.stack) > 1 {
		t.leave(len(src))
	}
	slices.SortStableFunc(t.found, func(a, b stretch) int {
		if a.Start != b.Start {
			return a.Start - b.Start
		}
		return b.End - a.End
	})
	return t.found
}

// run goes through one line. A rule that begins and ends without a character
// is taken once at a place.
func (t *tokenizer) run() {
	for at, still := 0, 0; at <= len(t.line); {
		top := t.stack[len(t.stack)-1]
		r, m := top.first(t.line, at)
		if m == nil {
			return
		}
		if m.Index+m.Length > at || r == nil {
			still = 0
		} else if still++; still > len(t.grammar.Repository) {
			panic("a rule matches nothing, again and again")
		}
		at = m.Index + m.Length
		switch {
		case r == nil:
			t.capture(m, top.EndCaptures)
			t.leave(t.offsets[at])
		case r.end != nil:
			t.capture(m, r.BeginCaptures)
			t.stack = append(t.stack, open{r, t.grammar.flat(r.Patterns), t.offsets[m.Index]})
		default:
			if r.Name != "" {
				t.found = append(t.found, stretch{r.Name, t.offsets[m.Index], t.offsets[at]})
			}
			t.capture(m, r.Captures)
		}
	}
}

// first returns the leftmost match from a place on: that of the open rule's
// end, with no rule, or that of the first of the rules inside it.
func (o open) first(line []rune, at int) (*rule, *regexp2.Match) {
	var best *regexp2.Match
	var rule *rule
	if o.end != nil {
		best = find(o.end, line, at)
	}
	for _, r := range o.rules {
		if m := find(r.match, line, at); m != nil && (best == nil || m.Index < best.Index) {
			best, rule = m, r
		}
	}
	return rule, best
}

func find(expression *regexp2.Regexp, line []rune, at int) *regexp2.Match {
	m, err := expression.FindRunesMatchStartingAt(line, at)
	if err != nil {
		panic(err)
	}
	return m
}

func (t *tokenizer) leave(end int) {
	last := t.stack[len(t.stack)-1]
	t.stack = t.stack[:len(t.stack)-1]
	if last.Name != "" {
		t.found = append(t.found, stretch{last.Name, last.start, end})
	}
}

func (t *tokenizer) capture(m *regexp2.Match, names map[string]struct{ Name string }) {
	for number, capture := range names {
		n, err := strconv.Atoi(number)
		if err != nil {
			panic(err)
		}
		if group := m.GroupByNumber(n); group != nil && len(group.Captures) > 0 {
			t.found = append(t.found, stretch{capture.Name, t.offsets[group.Index], t.offsets[group.Index+group.Length]})
		}
	}
}
