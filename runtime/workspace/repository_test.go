package workspace

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestOpenFindsTheRepositoryThatHoldsAFolder(t *testing.T) {
	repo := newRepository(t, base)
	r, err := Open(t.Context(), filepath.Join(repo.dir, "dir"))
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	if r.Worktree() != repo.dir || r.MainWorktree() != repo.dir || r.GitDir() != filepath.Join(repo.dir, ".git") {
		t.Errorf("worktree %s, main %s, git directory %s", r.Worktree(), r.MainWorktree(), r.GitDir())
	}
	if r.ObjectFormat() != "sha1" || r.Shallow() || string(r.Head()) != repo.git("rev-parse", "HEAD") {
		t.Errorf("format %s, shallow %v, head %s", r.ObjectFormat(), r.Shallow(), r.Head())
	}
	if branch, err := r.Branch(t.Context()); branch != "main" || err != nil {
		t.Errorf("branch %q, %v", branch, err)
	}
}

func TestOpenKnowsLinkedWorktrees(t *testing.T) {
	repo := newRepository(t, base)
	linked := filepath.Join(realTempDir(t), "linked")
	repo.git("worktree", "add", "--quiet", "-b", "other", linked)
	writeFiles(t, linked, map[string]string{"n": "n\n"})
	gitAt(t, linked, "add", "n")
	gitAt(t, linked, "commit", "--quiet", "-m", "n")
	r, err := Open(t.Context(), linked)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	if r.Worktree() != linked || r.MainWorktree() != repo.dir || r.GitDir() != filepath.Join(repo.dir, ".git") {
		t.Errorf("worktree %s, main %s, git directory %s", r.Worktree(), r.MainWorktree(), r.GitDir())
	}
	if branch, err := r.Branch(t.Context()); branch != "other" || err != nil {
		t.Errorf("branch %q, %v", branch, err)
	}
	f := folder(t, r)
	writeFiles(t, f.Dir(), map[string]string{"m": "m\n"})
	if diff := cmp.Diff(changed(map[string]string{"n": "n\n", "m": "m\n"}), contents(t, r, take(t, r, f).Commit)); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

func TestOpenSaysWhyItCannot(t *testing.T) {
	t.Setenv("GIT_CEILING_DIRECTORIES", os.TempDir())
	bare := filepath.Join(realTempDir(t), "bare")
	gitAt(t, filepath.Dir(bare), "init", "--quiet", "--bare", bare)
	for _, test := range []struct {
		name, dir string
		is        func(error) bool
	}{
		{"no repository", realTempDir(t), isA[*NoRepositoryError]},
		{"bare", bare, isA[*BareError]},
		{"inside a git directory", filepath.Join(newRepository(t, base).dir, ".git"), isA[*BareError]},
		{"no commit", emptyRepository(t).dir, isA[*UnbornError]},
		{"no such folder", filepath.Join(bare, "missing"), func(err error) bool { return errors.Is(err, os.ErrNotExist) }},
	} {
		t.Run(test.name, func(t *testing.T) {
			r, err := Open(t.Context(), test.dir)
			if err == nil {
				r.Close()
			}
			if !test.is(err) {
				t.Errorf("got %T %v", err, err)
			}
		})
	}
}

func isA[E error](err error) bool {
	var e E
	return errors.As(err, &e)
}

func TestOpenPassesOnWhyGitRefuses(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("only root can give a folder away")
	}
	repo := newRepository(t, base)
	for _, place := range []string{repo.dir, filepath.Join(repo.dir, ".git")} {
		if err := os.Chown(place, 12345, 12345); err != nil {
			t.Skip(err)
		}
	}
	_, err := Open(t.Context(), repo.dir)
	if !isA[*UnsafeError](err) || !strings.Contains(err.Error(), "dubious ownership") {
		t.Fatalf("got %T %v", err, err)
	}
	config := filepath.Join(realTempDir(t), "config")
	if err := os.WriteFile(config, fmt.Appendf(nil, "[safe]\n\tdirectory = %s\n", repo.dir), 0o600); err != nil {
		t.Fatal(err)
	}
	t.Setenv("GIT_CONFIG_GLOBAL", config)
	r, err := Open(t.Context(), repo.dir)
	if err != nil {
		t.Fatalf("where the user trusts it: %v", err)
	}
	defer r.Close()
	writeFiles(t, folder(t, r).Dir(), map[string]string{"n": "n\n"})
}

func TestMissingAndOldGitAreSaidInWords(t *testing.T) {
	dir := realTempDir(t)
	t.Setenv("PATH", dir)
	if _, err := Open(t.Context(), dir); !isA[*NoGitError](err) {
		t.Errorf("got %T %v", err, err)
	}
	fake := "#!/bin/sh\necho git version 2.20.1\n"
	if err := os.WriteFile(filepath.Join(dir, "git"), []byte(fake), 0o755); err != nil {
		t.Fatal(err)
	}
	if _, err := Open(t.Context(), dir); !isA[*OldGitError](err) {
		t.Errorf("got %T %v", err, err)
	}
}

func TestOlder(t *testing.T) {
	for have, want := range map[string]bool{
		"2.35.9": true, "2.36.0": false, "2.39.5 (Apple Git-154)": false, "2.47.windows.1": false, "1.99.0": true, "3.0": false, "": true, "nonsense": true,
	} {
		if got := older(have, "2.36"); got != want {
			t.Errorf("older(%q) = %v", have, got)
		}
	}
}

func TestCleanNamesTheFilesThatChanged(t *testing.T) {
	files := map[string]string{}
	for i := range 8 {
		files[fmt.Sprintf("f%d", i)] = "x\n"
	}
	repo := newRepository(t, files)
	r := repo.open()
	writeFiles(t, repo.dir, map[string]string{"untracked": "x\n", "also": "x\n"})
	if err := r.Clean(t.Context()); err != nil {
		t.Errorf("untracked files are no obstacle: %v", err)
	}
	if n, err := r.Untracked(t.Context()); n != 2 || err != nil {
		t.Errorf("%d untracked, %v", n, err)
	}
	for i := range 7 {
		files[fmt.Sprintf("f%d", i)] = "y\n"
	}
	files["f1"] = ""
	writeFiles(t, repo.dir, files)
	repo.git("add", "f2")
	err := r.Clean(t.Context())
	var dirty *DirtyError
	if !errors.As(err, &dirty) {
		t.Fatalf("got %v", err)
	}
	if diff := cmp.Diff(&DirtyError{Paths: []string{"f0", "f1", "f2", "f3", "f4"}, More: 2}, dirty); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

func TestResolve(t *testing.T) {
	repo := newRepository(t, base)
	first := Commit(repo.git("rev-parse", "HEAD"))
	second := repo.commit(map[string]string{"n": "n\n"})
	repo.git("tag", "-a", "-m", "v1", "v1")
	r := repo.open()
	for rev, want := range map[string]Commit{"HEAD": second, "main": second, "HEAD~1": first, "v1": second, string(first): first, string(first[:8]): first} {
		if got, err := r.Resolve(t.Context(), rev); got != want || err != nil {
			t.Errorf("Resolve(%q) = %q, %v", rev, got, err)
		}
	}
	for _, rev := range []string{"", "-h", "--help", "--all", "nothing", "HEAD~9", "a\nb", "HEAD..main", "HEAD:a.txt", strings.Repeat("0", 40)} {
		if got, err := r.Resolve(t.Context(), rev); !isA[*RevisionError](err) {
			t.Errorf("Resolve(%q) = %q, %v", rev, got, err)
		}
	}
}

func TestDefaultBase(t *testing.T) {
	repo := newRepository(t, base)
	fork := Commit(repo.git("rev-parse", "HEAD"))
	repo.git("checkout", "--quiet", "-b", "work")
	work := repo.commit(map[string]string{"n": "n\n"})
	repo.git("checkout", "--quiet", "main")
	main := repo.commit(map[string]string{"m": "m\n"})
	r := repo.open()
	if got, err := r.DefaultBase(t.Context(), work); got != fork || err != nil {
		t.Errorf("from main: %q, %v", got, err)
	}
	repo.git("update-ref", "refs/remotes/origin/master", string(work))
	repo.git("symbolic-ref", "refs/remotes/origin/HEAD", "refs/remotes/origin/master")
	if got, err := r.DefaultBase(t.Context(), work); got != work || err != nil {
		t.Errorf("from origin/HEAD: %q, %v", got, err)
	}
	repo.git("symbolic-ref", "--delete", "refs/remotes/origin/HEAD")
	repo.git("branch", "--move", "main", "master")
	if got, err := r.DefaultBase(t.Context(), main); got != main || err != nil {
		t.Errorf("from master: %q, %v", got, err)
	}
	repo.git("branch", "--move", "master", "trunk")
	if _, err := r.DefaultBase(t.Context(), work); !isA[*NoBaseError](err) {
		t.Errorf("without any: %v", err)
	}
}

func TestAShallowCloneSaysSo(t *testing.T) {
	repo := newRepository(t, base)
	repo.git("checkout", "--quiet", "-b", "work")
	repo.commit(map[string]string{"n": "n\n"})
	repo.git("checkout", "--quiet", "main")
	repo.commit(map[string]string{"m": "m\n"})
	clone := fixture{t: t, dir: filepath.Join(realTempDir(t), "clone")}
	repo.git("clone", "--quiet", "--depth=1", "--no-single-branch", "file://"+repo.dir, clone.dir)
	r := clone.open()
	if !r.Shallow() {
		t.Fatal("it is not shallow")
	}
	work, err := r.Resolve(t.Context(), "origin/work")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := r.MergeBase(t.Context(), r.Head(), work); !isA[*ShallowError](err) {
		t.Errorf("got %v", err)
	}
	f := folder(t, r)
	sh(t, f.Dir(), `git log -1 >/dev/null; git fsck --connectivity-only; echo x >a.txt; git commit -qam mine`)
	if got := contents(t, r, take(t, r, f).Commit); got["a.txt"] != "x\n" {
		t.Errorf("got %v", got)
	}
}
