package compiler

import (
	"errors"
	"io/fs"
	"maps"
	"os"
	"slices"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	"github.com/snodo-lang/snodo/compiler/plan"
	"github.com/snodo-lang/snodo/lang/diag"
)

// compile compiles a package that has no error.
func compile(t *testing.T, src Source) *plan.Plan {
	t.Helper()
	p, report, err := Compile(src)
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range report.Diagnostics {
		if d.Severity == diag.Error {
			t.Errorf("%s:%d: %s: %s", d.Range.File, d.Range.Start.Line, d.Code, d.Message)
		}
	}
	if p == nil {
		t.Fatal("no plan")
	}
	return p
}

// one is the source of a package of one file.
func one(text string) Source {
	return Source{FS: fstest.MapFS{"protocol.snodo": {Data: []byte(text)}}, Dir: ".", Library: library}
}

func TestCompiledPlansAreReadBack(t *testing.T) {
	p := compile(t, Source{FS: os.DirFS("testdata/hello"), Dir: "."})
	encoded, err := plan.Encode(p)
	if err != nil {
		t.Fatal(err)
	}
	read, err := plan.Read(encoded)
	if err != nil {
		t.Fatal(err)
	}
	again, err := plan.Encode(read)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(encoded), string(again)); diff != "" {
		t.Error(diff)
	}
}

// reversed lists folders backwards.
type reversed struct{ fstest.MapFS }

func (r reversed) ReadDir(name string) ([]fs.DirEntry, error) {
	entries, err := r.MapFS.ReadDir(name)
	slices.Reverse(entries)
	return entries, err
}

func TestPlansDoNotDependOnWhereOrHowSourcesAreRead(t *testing.T) {
	folder := t.TempDir()
	if err := os.CopyFS(folder, scattered); err != nil {
		t.Fatal(err)
	}
	var first string
	for name, src := range map[string]Source{
		"in memory":        {FS: scattered, Dir: "work", Library: library},
		"backwards":        {FS: reversed{scattered}, Dir: "work", Library: reversed{library}},
		"in another place": {FS: os.DirFS(folder), Dir: "work", Library: library},
		"from elsewhere":   {FS: scattered, Dir: "./work/", Library: library, Display: func(p string) string { return "/far/away/" + p }},
	} {
		encoded, err := plan.Encode(compile(t, src))
		if err != nil {
			t.Fatal(err)
		}
		if first == "" {
			first = string(encoded)
		}
		if string(encoded) != first {
			t.Errorf("%s: the plan differs", name)
		}
	}
}

func TestReportsDoNotDependOnTheOrderOfFiles(t *testing.T) {
	files := fstest.MapFS{
		"a.snodo": {Data: []byte("snodo 1\nrole me \"Me\"\nprotocol p {}\n")},
		"b.snodo": {Data: []byte("snodo 2\nrole me \"Me\"\nprotocol q {}\n")},
	}
	forwards, err := Check(Source{FS: files, Dir: "."})
	if err != nil {
		t.Fatal(err)
	}
	backwards, err := Check(Source{FS: reversed{files}, Dir: "."})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(forwards, backwards); diff != "" {
		t.Error(diff)
	}
}

func TestAFolderCalledStdIsNotTheLibrary(t *testing.T) {
	src := one("snodo 1\nimport \"./std/solo\"\nprotocol p {}\ncoder k { run \"x\" }\nmode m {\n  coder k\n  grants write_file\n  post_execute {\n    panel solo.mine\n    proceed when all pass\n    blocker -> halt\n  }\n}\n")
	src.FS.(fstest.MapFS)["std/solo/s.snodo"] = &fstest.MapFile{Data: []byte("snodo 1\ncheck mine {\n  phase post_execute\n  run \"make\"\n}\n")}
	p := compile(t, src)
	if _, ok := p.Validators["./std/solo.mine"]; !ok {
		t.Errorf("validators: %v", slices.Sorted(maps.Keys(p.Validators)))
	}
	if got := p.Sources[0].Path; got != "./std/solo/s.snodo" {
		t.Errorf("source: %q", got)
	}
}

func TestALibraryIsCheckedAndNotCompiled(t *testing.T) {
	src := one("snodo 1\nrole me \"Me\"\n")
	report, err := Check(src)
	if err != nil || len(report.Diagnostics) > 0 {
		t.Fatalf("check: %v, %v", report.Diagnostics, err)
	}
	p, report, err := Compile(src)
	if err != nil || p != nil {
		t.Fatalf("compile: plan %v, error %v", p, err)
	}
	if len(report.Diagnostics) != 1 || report.Diagnostics[0].Code != diag.SN212 {
		t.Errorf("compile: %v", report.Diagnostics)
	}
}

func TestNoPlanIsMadeOfAPackageWithAnError(t *testing.T) {
	p, report, err := Compile(one("snodo 1\nprotocol p {}\n"))
	if err != nil || p != nil || report.OK() {
		t.Errorf("plan %v, report %v, error %v", p, report, err)
	}
}

func TestErrorsOfImportsAreReportedAndTheirWarningsAreNot(t *testing.T) {
	report, err := Check(one("snodo 1\nimport \"std/broken\"\nimport \"std/solo\"\nevidence e() from broken.me \"Say\"\nevidence f() from solo.me \"Say\"\n"))
	if err != nil {
		t.Fatal(err)
	}
	if len(report.Diagnostics) != 1 || report.Diagnostics[0].Code != diag.SN207 || report.Diagnostics[0].Range.File != "std/broken/broken.snodo" {
		t.Errorf("got %v", report.Diagnostics)
	}
	if report.Files["std/broken/broken.snodo"] == nil {
		t.Error("the source that the error stands in is not in the report")
	}
}

// locked is a file system in which one path cannot be read.
type locked struct {
	fs.FS
	path string
}

func (l locked) Open(name string) (fs.File, error) {
	if name == l.path {
		return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrPermission}
	}
	return l.FS.Open(name)
}

func TestWhatCannotBeReadIsNoDiagnostic(t *testing.T) {
	files := fstest.MapFS{"p/a.snodo": {Data: []byte("snodo 1\nimport \"./lib\"\n")}, "p/lib/l.snodo": {Data: []byte("snodo 1\n")}}
	for _, path := range []string{"p", "p/a.snodo", "p/lib/l.snodo"} {
		_, err := Check(Source{FS: locked{files, path}, Dir: "p"})
		var read *ReadError
		if !errors.As(err, &read) || !errors.Is(err, fs.ErrPermission) {
			t.Errorf("%s: got %v", path, err)
		}
	}
	if _, err := Check(Source{FS: files, Dir: "nowhere"}); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("no folder: got %v", err)
	}
	if _, err := Check(Source{FS: fstest.MapFS{"README.md": {}}, Dir: "."}); !errors.Is(err, ErrNoSource) {
		t.Errorf("no source: got %v", err)
	}
}

func TestAPanicOfAStageIsAnError(t *testing.T) {
	c := &compilation{}
	err := c.run([]stage{{"breaks", func(*compilation) error { panic("broken") }}})
	var internal *InternalError
	if !errors.As(err, &internal) || internal.Stage != "breaks" || internal.Value != "broken" || len(internal.Stack) == 0 {
		t.Errorf("got %v", err)
	}
}

func TestFilesAreShownAsAPersonWouldTypeThem(t *testing.T) {
	files := fstest.MapFS{
		"a/b/p.snodo":     {Data: []byte("snodo 1\nimport \"../lib\"\n")},
		"a/lib/lib.snodo": {Data: []byte("snodo 1\nrole x \"\"\n")},
	}
	report, err := Check(Source{FS: files, Dir: "a/b"})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"../lib/lib.snodo", "p.snodo"}, slices.Sorted(maps.Keys(report.Files))); diff != "" {
		t.Error(diff)
	}
	report, err = Check(Source{FS: files, Dir: "a/b", Display: func(p string) string { return "x/" + p }})
	if err != nil {
		t.Fatal(err)
	}
	if got := report.Diagnostics[0].Range.File; got != "x/a/lib/lib.snodo" {
		t.Errorf("got %q", got)
	}
}
