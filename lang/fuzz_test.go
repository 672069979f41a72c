package lang

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/snodo-lang/snodo/lang/diag"
)

// seed adds the sources of all tests.
func seed(f *testing.F) {
	for _, pattern := range []string{"testdata/tree/*.snodo", "testdata/errors/*.snodo"} {
		for _, file := range glob(f, pattern) {
			for _, c := range chunks("=== x\n" + string(read(f, file))) {
				f.Add([]byte(c.src))
			}
		}
	}
}

func FuzzLex(f *testing.F) {
	seed(f)
	f.Fuzz(func(t *testing.T, src []byte) {
		tokens, comments, diags := scanned(string(src))
		clean := !slices.ContainsFunc(diags, func(d diag.Diagnostic) bool { return d.Code == diag.SN104 })
		at := 0
		gap := func(to int) {
			between := strings.TrimPrefix(string(src[at:to]), byteOrderMark)
			if clean && strings.Trim(between, " \t\r\n") != "" {
				t.Fatalf("%q is in no token", between)
			}
		}
		for _, tok := range tokens {
			for len(comments) > 0 && comments[0].Range.Start.Offset < int(tok.start.offset) {
				gap(comments[0].Range.Start.Offset)
				at = comments[0].Range.End.Offset
				comments = comments[1:]
			}
			gap(int(tok.start.offset))
			at = int(tok.end.offset)
			if clean && string(src[tok.start.offset:at]) != tok.text {
				t.Fatalf("%q has the range of %q", tok.text, src[tok.start.offset:at])
			}
			if tok.text == "" || tok.start.position() != positionAt(src, int(tok.start.offset)) {
				t.Fatalf("%q is at %v", tok.text, tok.start)
			}
		}
	})
}

func FuzzParse(f *testing.F) {
	seed(f)
	f.Fuzz(func(t *testing.T, src []byte) {
		file, diags := Parse("f", src)
		if file == nil {
			t.Fatal("no tree")
		}
		clean := true
		for _, d := range diags {
			switch d.Code {
			case diag.SN101, diag.SN102, diag.SN105:
			case diag.SN103:
				if len(file.Decls) > 0 || !file.Damaged {
					t.Fatal("something was read of a file in another notation")
				}
			case diag.SN104:
				clean = false
			default:
				t.Fatalf("%s is not the parser's: %s", d.Code, d.Message)
			}
			for _, p := range []diag.Position{d.Range.Start, d.Range.End} {
				if p != positionAt(src, p.Offset) || d.Range.Start.Offset > d.Range.End.Offset {
					t.Fatalf("%s: %s is at %v", d.Code, d.Message, d.Range)
				}
			}
			if d.Help == "" || strings.Contains(d.Message, "Node") || strings.ContainsAny(d.Message, "<\n") && clean && !strings.ContainsAny(string(src), "<") {
				t.Fatalf("%s is not for people: %q", d.Code, d.Message)
			}
		}
		if len(diags) == 0 && lost(file) {
			t.Fatal("something is lost and nothing is said")
		}
		if diff := cmp.Diff(diags, diags.Sorted()); diff != "" {
			t.Fatal(diff)
		}
		if clean {
			checkRanges(t, src, "f")
		}
		compareWays(t, "f", src)
		if _, err := grammar().ParseBytes("f", src); err != nil && len(diags) == 0 && file.Edition != nil {
			t.Fatalf("Parse accepts what the grammar does not: %v", err)
		}
	})
}

// lost reports whether a syntax error has cost a file anything.
func lost(f *File) bool {
	return f.Damaged || slices.ContainsFunc(f.Decls, func(d Decl) bool {
		decl, ok := d.(*Declaration)
		return ok && decl.Damaged
	})
}
