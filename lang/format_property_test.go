package lang

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/rogpeppe/go-internal/txtar"

	"github.com/snodo-lang/snodo/lang/diag"
)

// Every source of the repository, whole or broken, keeps what Format promises.
func TestFormatKeepsItsPromises(t *testing.T) {
	for name, src := range corpus(t) {
		for _, src := range []string{src, strings.ReplaceAll(src, "\n", "\r\n")} {
			t.Run(name, func(t *testing.T) { checkFormat(t, []byte(src)) })
		}
	}
}

// corpus returns every text of the repository that is a source or looks like
// one: files, what scenarios hold, and the examples of pages.
func corpus(t testing.TB) map[string]string {
	t.Helper()
	all := map[string]string{}
	walk(t, "..", func(path string) {
		switch filepath.Ext(path) {
		case ".snodo":
			for _, c := range chunks("=== \n" + string(read(t, path))) {
				all[path+": "+c.name] = c.src
			}
		case ".txt":
			if filepath.Base(filepath.Dir(path)) == "format" {
				for _, c := range chunks(string(read(t, path))) {
					all[path+": "+c.name] = c.src
				}
			}
		case ".txtar":
			for _, f := range txtar.Parse(read(t, path)).Files {
				if filepath.Ext(f.Name) == ".snodo" {
					all[path+": "+f.Name] = string(f.Data)
				}
			}
		case ".md":
			for i, part := range strings.Split("\n"+string(read(t, path)), "\n```") {
				if i%2 == 1 {
					_, text, _ := strings.Cut(part, "\n")
					all[path+": "+text] = text
				}
			}
		}
	})
	if len(all) < 100 {
		t.Fatalf("the repository has %d sources", len(all))
	}
	return all
}

func walk(t testing.TB, dir string, visit func(path string)) {
	t.Helper()
	err := filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case entry.IsDir() && slices.Contains([]string{".git", ".snodo", "fuzz"}, entry.Name()):
			return fs.SkipDir
		case entry.Type().IsRegular():
			visit(path)
		}
		return nil
	})
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		t.Fatal(err)
	}
}

// checkFormat holds Format to all that it says of any source.
func checkFormat(t *testing.T, src []byte) {
	t.Helper()
	out, diags, err := Format("f", src)
	if err != nil {
		t.Fatalf("%v\n%s", err, src)
	}
	again, _, err := Format("f", out)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(out), string(again)); diff != "" {
		t.Fatalf("the layout has another layout (-first +second):\n%s", diff)
	}
	checkSame(t, src, out)
	if len(diags) == 0 && len(newFormatter(parse("f", out), string(out)).keptLines()) == 0 {
		checkGaps(t, out)
		checkSpaces(t, out)
	}
}

// checkSame wants one tree, and every token and comment once and in order.
func checkSame(t *testing.T, src, out []byte) {
	t.Helper()
	ignored := cmp.Options{
		cmpopts.IgnoreTypes(diag.Range{}),
		cmp.Comparer(func(a, b string) bool {
			return strings.ReplaceAll(a, "\r\n", "\n") == strings.ReplaceAll(b, "\r\n", "\n")
		}),
	}
	before, wanted := Parse("f", src)
	after, got := Parse("f", out)
	if diff := cmp.Diff(before, after, ignored); diff != "" {
		t.Fatalf("the tree changes (-source +layout):\n%s\n%s", diff, out)
	}
	if diff := cmp.Diff(words(string(src)), words(string(out))); diff != "" {
		t.Fatalf("tokens or comments change (-source +layout):\n%s", diff)
	}
	if len(wanted) != len(got) {
		t.Fatalf("%d diagnostics become %d", len(wanted), len(got))
	}
}

// A word is a token or a comment, and where it stands.
type word struct {
	text       string
	start, end int
}

// words returns the tokens and comments of a source in their order, without
// their places.
func words(src string) []string {
	var out []string
	for _, w := range placedWords(src) {
		out = append(out, strings.ReplaceAll(w.text, "\r\n", "\n"))
	}
	return out
}

func placedWords(src string) []word {
	tokens, comments, _ := scanned(src)
	var out []word
	for _, t := range tokens {
		for len(comments) > 0 && comments[0].Range.Start.Offset < int(t.start.offset) {
			out = append(out, commentWord(comments[0]))
			comments = comments[1:]
		}
		out = append(out, word{t.text, int(t.start.offset), int(t.end.offset)})
	}
	for _, c := range comments {
		out = append(out, commentWord(c))
	}
	return out
}

func commentWord(c Comment) word {
	return word{c.Text, c.Range.Start.Offset, c.Range.End.Offset}
}

var gap = regexp.MustCompile(`^( ?|\n\n?(  )*)$`)

// checkGaps wants nothing between the words of a sound file but one space, or
// one or two line ends and the indentation; and one line end behind the last.
func checkGaps(t *testing.T, out []byte) {
	t.Helper()
	end := 0
	for _, w := range placedWords(string(out)) {
		if between := string(out[end:w.start]); !gap.MatchString(between) || end == 0 && between != "" {
			t.Fatalf("%q stands before %q in\n%s", between, w.text, out)
		}
		end = w.end
	}
	if rest := string(out[end:]); rest != "\n" && (len(out) > 0 || rest != "") {
		t.Fatalf("%q stands at the end", rest)
	}
}

// checkSpaces wants the same layout however much space an author leaves, and
// wherever a list is broken.
func checkSpaces(t *testing.T, out []byte) {
	t.Helper()
	wide := spread(string(out), func(string, string) string { return " \t " }, "\n\n\n \t")
	broken := spread(string(out), func(before, line string) string {
		if before == "," && !strings.Contains(line, "{") {
			return "\n    "
		}
		return " "
	}, "\n")
	for _, src := range []string{wide, broken} {
		again, _, err := Format("f", []byte(src))
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(string(out), string(again)); diff != "" {
			t.Fatalf("space changes the layout (-want +got):\n%s\nof\n%s", diff, src)
		}
	}
}

// spread writes a layout with other gaps: space chooses what stands instead of
// a single space, by the word before it and its line; blank stands in front of
// every line end that follows another.
func spread(out string, space func(before, line string) string, blank string) string {
	var b strings.Builder
	end, before := 0, ""
	for _, w := range placedWords(out) {
		switch between := out[end:w.start]; {
		case between == " " && !strings.HasPrefix(w.text, "//"):
			line := out[strings.LastIndexByte(out[:end], '\n')+1:]
			line, _, _ = strings.Cut(line, "\n")
			b.WriteString(space(before, line))
		case strings.HasPrefix(between, "\n\n"):
			b.WriteString("\n" + blank + strings.TrimLeft(between, "\n"))
		default:
			b.WriteString(between)
		}
		b.WriteString(w.text)
		end, before = w.end, w.text
	}
	return b.String() + out[end:]
}

func FuzzFormat(f *testing.F) {
	seed(f)
	for _, src := range corpus(f) {
		f.Add([]byte(src))
	}
	f.Fuzz(func(t *testing.T, src []byte) {
		_, diags, err := Format("f", src)
		var refused *RefusedError
		if errors.As(err, &refused) && len(diags) > 0 {
			return // it may be that what is broken reads otherwise beside what is moved
		}
		checkFormat(t, src)
	})
}
