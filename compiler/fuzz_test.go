package compiler

import (
	"os"
	"path/filepath"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"
)

// FuzzCompile holds that no text breaks the compiler: whatever it is, there
// is a plan that proves or an error that points into the text, and a second
// run says the same.
func FuzzCompile(f *testing.F) {
	seeds, err := filepath.Glob("testdata/*/*.snodo")
	if err != nil {
		f.Fatal(err)
	}
	for _, name := range seeds {
		text, err := os.ReadFile(name)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(string(text))
	}
	f.Add("")
	f.Add("snodo 1\nimport \"./\" as a\nimport \"std/solo\"\nevidence e(a path) from solo.me \"\"\"\n  {a}\n  {b}\n\"\"\" { obtain \"{a}\" }\n")
	f.Add("snodo 2\nprotocol p { starts p.p }\nmode m {\n  post_execute { panel m, m\n blocker -> halt then halt } }\n")
	f.Add("\ufeffsnodo 1\r\nrole x \"\\u{7f}\"\r\n")
	f.Fuzz(func(t *testing.T, text string) {
		src := Source{FS: fstest.MapFS{"p.snodo": {Data: []byte(text)}}, Dir: ".", Library: library}
		p, report, err := Compile(src)
		if err != nil {
			t.Fatal(err)
		}
		if (p == nil) == report.OK() {
			t.Errorf("plan %v, and the report is ok: %v", p != nil, report.OK())
		}
		for _, d := range report.Diagnostics {
			size := len(report.Files[d.Range.File])
			if d.Range.Start.Offset < 0 || d.Range.Start.Offset > d.Range.End.Offset || d.Range.End.Offset > size {
				t.Errorf("%s covers %v of %d bytes", d.Code, d.Range, size)
			}
			for _, e := range d.Edits {
				if e.Range.Start.Offset > e.Range.End.Offset || e.Range.End.Offset > size {
					t.Errorf("%s edits %v of %d bytes", d.Code, e.Range, size)
				}
			}
		}
		if _, again, _ := Compile(src); !cmp.Equal(report, again) {
			t.Error(cmp.Diff(report, again))
		}
	})
}
