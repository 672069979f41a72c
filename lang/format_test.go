package lang

import (
	"bytes"
	"errors"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

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
			if broken := filepath.Base(file) == "errors.txt"; broken != (len(diags) > 0) {
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
	src := bytes.Repeat([]byte("role   a   \"x\"\n"), MaxFile/14)
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
			"a file too large", "judge a {\n" + strings.Repeat("//"+strings.Repeat("x", maxLine/2-3)+"\n", MaxFile/(maxLine/2)-1) +
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
