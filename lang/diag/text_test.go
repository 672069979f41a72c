package diag

import (
	"bytes"
	"errors"
	"strings"
	"testing"
	"unicode"

	"github.com/google/go-cmp/cmp"
)

// at returns the range of the first occurrence of part in src.
func at(t *testing.T, file, src, part string) Range {
	t.Helper()
	i := strings.Index(src, part)
	if i < 0 {
		t.Fatalf("%q does not contain %q", src, part)
	}
	return Range{File: file, Start: position(src, i), End: position(src, i+len(part))}
}

func position(src string, offset int) Position {
	before := strings.ToValidUTF8(src[:offset], "?")
	line := before[strings.LastIndex(before, "\n")+1:]
	line = strings.TrimPrefix(line, "\uFEFF")
	return Position{Line: strings.Count(before, "\n") + 1, Column: len([]rune(line)) + 1, Offset: offset}
}

func render(t *testing.T, p Palette, src string, l ...Diagnostic) string {
	t.Helper()
	var out bytes.Buffer
	sources := func(file string) []byte {
		if file == "gone.snodo" {
			return nil
		}
		return []byte(src)
	}
	if err := WriteText(&out, l, sources, p); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

func TestTextHasTheLayoutOfTheDesign(t *testing.T) {
	src := strings.Repeat("\n", 40) + "    unclear -> recover 2 then ask lead\n"
	got := render(t, Plain, src, Diagnostic{
		Code:    SN503,
		Range:   at(t, "protocol.snodo", src, "recover 2"),
		Message: "an unclear verdict cannot go to recovery",
		Label:   "recovery changes the work, and unclear names nothing to change",
		Help:    "gather the evidence, or ask for it: `unclear -> gather then ask lead`",
	})
	want := `error[SN503]: an unclear verdict cannot go to recovery
  --> protocol.snodo:41:16
   |
41 |     unclear -> recover 2 then ask lead
   |                ^^^^^^^^^ recovery changes the work, and unclear names nothing to change
   |
  help: gather the evidence, or ask for it: 'unclear -> gather then ask lead'
  more: snodo explain SN503
`
	if diff := cmp.Diff(strings.ReplaceAll(want, "'", "`"), got); diff != "" {
		t.Error(diff)
	}
}

// TestExcerpts shows only the lines with a gutter.
func TestExcerpts(t *testing.T) {
	long := strings.Repeat("a", 200) + " HERE " + strings.Repeat("b", 200)
	for _, tt := range []struct{ name, src, part, want string }{
		{"a tab is as wide as it shows", "\tab\tx y\n", "x", `
1 |     ab  x y
  |         ^`},
		{"a marked tab is marked whole", "a\tb\n", "\t", `
1 | a   b
  |  ^^^`},
		{"a wide character takes two cells", "世界 ok\n", "ok", `
1 | 世界 ok
  |      ^^`},
		{"a wide character is marked whole", "a 世 b\n", "世", `
1 | a 世 b
  |   ^^`},
		{"a combining mark takes none", "e\u0301 x\n", "x", "\n1 | e\u0301 x\n  |   ^"},
		{"an empty range is one mark", "abc\n", "", `
1 | abc
  | ^`},
		{"a range over two lines marks both", "role a {\n  key x\n}\n", "a {\n  key", `
1 | role a {
  |      ^^^
2 |   key x
  |   ^^^ said`},
		{"four lines are shown", "a\nb\n\nd\n", "a\nb\n\nd", `
1 | a
  | ^
2 | b
  | ^
3 |
  |
4 | d
  | ^ said`},
		{"of more, the first two and the last", "a\nb\nc\nd\ne\n", "a\nb\nc\nd\ne", `
1 | a
  | ^
2 | b
  | ^
...
5 | e
  | ^ said`},
		{"a range up to a line end stays on its line", "ab\ncd\n", "ab\n", `
1 | ab
  | ^^`},
		{"control characters do nothing", "a\x1b[31mb X\n", "X", `
1 | a<U+001B>[31mb X
  |                ^`},
		{"hidden characters show", "a\u202Eb X\n", "b", "\n1 | a<U+202E>b X\n  |          ^"},
		{"bytes that are no text show", "caf\xe9 X\n", "X", `
1 | caf<0xE9> X
  |           ^`},
		{"a byte order mark does not show", "\uFEFFsnodo 1\n", "snodo", `
1 | snodo 1
  | ^^^^^`},
		{"a carriage return before a line feed does not show", "snodo 1\r\n", "1", `
1 | snodo 1
  |       ^`},
		{"a long line is cut on both sides", long, "HERE", "\n1 | …" + strings.Repeat("a", 39) + " HERE " +
			strings.Repeat("b", 64) + "…\n  | " + strings.Repeat(" ", 41) + "^^^^"},
		{"the beginning of a long line is cut at its end", long, "aaa", "\n1 | " + strings.Repeat("a", 110) +
			"…\n  | ^^^"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r := at(t, "f", tt.src, tt.part)
			label := ""
			if strings.HasSuffix(tt.want, " said") {
				label = "said"
			}
			out := render(t, Plain, tt.src, Diagnostic{Code: SN101, Range: r, Label: label})
			_, got, _ := strings.Cut(out, "  |\n")
			got, _, _ = strings.Cut(got, "  |\n  more:")
			if diff := cmp.Diff(strings.TrimPrefix(tt.want, "\n")+"\n", got); diff != "" {
				t.Errorf("%s", diff)
			}
		})
	}
}

func TestEndOfFile(t *testing.T) {
	for _, tt := range []struct {
		name, src string
		at        Position
		want      string
	}{
		{"behind the last line", "a {\n", Position{2, 1, 4}, "2 |\n  | ^ here\n"},
		{"behind a last line without an end", "a {", Position{1, 4, 3}, "1 | a {\n  |    ^ here\n"},
		{"in an empty file", "", Position{1, 1, 0}, "1 |\n  | ^ here\n"},
		{"far behind", "a\n", Position{9, 9, 99}, "9 |\n  | ^ here\n"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			out := render(t, Plain, tt.src, Diagnostic{Code: SN101, Range: Range{"f", tt.at, tt.at}, Label: "here"})
			if !strings.Contains(out, tt.want) {
				t.Errorf("got\n%s\nwant in it\n%s", out, tt.want)
			}
		})
	}
}

func TestColumnsAreBelievedWhereTheOffsetIsNot(t *testing.T) {
	src := "role a\nrole b\n"
	r := Range{"f", Position{2, 6, 0}, Position{2, 7, 0}}
	out := render(t, Plain, src, Diagnostic{Code: SN201, Range: r})
	if want := "2 | role b\n  |      ^\n"; !strings.Contains(out, want) {
		t.Errorf("got\n%s", out)
	}
}

func TestRelatedPlacesHaveTheirOwnExcerpts(t *testing.T) {
	src := strings.Repeat("\n", 8) + "role me \"A\"\nrole me \"B\"\n"
	first := at(t, "p.snodo", src, "me")
	second := Range{"p.snodo", Position{10, 6, 0}, Position{10, 8, 0}}
	got := render(t, Plain, src,
		Diagnostic{
			Code: SN201, Range: second, Message: "two roles are called me",
			Related: []Related{{first, "the first is here"}, {Range{File: "gone.snodo", Start: Position{3, 1, 9}}, "no source"}},
		},
		Diagnostic{Code: SN704, Severity: Note, Message: "no place", Help: "one\ntwo"},
	)
	want := `note[SN704]: no place
  help: one
        two
  more: snodo explain SN704

error[SN201]: two roles are called me
  --> p.snodo:10:6
   |
10 | role me "B"
   |      ^^
   |
  --> p.snodo:9:6
   |
 9 | role me "A"
   |      -- the first is here
   |
  --> gone.snodo:3:1
   | no source
  more: snodo explain SN201
`
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestThePaletteColoursAndChangesNothingElse(t *testing.T) {
	src := "role me \"A\"\n"
	d := Diagnostic{Code: SN201, Range: at(t, "f", src, "me"), Message: "m", Label: "l", Help: "h"}
	coloured, plain := render(t, ANSI, src, d), render(t, Plain, src, d)
	if !strings.HasPrefix(coloured, "\x1b[1;31merror[SN201]\x1b[0m: m\n") {
		t.Errorf("got %q", coloured)
	}
	for _, code := range append(ANSI.severity[:], ANSI.frame, ANSI.plain) {
		coloured = strings.ReplaceAll(coloured, code, "")
	}
	if diff := cmp.Diff(plain, coloured); diff != "" {
		t.Error(diff)
	}
}

func TestMessagesCannotDoAnything(t *testing.T) {
	d := Diagnostic{
		Code: SN101, Message: "a\x1b]0;t\x07\nb", Help: "\u202Ex", Label: "y\r",
		Range: Range{File: "a\x1b.snodo", Start: Position{1, 1, 0}, End: Position{1, 2, 1}},
	}
	got := render(t, Plain, "z\x00\n", d)
	for _, r := range got {
		if r != '\n' && hidden(r) {
			t.Errorf("%U is in %q", r, got)
		}
	}
}

var errFull = errors.New("full")

type full struct{}

func (full) Write([]byte) (int, error) { return 0, errFull }

func TestWritingSaysWhyItFailed(t *testing.T) {
	l := List{{Code: SN101}}
	if err := WriteText(full{}, l, func(string) []byte { return nil }, Plain); !errors.Is(err, errFull) {
		t.Errorf("WriteText: %v", err)
	}
	if err := WriteJSON(full{}, l); !errors.Is(err, errFull) {
		t.Errorf("WriteJSON: %v", err)
	}
}

func FuzzText(f *testing.F) {
	f.Add("role me \"A\"\n", 1, 6, 5, 8)
	f.Add("\t世\x1b[2J\xff\u202e", 1, 2, 1, 4)
	f.Add(strings.Repeat("a", 300), 1, 250, 249, 260)
	f.Add("a\nb\nc\nd\ne\nf", 2, 1, 2, 9)
	f.Fuzz(func(t *testing.T, src string, line, column, offset, length int) {
		start := Position{line, column, offset}
		end := Position{line + length%7, column + length, offset + length}
		var out bytes.Buffer
		err := WriteText(&out, List{{Code: SN101, Range: Range{src, start, end}, Message: src, Help: src}},
			func(string) []byte { return []byte(src) }, Plain)
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range out.String() {
			if r != '\n' && unicode.In(r, unicode.Cc, unicode.Cf) {
				t.Fatalf("%U is in %q", r, out.String())
			}
		}
	})
}
