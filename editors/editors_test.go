// Package editors_test holds the grammar for editors to the language. It reads
// the grammar as an editor does, with a small interpreter of TextMate grammars,
// and compares what comes out with the compiler's own scanner. Nothing here is
// part of a program.
package editors_test

import (
	"flag"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/snodo-lang/snodo/compiler/plan"
	"github.com/snodo-lang/snodo/lang"
	"github.com/snodo-lang/snodo/lang/diag"
)

var update = flag.Bool("update", false, "write the golden files anew; the run still fails")

const grammarFile = "snodo.tmLanguage.json"

// sources returns every .snodo file of the repository.
func sources(t *testing.T) []string {
	t.Helper()
	var found []string
	err := filepath.WalkDir("..", func(path string, e fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case e.IsDir() && (e.Name() == ".git" || e.Name() == ".snodo"):
			return fs.SkipDir
		case !e.IsDir() && strings.HasSuffix(path, ".snodo"):
			found = append(found, path)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(found) < 10 {
		t.Fatalf("only %d sources found", len(found))
	}
	return found
}

// scopesOf are the beginnings of the scopes that a kind of token may have.
var scopesOf = map[lang.TokenKind][]string{
	lang.NameToken:     {"entity.name.", "variable.", "keyword.", "storage.type.", "constant.language.", "support."},
	lang.TextToken:     {"string.quoted."},
	lang.NumberToken:   {"constant.numeric.integer."},
	lang.DurationToken: {"constant.numeric.duration."},
	lang.PunctToken:    {"punctuation.", "keyword.operator.arrow."},
	lang.OtherToken:    {"invalid.illegal.character."},
}

// inTexts are the beginnings of the scopes of parts of a text.
var inTexts = []string{"punctuation.definition.string.", "constant.character.escape.", "invalid.illegal.escape.", "variable.other.placeholder."}

func begins(scope string, with []string) bool {
	return slices.ContainsFunc(with, func(w string) bool { return strings.HasPrefix(scope, w) })
}

func TestEveryTokenHasItsScopeOverExactlyItsBytes(t *testing.T) {
	g := readGrammar(t, grammarFile)
	for _, path := range sources(t) {
		t.Run(path, func(t *testing.T) {
			src, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			compare(t, g, path, src)
		})
	}
}

// compare holds the scopes of a source to its tokens, both ways. Lines on which
// a token is malformed are left out: what the scanner makes of those takes more
// than one line into account.
func compare(t *testing.T, g *grammar, path string, src []byte) {
	t.Helper()
	tokens, comments, diags := lang.Tokens(path, src)
	wrong := make(map[int]bool)
	for _, d := range diags {
		wrong[d.Range.Start.Line] = true
	}
	found := g.tokenize(string(src))
	taken := make([]bool, len(found))
	expect := func(r diag.Range, what string, scopes []string) {
		from, to := r.Start.Offset, r.End.Offset
		if wrong[r.Start.Line] {
			for i, s := range found {
				taken[i] = taken[i] || s.Start >= from && s.Start < to
			}
			return
		}
		for i, s := range found {
			if s.Start == from && s.End == to && begins(s.Scope, scopes) {
				taken[i] = true
				return
			}
		}
		t.Errorf("%s:%d:%d: %s has no scope of %q", path, r.Start.Line, r.Start.Column, what, scopes)
	}
	for _, token := range tokens {
		expect(token.Range, fmt.Sprintf("the token %s", token.Text), scopesOf[token.Kind])
	}
	for _, c := range comments {
		expect(c.Range, "the comment", []string{"comment.line."})
	}
	for i, s := range found {
		line := 1 + strings.Count(string(src[:s.Start]), "\n")
		if !taken[i] && !wrong[line] && !begins(s.Scope, inTexts) {
			t.Errorf("%s:%d: %q has the scope %s and is no token", path, line, src[s.Start:s.End], s.Scope)
		}
	}
}

func TestTheTreeAndTheScopesAgree(t *testing.T) {
	g := readGrammar(t, grammarFile)
	for _, path := range sources(t) {
		if filepath.Base(path) == "unknown.snodo" {
			continue // written to puzzle a parser: no word of it means anything
		}
		src, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		file, diags := lang.Parse(path, src)
		if len(diags) > 0 {
			continue
		}
		scopes := make(map[int][]string)
		for _, s := range g.tokenize(string(src)) {
			scopes[s.Start] = append(scopes[s.Start], s.Scope)
		}
		expect := func(r diag.Range, want ...string) {
			if got := scopes[r.Start.Offset]; !slices.ContainsFunc(got, func(s string) bool { return begins(s, want) }) {
				t.Errorf("%s:%d:%d: %q, want one of %q", path, r.Start.Line, r.Start.Column, got, want)
			}
		}
		for _, d := range file.Decls {
			if d, ok := d.(*lang.Declaration); ok {
				declared(d, expect)
			}
		}
	}
}

// declared expects the scopes of a declaration.
func declared(d *lang.Declaration, expect func(diag.Range, ...string)) {
	expect(d.Word.Range, "storage.type.declaration.")
	if d.Subject != nil {
		expect(d.Subject.Range, "variable.other.")
	} else {
		expect(d.Name.Range, "entity.name.type.")
	}
	for _, p := range d.Params {
		expect(p.Name.Range, "variable.parameter.")
		expect(p.Type.Range, "support.type.parameter.")
	}
	for _, s := range d.Body {
		stated(s, expect)
	}
}

// stated expects the scopes of a statement.
func stated(s lang.Stmt, expect func(diag.Range, ...string)) {
	const field = "keyword.other.field."
	switch s := s.(type) {
	case *lang.Field:
		expect(s.Word.Range, field)
		if s.Timeout != nil {
			expect(s.Timeout.Word.Range, "keyword.other.clause.")
		}
	case *lang.Grants:
		expect(s.Word.Range, field)
		for _, tool := range s.Tools {
			expect(tool.Span(), "support.function.tool.", "variable.", "string.")
		}
		if s.InWord != nil {
			expect(s.InWord.Range, "keyword.other.clause.")
		}
	case *lang.Criterion:
		expect(s.Word.Range, field)
		expect(s.Name.Range, "entity.name.function.criterion.")
	case *lang.TestsExist:
		expect(s.Word.Range, field)
	case *lang.Case:
		expect(s.Word.Range, field)
	case *lang.Gate:
		expect(s.Phase.Range, "keyword.other.gate.")
		for _, inside := range s.Body {
			stated(inside, expect)
		}
	case *lang.Proceed:
		expect(s.Word.Range, field)
	case *lang.Route:
		expect(s.Verdict.Range, "constant.language.verdict.")
		for _, step := range s.Steps {
			expect(step.Word.Range, "keyword.control.step.", "variable.")
		}
	case *lang.Unknown:
	default:
		panic(fmt.Sprintf("editors: no such statement: %T", s))
	}
}

// scoped lists the scopes of a line of source, without their last part.
func scoped(g *grammar, src string) []string {
	var out []string
	for _, s := range g.tokenize(src) {
		out = append(out, fmt.Sprintf("%s %s", strings.TrimSuffix(s.Scope, ".snodo"), src[s.Start:s.End]))
	}
	return out
}

func TestPartsOfTextsHaveScopes(t *testing.T) {
	g := readGrammar(t, grammarFile)
	for _, c := range []struct{ name, src, want string }{
		{"escape", `goal "a\"b"`, `constant.character.escape \"`},
		{"character by number", `goal "\u{1F600}"`, `constant.character.escape \u{1F600}`},
		{"no escape", `goal "a\d"`, `invalid.illegal.escape \d`},
		{"placeholder", `evidence e(q text) "Say {q}."`, `variable.other.placeholder {q}`},
		{"literal braces", `evidence e(q text) "Say {{q}}."`, `constant.character.escape.braces {{q}}`},
		{"placeholder in an argument", "evidence e(q name) \"Say\" {\n  obtain \"run\", \"{q}\"\n}", `variable.other.placeholder {q}`},
		{"placeholder of a rule", "rule r {\n  tests_exist_for_modified \"**/*.go\" tested by \"{dir}/{stem}_test.go\"\n}", `variable.other.placeholder {stem}`},
		{"block", "task t {\n  goal \"\"\"\n    a \"b\" \\d {\n    \"\"\"\n}", "string.quoted.triple \"\"\"\n    a \"b\" \\d {\n    \"\"\""},
		{"unclosed", "judge j \"Title\nrole r", `string.quoted.double "Title`},
		{"unclosed before a brace", "judge j \"Title {\n  turns 3\n}", `keyword.other.field turns`},
		{"unclosed block", "judge j {\n  criterion c \"\"\"\n  text\nrole r", `entity.name.type r`},
		{"unclosed brace", "judge j {\n  turns 3\nrole r", `entity.name.type r`},
		{"malformed number", "judge j { timeout 5min }", `invalid.illegal.number 5min`},
		{"stray character", "judge j ; {", `invalid.illegal.character ;`},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := scoped(g, c.src); !slices.Contains(got, c.want) {
				t.Errorf("no %q in:\n%s", c.want, strings.Join(got, "\n"))
			}
		})
	}
}

func TestNoPlaceholdersWhereNoneAreMeant(t *testing.T) {
	g := readGrammar(t, grammarFile)
	src := "check c {\n  run \"awk '{print}' in\"\n}"
	for _, s := range scoped(g, src) {
		if strings.HasPrefix(s, "variable.other.placeholder") {
			t.Errorf("%s", s)
		}
	}
}

// TestTheWordsAreThoseOfTheLanguage reads the words from where the language
// has them, and from the expressions of the grammar.
func TestTheWordsAreThoseOfTheLanguage(t *testing.T) {
	want := slices.Concat(plan.Tools,
		wordsIn(t, "../lang/grammar*.go", `'([a-z_]+)':(?:Keyword|Name)`),
		wordsIn(t, "../lang/words.go", `"([a-z_]+)"`),
		wordsIn(t, "../compiler/forms.go", `(?m)(?:^\t(?:phases|routed|returnable|stepWords|paramTypes) += .*)`),
		[]string{"error"}) // reserved, and never written
	got := wordsOf(readGrammar(t, grammarFile))
	slices.Sort(want)
	if diff := cmp.Diff(slices.Compact(want), got); diff != "" {
		t.Errorf("the words of the language (-) and of the grammar (+):\n%s", diff)
	}
}

// wordsIn returns the words in what a pattern finds in some files: its group,
// or every quoted word of it.
func wordsIn(t *testing.T, files, pattern string) []string {
	t.Helper()
	paths, err := filepath.Glob(files)
	if err != nil {
		t.Fatal(err)
	}
	var words []string
	for _, path := range paths {
		src, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range regexp.MustCompile(pattern).FindAllStringSubmatch(string(src), -1) {
			if len(m) > 1 {
				words = append(words, m[1])
				continue
			}
			for _, quoted := range regexp.MustCompile(`"([a-z_ ]+)"`).FindAllStringSubmatch(m[0], -1) {
				words = append(words, strings.Fields(quoted[1])...)
			}
		}
	}
	if len(words) == 0 {
		t.Fatalf("no words in %s", files)
	}
	return words
}

// wordsOf returns the words that stand in the expressions of a grammar.
func wordsOf(g *grammar) []string {
	notWords := regexp.MustCompile(`\[[^\]]*\]|\\p\{[A-Z][a-z]?\}|\\u\\\{|\\.`)
	word := regexp.MustCompile(`[a-z_]{2,}`)
	var words []string
	var walk func([]*rule)
	walk = func(rules []*rule) {
		for _, r := range rules {
			if strings.HasPrefix(r.Name, "constant.numeric.") {
				continue // units of durations
			}
			for _, source := range []string{r.Match, r.Begin, r.End} {
				words = append(words, word.FindAllString(notWords.ReplaceAllString(source, " "), -1)...)
			}
			walk(r.Patterns)
		}
	}
	walk(append(slices.Clone(g.Patterns), valuesOf(g.Repository)...))
	slices.Sort(words)
	return slices.Compact(words)
}

func TestScopesOfSolo(t *testing.T) {
	src, err := os.ReadFile("../stdlib/solo/protocol.snodo")
	if err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	for _, s := range readGrammar(t, grammarFile).tokenize(string(src)) {
		line := 1 + strings.Count(string(src[:s.Start]), "\n")
		fmt.Fprintf(&out, "%d %s %q\n", line, strings.TrimSuffix(s.Scope, ".snodo"), src[s.Start:s.End])
	}
	const golden = "testdata/solo.scopes"
	if *update {
		if err := os.WriteFile(golden, []byte(out.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), out.String()); diff != "" || *update {
		t.Errorf("scopes of stdlib/solo (-want +got); -update writes %s:\n%s", golden, diff)
	}
}
