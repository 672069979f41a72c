package workspace

import (
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"
)

func TestMakeRepositoryHoldsTheStatesAsTheyAre(t *testing.T) {
	t.Setenv("XDG_CONFIG_HOME", t.TempDir())
	before := State{FS: fstest.MapFS{
		".gitignore":     {Data: []byte("*.log\n")},
		".gitattributes": {Data: []byte("* text eol=crlf\n")},
		"a/kept.txt":     {Data: []byte("1\n")},
		"gone.txt":       {Data: []byte("2\n")},
	}}
	after := State{FS: fstest.MapFS{
		".gitignore":     {Data: []byte("*.log\n")},
		".gitattributes": {Data: []byte("* text eol=crlf\n")},
		"a/kept.txt":     {Data: []byte("1\n")},
		"made.log":       {Data: []byte("3\r\n"), Mode: 0o755},
		"secret.txt":     {Data: []byte("4\n")},
	}, Withheld: []string{"secret.txt", "never/was.txt"}}
	top := realTempDir(t)
	var ids [2][]Commit
	for i, name := range []string{"one", "two"} {
		var err error
		if ids[i], err = MakeRepository(t.Context(), filepath.Join(top, name), then, before, after); err != nil {
			t.Fatal(err)
		}
	}
	if len(ids[0]) != 2 || ids[0][0] != ids[1][0] || ids[0][1] != ids[1][1] {
		t.Errorf("the same states gave %v and %v", ids[0], ids[1])
	}
	dir := filepath.Join(top, "one")
	if got, want := gitAt(t, dir, "diff", "--name-status", "--no-renames", string(ids[0][0]), string(ids[0][1])), "D\tgone.txt\nA\tmade.log"; got != want {
		t.Errorf("the change is\n%s\nwant\n%s", got, want)
	}
	if got := gitAt(t, dir, "cat-file", "blob", string(ids[0][1])+":made.log"); got != "3\r" {
		t.Errorf("the file holds %q", got)
	}
	if got := gitAt(t, dir, "status", "--porcelain", "--ignored"); got != "" {
		t.Errorf("the checkout is not the first state: %s", got)
	}
	if !strings.HasPrefix(gitAt(t, dir, "rev-parse", "HEAD"), string(ids[0][0])) {
		t.Error("the first state is not checked out")
	}
}

func TestMakeRepositoryWantsAPlaceOfItsOwn(t *testing.T) {
	f := newRepository(t, map[string]string{"a": "1\n"})
	if _, err := MakeRepository(t.Context(), filepath.Join(f.dir, "inside"), then, State{FS: fstest.MapFS{}}); !isA[*InsideRepositoryError](err) {
		t.Errorf("inside of another: %v", err)
	}
	if _, err := MakeRepository(t.Context(), t.TempDir(), then, State{FS: fstest.MapFS{}}); err == nil {
		t.Error("a folder that exists was taken")
	}
}
