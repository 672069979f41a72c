package workspace

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// result takes a change that adds a file, and returns the commit.
func result(t *testing.T, r *Repository) Commit {
	t.Helper()
	f := folder(t, r)
	writeFiles(t, f.Dir(), map[string]string{"n.txt": "new\n", "a.txt": "changed\n"})
	return take(t, r, f).Commit
}

func TestARefIsMadeOnceAndNeverMoved(t *testing.T) {
	repo := newRepository(t, base)
	r := repo.open()
	c := result(t, r)
	for range 2 {
		if err := r.Keep(t.Context(), "20261130-191530-7f3a09c1d2", 1, c); err != nil {
			t.Fatal(err)
		}
		if err := r.CreateBranch(t.Context(), "snodo/20261130-191530-7f3a09c1d2", c); err != nil {
			t.Fatal(err)
		}
	}
	want := string(c) + " commit\trefs/heads/snodo/20261130-191530-7f3a09c1d2\n" + string(c) + " commit\trefs/snodo/20261130-191530-7f3a09c1d2/1"
	if got := repo.git("for-each-ref", "refs/snodo", "refs/heads/snodo"); got != want {
		t.Errorf("got %q", got)
	}
	if err := r.Keep(t.Context(), "20261130-191530-7f3a09c1d2", 1, r.Head()); !isA[*RefError](err) {
		t.Errorf("another commit: %v", err)
	}
	if err := r.CreateBranch(t.Context(), "main", c); !isA[*RefError](err) {
		t.Errorf("a branch that is there: %v", err)
	}
	if got, err := r.Kept(t.Context(), "20261130-191530-7f3a09c1d2", 1); got != c || err != nil {
		t.Errorf("Kept = %q, %v", got, err)
	}
	if got, err := r.Kept(t.Context(), "20261130-191530-7f3a09c1d2", 2); got != "" || err != nil {
		t.Errorf("Kept of nothing = %q, %v", got, err)
	}
	for _, name := range []string{"-x", "--delete", "a..b", "a b", "", "x.lock", "@{-1}"} {
		if err := r.CreateBranch(t.Context(), name, c); !isA[*RevisionError](err) {
			t.Errorf("CreateBranch(%q): %v", name, err)
		}
	}
	for _, run := range []string{"", "..", "a/b", "-x", "a b", "*"} {
		if err := r.Keep(t.Context(), run, 1, c); err == nil {
			t.Errorf("Keep(%q) made a ref", run)
		}
		if err := r.Forget(t.Context(), run); err == nil {
			t.Errorf("Forget(%q)", run)
		}
	}
	if err := r.Keep(t.Context(), "20261130-191530", 1, c); err != nil {
		t.Fatal(err)
	}
	if err := r.Forget(t.Context(), "20261130-191530-7f3a09c1d2"); err != nil {
		t.Fatal(err)
	}
	if got := repo.git("for-each-ref", "--format=%(refname)", "refs/snodo"); got != "refs/snodo/20261130-191530/1" {
		t.Errorf("left: %q", got)
	}
}

func TestFastForwardMovesTheBranchAndItsCheckout(t *testing.T) {
	repo := newRepository(t, base)
	r := repo.open()
	c := result(t, r)
	writeFiles(t, repo.dir, map[string]string{"untracked": "u\n"})
	for range 2 {
		if err := r.FastForward(t.Context(), "main", r.Head(), c); err != nil {
			t.Fatal(err)
		}
	}
	if got := repo.git("rev-parse", "main"); got != string(c) {
		t.Errorf("main is at %s", got)
	}
	if diff := cmp.Diff(changed(map[string]string{"n.txt": "new\n", "a.txt": "changed\n", "untracked": "u\n"}), onDisk(t, repo.dir)); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	if got := repo.git("status", "--porcelain"); got != "?? untracked" {
		t.Errorf("status %q", got)
	}
}

// A run may be cut short when a checkout has moved and its branch has not.
func TestFastForwardGoesOnWhereItWasCutShort(t *testing.T) {
	repo := newRepository(t, base)
	r := repo.open()
	c := result(t, r)
	repo.git("read-tree", "-m", "-u", string(r.Head()), string(c))
	if err := r.FastForward(t.Context(), "main", r.Head(), c); err != nil {
		t.Fatal(err)
	}
	if got := repo.git("rev-parse", "main"); got != string(c) {
		t.Errorf("main is at %s", got)
	}
	if got := repo.git("status", "--porcelain"); got != "" {
		t.Errorf("status %q", got)
	}
}

func TestFastForwardMovesEveryCheckoutOrNone(t *testing.T) {
	repo := newRepository(t, base)
	repo.git("checkout", "--quiet", "--detach")
	one, two := filepath.Join(realTempDir(t), "one"), filepath.Join(realTempDir(t), "two")
	repo.git("worktree", "add", "--quiet", one, "main")
	repo.git("worktree", "add", "--quiet", "--force", two, "main")
	r := repo.open()
	c := result(t, r)
	writeFiles(t, two, map[string]string{"n.txt": "mine\n"})
	err := r.FastForward(t.Context(), "main", r.Head(), c)
	if !isA[*RefusedError](err) {
		t.Fatalf("got %v", err)
	}
	if got := gitAt(t, one, "status", "--porcelain") + repo.git("rev-parse", "main"); got != string(r.Head()) {
		t.Errorf("after a refusal: %q", got)
	}
	if err := os.Remove(filepath.Join(two, "n.txt")); err != nil {
		t.Fatal(err)
	}
	if err := r.FastForward(t.Context(), "main", r.Head(), c); err != nil {
		t.Fatal(err)
	}
	for _, place := range []string{one, two} {
		if got := gitAt(t, place, "status", "--porcelain") + gitAt(t, place, "rev-parse", "HEAD"); got != string(c) {
			t.Errorf("%s: %q", place, got)
		}
	}
}

func TestARefusalSaysHowToGoOnByHand(t *testing.T) {
	repo := newRepository(t, base)
	r := repo.open()
	c := result(t, r)
	repo.commit(map[string]string{"m": "m\n"})
	var refused *RefusedError
	if err := r.FastForward(t.Context(), "main", r.Head(), c); !errors.As(err, &refused) {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"git switch main", "git merge " + string(c)}, refused.ByHand); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	repo.git("config", "user.name", "A")
	repo.git("config", "user.email", "a@example.org")
	for _, command := range refused.ByHand {
		sh(t, repo.dir, command)
	}
}

func TestFastForwardOfABranchThatIsNotCheckedOut(t *testing.T) {
	repo := newRepository(t, base)
	repo.git("checkout", "--quiet", "-b", "other")
	r := repo.open()
	c := result(t, r)
	before := onDisk(t, repo.dir)
	if err := r.FastForward(t.Context(), "main", r.Head(), c); err != nil {
		t.Fatal(err)
	}
	if got := repo.git("rev-parse", "main"); got != string(c) {
		t.Errorf("main is at %s", got)
	}
	if diff := cmp.Diff(before, onDisk(t, repo.dir)); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

func TestFastForwardRefuses(t *testing.T) {
	for _, test := range []struct {
		name string
		spin func(fixture)
	}{
		{"a base that moved", func(f fixture) { f.commit(map[string]string{"m": "m\n"}) }},
		{"a checkout with changes", func(f fixture) { writeFiles(f.t, f.dir, map[string]string{"dir/b.txt": "mine\n"}) }},
		{"a file in the way", func(f fixture) { writeFiles(f.t, f.dir, map[string]string{"n.txt": "mine\n"}) }},
		{"a branch that is gone", func(f fixture) { f.git("branch", "--move", "main", "trunk") }},
	} {
		t.Run(test.name, func(t *testing.T) {
			repo := newRepository(t, base)
			r := repo.open()
			c := result(t, r)
			test.spin(repo)
			refs, files := repo.git("for-each-ref"), onDisk(t, repo.dir)
			if err := r.FastForward(t.Context(), "main", r.Head(), c); !isA[*RefusedError](err) {
				t.Errorf("got %v", err)
			}
			if diff := cmp.Diff(refs, repo.git("for-each-ref")); diff != "" {
				t.Errorf("refs (-before +after)\n%s", diff)
			}
			if diff := cmp.Diff(files, onDisk(t, repo.dir)); diff != "" {
				t.Errorf("files (-before +after)\n%s", diff)
			}
		})
	}
}

func TestAnnotate(t *testing.T) {
	repo := newRepository(t, base)
	r := repo.open()
	for _, text := range []string{"approved", "approved", "approved again"} {
		if err := r.Annotate(t.Context(), r.Head(), text, then); err != nil {
			t.Fatal(err)
		}
	}
	if got := repo.git("notes", "--ref=snodo", "show"); got != "approved\n\napproved again" {
		t.Errorf("got %q", got)
	}
	if got := repo.git("rev-list", "--count", "refs/notes/snodo"); got != "2" {
		t.Errorf("%s commits of notes", got)
	}
}

func TestPush(t *testing.T) {
	repo := newRepository(t, base)
	remote := filepath.Join(realTempDir(t), "remote")
	repo.git("init", "--quiet", "--bare", remote)
	repo.git("remote", "add", "origin", remote)
	trap := filepath.Join(realTempDir(t), "trap")
	hook := filepath.Join(repo.dir, ".git", "hooks")
	sh(t, repo.dir, `mkdir -p `+hook+`; printf '#!/bin/sh\ntouch `+trap+`\n' >`+hook+`/pre-push; chmod +x `+hook+`/pre-push`)
	r := repo.open()
	c := result(t, r)
	if got, err := r.RemoteURL(t.Context(), "origin"); got != remote || err != nil {
		t.Errorf("RemoteURL = %q, %v", got, err)
	}
	if got, err := r.RemoteURL(t.Context(), "none"); got != "" || err != nil {
		t.Errorf("RemoteURL of none = %q, %v", got, err)
	}
	for range 2 {
		if err := r.Push(t.Context(), "origin", "snodo/r1", c); err != nil {
			t.Fatal(err)
		}
	}
	if got, err := r.RemoteBranch(t.Context(), "origin", "snodo/r1"); got != c || err != nil {
		t.Errorf("RemoteBranch = %q, %v", got, err)
	}
	if err := r.Push(t.Context(), "origin", "snodo/r1", r.Head()); !isA[*RefusedError](err) {
		t.Errorf("another commit: %v", err)
	}
	for _, name := range []string{"", "-x", "--upload-pack=x", "ext::sh -c x"} {
		if err := r.Push(t.Context(), name, "b", c); err == nil || !strings.Contains(err.Error(), "remote") {
			t.Errorf("Push(%q): %v", name, err)
		}
	}
	if _, err := os.Lstat(trap); err == nil {
		t.Error("the hook ran")
	}
	// A path that is relative begins at the checkout.
	repo.git("init", "--quiet", "--bare", "remotes/near")
	repo.git("remote", "add", "near", "remotes/near")
	if err := r.Push(t.Context(), "near", "snodo/r1", c); err != nil {
		t.Error(err)
	}
}
