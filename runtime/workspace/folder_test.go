package workspace

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// onDisk returns the files of a folder, without its git directory.
func onDisk(t *testing.T, dir string) map[string]string {
	t.Helper()
	got := map[string]string{}
	err := filepath.WalkDir(dir, func(place string, e fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name, _ := filepath.Rel(dir, place)
		switch {
		case e.Name() == ".git":
			return fs.SkipDir
		case e.Type() == fs.ModeSymlink:
			target, err := os.Readlink(place)
			got[name] = "-> " + target
			return err
		case e.IsDir():
			return nil
		}
		content, err := os.ReadFile(place)
		got[name] = string(content)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return got
}

// Attributes and configuration of the repository and its user say otherwise,
// and the bytes are as committed, both ways.
func TestAFolderHoldsTheBytesAsTheyWereCommitted(t *testing.T) {
	trap := filepath.Join(realTempDir(t), "trap")
	files := map[string]string{
		".gitattributes":     "* text=auto eol=crlf ident filter=f\nwide working-tree-encoding=UTF-16\n",
		"dir/.gitattributes": "* eol=crlf\n",
		"unix":               "a\nb\n", "dir/unix": "a\n", "windows": "a\r\nb\r\n", "id": "$Id$\n", "wide": "plain\n",
		"link": "-> unix", "-x": "x\n", "pointer": "version https://git-lfs.github.com/spec/v1\n",
	}
	repo := emptyRepository(t)
	writeFiles(t, repo.dir, files)
	repo.git("-c", "core.attributesFile=/dev/null", "update-index", "--add", "--cacheinfo", "100644,"+repo.git("hash-object", "-w", "--no-filters", "wide")+",wide")
	for name := range files {
		if name == "link" {
			repo.git("add", "link")
			continue
		}
		repo.git("update-index", "--add", "--cacheinfo", "100644,"+repo.git("hash-object", "-w", "--no-filters", "--", name)+","+name)
	}
	repo.git("commit", "--quiet", "-m", "x")
	config := filepath.Join(realTempDir(t), "config")
	if err := os.WriteFile(config, []byte("[core]\n\tautocrlf = true\n\thooksPath = "+repo.dir+"/hooks\n\tattributesFile = "+repo.dir+"/.gitattributes\n"+
		"[filter \"f\"]\n\tsmudge = touch "+trap+"\n\tclean = touch "+trap+"\n\trequired = true\n[init]\n\ttemplateDir = "+repo.dir+"\n\tdefaultObjectFormat = sha256\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	t.Setenv("GIT_CONFIG_GLOBAL", config)
	sh(t, repo.dir, `mkdir hooks; printf '#!/bin/sh\ntouch `+trap+`\n' >hooks/post-checkout; cp hooks/post-checkout hooks/reference-transaction; cp hooks/post-checkout hooks/post-index-change; chmod +x hooks/*`)
	r := repo.open()

	f := folder(t, r)
	if diff := cmp.Diff(files, onDisk(t, f.Dir())); diff != "" {
		t.Errorf("checked out (-want +got)\n%s", diff)
	}
	taken := take(t, r, f)
	if taken.Changed {
		t.Errorf("taken back: %v", contents(t, r, taken.Commit))
	}
	if changed, err := f.ChangedTracked(t.Context()); changed != nil || err != nil {
		t.Errorf("changed %q, %v", changed, err)
	}
	if _, err := os.Lstat(trap); err == nil {
		t.Error("a filter or hook ran")
	}
}

func TestAFolderWorksForACodersOwnGit(t *testing.T) {
	repo := newRepository(t, base)
	repo.git("remote", "add", "origin", "https://example.org/x")
	r := repo.open()
	f := folder(t, r)
	sh(t, f.Dir(), `
		test "$(git symbolic-ref HEAD)" = refs/heads/snodo
		test "$(git rev-parse HEAD)" = "`+string(r.Head())+`"
		test -z "$(git status --porcelain)"
		test -z "$(git remote)"
		git log -1 >/dev/null
		echo x >n; git add n; git commit -qm n; git checkout -q -b other`)
	if got := repo.git("for-each-ref"); strings.Contains(got, "other") {
		t.Errorf("the caller's refs: %s", got)
	}
}

func TestAFolderHasTheObjectFormatOfTheCaller(t *testing.T) {
	repo := fixture{t: t, dir: realTempDir(t)}
	repo.git("init", "--quiet", "--template=", "--object-format=sha256", ".")
	repo.commit(base)
	r := repo.open()
	f := folder(t, r)
	sh(t, f.Dir(), `git status >/dev/null; echo x >n; rm a.txt`)
	taken := take(t, r, f)
	if diff := cmp.Diff(changed(map[string]string{"n": "x\n", "a.txt": ""}), contents(t, r, taken.Commit)); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	if err := r.Keep(t.Context(), "r1", 1, taken.Commit); err != nil {
		t.Error(err)
	}
}

func TestAFolderBorrowsWhatTheCallerBorrows(t *testing.T) {
	origin := newRepository(t, base)
	middle := fixture{t: t, dir: filepath.Join(realTempDir(t), "middle")}
	origin.git("clone", "--quiet", "--shared", origin.dir, middle.dir)
	last := fixture{t: t, dir: filepath.Join(filepath.Dir(middle.dir), "last")}
	middle.git("clone", "--quiet", "--shared", middle.dir, last.dir)
	alternates := filepath.Join(last.dir, ".git/objects/info/alternates")
	if err := os.WriteFile(alternates, []byte("# relative\n../../../middle/.git/objects\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	r := last.open()
	f := folder(t, r)
	sh(t, f.Dir(), `git fsck --full`)
	if diff := cmp.Diff(base, onDisk(t, f.Dir())); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

func TestAFolderLiesOutsideOfEveryRepository(t *testing.T) {
	repo := newRepository(t, base)
	r := repo.open()
	bare := filepath.Join(realTempDir(t), "bare")
	gitAt(t, filepath.Dir(bare), "init", "--quiet", "--bare", bare)
	link := filepath.Join(realTempDir(t), "link")
	if err := os.Symlink(repo.dir, link); err != nil {
		t.Fatal(err)
	}
	for _, dir := range []string{repo.dir + "/cache/x", repo.dir + "/.git/x", bare + "/x", link + "/x", newRepository(t, base).dir + "/deep/er/x"} {
		if _, err := r.MakeFolder(t.Context(), dir, r.Head()); !isA[*InsideRepositoryError](err) {
			t.Errorf("%s: got %v", dir, err)
		}
		if _, err := os.Lstat(filepath.Dir(dir) + "/x"); err == nil {
			t.Errorf("%s was made", dir)
		}
	}
	if _, err := os.Lstat(repo.dir + "/cache"); err == nil {
		t.Error("something was made inside of the repository")
	}
	f := folder(t, r)
	if _, err := r.MakeFolder(t.Context(), f.Dir(), r.Head()); err == nil {
		t.Error("a folder was made twice")
	}
	if _, err := os.Lstat(f.Dir()); err != nil {
		t.Errorf("the folder that was there is gone: %v", err)
	}
}

func TestAFolderThatCannotBeFilledIsRemoved(t *testing.T) {
	r := newRepository(t, base).open()
	dir := filepath.Join(realTempDir(t), "x")
	if _, err := r.MakeFolder(t.Context(), dir, Commit(strings.Repeat("1", 40))); err == nil {
		t.Fatal("a commit that does not exist was checked out")
	}
	if _, err := os.Lstat(dir); err == nil {
		t.Error("it is still there")
	}
}

func TestAFolderIsRemovedWithWhatIsWriteProtected(t *testing.T) {
	r := newRepository(t, base).open()
	f := folder(t, r)
	outside := realTempDir(t)
	writeFiles(t, outside, map[string]string{"kept": "x\n"})
	sh(t, f.Dir(), `mkdir -p mod/deep; echo x >mod/deep/x; ln -s `+outside+` mod/link; chmod 500 mod/deep mod`)
	if err := f.Remove(); err != nil {
		t.Fatal(err)
	}
	if _, err := r.OpenFolder(f.Dir(), f.Commit()); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("got %v", err)
	}
	if err := f.Remove(); err != nil {
		t.Errorf("a second time: %v", err)
	}
	if diff := cmp.Diff(map[string]string{"kept": "x\n"}, onDisk(t, outside)); diff != "" {
		t.Errorf("outside (-want +got)\n%s", diff)
	}
}

func TestRunsInOneRepositoryDoNotMeet(t *testing.T) {
	repo := newRepository(t, base)
	r := repo.open()
	var done sync.WaitGroup
	for _, run := range []string{"r1", "r2", "r3"} {
		dir := filepath.Join(realTempDir(t), run)
		done.Go(func() {
			f, err := r.MakeFolder(t.Context(), dir, r.Head())
			if err != nil {
				t.Error(err)
				return
			}
			if err := os.WriteFile(filepath.Join(f.Dir(), "own"), []byte(run), 0o600); err != nil {
				t.Error(err)
			}
			taken, err := r.TakeChange(t.Context(), f, r.Head(), Message{Text: run, When: then})
			if err != nil {
				t.Error(err)
				return
			}
			if err := r.Keep(t.Context(), run, 1, taken.Commit); err != nil {
				t.Error(err)
			}
			set, err := r.Changes(t.Context(), r.Head(), taken.Commit)
			if err != nil || len(set.Changes) != 1 {
				t.Errorf("%v, %v", set, err)
				return
			}
			if blob, err := r.Tree(taken.Commit).ReadFile(t.Context(), "own"); err != nil || string(blob.Content) != run {
				t.Errorf("%q, %v", blob.Content, err)
			}
		})
	}
	done.Wait()
}
