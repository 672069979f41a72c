package docs

import (
	"fmt"
	"math/rand"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	"github.com/snodo-lang/snodo/compiler"
	"github.com/snodo-lang/snodo/compiler/plan"
	"github.com/snodo-lang/snodo/lang"
	"github.com/snodo-lang/snodo/stdlib"
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

// budgeted has a budget of every kind, and writes none of them.
const budgeted = `snodo 1

protocol p {
  starts m
  prepare "true"
}

role me "Me"

evidence e() from me "Look." {
  obtain "ls"
}

judge granted {
  phase post_execute
  grants read_file
  requests e
  criterion a "It holds."
}

judge bare {
  phase post_execute
  requests e
  criterion a "It holds."
}

check c {
  phase post_execute
  run "test -e x"
}

coder k { run "true" }

coder l { model "x" }

mode m {
  coder k
  grants write_file

  post_execute {
    panel granted, bare, c
    proceed when all pass
    unclear -> ask me
    blocker -> halt
  }
}

task t {
  goal "Do it."
  coder l
  grants write_file
}
`

func TestThePageHasTheDefaultsOfTheCompiler(t *testing.T) {
	p, report, err := compiler.Compile(compiler.Source{FS: fstest.MapFS{"p.snodo": {Data: []byte(budgeted)}}, Dir: ".", Library: stdlib.FS})
	if err != nil || p == nil {
		t.Fatalf("%v %v", err, report)
	}
	minutes := func(ms int64) string { return fmt.Sprintf("%dm", ms/60000) }
	granted, bare := p.Validators["granted"].(*plan.Judge), p.Validators["bare"].(*plan.Judge)
	turns := 0
	for _, step := range p.Stages["t"].Steps {
		if keep, ok := step.(*plan.Keep); ok {
			turns = keep.Times
		}
	}
	want := map[string]string{
		"`turns` of a judge with grants": fmt.Sprint(granted.Budget.Turns),
		"`turns` of a judge without":     fmt.Sprint(bare.Budget.Turns),
		"`tokens` of a judge":            fmt.Sprint(bare.Budget.Tokens),
		"`timeout` of a judge":           minutes(bare.Budget.TimeoutMS),
		"`timeout` of a check":           minutes(p.Validators["c"].(*plan.Check).TimeoutMS),
		"`timeout` of a coder":           minutes(p.Coders["k"].TimeoutMS),
		"`turns` of a model coder":       fmt.Sprint(p.Coders["l"].Turns),
		"`tokens` of a model coder":      fmt.Sprint(p.Coders["l"].Tokens),
		"`turns` of a task":              fmt.Sprint(turns),
		"`timeout` of `prepare`":         minutes(p.Protocol.Prepare.TimeoutMS),
		"`timeout` of `obtain`":          minutes(p.Evidence["e"].Obtain.TimeoutMS),
		"`recover`":                      "–",
	}
	got := map[string]string{}
	for _, row := range tableRows(section(t, "language.md", "## Budgets")) {
		got[row[0]] = row[1]
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("the page has other defaults (-compiler +page):\n%s", d)
	}
}
