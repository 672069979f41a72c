package lang

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/snodo-lang/snodo/lang/diag"
)

func scanned(src string) ([]token, []Comment, diag.List) {
	diags := new(reports)
	tokens, comments := scan(newSource("f", []byte(src), diags), diags)
	return tokens, comments, diags.list
}

func TestTokens(t *testing.T) {
	names := map[kind]string{name: "name", text: "text", number: "number", duration: "duration", punct: "punct", other: "other"}
	for _, tt := range []struct{ src, want string }{
		{"", ""},
		{" \t\r\n", ""},
		{"a-b", "name:a-b"},
		{"a-b->c", "name:a-b punct:-> name:c"},
		{"a->b", "name:a punct:-> name:b"},
		{"a- b", "name:a other:- name:b"},
		{"a--b", "name:a other:- other:- name:b"},
		{"-a", "other:- name:a"},
		{"a-1-_b", "name:a-1-_b"},
		{"_x9", "name:_x9"},
		{"a.b", "name:a punct:. name:b"},
		{"9a", "duration:9a"},
		{"30s", "duration:30s"},
		{"1m30s", "duration:1m30s"},
		{"5min x", "duration:5min name:x"},
		{"1.5h", "duration:1.5h"},
		{"1, 2", "number:1 punct:, number:2"},
		{"1->", "number:1 punct:->"},
		{"{}(),.", "punct:{ punct:} punct:( punct:) punct:, punct:."},
		{`"a""b"`, `text:"a" text:"b"`},
		{`"a\"b"`, `text:"a\"b"`},
		{`"\\"x`, `text:"\\" name:x`},
		{`"""a"b""c"""`, `text:"""a"b""c"""`},
		{`"{"`, `text:"{"`},
		{"a//b\nc", "name:a name:c"},
		{`"//"`, `text:"//"`},
		{"a/b", "name:a other:/ name:b"},
		{"é", "other:é"},
		{"a\u00A0b", "name:a other:\u00A0 name:b"},
		{"\uFEFFa", "name:a"},
	} {
		t.Run(tt.src, func(t *testing.T) {
			tokens, _, _ := scanned(tt.src)
			var got []string
			for _, tok := range tokens {
				got = append(got, names[tok.kind]+":"+tok.text)
			}
			if diff := cmp.Diff(tt.want, strings.Join(got, " ")); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestTheMeaningOfTexts(t *testing.T) {
	for _, tt := range []struct{ raw, want string }{
		{`""`, ""},
		{`"a\"b\\c\nd\te"`, "a\"b\\c\nd\te"},
		{`"\u{1F600}\u{a}"`, "\U0001F600\n"},
		{`"{name}"`, "{name}"},
		{`""""""`, ""},
		{`"""a \n "b" """`, `a \n "b" `},
		{"\"\"\"\n  a\n    b\n\n  c\n  \"\"\"", "a\n  b\n\nc"},
		{"\"\"\"\r\n  a\r\n  b\r\n  \"\"\"", "a\nb"},
		{"\"\"\"  \n  a\n  \"\"\"", "a"},
		{"\"\"\"a\n  b\n  \"\"\"", "a\nb"},
		{"\"\"\"\n  a\n  b\"\"\"", "a\nb"},
		{"\"\"\"\n\ta\n b\n\t\"\"\"", "a\n b"},
		{"\"\"\"\n\n  a\n\n  \"\"\"", "\na\n"},
		{"\"\"\"\n\"\"\"", ""},
		{"\"\"\"\n\n\"\"\"", ""},
	} {
		t.Run(tt.raw, func(t *testing.T) {
			if diff := cmp.Diff(tt.want, meaning(tt.raw)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestCommentsAreKept(t *testing.T) {
	_, comments, _ := scanned("// one \t\r\na // two\n\"// no\" //three")
	var got []string
	for _, c := range comments {
		got = append(got, fmt.Sprintf("%d:%d %s", c.Range.Start.Line, c.Range.Start.Column, c.Text))
	}
	if diff := cmp.Diff([]string{"1:1 // one", "2:3 // two", "3:9 //three"}, got); diff != "" {
		t.Error(diff)
	}
}

func TestForbiddenCharacters(t *testing.T) {
	for _, tt := range []struct {
		name, src string
		want      []string // line:column-column code
		tokens    string
	}{
		{"a zero-width space in a name", "ro\u200Ble x", []string{"1:3-4 SN104"}, "role x"},
		{"one in a text", "\"a\u200Bb\"", []string{"1:3-4 SN104"}, `"ab"`},
		{"one in a comment", "a // x\u202Ey", []string{"1:7-8 SN104"}, "a"},
		{"a line separator parts words", "a\u2028b", []string{"1:2-3 SN104"}, "a b"},
		{"a form feed parts words", "a\fb", []string{"1:2-3 SN104"}, "a b"},
		{"a carriage return alone parts words", "a\rb\r\n", []string{"1:2-3 SN104"}, "a b"},
		{"a null", "a\x00b", []string{"1:2-3 SN104"}, "ab"},
		{"a delete", "a\x7f", []string{"1:2-3 SN104"}, "a"},
		{"a tag character", "a\U000E0041", []string{"1:2-3 SN104"}, "a"},
		{"a byte order mark inside", "a\uFEFFb", []string{"1:2-3 SN104"}, "ab"},
		{"a run of one character is one mistake", "a\u200B\u200B\u200Bb c", []string{"1:2-5 SN104"}, "ab c"},
		{"two characters are two", "a\u200B\u200Cb", []string{"1:2-3 SN104", "1:3-4 SN104"}, "ab"},
		{"bytes that are no text", "caf\xe9\xe9 x", []string{"1:4-6 SN104"}, "caf x"},
		{"what may stand", "\uFEFF\ta\r\n\u00A0\u3000\u0301", nil, "a \u00A0 \u3000 \u0301"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			tokens, _, diags := scanned(tt.src)
			var got, words []string
			for _, d := range diags.Sorted() {
				got = append(got, fmt.Sprintf("%d:%d-%d %s", d.Range.Start.Line, d.Range.Start.Column, d.Range.End.Column, d.Code))
			}
			for _, tok := range tokens {
				words = append(words, tok.text)
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Error(diff)
			}
			if diff := cmp.Diff(tt.tokens, strings.Join(words, " ")); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestPositionsBehindForbiddenCharactersAreTrue(t *testing.T) {
	src := "a\u200B b\u2028\xff \"c\u200B\\q\"\nd"
	tokens, _, diags := scanned(src)
	for _, tok := range tokens {
		if want := positionAt([]byte(src), int(tok.start.offset)); tok.start.position() != want {
			t.Errorf("%s starts at %v, want %v", tok.text, tok.start, want)
		}
		if want := positionAt([]byte(src), int(tok.end.offset)); tok.end.position() != want {
			t.Errorf("%s ends at %v, want %v", tok.text, tok.end, want)
		}
		if src[tok.start.offset] != tok.text[0] {
			t.Errorf("%s starts at %q", tok.text, src[tok.start.offset:])
		}
	}
	for _, d := range diags {
		if d.Code == diag.SN102 && src[d.Range.Start.Offset:d.Range.End.Offset] != `\q` {
			t.Errorf("the escape is found at %v", d.Range)
		}
	}
}

func TestLimits(t *testing.T) {
	nested := func(n int) string {
		return "x " + strings.Repeat("{\nx ", n) + strings.Repeat("\n}", n)
	}
	megabytes := strings.Repeat("//"+strings.Repeat("x", 8<<10)+"\n", MaxFile>>13)
	for _, tt := range []struct {
		name, src string
		want      int
	}{
		{"16 levels", nested(16), 0},
		{"17 levels", nested(17), 1},
		{"100 levels are one mistake", nested(100), 1},
		{"a line of 64 KiB", "//" + strings.Repeat("x", maxLine-2) + "\r\n// y", 0},
		{"a longer one", "//" + strings.Repeat("x", maxLine-1) + "\n// y", 1},
		{"two longer ones", strings.Repeat("//"+strings.Repeat("x", maxLine)+"\n", 2), 2},
		{"a file of 4 MiB", megabytes[:MaxFile], 0},
		{"a larger one, whatever is in it", "}\x00" + megabytes, 1},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, diags := Parse("f", []byte(tt.src))
			if len(diags) != tt.want {
				t.Fatalf("got %d diagnostics, want %d", len(diags), tt.want)
			}
			for _, d := range diags {
				if d.Code != diag.SN105 {
					t.Errorf("got %s: %s", d.Code, d.Message)
				}
			}
		})
	}
	f, _ := Parse("f", []byte("snodo 1\n"+megabytes))
	if f.Edition == nil {
		t.Error("what stands in front of the limit is not read")
	}
}

// A file that is no protocol at all has more errors than anybody reads.
func TestErrorsAreCountedWhereThereAreTooMany(t *testing.T) {
	for _, line := range []string{"\x00", `"`, ";", "judge j {"} {
		src := strings.Repeat(line+"\n", 3*maxReports)
		_, diags := Parse("f", []byte(src))
		last := diags[len(diags)-1]
		if len(diags) != maxReports+1 || last.Code != diag.SN105 || !strings.HasSuffix(last.Message, "more errors of this file are not shown") {
			t.Errorf("%q: %d diagnostics, the last: %s", line, len(diags), last.Message)
		}
		out, formatted, err := Format("f", []byte(src))
		if string(out) != src || err != nil || len(formatted) != len(diags) {
			t.Errorf("%q: the layout differs, or says something else (%v)", line, err)
		}
	}
}

func TestTheFoundTokenIsNamed(t *testing.T) {
	_, diags := Parse("f", []byte("judge a {\n  turns 3\u00A0\n}\n"))
	if len(diags) != 1 || !strings.Contains(diags[0].Message, "a no-break space") {
		t.Errorf("got %v", diags)
	}
}
