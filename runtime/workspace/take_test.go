package workspace

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/snodo-lang/snodo/runtime/child"
)

var base = map[string]string{
	"a.txt":     "one\ntwo\n",
	"dir/b.txt": "bee\n",
	"dir/c.txt": "sea\n",
}

// changed returns base with some files changed, "" deleting one.
func changed(files map[string]string) map[string]string {
	all := map[string]string{}
	for _, m := range []map[string]string{base, files} {
		for name, content := range m {
			if all[name] = content; content == "" {
				delete(all, name)
			}
		}
	}
	return all
}

// A hostile coder may do what it likes in its folder: what is taken is what
// stands there. Each line runs in the folder; TRAP is a file outside that
// nothing may create.
func TestTheChangeIsWhatStandsInTheFolder(t *testing.T) {
	const trap = `printf '#!/bin/sh\n>"%s"\ncat\n' "$TRAP" >"$TRAP.sh"; chmod +x "$TRAP.sh"; `
	for _, test := range []struct {
		name, line string
		want       map[string]string // besides base
		refused    []string
	}{
		{name: "nothing", line: `:`},
		{name: "edits, additions and deletions", line: `echo three >>a.txt; echo new >n.txt; rm dir/b.txt`,
			want: map[string]string{"a.txt": "one\ntwo\nthree\n", "n.txt": "new\n", "dir/b.txt": ""}},
		{name: "a commit of its own", line: `echo x >n.txt; git add -A; git commit -qm mine`,
			want: map[string]string{"n.txt": "x\n"}},
		{name: "a commit and more after it", line: `echo x >n.txt; git add -A; git commit -qm mine; echo y >n.txt`,
			want: map[string]string{"n.txt": "y\n"}},
		{name: "a reset history", line: `echo x >n.txt; git checkout -q --orphan other; git branch -D snodo; git rm -qr --cached .`,
			want: map[string]string{"n.txt": "x\n"}},
		{name: "something staged and not there", line: `echo x >n.txt; git add n.txt; rm n.txt`},
		{name: "files marked as unchanged", line: `git update-index --assume-unchanged a.txt; git update-index --skip-worktree dir/b.txt; echo x >a.txt; echo x >dir/b.txt`,
			want: map[string]string{"a.txt": "x\n", "dir/b.txt": "x\n"}},
		{name: "same size and time", line: `touch -r a.txt stamp; printf 'ONE\ntwo\n' >a.txt; touch -r stamp a.txt; rm stamp`,
			want: map[string]string{"a.txt": "ONE\ntwo\n"}},
		{name: "hooks", line: trap + `mkdir -p .git/hooks; for h in pre-commit post-commit post-checkout post-index-change reference-transaction; do cp "$TRAP.sh" .git/hooks/$h; done; echo x >a.txt`,
			want: map[string]string{"a.txt": "x\n"}},
		{name: "fsmonitor", line: trap + `git config core.fsmonitor "$TRAP.sh"; echo x >a.txt`,
			want: map[string]string{"a.txt": "x\n"}},
		{name: "a filter", line: trap + `git config filter.f.clean "$TRAP.sh"; git config filter.f.process "$TRAP.sh"; git config filter.f.required true; echo '* filter=f' >.gitattributes; echo x >a.txt`,
			want: map[string]string{"a.txt": "x\n", ".gitattributes": "* filter=f\n"}},
		{name: "attributes that change bytes", line: `printf '* text=auto eol=crlf ident working-tree-encoding=UTF-16\n' >.gitattributes; printf 'x\r\n$Id$\r\n' >a.txt`,
			want: map[string]string{"a.txt": "x\r\n$Id$\r\n", ".gitattributes": "* text=auto eol=crlf ident working-tree-encoding=UTF-16\n"}},
		{name: "an exclude file in its git directory", line: `mkdir -p .git/info; echo '*' >.git/info/exclude; echo x >n.txt`,
			want: map[string]string{"n.txt": "x\n"}},
		{name: "an excludes file in its configuration", line: `echo '*' >.git/all; git config core.excludesFile "$PWD/.git/all"; echo x >n.txt`,
			want: map[string]string{"n.txt": "x\n"}},
		{name: "ignored files stay behind, tracked ones do not", line: `printf 'out/\na.txt\n' >.gitignore; mkdir out; echo x >out/x; echo x >a.txt`,
			want: map[string]string{".gitignore": "out/\na.txt\n", "a.txt": "x\n"}},
		{name: "another work tree", line: `git config core.worktree /; echo x >a.txt`,
			want: map[string]string{"a.txt": "x\n"}},
		{name: "a sparse checkout", line: `git sparse-checkout set --no-cone /a.txt; test ! -e dir; mkdir -p dir; echo bee >dir/b.txt; echo sea >dir/c.txt; echo x >n.txt`,
			want: map[string]string{"n.txt": "x\n"}},
		{name: "no git directory", line: `rm -rf .git; echo x >a.txt`,
			want: map[string]string{"a.txt": "x\n"}},
		{name: "a git directory of another repository", line: `rm -rf .git; git init -q .; git add -A; git -c user.name=a -c user.email=b commit -qm other; echo x >a.txt`,
			want: map[string]string{"a.txt": "x\n"}},
		{name: "a git file that points elsewhere", line: `mv .git "$TRAP.git"; echo "gitdir: $TRAP.git" >.git; echo x >a.txt`,
			want: map[string]string{"a.txt": "x\n"}},
		{name: "a git link that points elsewhere", line: `mv .git "$TRAP.git"; ln -s "$TRAP.git" .git; echo x >a.txt`,
			want: map[string]string{"a.txt": "x\n"}},
		{name: "a git directory that is no such thing", line: `rm -rf .git; echo nonsense >.git; echo x >a.txt`,
			want: map[string]string{"a.txt": "x\n"}},
		{name: "a nested repository", line: `git init -q sub; echo x >sub/x; echo y >n.txt`,
			want: map[string]string{"n.txt": "y\n"}, refused: []string{"sub"}},
		{name: "a nested repository with a commit", line: `git init -q sub; cd sub; echo x >x; git add x; git -c user.name=a -c user.email=b commit -qm x`,
			refused: []string{"sub"}},
		{name: "a repository around tracked files", line: `git init -q dir; echo x >dir/b.txt; echo x >dir/new`,
			refused: []string{"dir"}},
		{name: "a nested git file", line: `mkdir sub; echo "gitdir: /nowhere" >sub/.git; echo x >sub/x`,
			refused: []string{"sub"}},
		{name: "a bare repository", line: `git init -q --bare sub; echo x >sub/objects/x; echo x >sub/refs/x`,
			refused: []string{"sub"}},
		{name: "an ignored nested repository", line: `echo deps/ >.gitignore; git init -q deps/one; echo x >deps/one/x`,
			want: map[string]string{".gitignore": "deps/\n"}},
		{name: "names that git reserves", line: `mkdir -p d/.GIT 'git~1'; echo x >d/.GIT/config; echo x >'git~1/x'; ln -s /etc .gitmodules`,
			refused: []string{".gitmodules", "d/.GIT/config", "git~1/x"}},
		{name: "a link out of the tree", line: `ln -s /etc/passwd l; ln -s ../../.. up`,
			want: map[string]string{"l": "-> /etc/passwd", "up": "-> ../../.."}},
		{name: "a link in place of a folder", line: `mv dir real; ln -s real dir`,
			want: map[string]string{"dir": "-> real", "dir/b.txt": "", "dir/c.txt": "", "real/b.txt": "bee\n", "real/c.txt": "sea\n"}},
		{name: "a link to a folder outside in place of a folder", line: `mkdir "$TRAP.d"; mv dir/* "$TRAP.d"; rmdir dir; ln -s "$TRAP.d" dir`,
			want: map[string]string{"dir": "-> TRAP.d", "dir/b.txt": "", "dir/c.txt": ""}},
		{name: "a folder in place of a file", line: `rm a.txt; mkdir a.txt; echo x >a.txt/x`,
			want: map[string]string{"a.txt": "", "a.txt/x": "x\n"}},
		{name: "a file in place of a folder", line: `rm -r dir; echo x >dir`,
			want: map[string]string{"dir/b.txt": "", "dir/c.txt": "", "dir": "x\n"}},
		{name: "a pipe in place of a file", line: `rm a.txt; mkfifo a.txt pipe`,
			want: map[string]string{"a.txt": ""}},
		{name: "permissions", line: `chmod +x a.txt; chmod 600 dir/b.txt`,
			want: map[string]string{"a.txt": "executable one\ntwo\n"}},
		{name: "odd names", line: `echo 1 >'-rf'; echo 2 >':(glob)*'; echo 3 >'q"uo\te'; echo 4 >"$(printf 'new\nline')"; echo 5 >' '; echo 6 >'"quoted"'; echo 7 >'*'`,
			want: map[string]string{"-rf": "1\n", ":(glob)*": "2\n", `q"uo\te`: "3\n", "new\nline": "4\n", " ": "5\n", `"quoted"`: "6\n", "*": "7\n"}},
		{name: "variables of git", line: `echo x >a.txt`, want: map[string]string{"a.txt": "x\n"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			trap := filepath.Join(realTempDir(t), "trap")
			t.Setenv("TRAP", trap)
			repo := newRepository(t, base)
			r := repo.open()
			f := folder(t, r)
			sh(t, f.Dir(), test.line)
			for _, v := range []string{"GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_OBJECT_DIRECTORY", "GIT_EXTERNAL_DIFF"} {
				t.Setenv(v, trap)
			}
			before := fingerprint(t, repo.dir)

			taken := take(t, r, f)

			want := changed(test.want)
			got := contents(t, r, taken.Commit)
			for name, content := range want {
				want[name] = strings.Replace(content, "-> TRAP", "-> "+trap, 1)
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
			var refused []string
			for _, one := range taken.Refused {
				refused = append(refused, one.Path)
			}
			if diff := cmp.Diff(test.refused, refused); diff != "" {
				t.Errorf("refused (-want +got)\n%s", diff)
			}
			if _, err := os.Lstat(trap); err == nil {
				t.Error("something of the coder's ran")
			}
			if diff := cmp.Diff(before, fingerprint(t, repo.dir)); diff != "" {
				t.Errorf("the caller's repository changed (-before +after)\n%s", diff)
			}
		})
	}
}

// fingerprint sums up everything in a repository but its object store.
func fingerprint(t *testing.T, dir string) map[string]string {
	t.Helper()
	sums := map[string]string{}
	err := filepath.WalkDir(dir, func(place string, e fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if e.IsDir() {
			if place == filepath.Join(dir, ".git", "objects") {
				return fs.SkipDir
			}
			sums[place] = "folder"
			return nil
		}
		info, err := e.Info()
		if err != nil {
			return err
		}
		content := []byte{}
		if info.Mode().IsRegular() {
			if content, err = os.ReadFile(place); err != nil {
				return err
			}
		}
		sums[place] = fmt.Sprintf("%v %v %x", info.Mode(), info.ModTime().UnixNano(), sha256.Sum256(content))
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return sums
}

func TestTheSameChangeIsTheSameCommit(t *testing.T) {
	r := newRepository(t, base).open()
	f := folder(t, r)
	writeFiles(t, f.Dir(), map[string]string{"n.txt": "new\n"})
	m := Message{Text: "Attempt 1\n", When: then, Trailers: []Trailer{{"Snodo-Run", "r1"}, {"Snodo-Plan", "sha256:1\nInjected: 2"}}}
	first, err := r.TakeChange(t.Context(), f, r.Head(), m)
	if err != nil {
		t.Fatal(err)
	}
	second, err := r.TakeChange(t.Context(), f, r.Head(), m)
	if err != nil {
		t.Fatal(err)
	}
	if first.Commit != second.Commit || !first.Changed {
		t.Errorf("got %+v and %+v", first, second)
	}
	raw, _, err := r.objects.read(t.Context(), string(first.Commit), MaxBlob)
	if err != nil {
		t.Fatal(err)
	}
	want := fmt.Sprintf("tree %s\nparent %s\nauthor snodo <snodo@localhost> 1700000000 +0000\ncommitter snodo <snodo@localhost> 1700000000 +0000\n\n"+
		"Attempt 1\n\nSnodo-Run: r1\nSnodo-Plan: sha256:1 Injected: 2\n", first.Tree, r.Head())
	if diff := cmp.Diff(want, string(raw)); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

func TestALaterAttemptStandsOnTheOneBefore(t *testing.T) {
	r := newRepository(t, base).open()
	f := folder(t, r)
	writeFiles(t, f.Dir(), map[string]string{"n.txt": "new\n"})
	first := take(t, r, f)
	again, err := r.TakeChange(t.Context(), f, first.Commit, Message{Text: "Attempt 2", When: then})
	if err != nil {
		t.Fatal(err)
	}
	if again.Changed || again.Tree != first.Tree {
		t.Errorf("nothing changed since, and got %+v", again)
	}
	if got := newCommit(t, r, again.Commit); got != string(first.Commit) {
		t.Errorf("its parent is %s, want %s", got, first.Commit)
	}
}

func newCommit(t *testing.T, r *Repository, c Commit) string {
	t.Helper()
	parent, err := r.git.line(t.Context(), "rev-parse", string(c)+"^")
	if err != nil {
		t.Fatal(err)
	}
	return parent
}

func TestAChangeHasLimits(t *testing.T) {
	r := newRepository(t, base).open()
	t.Run("bytes", func(t *testing.T) {
		f := folder(t, r)
		w, err := os.Create(filepath.Join(f.Dir(), "huge"))
		if err != nil {
			t.Fatal(err)
		}
		defer w.Close()
		if err := w.Truncate(1 << 40); err != nil {
			t.Skip(err)
		}
		_, err = r.TakeChange(t.Context(), f, f.Commit(), Message{When: then})
		var tooLarge *TooLargeError
		if !errors.As(err, &tooLarge) {
			t.Errorf("got %v", err)
		}
	})
	t.Run("files", func(t *testing.T) {
		f := folder(t, r)
		for i := range MaxChangedFiles + 1 {
			if err := os.WriteFile(filepath.Join(f.Dir(), fmt.Sprint("n", i)), nil, 0o600); err != nil {
				t.Fatal(err)
			}
		}
		_, err := r.TakeChange(t.Context(), f, f.Commit(), Message{When: then})
		var tooLarge *TooLargeError
		if !errors.As(err, &tooLarge) {
			t.Errorf("got %v", err)
		}
	})
}

func TestACheckIsHeldToTheTrackedFiles(t *testing.T) {
	r := newRepository(t, base).open()
	f := folder(t, r)
	look := func() []string {
		t.Helper()
		changed, err := f.ChangedTracked(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		return changed
	}
	sh(t, f.Dir(), `touch a.txt; echo built >out; rm -rf .git`)
	if got := look(); got != nil {
		t.Errorf("nothing tracked changed, and got %q", got)
	}
	sh(t, f.Dir(), `touch -r a.txt stamp; printf 'ONE\ntwo\n' >a.txt; touch -r stamp a.txt; chmod +x dir/b.txt; rm dir/c.txt`)
	if diff := cmp.Diff([]string{"a.txt", "dir/b.txt", "dir/c.txt"}, look()); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

func TestSubmodules(t *testing.T) {
	other := newRepository(t, map[string]string{"x": "x\n"})
	repo := newRepository(t, base)
	repo.git("-c", "protocol.file.allow=always", "submodule", "--quiet", "add", other.dir, "sub")
	repo.git("commit", "--quiet", "-m", "A submodule")
	r := repo.open()
	fill := `git -c protocol.file.allow=always submodule --quiet update --init; `
	for _, test := range []struct {
		name, line string
		refused    bool
		changed    bool
	}{
		{"is left alone", `:`, false, false},
		{"is filled", fill, false, false},
		{"is filled and worked in", fill + `echo y >sub/x`, false, false},
		{"moves", fill + `cd sub; git -c user.name=a -c user.email=b commit -q --allow-empty -m moved`, true, false},
		{"is replaced by a repository", `git init -q sub`, true, false},
		{"vanishes", `rmdir sub`, false, true},
	} {
		t.Run(test.name, func(t *testing.T) {
			f := folder(t, r)
			sh(t, f.Dir(), test.line)
			taken := take(t, r, f)
			if (len(taken.Refused) > 0) != test.refused || taken.Changed != test.changed {
				t.Errorf("got %+v", taken)
			}
		})
	}
}

func TestAFileThatCannotBeReadIsAnError(t *testing.T) {
	if syscall.Geteuid() == 0 {
		t.Skip("root reads everything")
	}
	r := newRepository(t, base).open()
	f := folder(t, r)
	sh(t, f.Dir(), `echo x >n.txt; chmod 0 n.txt`)
	if _, err := r.TakeChange(t.Context(), f, f.Commit(), Message{When: then}); err == nil {
		t.Error("it was left out without a word")
	}
}

func TestWhatWasLeftRunningWritesNoMore(t *testing.T) {
	r := newRepository(t, base).open()
	f := folder(t, r)
	ended := child.Run(t.Context(), child.Command{
		Argv: child.Shell(`(while :; do echo more >>n.txt; done) & while [ ! -s n.txt ]; do :; done; echo x >a.txt`),
		Dir:  f.Dir(), Env: []string{"PATH=" + os.Getenv("PATH")}, Timeout: time.Minute,
	})
	if !ended.Succeeded() {
		t.Fatal(ended)
	}
	first := take(t, r, f)
	if second := take(t, r, f); first.Commit != second.Commit || !first.Changed {
		t.Errorf("got %+v, and then %+v", first, second)
	}
}

func TestTheCallersOwnIgnoreRulesApply(t *testing.T) {
	repo := newRepository(t, base)
	global := filepath.Join(realTempDir(t), "ignore")
	config := filepath.Join(filepath.Dir(global), "config")
	writeFiles(t, filepath.Dir(global), map[string]string{"ignore": "*.swp\n", "config": "[core]\n\texcludesFile = " + global + "\n"})
	writeFiles(t, repo.dir, map[string]string{".git/info/exclude": ".tool/\na.txt\n"})
	t.Setenv("GIT_CONFIG_GLOBAL", config)
	r := repo.open()
	f := folder(t, r)
	writeFiles(t, f.Dir(), map[string]string{".tool/x": "x\n", "n.swp": "x\n", "n.txt": "x\n", "a.txt": "x\n"})
	want := changed(map[string]string{"n.txt": "x\n", "a.txt": "x\n"})
	if diff := cmp.Diff(want, contents(t, r, take(t, r, f).Commit)); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}
