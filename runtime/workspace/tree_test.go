package workspace

import (
	"context"
	"errors"
	"io/fs"
	"regexp"
	"strings"
	"sync"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"
)

var plainTree = map[string]string{
	"a.txt": "one\nneedle two\n", "dir/b.go": "needle\nhay\nneedle\n", "dir/deep/c.go": "hay\n", "link": "-> a.txt", "dir-x/d": "x",
	"bin": strings.Repeat("\x00needle", 40),
}

func TestATreeIsReadFromTheCommit(t *testing.T) {
	repo := newRepository(t, plainTree)
	r := repo.open()
	writeFiles(t, repo.dir, map[string]string{"a.txt": "changed on disk\n", "new": "n\n", "dir/b.go": ""})
	tree := r.Tree(r.Head())
	if diff := cmp.Diff(plainTree, contents(t, r, r.Head())); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	for dir, want := range map[string]string{".": "a.txt bin dir dir-x link", "dir": "dir/b.go dir/deep", "dir/deep": "dir/deep/c.go"} {
		entries, err := tree.List(t.Context(), dir)
		if err != nil {
			t.Fatal(err)
		}
		var names []string
		for _, e := range entries {
			names = append(names, e.Path)
		}
		if got := strings.Join(names, " "); got != want {
			t.Errorf("List(%q) = %q, want %q", dir, got, want)
		}
	}
	for _, name := range []string{"new", "dir/missing", "a.txt/x", ""} {
		if _, err := tree.ReadFile(t.Context(), name); !errors.Is(err, fs.ErrNotExist) || !isA[*PathError](err) {
			t.Errorf("ReadFile(%q): %v", name, err)
		}
	}
	if _, err := tree.ReadFile(t.Context(), "dir"); !isA[*PathError](err) || errors.Is(err, fs.ErrNotExist) {
		t.Errorf("reading a folder: %v", err)
	}
	if _, err := tree.List(t.Context(), "a.txt"); !isA[*PathError](err) {
		t.Errorf("listing a file: %v", err)
	}
}

func TestALargeFileIsRefusedAndTheNextOneIsRead(t *testing.T) {
	repo := newRepository(t, map[string]string{"large": strings.Repeat("x", MaxBlob+1), "small": "s\n"})
	r := repo.open()
	tree := r.Tree(r.Head())
	if _, err := tree.ReadFile(t.Context(), "large"); !isA[*TooLargeError](err) {
		t.Errorf("got %v", err)
	}
	e, err := tree.Stat(t.Context(), "large")
	if err != nil {
		t.Fatal(err)
	}
	if _, size, err := r.objects.read(t.Context(), e.ID, 10); !isA[*TooLargeError](err) || size != MaxBlob+1 {
		t.Errorf("got %d, %v", size, err)
	}
	if b, err := tree.ReadFile(t.Context(), "small"); err != nil || string(b.Content) != "s\n" {
		t.Errorf("got %q, %v", b.Content, err)
	}
}

func TestReadsRecoverFromAnInterruption(t *testing.T) {
	repo := newRepository(t, base)
	r := repo.open()
	tree := r.Tree(r.Head())
	ctx, cancel := context.WithCancel(t.Context())
	if _, err := tree.ReadFile(ctx, "a.txt"); err != nil {
		t.Fatal(err)
	}
	cancel()
	if _, err := tree.ReadFile(ctx, "a.txt"); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
	r.objects.cancel() // as if git had died
	for {
		// The first read may find it dead; the one after starts it anew.
		if b, err := tree.ReadFile(t.Context(), "a.txt"); err == nil {
			if string(b.Content) != base["a.txt"] {
				t.Errorf("got %q", b.Content)
			}
			break
		}
	}
	if _, _, err := r.objects.read(t.Context(), strings.Repeat("1", 40), 10); !errors.Is(err, errMissing) {
		t.Errorf("got %v", err)
	}
}

func TestATreeIsReadSideBySide(t *testing.T) {
	r := newRepository(t, plainTree).open()
	tree := r.Tree(r.Head())
	var done sync.WaitGroup
	for range 8 {
		done.Go(func() {
			for name, want := range plainTree {
				if name == "link" {
					continue
				}
				if b, err := tree.ReadFile(t.Context(), name); err != nil || string(b.Content) != want {
					t.Errorf("%s: %q, %v", name, b.Content, err)
				}
			}
		})
	}
	done.Wait()
}

func TestReplacementsAreNotLookedAt(t *testing.T) {
	repo := newRepository(t, base)
	other := repo.commit(map[string]string{"a.txt": "other\n"})
	repo.git("replace", string(other), repo.git("rev-parse", "HEAD~1"))
	r := repo.open()
	if got := contents(t, r, other)["a.txt"]; got != "other\n" {
		t.Errorf("got %q", got)
	}
}

func TestSearch(t *testing.T) {
	r := newRepository(t, plainTree).open()
	tree := r.Tree(r.Head())
	needle := regexp.MustCompile("need.e")
	for _, test := range []struct {
		name  string
		query SearchQuery
		want  SearchResult
	}{
		{"everywhere", SearchQuery{Dir: ".", Limit: 9}, SearchResult{
			Found:   []Found{{"a.txt", 2, "needle two"}, {"dir/b.go", 1, "needle"}, {"dir/b.go", 3, "needle"}},
			Skipped: []string{"bin"}}},
		{"in a folder", SearchQuery{Dir: "dir", Limit: 9}, SearchResult{Found: []Found{{"dir/b.go", 1, "needle"}, {"dir/b.go", 3, "needle"}}}},
		{"in a file", SearchQuery{Dir: "a.txt", Limit: 9}, SearchResult{Found: []Found{{"a.txt", 2, "needle two"}}}},
		{"within a scope", SearchQuery{Dir: ".", Limit: 9, Within: func(p string) bool { return p == "a.txt" }}, SearchResult{Found: []Found{{"a.txt", 2, "needle two"}}}},
		{"up to a limit", SearchQuery{Dir: "dir", Limit: 1}, SearchResult{Found: []Found{{"dir/b.go", 1, "needle"}}, Cut: true}},
		{"exactly the limit", SearchQuery{Dir: "dir", Limit: 2}, SearchResult{Found: []Found{{"dir/b.go", 1, "needle"}, {"dir/b.go", 3, "needle"}}}},
	} {
		t.Run(test.name, func(t *testing.T) {
			test.query.Pattern = needle
			got, err := tree.Search(t.Context(), test.query)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
		})
	}
	if _, err := tree.Search(t.Context(), SearchQuery{Pattern: needle, Dir: "missing"}); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("got %v", err)
	}
}

func TestFS(t *testing.T) {
	repo := newRepository(t, map[string]string{"a.txt": "one\n", "dir/b.go": "b\n", "dir/deep/c.go": "c\n"})
	r := repo.open()
	if err := fstest.TestFS(r.Tree(r.Head()).FS(t.Context()), "a.txt", "dir/b.go", "dir/deep/c.go"); err != nil {
		t.Error(err)
	}
	linked := repo.commit(map[string]string{"link": "-> a.txt"})
	fsys := r.Tree(linked).FS(t.Context())
	if _, err := fs.ReadFile(fsys, "link"); !errors.Is(err, fs.ErrInvalid) {
		t.Errorf("a link was followed: %v", err)
	}
	if _, err := fs.ReadFile(fsys, "missing"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("got %v", err)
	}
}

func TestHistoryEndsAtTheBase(t *testing.T) {
	repo := newRepository(t, base)
	first := Commit(repo.git("rev-parse", "HEAD"))
	second := repo.commit(map[string]string{"a.txt": "second\n", "-x": "x\n"})
	later := repo.commit(map[string]string{"a.txt": "later\n"})
	repo.git("tag", "v1", string(first))
	repo.git("config", "log.showSignature", "true")
	repo.git("config", "log.follow", "true")
	r := repo.open()
	h := r.History(second)
	logOf := func(path string, count int) []Commit {
		t.Helper()
		entries, err := h.Log(t.Context(), path, count)
		if err != nil {
			t.Fatal(err)
		}
		var ids []Commit
		for _, e := range entries {
			if e.Author != "snodo" || e.Subject != "A commit" || !e.When.Equal(then) {
				t.Errorf("got %+v", e)
			}
			ids = append(ids, e.Commit)
		}
		return ids
	}
	for _, test := range []struct {
		path  string
		count int
		want  []Commit
	}{
		{".", 9, []Commit{second, first}}, {".", 1, []Commit{second}}, {"a.txt", 9, []Commit{second, first}}, {"dir", 9, []Commit{first}},
		{"-x", 9, []Commit{second}}, {"*", 9, nil}, {":/", 9, nil}, {".", 0, nil},
	} {
		if diff := cmp.Diff(test.want, logOf(test.path, test.count)); diff != "" {
			t.Errorf("Log(%q, %d) (-want +got)\n%s", test.path, test.count, diff)
		}
	}
	for rev, want := range map[string]string{"HEAD": "second\n", "HEAD~1": base["a.txt"], "HEAD^": base["a.txt"], string(first[:7]): base["a.txt"], string(second): "second\n"} {
		if b, err := h.Show(t.Context(), rev, "a.txt"); err != nil || string(b.Content) != want {
			t.Errorf("Show(%q) = %q, %v", rev, b.Content, err)
		}
	}
	for _, rev := range []string{string(later), string(later[:8]), "main", "v1", "-p", "--all", "HEAD:a.txt", "HEAD@{1}", "HEAD~9", "HEAD^{/x}", "", string(second) + "..", "FETCH_HEAD"} {
		if b, err := h.Show(t.Context(), rev, "a.txt"); !isA[*RevisionError](err) {
			t.Errorf("Show(%q) = %q, %v", rev, b.Content, err)
		}
	}
	for _, path := range []string{"missing", "dir", ".", "a.txt/", "*"} {
		if b, err := h.Show(t.Context(), "HEAD", path); !isA[*PathError](err) {
			t.Errorf("Show(HEAD, %q) = %q, %v", path, b.Content, err)
		}
	}
}
