package book

import (
	"os"
	"path/filepath"
	"testing"
)

func TestReadAllAddsFilesUp(t *testing.T) {
	path := filepath.Join(t.TempDir(), "may")
	if err := os.WriteFile(path, []byte("rent;-450.00\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	b, err := ReadAll([]string{path, path})
	if err != nil || b["rent"] != -90000 {
		t.Errorf("rent is %s, %v", b["rent"], err)
	}
}
