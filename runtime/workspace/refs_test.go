package workspace

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestTheBranchThatABaseStandsOn(t *testing.T) {
	for _, test := range []struct {
		name, rev string
		spin      func(fixture)
		want      string
	}{
		{"main, where nothing else is known", "", func(fixture) {}, "main"},
		{"the branch that is named", "other", func(f fixture) { f.git("branch", "other") }, "other"},
		{"a branch named in full", "refs/heads/a/b", func(f fixture) { f.git("branch", "a/b") }, "a/b"},
		{"the local counterpart of a remote branch", "origin/main", func(fixture) {}, "main"},
		{"master, without main", "", func(f fixture) { f.git("branch", "--move", "main", "master") }, "master"},
		{"none", "", func(f fixture) { f.git("branch", "--move", "main", "trunk"); f.git("checkout", "--quiet", "--detach") }, ""},
		{"the checked-out branch, where it alone stands there", "", func(f fixture) {
			f.git("checkout", "--quiet", "-b", "feature")
			f.git("update-ref", "refs/heads/main", strings.TrimSpace(f.git("commit-tree", "-m", "on", "HEAD^{tree}")))
		}, "feature"},
		{"the default branch before the checked-out one", "", func(f fixture) { f.git("checkout", "--quiet", "-b", "feature") }, "main"},
		{"what origin/HEAD names, and no main beside it", "", func(f fixture) {
			f.git("branch", "trunk")
			f.git("update-ref", "refs/remotes/origin/trunk", "HEAD")
			f.git("symbolic-ref", "refs/remotes/origin/HEAD", "refs/remotes/origin/trunk")
		}, "trunk"},
		{"nothing, where what origin/HEAD names is not here", "", func(f fixture) {
			f.git("checkout", "--quiet", "--detach")
			f.git("update-ref", "refs/remotes/origin/trunk", "HEAD")
			f.git("symbolic-ref", "refs/remotes/origin/HEAD", "refs/remotes/origin/trunk")
		}, ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			repo := newRepository(t, base)
			test.spin(repo)
			r := repo.open()
			got, err := r.BaseBranch(t.Context(), test.rev, r.Head())
			if got != test.want || err != nil {
				t.Errorf("got %q, %v, want %q", got, err, test.want)
			}
		})
	}
}

func TestRunRefsAreThoseOfRuns(t *testing.T) {
	repo := newRepository(t, base)
	r := repo.open()
	c := result(t, r)
	for n, at := range []Commit{c, r.Head()} {
		if err := r.Keep(t.Context(), "20261130-191530-7f3a09c1d2", n+1, at); err != nil {
			t.Fatal(err)
		}
	}
	for _, foreign := range []string{"refs/snodo/mine", "refs/snodo/x/y", "refs/snodo/x/01", "refs/snodo/x/1/2"} {
		repo.git("update-ref", foreign, "HEAD")
	}
	got, err := r.RunRefs(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	want := []RunRef{{"20261130-191530-7f3a09c1d2", 1, c}, {"20261130-191530-7f3a09c1d2", 2, r.Head()}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

func TestAHolderIsABranchOrATagAndNeverARun(t *testing.T) {
	repo := newRepository(t, base)
	r := repo.open()
	c := result(t, r)
	if err := r.Keep(t.Context(), "20261130-191530-7f3a09c1d2", 1, c); err != nil {
		t.Fatal(err)
	}
	if err := r.Annotate(t.Context(), c, "approved", then); err != nil {
		t.Fatal(err)
	}
	if got, err := r.Holder(t.Context(), c); got != "" || err != nil {
		t.Errorf("got %q, %v", got, err)
	}
	repo.git("tag", "v1", string(c))
	if got, err := r.Holder(t.Context(), c); got != "v1" || err != nil {
		t.Errorf("got %q, %v", got, err)
	}
}

func TestACommitSaysItsTrailers(t *testing.T) {
	repo := newRepository(t, base)
	r := repo.open()
	f := folder(t, r)
	writeFiles(t, f.Dir(), map[string]string{"n": "n\n"})
	taken, err := r.TakeChange(t.Context(), f, r.Head(), Message{Text: "a: b\n\nnot: one", Trailers: []Trailer{{"Snodo-Run", "r1"}, {"Snodo-Record", "sha256:00"}}, When: then})
	if err != nil {
		t.Fatal(err)
	}
	got, err := r.Commit(t.Context(), taken.Commit)
	if err != nil {
		t.Fatal(err)
	}
	want := CommitInfo{Tree: taken.Tree, Parents: []Commit{r.Head()}, Trailers: map[string][]string{"Snodo-Run": {"r1"}, "Snodo-Record": {"sha256:00"}}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	for _, c := range []Commit{"", "HEAD", Commit(taken.Tree), Commit(strings.Repeat("1", 40))} {
		if _, err := r.Commit(t.Context(), c); !isA[*RevisionError](err) {
			t.Errorf("Commit(%q): %v", c, err)
		}
	}
}

func TestWorktreesAreThoseThatAreThere(t *testing.T) {
	repo := newRepository(t, base)
	linked, gone := filepath.Join(realTempDir(t), "linked"), filepath.Join(realTempDir(t), "gone")
	repo.git("worktree", "add", "--quiet", "-b", "one", linked)
	repo.git("worktree", "add", "--quiet", "-b", "two", gone)
	sh(t, repo.dir, "rm -r "+gone)
	got, err := repo.open().Worktrees(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{repo.dir, linked}, got); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

func FuzzParseCommit(f *testing.F) {
	f.Add("tree 1\nparent 2\nparent 3\nauthor a <a> 0 +0000\n\nsubject\n\nSnodo-Run: r\nSnodo-Record: h\n")
	f.Add("tree 1\n\nSnodo-Run: r")
	f.Add("\n\n\n\n: \n")
	f.Add("")
	f.Fuzz(func(t *testing.T, object string) {
		info := parseCommit(object)
		for key, values := range info.Trailers {
			for _, value := range values {
				if !strings.Contains(object, key+": "+value) {
					t.Errorf("%q: %q is not there", key, value)
				}
			}
		}
	})
}
