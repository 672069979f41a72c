package command

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
)

func TestAFileThatIsNotThereIsMadeAndAFolderIsNot(t *testing.T) {
	dir := t.TempDir()
	if err := replaceFile(filepath.Join(dir, "a.snodo"), []byte("x")); err != nil {
		t.Error(err)
	}
	if err := replaceFile(filepath.Join(dir, "missing", "a.snodo"), []byte("x")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("got %v", err)
	}
	holds(t, dir, "a.snodo")
}

func TestOnlyARegularFileIsRewritten(t *testing.T) {
	path := t.TempDir()
	var usage *usageError
	if err := replaceFile(path, []byte("x")); !errors.As(err, &usage) {
		t.Errorf("got %v", err)
	}
	holds(t, path)
}

func TestAFileInAFolderThatCannotBeWrittenStays(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "a.snodo")
	if err := os.WriteFile(path, []byte("old"), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(dir, 0o555); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.Chmod(dir, 0o755) })
	if os.WriteFile(filepath.Join(dir, "probe"), nil, 0o644) == nil {
		t.Skip("this user may write everywhere")
	}
	if err := replaceFile(path, []byte("new")); !errors.Is(err, fs.ErrPermission) {
		t.Errorf("got %v", err)
	}
	if got, err := os.ReadFile(path); err != nil || string(got) != "old" {
		t.Errorf("the file holds %q: %v", got, err)
	}
	holds(t, dir, "a.snodo")
}

// holds wants a folder to hold these files and no other.
func holds(t *testing.T, dir string, names ...string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if len(names) == 0 || e.Name() != names[0] {
			t.Errorf("%s is left behind", e.Name())
			continue
		}
		names = names[1:]
	}
	if len(names) > 0 {
		t.Errorf("%v is gone", names)
	}
}
