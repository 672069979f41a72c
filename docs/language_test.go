package docs

import (
	"fmt"
	"math/rand"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/snodo-lang/snodo/compiler/plan"
	"github.com/snodo-lang/snodo/lang"
)

// A production is the right side of a rule of the page's grammar, in tokens.
type grammar map[string][]string

var (
	rule       = regexp.MustCompile(`(?m)^(\w+)\s*= (.*) \.$`)
	ebnfTokens = regexp.MustCompile(`"[^"]+"|\w+|[][(){}|]`)
)

func pageGrammar(t *testing.T) grammar {
	t.Helper()
	page, err := os.ReadFile("language.md")
	if err != nil {
		t.Fatal(err)
	}
	_, text, _ := strings.Cut(string(page), "```ebnf\n")
	text, _, _ = strings.Cut(text, "```")
	g := grammar{}
	for _, m := range rule.FindAllStringSubmatch(text, -1) {
		g[m[1]] = ebnfTokens.FindAllString(m[2], -1)
	}
	return g
}

// A speaker makes up sentences of a grammar.
type speaker struct {
	grammar
	random *rand.Rand
	at     []string // what is left of the right side that is spoken
	out    *strings.Builder
}

// choice speaks one of some alternatives, or none aloud.
func (s *speaker) choice(aloud bool) {
	var options [][]string
	var option []string
	depth := 0
	for len(s.at) > 0 {
		token := s.at[0]
		if depth == 0 && strings.ContainsAny(token, "])}") && len(token) == 1 {
			break
		}
		s.at = s.at[1:]
		switch {
		case len(token) == 1 && strings.Contains("[({", token):
			depth++
		case len(token) == 1 && strings.Contains("])}", token):
			depth--
		case token == "|" && depth == 0:
			options, option = append(options, option), nil
			continue
		}
		option = append(option, token)
	}
	options = append(options, option)
	if !aloud {
		return
	}
	rest := s.at
	s.at = options[s.random.Intn(len(options))]
	s.sequence()
	s.at = rest
}

func (s *speaker) sequence() {
	for len(s.at) > 0 {
		token := s.at[0]
		s.at = s.at[1:]
		switch token {
		case "(", "[", "{":
			times := 1
			if token != "(" {
				times = s.random.Intn(map[string]int{"[": 2, "{": 4}[token])
			}
			inside := s.at
			s.choice(false)
			behind := s.at[1:]
			for range times {
				s.at = inside
				s.choice(true)
			}
			s.at = behind
		default:
			s.word(token)
		}
	}
}

func (s *speaker) word(token string) {
	switch {
	case token == `"{"` || token == "NL":
		if token != "NL" {
			s.out.WriteString("{")
		}
		s.out.WriteString("\n")
	case token[0] == '"':
		s.out.WriteString(strings.Trim(token, `"`) + " ")
	case token == "Name":
		s.out.WriteString([]string{"a", "some-name", "halt", "x1"}[s.random.Intn(4)] + " ")
	case token == "Text":
		s.out.WriteString([]string{`"a {text}"`, `"all"`, `"{"`}[s.random.Intn(3)] + " ")
	case token == "Number":
		s.out.WriteString("1 ")
	case token == "Duration":
		s.out.WriteString("1m30s ")
	default:
		rest := s.at
		s.at = slices.Clone(s.grammar[token])
		if len(s.at) == 0 {
			panic("the grammar has no rule " + token)
		}
		s.choice(true)
		s.at = rest
	}
}

func (g grammar) sentence(seed int64) string {
	s := &speaker{grammar: g, random: rand.New(rand.NewSource(seed)), out: &strings.Builder{}}
	s.word("File")
	return s.out.String()
}

const sentences = 400

func refused(g grammar) (n int, first string) {
	for seed := range int64(sentences) {
		text := g.sentence(seed)
		for _, d := range func() []string {
			var out []string
			_, faults := lang.Parse("p.snodo", []byte(text))
			for _, f := range faults {
				if strings.HasPrefix(string(f.Code), "SN1") {
					out = append(out, fmt.Sprintf("%s at line %d: %s\n%s", f.Code, f.Range.Start.Line, f.Message, text))
				}
			}
			return out
		}() {
			if n == 0 {
				first = d
			}
			n++
		}
	}
	return n, first
}

func TestWhatTheGrammarOfThePageAllowsParses(t *testing.T) {
	if n, first := refused(pageGrammar(t)); n > 0 {
		t.Errorf("%d complaints about sentences of the page's grammar, the first:\n%s", n, first)
	}
}

func TestAnotherGrammarIsFoundOut(t *testing.T) {
	for name, wrong := range map[string]string{"Grants": `"grants" List "in"`, "Hands": `"hands" List`, "Criterion": `"criterion" Text`} {
		g := pageGrammar(t)
		g[name] = ebnfTokens.FindAllString(wrong, -1)
		if n, _ := refused(g); n == 0 {
			t.Errorf("sentences of %s = %s parse", name, wrong)
		}
	}
}

func TestThePageHasTheToolsOfTheCode(t *testing.T) {
	var named []string
	for _, row := range tableRows(section(t, "language.md", "## Tools")) {
		named = append(named, quotedIn(row[0])...)
	}
	if d := cmp.Diff(plan.Tools, named); d != "" {
		t.Errorf("the page has other tools (-code +page):\n%s", d)
	}
}
