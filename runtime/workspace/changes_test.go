package workspace

import (
	"fmt"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/snodo-lang/snodo/compiler/plan"
)

// changesOf commits two states and returns what differs.
func changesOf(t *testing.T, before, after map[string]string) (*Repository, *ChangeSet) {
	t.Helper()
	repo := newRepository(t, before)
	r := repo.open()
	head := repo.commit(after)
	s, err := r.Changes(t.Context(), r.Head(), head)
	if err != nil {
		t.Fatal(err)
	}
	return r, s
}

func TestChanges(t *testing.T) {
	repo := newRepository(t, map[string]string{
		".gitattributes": "*.lock -diff\n*.gen binary\n*.d diff=d\n",
		"edit":           "1\n2\n3\n", "gone": "1\n2\n", "moved": "a\nb\nc\nd\ne\n", "exec": "x\n", "link": "-> edit", "tolink": "x\n",
		"a.lock": "1\n", "a.gen": "1\n", "a.d": "1\n", "bin": strings.Repeat("\x00\x01\n", 40), "nul": "1\n",
	})
	r := repo.open()
	writeFiles(t, repo.dir, map[string]string{".git/info/attributes": "*.d diff=d\n*.lock -diff\n*.gen binary\n"})
	repo.git("config", "diff.d.textconv", "false")
	repo.git("config", "diff.d.command", "false")
	repo.git("config", "diff.renames", "copies")
	repo.git("config", "diff.noprefix", "true")
	repo.git("config", "diff.external", "false")
	repo.git("config", "diff.ignoreSubmodules", "all")
	repo.git("update-index", "--chmod=+x", "exec")
	repo.commit(map[string]string{
		"edit": "1\nzwei\n3\n4\n", "gone": "", "moved": "", "new/moved": "a\nb\nc\nd\ne\n", "link": "-> gone", "tolink": "-> edit",
		"a.lock": "1\n2\n", "a.gen": "1\n2\n", "a.d": "1\n2\n", "bin": strings.Repeat("\x00\x02\n", 40), "nul": "1\n\x00\n", "odd\nname": "x",
	})
	repo.git("update-index", "--chmod=+x", "exec")
	repo.git("commit", "--quiet", "--amend", "-m", "x")
	head := Commit(repo.git("rev-parse", "HEAD"))
	s, err := r.Changes(t.Context(), r.Head(), head)
	if err != nil {
		t.Fatal(err)
	}
	type row struct {
		Path     string
		Kind     string
		Old, New Mode
		Lines    Lines
		Binary   bool
	}
	var got []row
	for _, c := range s.Changes {
		got = append(got, row{c.Path, c.Kind.String(), c.Old.Mode, c.New.Mode, c.Lines, c.Binary})
	}
	want := []row{
		{"a.d", "modified", Regular, Regular, Lines{1, 0}, false},
		{"a.gen", "modified", Regular, Regular, Lines{1, 0}, false},
		{"a.lock", "modified", Regular, Regular, Lines{1, 0}, false},
		{"bin", "modified", Regular, Regular, Lines{40, 40}, true},
		{"edit", "modified", Regular, Regular, Lines{2, 1}, false},
		{"exec", "mode changed", Regular, Executable, Lines{0, 0}, false},
		{"gone", "deleted", Regular, 0, Lines{0, 2}, false},
		{"link", "modified", Symlink, Symlink, Lines{1, 1}, false},
		{"moved", "deleted", Regular, 0, Lines{0, 5}, false},
		{"new/moved", "added", 0, Regular, Lines{5, 0}, false},
		{"nul", "modified", Regular, Regular, Lines{1, 0}, false},
		{"odd\nname", "added", 0, Regular, Lines{1, 0}, false},
		{"tolink", "type changed", Regular, Symlink, Lines{1, 1}, false},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	if c, ok := s.Find("edit"); !ok || c.Old.Size != 6 || c.New.Size != 11 {
		t.Errorf("Find gave %+v, %v", c, ok)
	}
	if _, ok := s.Find("missing"); ok {
		t.Error("found what did not change")
	}
}

func TestDiffSaysWhatTheBytesSay(t *testing.T) {
	_, s := changesOf(t, map[string]string{".gitattributes": "* -diff\n", "a": "1\n2\n3\n", "bin": strings.Repeat("\x00\x01", 40), "t": "x\n"},
		map[string]string{"a": "1\n2\x00\n3", "bin": strings.Repeat("\x00\x02", 50), "t": "-> a", "diff --git a/x b/x": "diff --git a/x b/x\n@@ -1 +1 @@\n"})
	diffs, err := s.Diff(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	want := map[string][]string{
		"a":                  {"--- a/a\n+++ b/a\n@@ -1,3 +1,3 @@\n 1\n-2\n-3\n+2\x00\n+3\n\\ No newline at end of file\n"},
		"bin":                {"diff --git", "Binary file: 80 bytes before, 100 bytes after\n"},
		"t":                  {"deleted file mode 100644", "-x\n", "new file mode 120000", "+a\n"},
		"diff --git a/x b/x": {"+diff --git a/x b/x\n+@@ -1 +1 @@\n"},
	}
	for _, d := range diffs {
		for _, part := range want[d.Path] {
			if !strings.Contains(d.Text, part) {
				t.Errorf("%s: no %q in\n%q", d.Path, part, d.Text)
			}
		}
		delete(want, d.Path)
		if d.Path == "bin" && strings.Contains(d.Text, "\x02") {
			t.Errorf("bin: content is shown: %q", d.Text)
		}
	}
	if len(want) > 0 {
		t.Errorf("no diff of %v", want)
	}
	one, err := s.Diff(t.Context(), "t", "missing")
	if err != nil || len(one) != 1 || one[0].Path != "t" {
		t.Errorf("of one path: %v, %v", one, err)
	}
}

func TestALongDiffIsCutAndSaysSo(t *testing.T) {
	line := strings.Repeat("x", 99) + "\n"
	_, s := changesOf(t, nil, map[string]string{"long": strings.Repeat(line, 2*maxFileDiff/100)})
	diffs, err := s.Diff(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	d := diffs[0]
	if len(d.Text) > maxFileDiff || d.Omitted == 0 || !strings.HasSuffix(d.Text, line) {
		t.Errorf("%d bytes, %d omitted", len(d.Text), d.Omitted)
	}
}

func TestAddedLines(t *testing.T) {
	_, s := changesOf(t, map[string]string{".gitattributes": "* -diff\n", "a": "1\n2\n3\n4\n5\n", "t": "x\n"},
		map[string]string{"a": "1\nnew\n3\n4\n5\nlast", "b": "\n+++ x\n\x00\r\n", "t": "-> a", "empty": " "})
	var got []AddedLine
	for line, err := range s.AddedLines(t.Context()) {
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, line)
	}
	want := []AddedLine{
		{"a", 2, "new"}, {"a", 6, "last"}, {"b", 1, ""}, {"b", 2, "+++ x"}, {"b", 3, "\x00\r"}, {"empty", 1, " "}, {"t", 1, "a"},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	for line := range s.AddedLines(t.Context()) {
		if line != want[0] {
			t.Errorf("got %v", line)
		}
		break
	}
}

func TestAChangeSetIsSharedSafely(t *testing.T) {
	_, s := changesOf(t, base, map[string]string{"n": "n\n", "a.txt": ""})
	var done sync.WaitGroup
	for range 4 {
		done.Go(func() {
			if diffs, err := s.Diff(t.Context()); err != nil || len(diffs) != 2 {
				t.Errorf("%v, %v", diffs, err)
			}
			for _, err := range s.AddedLines(t.Context()) {
				if err != nil {
					t.Error(err)
				}
			}
		})
	}
	done.Wait()
}

func TestLeaves(t *testing.T) {
	targets := map[string]string{
		"in": "dir/file", "up": "..", "dir/up": "..", "dir/upup": "../..", "abs": "/etc/passwd", "git": ".git/config", "GIT": "dir/../.GIT",
		"back": "dir/../../repo/x", "root": ".", "a": "dir/d/../x", "dir/d": "..", "loop": "pool", "pool": "loop", "self": "self/x",
		"chain": "link1", "link1": "link2", "link2": "../x", "throughloop": "loop/../../..", "nowhere": "missing/../also", "deep/er/l": "../../in",
		"empty": "",
	}
	want := map[string]bool{"up": true, "dir/upup": true, "abs": true, "git": true, "GIT": true, "back": true, "a": true, "chain": true, "link1": true, "link2": true}
	for link := range targets {
		if got := leaves(link, targets); got != want[link] {
			t.Errorf("leaves(%q -> %q) = %v", link, targets[link], got)
		}
	}
}

func TestALinkThatBeginsToLeaveIsFound(t *testing.T) {
	// dir/there is untouched, but what it goes through now is a link.
	_, s := changesOf(t, map[string]string{"there": "-> d/../x", "d/f": "f\n", "old": "-> /etc", "e/f": "f\n"},
		map[string]string{"d": "-> e", "e/g": "g\n", "old2": "-> ../x"})
	if diff := cmp.Diff([]string{"old2"}, s.LeavingLinks); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	_, s = changesOf(t, map[string]string{"there": "-> d/../x", "d/f": "f\n", "old": "-> /etc"}, map[string]string{"d/f": "", "d": "-> ."})
	if diff := cmp.Diff([]string{"there"}, s.LeavingLinks); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

func TestOutsideGrants(t *testing.T) {
	grant := func(tool string, in ...string) plan.Grant { return plan.Grant{Tool: tool, In: in} }
	before := map[string]string{"src/edit": "1\n", "src/gone": "1\n", "docs/x": "1\n", "src/tolink": "x\n"}
	after := map[string]string{"src/edit": "2\n", "src/gone": "", "src/new": "n\n", "docs/x": "2\n", "src/tolink": "-> edit", "src/out": "-> ../../x"}
	_, s := changesOf(t, before, after)
	for _, test := range []struct {
		name   string
		grants []plan.Grant
		want   []string
	}{
		{"none", nil, []string{"docs/x", "src/edit", "src/gone", "src/new", "src/out", "src/tolink"}},
		{"everything, but no link out of the tree", []plan.Grant{grant("write_file"), grant("delete_file")}, []string{"src/out"}},
		{"writing is also editing", []plan.Grant{grant("write_file")}, []string{"src/gone", "src/out"}},
		{"editing is not writing", []plan.Grant{grant("edit_file")}, []string{"src/gone", "src/new", "src/out"}},
		{"deleting", []plan.Grant{grant("delete_file")}, []string{"docs/x", "src/edit", "src/new", "src/out", "src/tolink"}},
		{"each inside its own paths", []plan.Grant{grant("edit_file", "docs/**"), grant("write_file", "src/n*"), grant("delete_file", "src/**")}, []string{"src/edit", "src/out", "src/tolink"}},
		{"reading grants nothing", []plan.Grant{grant("read_file")}, []string{"docs/x", "src/edit", "src/gone", "src/new", "src/out", "src/tolink"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			got, err := OutsideGrants(s, test.grants)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(test.want, got, cmpopts.EquateEmpty()); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
		})
	}
	if _, err := OutsideGrants(s, []plan.Grant{grant("edit_file", "[")}); err == nil {
		t.Error("a malformed glob was taken")
	}
}

func TestASubmoduleIsNeverGranted(t *testing.T) {
	repo := newRepository(t, base)
	r := repo.open()
	link := func(id string) Commit {
		repo.git("update-index", "--add", "--cacheinfo", "160000,"+id+",sub")
		repo.git("commit", "--quiet", "-m", "x")
		return Commit(repo.git("rev-parse", "HEAD"))
	}
	appears := link(strings.Repeat("1", 40))
	moves := link(strings.Repeat("2", 40))
	repo.git("rm", "--quiet", "--cached", "sub")
	repo.git("commit", "--quiet", "-m", "x")
	vanishes := Commit(repo.git("rev-parse", "HEAD"))
	all := []plan.Grant{{Tool: "write_file"}, {Tool: "delete_file"}}
	for _, test := range []struct {
		base, head Commit
		want       []string
	}{{r.Head(), appears, []string{"sub"}}, {appears, moves, []string{"sub"}}, {moves, vanishes, nil}} {
		s, err := r.Changes(t.Context(), test.base, test.head)
		if err != nil {
			t.Fatal(err)
		}
		got, err := OutsideGrants(s, all)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(test.want, got, cmpopts.EquateEmpty()); diff != "" {
			t.Errorf("(-want +got)\n%s", diff)
		}
		for line := range s.AddedLines(t.Context()) {
			t.Errorf("a submodule has no lines, and got %v", line)
		}
	}
}

func TestProtected(t *testing.T) {
	_, s := changesOf(t, map[string]string{".github/x.yml": "1\n"},
		map[string]string{".github/x.yml": "", "protocol.snodo": "p\n", "src/a": "a\n", ".GitHub/y": "y\n"})
	got, err := Protected(s, []string{".github/**"}, []string{"protocol.snodo", "std/solo/x.snodo"})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{".github/x.yml", "protocol.snodo"}, got); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

func TestCleanPath(t *testing.T) {
	for in, want := range map[string]string{
		".": ".", "a": "a", "./a//b/": "a/b", "a/./b": "a/b", "a b": "a b", "é": "é", "a/-b": "a/-b", ".github/x": ".github/x", "a.git/x": "a.git/x", "...": "...", `a\b`: `a\b`,
	} {
		if got, err := CleanPath(in); got != want || err != nil {
			t.Errorf("CleanPath(%q) = %q, %v", in, got, err)
		}
	}
	for _, in := range []string{"", "/", "/etc", "..", "a/../b", "a/..", "-x", "./-x", ".git", ".git/config", "a/.GIT/x", "a\x00b", "a\nb", "a\x1b[0m", "\xff"} {
		if got, err := CleanPath(in); !isA[*PathError](err) {
			t.Errorf("CleanPath(%q) = %q, %v", in, got, err)
		}
	}
}

func FuzzReadPatch(f *testing.F) {
	f.Add("diff --git a/a b/a\n@@ -1 +1 @@\n-x\n+y\n", 1)
	f.Add("diff --git a/a b/a\ndiff --git a/b b/b\n@@ -0,0 +1,2 @@ f\n+\n\n", 2)
	f.Add("@@", 0)
	f.Fuzz(func(t *testing.T, patch string, n int) {
		changes := make([]Change, min(max(n, 0), 9))
		for i := range changes {
			changes[i] = Change{Path: fmt.Sprint(i), Kind: []Kind{Modified, TypeChanged}[i%2]}
		}
		seen := 0
		err := readPatch(strings.NewReader(patch), changes, func(p patchLine) error {
			if p.change == nil {
				t.Fatal("a line belongs to no change")
			}
			seen++
			return nil
		})
		if err == nil && len(changes) > 0 && seen == 0 {
			t.Fatal("nothing was read of changes, and no error")
		}
	})
}

func FuzzGitOutput(f *testing.F) {
	f.Add([]byte(":100644 100755 1 1 M\x00a\x00"))
	f.Add([]byte("100644 blob 1 5\ta\x00040000 tree 2 -\td\x00"))
	f.Add([]byte("040000 tree 2 -64\td\x00"))
	f.Add([]byte("1\nname\n1700000000\nsubject\x00"))
	f.Add([]byte("1 blob 5\n"))
	f.Fuzz(func(t *testing.T, out []byte) {
		changes, err := parseRaw(out)
		for _, c := range changes {
			if err == nil && (c.Path == "" || c.Kind.String() == "") {
				t.Fatalf("got %+v", c)
			}
		}
		entries, err := parseTree(out)
		for _, e := range entries {
			if err == nil && (e.Path == "" || e.Size < 0) {
				t.Fatalf("got %+v", e)
			}
		}
		_, _ = parseLog(out)
		if n, err := parseHeader(string(out)); err == nil && n < 0 {
			t.Fatalf("got %d", n)
		}
	})
}

func FuzzCleanPath(f *testing.F) {
	for _, seed := range []string{"a/b", "../x", "/", ".git", "-x", "a//./b", "\x00"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, name string) {
		clean, err := CleanPath(name)
		if err != nil {
			return
		}
		if !filepath.IsLocal(clean) || strings.HasPrefix(clean, "-") || strings.Contains(strings.ToLower("/"+clean+"/"), "/.git/") {
			t.Fatalf("CleanPath(%q) = %q", name, clean)
		}
		if again, err := CleanPath(clean); again != clean || err != nil {
			t.Fatalf("CleanPath(%q) = %q, %v", clean, again, err)
		}
	})
}
