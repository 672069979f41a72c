package workspace

import (
	"os"
	"path/filepath"
	"testing"
)

// Whatever the caller's configuration would have git run, nothing of it runs
// on behalf of a run.
func TestNothingOfTheCallersConfigurationRuns(t *testing.T) {
	trap := filepath.Join(realTempDir(t), "trap")
	program := filepath.Join(filepath.Dir(trap), "program")
	if err := os.WriteFile(program, []byte("#!/bin/sh\necho \"$0 $*\" >>"+trap+"\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	repo := newRepository(t, base)
	hooks := filepath.Join(repo.dir, ".git", "hooks")
	if err := os.MkdirAll(hooks, 0o755); err != nil {
		t.Fatal(err)
	}
	for _, hook := range []string{"post-checkout", "post-index-change", "reference-transaction", "post-rewrite", "pre-push", "post-commit", "post-merge"} {
		if err := os.Symlink(program, filepath.Join(hooks, hook)); err != nil {
			t.Fatal(err)
		}
	}
	for key, value := range map[string]string{
		"core.fsmonitor": program, "core.pager": program, "core.editor": program, "core.askPass": program, "commit.gpgSign": "true", "gpg.program": program,
		"diff.external": program, "diff.d.command": program, "diff.d.textconv": program, "log.showSignature": "true", "credential.helper": program,
	} {
		repo.git("config", key, value)
	}
	writeFiles(t, repo.dir, map[string]string{".git/info/attributes": "* diff=d\n"})
	if err := os.RemoveAll(trap); err != nil {
		t.Fatal(err)
	}

	r := repo.open()
	ctx := t.Context()
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	must(r.Clean(ctx))
	_, err := r.Untracked(ctx)
	must(err)
	c := result(t, r)
	must(r.Keep(ctx, "r1", 1, c))
	must(r.CreateBranch(ctx, "snodo/r1", c))
	s, err := r.Changes(ctx, r.Head(), c)
	must(err)
	_, err = s.Diff(ctx)
	must(err)
	_, err = r.History(c).Log(ctx, ".", 9)
	must(err)
	must(r.Annotate(ctx, c, "approved", then))
	must(r.FastForward(ctx, "main", r.Head(), c))
	if ran, err := os.ReadFile(trap); err == nil {
		t.Errorf("ran:\n%s", ran)
	}
}
