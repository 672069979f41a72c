package lang

import (
	"flag"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/snodo-lang/snodo/lang/diag"
)

var update = flag.Bool("update", false, "write golden files anew; the test fails all the same")

// golden compares got with a file. A run that writes the file fails, so that
// nobody commits what they have not read.
func golden(t *testing.T, path, got string) {
	t.Helper()
	want, err := os.ReadFile(path)
	if err != nil && !*update {
		t.Fatal(err)
	}
	diff := cmp.Diff(string(want), got)
	if diff == "" {
		return
	}
	t.Errorf("%s differs (-file +parser):\n%s", path, diff)
	if *update {
		if err := os.WriteFile(path, []byte(got), 0o666); err != nil {
			t.Fatal(err)
		}
	}
}

func TestTheGrammarIsTheOneThatWasRead(t *testing.T) {
	golden(t, "testdata/grammar.ebnf", grammar().String()+"\n")
}

func TestTrees(t *testing.T) {
	for _, file := range glob(t, "testdata/tree/*.snodo") {
		t.Run(filepath.Base(file), func(t *testing.T) {
			src := read(t, file)
			f, diags := Parse(file, src)
			noDiagnostics(t, diags)
			golden(t, strings.TrimSuffix(file, ".snodo")+".tree", dump(f))
		})
	}
}

// TestErrors reads files of chunks. A line "=== words" begins a chunk and says
// what it shows; a comment // want CODE "words" stands on the line where the
// diagnostic must be, // want-above on the line below it. A chunk must give
// exactly the diagnostics that it wants.
func TestErrors(t *testing.T) {
	for _, file := range glob(t, "testdata/errors/*.snodo") {
		for _, c := range chunks(string(read(t, file))) {
			t.Run(filepath.Base(file)+"/"+c.name, func(t *testing.T) {
				f, diags := Parse(file, []byte(c.src))
				if f == nil {
					t.Fatal("no tree")
				}
				wanted := wants(c.src)
				for _, d := range diags {
					if !take(&wanted, d) {
						t.Errorf("unwanted: %d:%d: %s: %s", d.Range.Start.Line, d.Range.Start.Column, d.Code, d.Message)
					}
					if d.Help == "" {
						t.Errorf("line %d: no help: %s", d.Range.Start.Line, d.Message)
					}
				}
				for _, w := range wanted {
					t.Errorf("missing: line %d: %s %q", w.line, w.code, w.words)
				}
				if c.tree != "" {
					if diff := cmp.Diff(c.tree, dump(f)); diff != "" {
						t.Errorf("tree (-want +got):\n%s", diff)
					}
				}
			})
		}
	}
}

// What is offered as edits takes away what they are offered for, and nothing
// new is wrong with them.
func TestEditsMend(t *testing.T) {
	offered := 0
	for _, file := range glob(t, "testdata/errors/*.snodo") {
		for _, c := range chunks(string(read(t, file))) {
			_, diags := Parse(file, []byte(c.src))
			for _, d := range diags {
				if len(d.Edits) == 0 {
					continue
				}
				offered++
				src := edited(c.src, d.Edits)
				_, after := Parse(file, []byte(src))
				was, is := tally(diags), tally(after)
				if is[said(d)] >= was[said(d)] {
					t.Errorf("%s: %s: mended by %v, and yet: %s", file, c.name, d.Edits, d.Message)
				}
				for words, n := range is {
					if n > was[words] {
						t.Errorf("%s: %s: mending %s with %v gives: %s", file, c.name, d.Message, d.Edits, words)
					}
				}
			}
		}
	}
	if offered == 0 {
		t.Error("no edit was offered")
	}
}

// edited returns a source with the edits of one diagnostic.
func edited(src string, edits []diag.Edit) string {
	edits = slices.Clone(edits)
	slices.SortFunc(edits, func(a, b diag.Edit) int { return b.Range.Start.Offset - a.Range.Start.Offset })
	for _, e := range edits {
		src = src[:e.Range.Start.Offset] + e.Text + src[e.Range.End.Offset:]
	}
	return src
}

func said(d diag.Diagnostic) string { return string(d.Code) + " " + d.Message }

func tally(l diag.List) map[string]int {
	out := make(map[string]int)
	for _, d := range l {
		out[said(d)]++
	}
	return out
}

type chunk struct {
	name, src string
	tree      string // behind a line "---": the tree that is left, "" for any
}

func chunks(text string) []chunk {
	var out []chunk
	for _, part := range strings.Split("\n"+text, "\n=== ")[1:] {
		name, src, _ := strings.Cut(part, "\n")
		src, tree, _ := strings.Cut(src, "\n---\n")
		if tree != "" {
			tree = strings.TrimRight(tree, "\n") + "\n"
		}
		out = append(out, chunk{strings.TrimSpace(name), src + "\n", tree})
	}
	return out
}

type want struct {
	line  int
	code  diag.Code
	words string
}

var wantComment = regexp.MustCompile(`want(-above)? (SN\d+) "([^"]*)"`)

func wants(src string) []want {
	var out []want
	for i, line := range strings.Split(src, "\n") {
		for _, m := range wantComment.FindAllStringSubmatch(line, -1) {
			w := want{i + 1, diag.Code(m[2]), m[3]}
			if m[1] != "" {
				w.line--
			}
			out = append(out, w)
		}
	}
	return out
}

// take removes from wants the one that d answers.
func take(wants *[]want, d diag.Diagnostic) bool {
	for i, w := range *wants {
		if w.line == d.Range.Start.Line && w.code == d.Code && strings.Contains(d.Message+" | "+d.Help, w.words) {
			*wants = append((*wants)[:i:i], (*wants)[i+1:]...)
			return true
		}
	}
	return false
}

func glob(t testing.TB, pattern string) []string {
	t.Helper()
	files, err := filepath.Glob(pattern)
	if err != nil || len(files) == 0 {
		t.Fatalf("%s: no files (%v)", pattern, err)
	}
	return files
}

func read(t testing.TB, file string) []byte {
	t.Helper()
	src, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return src
}

func noDiagnostics(t *testing.T, diags diag.List) {
	t.Helper()
	for _, d := range diags {
		t.Errorf("%d:%d: %s: %s", d.Range.Start.Line, d.Range.Start.Column, d.Code, d.Message)
	}
}
