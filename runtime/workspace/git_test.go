package workspace

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// TestMain keeps the configuration of whoever runs the tests out of them.
func TestMain(m *testing.M) {
	for name, value := range map[string]string{"GIT_CONFIG_GLOBAL": os.DevNull, "GIT_CONFIG_NOSYSTEM": "1"} {
		if err := os.Setenv(name, value); err != nil {
			panic(err)
		}
	}
	os.Exit(m.Run())
}

// then is when everything in the tests happens.
var then = time.Unix(1_700_000_000, 0)

// A fixture is a repository on disk that a test works with by plain git.
type fixture struct {
	t   *testing.T
	dir string
}

func (f fixture) git(args ...string) string {
	f.t.Helper()
	return gitAt(f.t, f.dir, args...)
}

// gitAt runs git as a person would who is called nothing in particular.
func gitAt(t *testing.T, dir string, args ...string) string {
	t.Helper()
	cmd := exec.Command("git", args...)
	cmd.Dir = dir
	for _, v := range os.Environ() {
		if name, _, _ := strings.Cut(v, "="); !strings.HasPrefix(name, "GIT_") || keepVariable(name) {
			cmd.Env = append(cmd.Env, v)
		}
	}
	cmd.Env = append(cmd.Env, identity(then)...)
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("git %s: %v\n%s", strings.Join(args, " "), err, out)
	}
	return strings.TrimSuffix(string(out), "\n")
}

// emptyRepository makes a repository without a commit.
func emptyRepository(t *testing.T) fixture {
	t.Helper()
	f := fixture{t: t, dir: filepath.Join(realTempDir(t), "repo")}
	if err := os.Mkdir(f.dir, 0o755); err != nil {
		t.Fatal(err)
	}
	f.git("init", "--quiet", "--template=", "--initial-branch=main", ".")
	return f
}

// newRepository makes a repository with one commit of the given files.
func newRepository(t *testing.T, files map[string]string) fixture {
	t.Helper()
	f := emptyRepository(t)
	f.commit(files)
	return f
}

func realTempDir(t *testing.T) string {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

// commit writes files, "" for content deleting one and "-> x" linking to x,
// and commits everything byte for byte.
func (f fixture) commit(files map[string]string) Commit {
	f.t.Helper()
	writeFiles(f.t, f.dir, files)
	f.git("-c", "core.autocrlf=false", "add", "--all", "--force", ".")
	f.git("commit", "--quiet", "--allow-empty", "-m", "A commit")
	return Commit(f.git("rev-parse", "HEAD"))
}

func writeFiles(t *testing.T, dir string, files map[string]string) {
	t.Helper()
	for name, content := range files {
		place := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.RemoveAll(place); err != nil {
			t.Fatal(err)
		}
		if content == "" {
			continue
		}
		if err := os.MkdirAll(filepath.Dir(place), 0o755); err != nil {
			t.Fatal(err)
		}
		var err error
		if target, ok := strings.CutPrefix(content, "-> "); ok {
			err = os.Symlink(target, place)
		} else {
			err = os.WriteFile(place, []byte(content), 0o644)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
}

func (f fixture) open() *Repository {
	f.t.Helper()
	r, err := Open(f.t.Context(), f.dir)
	if err != nil {
		f.t.Fatal(err)
	}
	f.t.Cleanup(func() { r.Close() })
	return r
}

// folder makes a folder of the repository's head.
func folder(t *testing.T, r *Repository) *Folder {
	t.Helper()
	f, err := r.MakeFolder(t.Context(), filepath.Join(realTempDir(t), "cache", "run", "coder"), r.Head())
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// take takes the change of a folder on top of its own commit.
func take(t *testing.T, r *Repository, f *Folder) Taken {
	t.Helper()
	taken, err := r.TakeChange(t.Context(), f, f.Commit(), Message{Text: "Attempt 1", When: then})
	if err != nil {
		t.Fatal(err)
	}
	return taken
}

// contents returns the files of a commit: what is in them, and for what is no
// plain file its mode before that.
func contents(t *testing.T, r *Repository, c Commit) map[string]string {
	t.Helper()
	tree := r.Tree(c)
	files, err := tree.Files(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]string{}
	for _, e := range files {
		if e.Mode == Submodule {
			got[e.Path] = "submodule"
			continue
		}
		b, err := tree.ReadFile(t.Context(), e.Path)
		if err != nil {
			t.Fatal(err)
		}
		switch e.Mode {
		case Executable:
			got[e.Path] = "executable " + string(b.Content)
		case Symlink:
			got[e.Path] = "-> " + string(b.Content)
		default:
			got[e.Path] = string(b.Content)
		}
	}
	return got
}

// sh runs a line of shell in a folder, as a command coder would.
func sh(t *testing.T, dir, line string) {
	t.Helper()
	cmd := exec.CommandContext(context.WithoutCancel(t.Context()), "/bin/sh", "-ec", line)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL=/dev/null")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%s: %v\n%s", line, err, out)
	}
}
