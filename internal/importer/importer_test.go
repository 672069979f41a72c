package importer

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/lexer"
	"github.com/goccy/go-yaml/parser"
	tokens "github.com/goccy/go-yaml/token"
	"github.com/google/go-cmp/cmp"

	"github.com/snodo-lang/snodo/compiler"
	"github.com/snodo-lang/snodo/lang"
)

var update = flag.Bool("update", false, "write what is wanted of the protocols in testdata; the test still fails where it changed")

// around is what all protocols of testdata stand in.
var around = Surroundings{Test: "make check"}

// protocols calls do for every protocol of testdata.
func protocols(t *testing.T, do func(t *testing.T, dir string, src []byte, r Result)) {
	t.Helper()
	files, err := filepath.Glob("testdata/*/protocol.yml")
	if err != nil || len(files) < 8 {
		t.Fatalf("%d protocols, %v", len(files), err)
	}
	for _, file := range files {
		dir := filepath.Dir(file)
		t.Run(filepath.Base(dir), func(t *testing.T) {
			src, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			r, err := Import("protocol.yml", src, around)
			if err != nil {
				t.Fatal(err)
			}
			do(t, dir, src, r)
		})
	}
}

// printed is the report as people read it.
func printed(r Result) string {
	var out strings.Builder
	for _, l := range r.Changes {
		out.WriteString(l.In("protocol.yml") + "\n")
	}
	if len(r.Decisions) > 0 {
		out.WriteString("\nleft for you to decide:\n")
	}
	for _, l := range r.Decisions {
		out.WriteString(l.In("protocol.yml") + "\n")
	}
	return out.String()
}

func TestProtocolsBecomeWhatIsWanted(t *testing.T) {
	protocols(t, func(t *testing.T, dir string, _ []byte, r Result) {
		for name, got := range map[string]string{"protocol.snodo": string(r.Source), "report": printed(r)} {
			file := filepath.Join(dir, name)
			want, err := os.ReadFile(file)
			if err != nil && !*update {
				t.Fatal(err)
			}
			if diff := cmp.Diff(string(want), got); diff != "" {
				t.Errorf("%s (-want +got):\n%s", file, diff)
				if *update {
					if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
						t.Fatal(err)
					}
				}
			}
		}
	})
}

// sound holds a result to what is promised of every one.
func sound(t *testing.T, r Result) {
	t.Helper()
	if !bytes.HasPrefix(r.Source, []byte("snodo 1\n")) {
		t.Errorf("the first statement is not the edition:\n%s", r.Source)
	}
	formatted, _, err := lang.Format("protocol.snodo", r.Source)
	if err != nil || !bytes.Equal(formatted, r.Source) {
		t.Errorf("it is not in the one layout (%v); it is\n%s\nand should be\n%s", err, r.Source, formatted)
	}
	_, found, err := compiler.Compile(compiler.Source{FS: fstest.MapFS{"protocol.snodo": {Data: r.Source}}, Dir: "."})
	if err != nil {
		t.Fatal(err)
	}
	if !found.OK() && len(r.Decisions) == 0 {
		t.Errorf("it does not compile, and nothing is left to decide: %v\n%s", found.Diagnostics, r.Source)
	}
	seen := map[string]bool{}
	for _, l := range slices.Concat(r.Changes, r.Decisions) {
		line := l.In("protocol.yml")
		if seen[line] {
			t.Errorf("the report says twice: %s", line)
		}
		seen[line] = true
		if strings.ContainsAny(line, "\n\r") || strings.TrimSpace(l.Became) == "" {
			t.Errorf("no line of a report: %q", line)
		}
	}
}

func TestResultsCompileOrSayWhatIsLeftToDecide(t *testing.T) {
	protocols(t, func(t *testing.T, dir string, src []byte, r Result) {
		sound(t, r)
		again, err := Import("protocol.yml", src, around)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(r, again); diff != "" {
			t.Errorf("the second import differs: %s", diff)
		}
	})
}

func TestReportsSpeakOfEachThingOnce(t *testing.T) {
	protocols(t, func(t *testing.T, _ string, _ []byte, r Result) {
		seen := map[string]bool{}
		for _, l := range slices.Concat(r.Changes, r.Decisions) {
			thing := fmt.Sprintf("%d: %s", l.Line, l.What)
			if seen[thing] {
				t.Errorf("the report speaks twice of %s", thing)
			}
			seen[thing] = true
		}
	})
}

// Only the folder that has no mode in it does not compile.
func TestProtocolsWithModesCompile(t *testing.T) {
	protocols(t, func(t *testing.T, dir string, _ []byte, r Result) {
		_, found, err := compiler.Compile(compiler.Source{FS: fstest.MapFS{"protocol.snodo": {Data: r.Source}}, Dir: "."})
		if err != nil {
			t.Fatal(err)
		}
		if want := filepath.Base(dir) != "nostage"; found.OK() != want {
			t.Errorf("compiles: %v, want %v: %v", found.OK(), want, found.Diagnostics)
		}
	})
}

// equivalents are words of the older engine that a form of this language says,
// with nothing to report about it.
var equivalents = map[string]string{
	"unanimous": "proceed when all pass",
	"10 m":      "timeout 10m",
	"8_192":     "tokens 8192",
	"60":        "timeout 1m",
	"900":       "timeout 15m",
	"llm":       "judge ",
	"command":   "check ",
	// an argument vector, quoted for the shell
	"make 'all' && ls *": `run "sh -c 'make '\\''all'\\'' && ls *'"`,
}

// lost returns the scalars of a protocol that are neither in its result nor in
// the report.
func lost(t *testing.T, src []byte, r Result) []string {
	t.Helper()
	said := flat(string(r.Source)) + flat(printed(r)) + flat(strings.Join(meanings(t, r.Source), "\n"))
	var out []string
	for _, s := range scalars(t, src) {
		lines := strings.Split(s, "\n")
		if strings.Contains(said, flat(s)) || !slices.ContainsFunc(lines, func(l string) bool { return !holds(said, l) }) {
			continue
		}
		if form, ok := equivalents[s]; !ok || !strings.Contains(string(r.Source), form) {
			out = append(out, s)
		}
	}
	return out
}

// holds reports whether what was said has a line, as it is or with escapes.
func holds(said, line string) bool {
	return strings.Contains(said, flat(line)) || strings.Contains(said, flat(visible(line))) ||
		strings.Contains(said, strings.Trim(flat(quoted(line)), `"`))
}

func TestNothingIsLostWithoutAWord(t *testing.T) {
	protocols(t, func(t *testing.T, _ string, src []byte, r Result) {
		for _, s := range lost(t, src, r) {
			t.Errorf("%q is in neither the result nor the report", s)
		}
	})
}

// flat leaves out blanks, and the marks of comments that are broken between
// words.
func flat(s string) string {
	var out []string
	for _, l := range strings.Split(s, "\n") {
		out = append(out, strings.TrimPrefix(strings.TrimSpace(l), "//"))
	}
	return strings.Join(strings.Fields(strings.Join(out, " ")), "")
}

// meanings are what the texts of a source mean.
func meanings(t *testing.T, src []byte) []string {
	t.Helper()
	file, found := lang.Parse("protocol.snodo", src)
	if len(found) > 0 {
		t.Fatal(found)
	}
	var out []string
	add := func(v lang.Value) {
		if s, ok := v.(lang.Text); ok {
			out = append(out, s.Value)
		}
	}
	for _, d := range file.Decls {
		d := d.(*lang.Declaration)
		if d.Title != nil {
			out = append(out, d.Title.Value)
		}
		for _, stmt := range d.Body {
			switch stmt := stmt.(type) {
			case *lang.Field:
				for _, v := range stmt.Values {
					add(v)
				}
			case *lang.Criterion:
				add(stmt.Text)
			}
		}
	}
	return out
}

// scalars are the values of a YAML, read by another way than the importer's.
func scalars(t *testing.T, src []byte) []string {
	t.Helper()
	file, err := parser.ParseBytes(src, 0, parser.AllowDuplicateMapKey())
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	var walk func(n ast.Node)
	walk = func(n ast.Node) {
		switch n := n.(type) {
		case *ast.MappingNode:
			for _, v := range n.Values {
				walk(v.Value)
			}
		case *ast.MappingValueNode:
			walk(n.Value)
		case *ast.SequenceNode:
			for _, v := range n.Values {
				walk(v)
			}
		case *ast.AnchorNode:
			walk(n.Value)
		case *ast.TagNode:
			walk(n.Value)
		case *ast.AliasNode, *ast.NullNode:
		case *ast.LiteralNode:
			out = append(out, n.Value.Value)
		case *ast.StringNode:
			out = append(out, n.Value)
		default:
			out = append(out, n.GetToken().Value)
		}
	}
	for _, d := range file.Docs {
		walk(d.Body)
	}
	return out
}

func protocolsAsSeeds(f *testing.F) {
	files, err := filepath.Glob("testdata/*/protocol.yml")
	if err != nil {
		f.Fatal(err)
	}
	for _, file := range files {
		src, err := os.ReadFile(file)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(src)
	}
}

// Every comment of a protocol is one of the result.
func TestCommentsAreCarried(t *testing.T) {
	protocols(t, func(t *testing.T, _ string, src []byte, r Result) {
		for _, token := range lexer.Tokenize(string(src)) {
			if token.Type == tokens.CommentType && !strings.Contains(string(r.Source), "//"+strings.TrimRight(token.Value, " ")) {
				t.Errorf("the comment of line %d is lost: #%s", token.Position.Line, token.Value)
			}
		}
	})
}
