// Package docs holds what is written about snodo to what snodo does. It has
// no code but its test; the pages of the codes have one of their own.
package docs

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/rogpeppe/go-internal/txtar"

	"github.com/snodo-lang/snodo/compiler"
	"github.com/snodo-lang/snodo/lang"
	"github.com/snodo-lang/snodo/lang/diag"
	"github.com/snodo-lang/snodo/stdlib"
)

// fence is a block of code in Markdown.
var fence = regexp.MustCompile("(?ms)^```[a-z]*\n(.*?)^```$")

// pages calls do for every page of Markdown outside of the codes' folder.
func pages(t *testing.T, do func(path, text string)) {
	t.Helper()
	err := filepath.WalkDir("..", func(path string, e fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if e.IsDir() && (path == "codes" || strings.HasPrefix(e.Name(), ".") && e.Name() != ".." || e.Name() == "testdata") {
			return fs.SkipDir
		}
		if strings.HasSuffix(path, ".md") && !strings.Contains(path, "docs/codes/") {
			text, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			do(path, string(text))
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// Every protocol that a page shows whole is one that checks, in the layout.
func TestProtocolsInPagesCheckAndAreFormatted(t *testing.T) {
	found := 0
	pages(t, func(path, text string) {
		for _, block := range fence.FindAllStringSubmatch(text, -1) {
			if !strings.HasPrefix(block[1], "snodo 1\n") {
				continue
			}
			found++
			report, err := compiler.Check(compiler.Source{FS: fstest.MapFS{"p.snodo": {Data: []byte(block[1])}}, Dir: ".", Library: stdlib.FS})
			if err != nil {
				t.Errorf("%s: %v", path, err)
			}
			for _, d := range report.Diagnostics {
				if d.Severity != diag.Note {
					t.Errorf("%s: %s at line %d of the protocol: %s", path, d.Code, d.Range.Start.Line, d.Message)
				}
			}
			formatted(t, path, block[1])
		}
	})
	if found == 0 {
		t.Error("no page shows a protocol")
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
