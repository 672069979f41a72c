package lang

import (
	"bytes"
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

// TestLayouts reads files of chunks: a line "=== words" says what a chunk
// shows, "---" parts a source from its layout.
func TestLayouts(t *testing.T) {
	for _, file := range glob(t, "testdata/format/*.txt") {
		t.Run(filepath.Base(file), func(t *testing.T) {
			var got strings.Builder
			for _, c := range chunks(string(read(t, file))) {
				out, _, err := Format(file, []byte(c.src))
				if err != nil {
					t.Fatalf("%s: %v", c.name, err)
				}
				got.WriteString("=== " + c.name + "\n" + c.src + "---\n" + string(out))
			}
			golden(t, file, got.String())
		})
	}
}

// Only the last of these files has diagnostics.
func TestLayoutsOfWhatParsesHaveNoDiagnostics(t *testing.T) {
	for _, file := range glob(t, "testdata/format/*.txt") {
		for _, c := range chunks(string(read(t, file))) {
			_, diags, _ := Format(file, []byte(c.src))
			silent := strings.Contains(c.name, "unknown block")
			if broken := filepath.Base(file) == "errors.txt"; broken != (len(diags) > 0) && !silent {
				t.Errorf("%s: %s: %d diagnostics", file, c.name, len(diags))
			}
		}
	}
}

// What a file of chunks cannot show.
func TestLineEnds(t *testing.T) {
	for _, tt := range []struct{ name, src, want string }{
		{"nothing", "", ""},
		{"nothing but space", " \r\n\t\n", ""},
		{"a byte order mark", byteOrderMark + "role a \"x\"\n", "role a \"x\"\n"},
		{"no line end at the end", "role a \"x\"", "role a \"x\"\n"},
		{"a comment without a line end", "// x", "// x\n"},
		{"space at line ends", "judge a { \t\n  turns 3  \n}\t\n// x \t\n", "judge a {\n  turns 3\n}\n// x\n"},
		{
			"carriage returns", "snodo 1\r\n\r\nrole a \"\"\"\r\n  x \r\n  \"\"\"\r\n\r\n\r\n// x\r\n",
			"snodo 1\n\nrole a \"\"\"\n  x \n  \"\"\"\n\n// x\n",
		},
		{
			"carriage returns stay in what does not parse", "judge a {\r\n  turns\r\n}\r\nrole   a \"x\"\r\n",
			"judge a {\r\n  turns\r\n}\r\nrole a \"x\"\n",
		},
		{
			"a byte order mark before what does not parse", byteOrderMark + "judge   a\n", "judge   a\n",
		},
		{"half a line end at the end", "role   a \"x\"\n\r", "role a \"x\"\n\r"},
		{"two byte order marks", byteOrderMark + byteOrderMark + "role   a \"x\"", byteOrderMark + byteOrderMark + "role   a \"x\"\n"},
		{"what does not parse has no line end", "judge   a", "judge   a\n"},
		{"a hidden character in a comment", "// a\u200bb  \nrole   a \"x\"", "// a\u200bb  \nrole a \"x\"\n"},
		{"a hidden character behind a comment", "// ab\u200b\nrole   a \"x\"", "// ab\u200b\nrole a \"x\"\n"},
		{"a hidden character in a text", "role   a \"x\u202e\"\nrole   b \"x\"", "role   a \"x\u202e\"\nrole b \"x\"\n"},
		{"a hidden character behind everything", "role   a \"x\"\n\n\n\u200b", "role a \"x\"\n\n\u200b\n"},
		{"a hidden character that separates", "\u2028\nrole   a \"x\"\n\u2028\n", "\u2028\nrole a \"x\"\n\u2028\n"},
		{"no UTF-8", "role   a \"x\"\n\xff\xfe\nrole   b \"x\"", "role a \"x\"\n\xff\xfe\nrole b \"x\"\n"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got, _, err := Format("f", []byte(tt.src))
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.want, string(got)); diff != "" {
				t.Error(diff)
			}
			checkFormat(t, []byte(tt.src))
		})
	}
}

func TestFormatReturnsTheDiagnosticsOfParse(t *testing.T) {
	src := []byte("judge a {\n  turns\n}\nrole \"x\n")
	_, want := Parse("f", src)
	_, got, err := Format("f", src)
	if err != nil || len(want) == 0 {
		t.Fatal(err, want)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestAFileAboveTheLimitStaysAsItIs(t *testing.T) {
	src := bytes.Repeat([]byte("role   a   \"x\"\n"), maxFile/14)
	got, diags, err := Format("f", src)
	if err != nil || !bytes.Equal(got, src) {
		t.Errorf("it is laid out, or refused: %v", err)
	}
	if len(diags) != 1 || diags[0].Code != diag.SN105 {
		t.Errorf("got %v", diags)
	}
}

// The layout of this line is longer than a line may be, and that of this file
// larger than a file may be.
func TestALayoutThatDoesNotReadBackIsRefused(t *testing.T) {
	for _, tt := range []struct{ name, src, reason string }{
		{"a line too long", "judge a {\ncriterion c \"" + strings.Repeat("x", maxLine-14) + "\"\n}", "other errors"},
		{
			"a file too large", "judge a {\n" + strings.Repeat("//"+strings.Repeat("x", maxLine/2-3)+"\n", maxFile/(maxLine/2)-1) +
				"//" + strings.Repeat("x", maxLine/2-20) + "\n}",
			"4 MiB",
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if _, diags := Parse("f", []byte(tt.src)); len(diags) > 0 {
				t.Fatal(diags[0])
			}
			out, _, err := Format("a.snodo", []byte(tt.src))
			var refused *RefusedError
			if !errors.As(err, &refused) || refused.Path != "a.snodo" || !strings.Contains(err.Error(), tt.reason) {
				t.Errorf("got %v", err)
			}
			if out != nil {
				t.Error("there is a result all the same")
			}
		})
	}
}

// Each pair must be told apart, or a defect of the layout could lose it.
func TestDifferencesAreSeen(t *testing.T) {
	const src = "snodo 1\njudge a {\n  turns 3 // x\n  settings { \"y\" }\n  pre { x }\n}\n"
	for _, change := range [][2]string{
		{"turns 3", "turns 4"},
		{"turns 3", "tokens 3"},
		{"// x", "// y"},
		{"// x", ""},
		{"\"y\"", "\"z\""},
		{"{ \"y\" }", "\"y\""},
		{"judge a", "judge b"},
		{"snodo 1", ""},
		{"turns 3 ", "turns\u200b 3 "},
		{"{ x }", "{ x\n}\nrole z \"z\""},
	} {
		other := strings.Replace(src, change[0], change[1], 1)
		if difference(parse("f", []byte(src)), parse("f", []byte(other)), len(other)) == "" {
			t.Errorf("%q for %q is not seen", change[1], change[0])
		}
	}
	moved := strings.ReplaceAll(src, "\n", "\r\n\r\n")
	if got := difference(parse("f", []byte(src)), parse("f", []byte(moved)), len(moved)); got != "" {
		t.Errorf("line ends make a difference: %s", got)
	}
}

// The protocols that people copy from are in the one layout.
func TestTheProjectsOwnSourcesAreFormatted(t *testing.T) {
	files := glob(t, "../protocol.snodo")
	walk(t, "../stdlib", func(path string) {
		if filepath.Ext(path) == ".snodo" {
			files = append(files, path)
		}
	})
	for _, file := range files {
		src := read(t, file)
		out, diags, err := Format(file, src)
		if err != nil {
			t.Fatal(err)
		}
		noDiagnostics(t, diags)
		if diff := cmp.Diff(string(src), string(out)); diff != "" {
			t.Errorf("%s is not formatted (-file +layout); snodo fmt -w does it:\n%s", file, diff)
		}
	}
}

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
		cmp.Transformer("LF", func(s string) string { return strings.ReplaceAll(s, "\r\n", "\n") }),
	}
	ignored = cmp.Options{ignored[0], cmp.FilterValues(func(a, b string) bool {
		return strings.Contains(a+b, "\r")
	}, ignored[1])}
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

// The work grows with the length of a file, as it does for Parse.
func TestFormattingIsLinear(t *testing.T) {
	for _, tt := range []struct{ before, again, after string }{
		{"", "role a \"x\"\n", ""},
		{"", "role a \"x\" // c\n\n// d\n", ""},
		{"judge a {\n", "turns 3 // c\n", "}"},
		{"judge a {\ngrants ", "a,\n", "a\n}"},
		{"judge a {\ngrants ", "a, // c\n", "a\n}"},
		{"", "// c\n", ""},
		{"", "judge a {\n", ""},
		{"", "a\x00\n", ""},
		{"x ( ", "a ", ")"},
		{"x ", "in ", ""},
	} {
		const n = 200
		allocations := func(n int) float64 {
			src := []byte(tt.before + strings.Repeat(tt.again, n) + tt.after)
			return testing.AllocsPerRun(1, func() { _, _, _ = Format("f", src) })
		}
		few, many := allocations(n), allocations(8*n)
		if many > 10*few+100 {
			t.Errorf("%q: %v allocations %d times, %v for %d times", tt.again, few, n, many, 8*n)
		}
	}
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
