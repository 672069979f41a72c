package lang

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"github.com/snodo-lang/snodo/lang/diag"
)

// A declaration that the grammar reads whole must come out the same when it
// is read piece by piece.
func TestBothWaysGiveOneTree(t *testing.T) {
	for _, file := range glob(t, "testdata/tree/*.snodo") {
		for _, ends := range []string{"\n", "\r\n"} {
			src := bytes.ReplaceAll(read(t, file), []byte("\n"), []byte(ends))
			compareWays(t, file, src)
		}
	}
}

// compareWays reads every sound declaration of a file in both ways.
func compareWays(t *testing.T, path string, src []byte) {
	t.Helper()
	p := newParser(path, src)
	for i := range p.shapes {
		s := &p.shapes[i]
		word := p.tokens[s.first].text
		if s.spoiled || p.key(s, fileScope) != keyword || word == "snodo" || word == "import" {
			continue
		}
		whole, pieces := p.begun(s), p.begun(s)
		n, err := run[declNode](p.stream([]shape{*s}, fileScope))
		named := p.piecewise(pieces, s)
		if (err == nil) != (named && !pieces.Damaged) {
			t.Fatalf("%s: %v: whole: %v; damaged in pieces: %v", path, p.header(s), err, pieces.Damaged)
		}
		if err != nil {
			continue
		}
		p.complete(whole, s, n)
		if diff := cmp.Diff(whole, pieces); diff != "" {
			t.Fatalf("%s (-whole +pieces):\n%s", path, diff)
		}
	}
}

// The grammar alone, over the lexer alone, accepts what Parse accepts.
func TestTheGrammarCoversTheLanguage(t *testing.T) {
	for _, file := range glob(t, "testdata/tree/*.snodo") {
		if _, err := grammar().ParseBytes(file, read(t, file)); err != nil {
			t.Error(err)
		}
	}
	for _, src := range []string{
		"snodo 1\nprotocol p \"{\" }", // a text is never a brace
		"snodo 1\nmode m {\npost_execute {\nproceed when \"all\" pass\n}\n}",
		"snodo 1\nmode m {\npost_execute {\nproceed \"when\" all pass\n}\n}",
		"snodo 1\nrole r \"x\" \"key\" \"y\"",
	} {
		if _, err := grammar().ParseString("f", src); err == nil {
			t.Errorf("%s\nis accepted", src)
		}
	}
}

// Every range lies in its parent's, behind the one before it, and holds the
// text it was made of.
func TestRanges(t *testing.T) {
	for _, file := range glob(t, "testdata/tree/*.snodo") {
		src := read(t, file)
		checkRanges(t, src, file)
		checkRanges(t, append([]byte(byteOrderMark), src...), file)
	}
}

func checkRanges(t *testing.T, src []byte, path string) {
	t.Helper()
	f, _ := Parse(path, src)
	r := ranges{t: t, src: src, path: path}
	all := diag.Range{File: path, Start: diag.Position{Line: 1, Column: 1}, End: diag.Position{Offset: len(src)}}
	var last diag.Range
	for _, d := range f.Decls {
		r.within(d.Span(), all)
		r.follows(d.Span(), &last)
		switch d := d.(type) {
		case *Declaration:
			r.within(d.Header, d.Range)
			r.name(d.Word, d.Range)
			r.statements(d.Body, d.Range)
		case *Unknown:
			r.unknown(d, all)
		}
	}
	for _, c := range f.Comments {
		if got := r.text(c.Range); got != c.Text {
			t.Fatalf("comment %q has the range of %q", c.Text, got)
		}
	}
}

type ranges struct {
	t    *testing.T
	src  []byte
	path string
}

func (r ranges) text(x diag.Range) string { return string(r.src[x.Start.Offset:x.End.Offset]) }

func (r ranges) within(x, parent diag.Range) {
	r.t.Helper()
	if x.File != r.path || x.Start.Offset < parent.Start.Offset || x.End.Offset > parent.End.Offset || x.Start.Offset > x.End.Offset {
		r.t.Fatalf("%v lies outside %v", x, parent)
	}
	for _, p := range []diag.Position{x.Start, x.End} {
		if want := positionAt(r.src, p.Offset); p != want {
			r.t.Fatalf("got %v, want %v", p, want)
		}
	}
}

func (r ranges) follows(x diag.Range, last *diag.Range) {
	r.t.Helper()
	if x.Start.Offset < last.End.Offset {
		r.t.Fatalf("%v begins inside %v", x, *last)
	}
	*last = x
}

func (r ranges) name(n Name, parent diag.Range) {
	r.t.Helper()
	r.within(n.Range, parent)
	if got := strings.Join(strings.Fields(r.text(n.Range)), " "); got != n.Text {
		r.t.Fatalf("the name %q has the range of %q", n.Text, got)
	}
}

func (r ranges) value(v Value, parent diag.Range) {
	r.t.Helper()
	if v == nil {
		return
	}
	r.within(v.Span(), parent)
	if v, ok := v.(Text); ok && r.text(v.Range) != v.Raw {
		r.t.Fatalf("the text %q has the range of %q", v.Raw, r.text(v.Range))
	}
}

func (r ranges) statements(body []Stmt, parent diag.Range) {
	r.t.Helper()
	var last diag.Range
	for _, s := range body {
		r.within(s.Span(), parent)
		r.follows(s.Span(), &last)
		switch s := s.(type) {
		case *Field:
			r.name(s.Word, s.Range)
			for _, v := range s.Values {
				r.value(v, s.Range)
			}
			if s.Timeout != nil {
				r.within(s.Timeout.Range, s.Range)
			}
		case *Criterion:
			r.name(s.Name, s.Range)
			r.value(s.Text, s.Range)
		case *Grants:
			for _, v := range append(s.Tools, s.In...) {
				r.value(v, s.Range)
			}
		case *Gate:
			r.within(s.Header, s.Range)
			r.name(s.Phase, s.Header)
			r.statements(s.Body, s.Range)
		case *Route:
			for _, step := range s.Steps {
				r.within(step.Range, s.Range)
				r.name(step.Word, step.Range)
				r.value(step.Arg, step.Range)
			}
		case *Unknown:
			r.unknown(s, parent)
		}
	}
}

func (r ranges) unknown(u *Unknown, parent diag.Range) {
	r.t.Helper()
	r.within(u.Range, parent)
	r.name(u.Word, u.Range)
	for _, t := range u.Tokens {
		r.within(t.Range, u.Range)
		if got := r.text(t.Range); got != t.Text {
			r.t.Fatalf("the token %q has the range of %q", t.Text, got)
		}
	}
	r.statements(u.Body, u.Range)
}

// positionAt counts anew where an offset is.
func positionAt(src []byte, offset int) diag.Position {
	p := diag.Position{Line: 1, Column: 1}
	if bytes.HasPrefix(src, []byte(byteOrderMark)) && offset >= len(byteOrderMark) {
		p.Offset = len(byteOrderMark)
	}
	for p.Offset < offset {
		c, size := utf8.DecodeRune(src[p.Offset:])
		p.Offset += size
		p.Column++
		if c == '\n' {
			p.Line++
			p.Column = 1
		}
	}
	return p
}

// One mistake a statement gives one diagnostic a statement, however many.
func TestFortyMistakesGiveFortyDiagnostics(t *testing.T) {
	mistakes := []string{
		"judge j%d {\n  phase: post_execute\n  turns 3\n}\n",
		"judge j%d {\n  grants a b\n}\n",
		"judge j%d \"x {\n  turns 3\n}\n",
		"check j%d {\n  run go test\n}\n",
		"check j%d {\n  phase x;\n",
		"mode j%d {\n  post_execute {\n    panel a,\n    proceed when all pass\n  }\n}\n",
		"mode j%d {\n  post_execute {\n    panel a\n}\n",
		"role j%d 'x'\n",
		"coder j%d { run \"x\" timeout 5min }\n",
		"coder j%d { run \"x\\q\" }\n",
	}
	var src strings.Builder
	src.WriteString("snodo 1\n")
	for i := range 40 {
		fmt.Fprintf(&src, mistakes[i%len(mistakes)], i)
	}
	f, diags := Parse("f", []byte(src.String()))
	// The fifth has two: its semicolon, and its block that is not closed.
	if want := 44; len(diags) != want {
		for _, d := range diags {
			t.Logf("%d:%d: %s: %s", d.Range.Start.Line, d.Range.Start.Column, d.Code, d.Message)
		}
		t.Errorf("got %d diagnostics, want %d", len(diags), want)
	}
	if len(f.Decls) != 40 {
		t.Errorf("got %d declarations, want 40", len(f.Decls))
	}
	for i, d := range f.Decls {
		d, ok := d.(*Declaration)
		if !ok || d.Name.Text != fmt.Sprintf("j%d", i) || !d.Damaged {
			t.Errorf("declaration %d is %v", i, d)
		}
	}
}

// The work grows with the length of a file and not with its square. What is
// counted is memory taken, since every step of the way takes some.
func TestParsingIsLinear(t *testing.T) {
	for _, tt := range []struct{ before, again, after string }{
		{"", "role a \"x\"\n", ""},
		{"", "judge a {\n", ""},
		{"", "judge a\n}\n", ""},
		{"", "}\n;\n", ""},
		{"", "a { b {\n", ""},
		{"judge a {\n", "turns a,\n", "turns 3\n}"},
		{"judge a {\ngrants ", "a,\n", "a\n}"},
		{"judge a {\n", "turns 3 4\n", "}"},
		{"mode m {\n", "post_execute {\n", ""},
		{"evidence e(", "a b,\n", "a b) \"x\""},
		{"", "\"\\q\" ", ""},
		{"", "a\x00", ""},
		{"x ", "( ", ""},
	} {
		const n = 200
		allocations := func(n int) float64 {
			src := []byte(tt.before + strings.Repeat(tt.again, n) + tt.after)
			return testing.AllocsPerRun(1, func() { Parse("f", src) })
		}
		few, many := allocations(n), allocations(8*n)
		if many > 10*few+100 {
			t.Errorf("%q: %v allocations %d times, %v for %d times", tt.again, few, n, many, 8*n)
		}
	}
}
