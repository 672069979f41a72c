// Package docs holds what is written about snodo to what snodo does. It has
// no code but its test; the pages of the codes have one of their own.
package docs

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/rogpeppe/go-internal/txtar"

	"github.com/snodo-lang/snodo/compiler"
	"github.com/snodo-lang/snodo/internal/docstest"
	"github.com/snodo-lang/snodo/lang"
	"github.com/snodo-lang/snodo/lang/diag"
	"github.com/snodo-lang/snodo/stdlib"
)

// A page is one of Markdown that is not a code's.
type page struct {
	path, text string
	blocks     []docstest.Block
}

// pages are all pages of the project outside of the codes' folder.
func pages(t *testing.T) []page {
	t.Helper()
	var all []page
	err := filepath.WalkDir("..", func(path string, e fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		hidden := strings.HasPrefix(e.Name(), ".") && e.Name() != ".."
		if e.IsDir() && (path == "../docs/codes" || hidden || e.Name() == "testdata" || e.Name() == "node_modules") {
			return fs.SkipDir
		}
		if !strings.HasSuffix(path, ".md") {
			return nil
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		blocks, err := docstest.Blocks(string(text))
		if err != nil {
			t.Errorf("%s: %v", path, err)
		}
		all = append(all, page{strings.TrimPrefix(path, "../"), string(text), blocks})
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// What a page shows as source is a package that checks, and has no warning but
// those that the page names, or declarations that parse. Both are in the layout.
func TestSourcesInPagesCheckAndAreFormatted(t *testing.T) {
	found := 0
	for _, p := range pages(t) {
		warns := ""
		for _, b := range p.blocks {
			at := fmt.Sprintf("%s:%d", p.path, b.Line)
			switch {
			case b.Kind == docstest.Directive && b.Info == "warns":
				warns = b.Text
				continue
			case b.Kind == docstest.Fence && b.Info == "snodo fragment":
				found++
				fragment(t, at, b.Text)
			case b.Kind == docstest.Fence && (b.Info == "snodo" || strings.HasPrefix(b.Text, edition)):
				found++
				whole(t, at, b.Text, warns)
			case b.Kind == docstest.Fence:
			default:
				continue
			}
			if b.Info != "snodo" && warns != "" {
				t.Errorf("%s: the warnings %s are said of no package", at, warns)
			}
			warns = ""
		}
	}
	if found == 0 {
		t.Error("no page shows a source")
	}
}

const edition = "snodo 1\n"

// whole wants a package without an error, and with the warnings that are named.
func whole(t *testing.T, at, source, warns string) {
	t.Helper()
	report, err := compiler.Check(compiler.Source{FS: fstest.MapFS{"p.snodo": {Data: []byte(source)}}, Dir: ".", Library: stdlib.FS})
	if err != nil {
		t.Errorf("%s: %v", at, err)
	}
	var codes []string
	for _, d := range report.Diagnostics {
		if d.Severity == diag.Error || d.Severity == diag.Warning && !strings.Contains(warns, string(d.Code)) {
			t.Errorf("%s: %s at line %d of the source: %s", at, d.Code, d.Range.Start.Line, d.Message)
		}
		codes = append(codes, string(d.Code))
	}
	for code := range strings.SplitSeq(warns, ", ") {
		if code != "" && !slices.Contains(codes, code) {
			t.Errorf("%s: the page says that the source has %s, and it has not", at, code)
		}
	}
	formatted(t, at, source)
}

// fragment wants declarations that parse behind the edition line.
func fragment(t *testing.T, at, source string) {
	t.Helper()
	source = edition + "\n" + source
	_, faults := lang.Parse(at, []byte(source))
	for _, d := range faults {
		t.Errorf("%s: %s at line %d of the fragment: %s", at, d.Code, d.Range.Start.Line-2, d.Message)
	}
	if len(faults) == 0 {
		formatted(t, at, source)
	}
}

func formatted(t *testing.T, path, source string) {
	t.Helper()
	out, _, err := lang.Format(path, []byte(source))
	if err != nil {
		t.Errorf("%s: %v", path, err)
	} else if string(out) != source {
		t.Errorf("%s: a source is not formatted; it should read\n%s", path, out)
	}
}

// Sources in scenarios are read as examples. Those that show how fmt works
// are the exception.
func TestSourcesInScenariosAreFormatted(t *testing.T) {
	scripts, err := filepath.Glob("../testdata/script/*.txtar")
	if err != nil || len(scripts) == 0 {
		t.Fatalf("%d scenarios, %v", len(scripts), err)
	}
	for _, script := range scripts {
		if strings.HasPrefix(filepath.Base(script), "fmt_") {
			continue
		}
		archive, err := txtar.ParseFile(script)
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range archive.Files {
			if _, faults := lang.Parse(f.Name, f.Data); strings.HasSuffix(f.Name, ".snodo") && len(faults) == 0 {
				formatted(t, script+"/"+f.Name, strings.TrimRight(string(f.Data), "\n")+"\n")
			}
		}
	}
}
