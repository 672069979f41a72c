package command

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/sys/unix"
)

// A disk that is full ends a run before anything is spent, or where it stands;
// what is on it stays whole, and the run goes on when there is room again.
func TestAFullDiskLosesNothing(t *testing.T) {
	calm := newSite(t)
	want := plain(t, calm.snodo(t, "", "run", "producer"))

	s := newSite(t)
	kept := filepath.Join(s.repo, ".snodo")
	if err := os.Mkdir(kept, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := unix.Mount("tmpfs", kept, "tmpfs", 0, "size=12k"); err != nil {
		t.Skipf("a small file system cannot be mounted here: %v", err)
	}
	t.Cleanup(func() {
		if err := unix.Unmount(kept, 0); err != nil {
			t.Error(err)
		}
	})
	if said := s.fails(t, "run", "producer"); !strings.Contains(said, "no space left on device") {
		t.Errorf("it says: %s", said)
	}
	if n := s.counts(t); n["sent"]+n["asked"] > 0 {
		t.Errorf("something was spent: %v", n)
	}

	if err := unix.Mount("tmpfs", kept, "tmpfs", unix.MS_REMOUNT, "size=300k"); err != nil {
		t.Fatal(err)
	}
	// The coder of the second attempt fills what is left.
	fill := filepath.Join(kept, "fill")
	s.write(t, filepath.Join(s.log, "coder.sh"), "if test $SNODO_ATTEMPT -eq 2 && ! test -e "+s.log+"/filled; then : > "+s.log+"/filled; head -c 1000000 /dev/zero > "+fill+" 2>/dev/null; fi; true\n")
	s.fails(t, "run", "producer")
	if err := os.Remove(fill); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, plain(t, s.snodo(t, "", "resume", s.run(t)))); diff != "" {
		t.Errorf("another end (-undisturbed +full):\n%s", diff)
	}
}

// fails runs the program where it cannot succeed, and returns all that it says.
func (s *site) fails(t *testing.T, args ...string) string {
	t.Helper()
	cmd := exec.Command("snodo-crashing", args...)
	cmd.Dir, cmd.Env = s.repo, append(s.env[:len(s.env):len(s.env)], "CRASH=")
	var said bytes.Buffer
	cmd.Stdout, cmd.Stderr = &said, &said
	if cmd.Run() == nil {
		t.Fatalf("%v succeeded:\n%s", args, said.Bytes())
	}
	return said.String()
}
