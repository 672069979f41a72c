package stdlib_test

import (
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/snodo-lang/snodo/compiler"
	"github.com/snodo-lang/snodo/lang/diag"
	"github.com/snodo-lang/snodo/stdlib"
)

// folders returns the packages of the library.
func folders(t *testing.T) []string {
	t.Helper()
	entries, err := fs.ReadDir(stdlib.FS, ".")
	if err != nil {
		t.Fatal(err)
	}
	var dirs []string
	for _, e := range entries {
		dirs = append(dirs, e.Name())
	}
	if len(dirs) == 0 {
		t.Fatal("the library is empty")
	}
	return dirs
}

// complain reports every diagnostic that is at least as grave as least.
func complain(t *testing.T, report compiler.Report, least diag.Severity) {
	t.Helper()
	for _, d := range report.Diagnostics {
		if d.Severity <= least {
			t.Errorf("%s:%d:%d: %s[%s]: %s", d.Range.File, d.Range.Start.Line, d.Range.Start.Column, d.Severity, d.Code, d.Message)
		}
	}
}

func TestEveryPackageChecksWithoutErrorOrWarning(t *testing.T) {
	for _, dir := range folders(t) {
		t.Run(dir, func(t *testing.T) {
			report, err := compiler.Check(compiler.Source{FS: stdlib.FS, Dir: dir, Library: stdlib.FS})
			if err != nil {
				t.Fatal(err)
			}
			complain(t, report, diag.Warning)
		})
	}
}

func TestEveryPackageCanBeImported(t *testing.T) {
	for _, dir := range folders(t) {
		t.Run(dir, func(t *testing.T) {
			source := fmt.Sprintf("snodo 1\n\nimport \"std/%s\" as it\n", dir)
			files := fstest.MapFS{"library.snodo": &fstest.MapFile{Data: []byte(source)}}
			report, err := compiler.Check(compiler.Source{FS: files, Dir: ".", Library: stdlib.FS})
			if err != nil {
				t.Fatal(err)
			}
			complain(t, report, diag.Error)
		})
	}
}

func TestEveryPackageHasAPage(t *testing.T) {
	for _, dir := range folders(t) {
		if _, err := fs.Stat(stdlib.FS, path.Join(dir, "README.md")); err != nil {
			t.Errorf("package %s: %v", dir, err)
		}
	}
}

func TestTheLibraryHoldsSourcesAndPagesOnly(t *testing.T) {
	err := fs.WalkDir(stdlib.FS, ".", func(name string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		if path.Base(name) != "README.md" && !strings.HasSuffix(name, ".snodo") {
			t.Errorf("%s is neither a source nor a page", name)
		}
		if strings.Count(name, "/") != 1 {
			t.Errorf("%s does not stand in a folder of the library", name)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

func TestEverySourceIsEmbeddedButTheControls(t *testing.T) {
	onDisk, err := fs.Glob(os.DirFS("."), "*/*.snodo")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range onDisk {
		_, err := fs.Stat(stdlib.FS, name)
		if embedded, wanted := err == nil, path.Base(name) != "controls.snodo"; embedded != wanted {
			t.Errorf("%s: embedded is %t, want %t", name, embedded, wanted)
		}
	}
}

// TestEveryPackageChecksWithItsControls reads the library as it stands in the
// repository, where the folders of the cases are.
func TestEveryPackageChecksWithItsControls(t *testing.T) {
	for _, dir := range folders(t) {
		t.Run(dir, func(t *testing.T) {
			report, err := compiler.Check(compiler.Source{FS: os.DirFS("."), Dir: dir, Library: stdlib.FS})
			if err != nil {
				t.Fatal(err)
			}
			complain(t, report, diag.Warning)
		})
	}
}

// TestEveryCaseIsUsed finds the folders of cases that no control names.
func TestEveryCaseIsUsed(t *testing.T) {
	cases, err := filepath.Glob("*/controls/*/*/task.md")
	if err != nil {
		t.Fatal(err)
	}
	named := make(map[string]bool)
	for _, dir := range folders(t) {
		trials, report, err := compiler.Trials(compiler.Source{FS: os.DirFS("."), Dir: dir, Library: stdlib.FS})
		if err != nil || !report.OK() {
			t.Fatalf("the controls of %s: %v %v", dir, err, report.Diagnostics)
		}
		for _, trial := range trials {
			for _, c := range trial.Cases {
				named[c.Path] = true
			}
		}
	}
	for _, c := range cases {
		if dir := path.Dir(filepath.ToSlash(c)); !named[dir] {
			t.Errorf("%s is no control's case", dir)
		}
	}
}
