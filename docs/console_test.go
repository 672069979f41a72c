package docs

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
	"github.com/rogpeppe/go-internal/txtar"

	"github.com/snodo-lang/snodo/internal/command"
	"github.com/snodo-lang/snodo/internal/docstest"
	"github.com/snodo-lang/snodo/internal/testendpoint"
)

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){
		"snodo":  func() { os.Exit(command.Snodo()) },
		"snodoc": func() { os.Exit(command.Snodoc()) },
	})
}

// Every command that a page types does what the page says, typed one after
// another in one folder.
func TestConsolesPrintWhatThePagesSay(t *testing.T) {
	found := 0
	for _, p := range pages(t) {
		if !slices.ContainsFunc(p.blocks, isConsole) {
			continue
		}
		found++
		t.Run(strings.ReplaceAll(p.path, "/", "_"), func(t *testing.T) {
			t.Parallel()
			newReader(t, filepath.Dir("../"+p.path)).follow(p)
		})
	}
	if found == 0 {
		t.Error("no page types a command")
	}
}

func isConsole(b docstest.Block) bool { return b.Kind == docstest.Fence && b.Info == "console" }

// pageEndpoint is the address by which pages call the endpoint that answers.
const pageEndpoint = "http://127.0.0.1:8080/v1"

// A reader follows a page, in a folder of its own.
type reader struct {
	*testing.T
	pageDir string // of the page, where its scripts and archives lie
	home    string
	env     []string
	shell   *docstest.Shell
	runs    docstest.Runs
	server  *testendpoint.Server // nil before a page has one
	saveAs  string               // the name under which the next block is saved
}

func newReader(t *testing.T, pageDir string) *reader {
	t.Helper()
	// The folder has a name that a page can show.
	top, home, state := t.TempDir(), t.TempDir(), t.TempDir()
	dir := filepath.Join(top, "reader")
	err := errors.Join(os.Mkdir(dir, 0o755), os.WriteFile(filepath.Join(home, "gitconfig"), []byte(
		"[user]\n\tname = A Person\n\temail = person@example.com\n[init]\n\tdefaultBranch = main\n[safe]\n\tdirectory = *\n[advice]\n\tdetachedHead = false\n"), 0o644))
	if err != nil {
		t.Fatal(err)
	}
	r := &reader{T: t, pageDir: pageDir, home: home, runs: docstest.Runs{}, env: []string{
		"PATH=" + os.Getenv("PATH"), "HOME=" + home, "XDG_CACHE_HOME=" + filepath.Join(home, "cache"), "TMPDIR=" + os.TempDir(),
		"GIT_CONFIG_GLOBAL=" + filepath.Join(home, "gitconfig"), "GIT_CONFIG_NOSYSTEM=1", "GIT_CEILING_DIRECTORIES=" + top,
		"OPENAI_BASE_URL=http://127.0.0.1:1/v1",
		// What is built for one page is built for all of them.
		"GOCACHE=" + goCache(t), "GOTOOLCHAIN=local", "GOPROXY=off", "GOFLAGS=-mod=mod",
	}}
	if r.shell, err = docstest.NewShell(dir, state, r.env); err != nil {
		t.Fatal(err)
	}
	return r
}

func goCache(t *testing.T) string {
	t.Helper()
	out, err := exec.Command("go", "env", "GOCACHE").Output()
	if err != nil {
		t.Fatalf("go env GOCACHE: %v", err)
	}
	return strings.TrimSpace(string(out))
}

// follow does what the page says from its first line to its last.
func (r *reader) follow(p page) {
	r.Helper()
	var typed []docstest.Command
	for _, b := range p.blocks {
		if isConsole(b) {
			commands, err := b.Commands()
			if err != nil {
				r.Fatalf("%s: %v", p.path, err)
			}
			typed = append(typed, commands...)
		}
	}
	for _, b := range p.blocks {
		switch {
		case b.Kind == docstest.Directive:
			r.direct(b)
		case isConsole(b):
			commands, _ := b.Commands() // they were read above
			for _, c := range commands {
				typed = typed[1:]
				checked := len(typed) > 0 && docstest.AsksForCode(typed[0].Text)
				r.enter(fmt.Sprintf("%s:%d", p.path, c.Line), c, checked)
			}
		case r.saveAs != "":
			text := b.Text
			if b.Info == "snodo fragment" {
				text = edition + "\n" + text
			}
			r.save(r.saveAs, []byte(text))
			r.saveAs = ""
		}
	}
}

// enter types a command, and holds what comes of it to the page. An exit code
// that is not 0 is one that the page looks at.
func (r *reader) enter(at string, c docstest.Command, checked bool) {
	r.Helper()
	text := c.Text
	if r.server != nil {
		text = strings.ReplaceAll(text, pageEndpoint, r.server.URL)
	}
	printed, code, err := r.shell.Type(r.Context(), r.runs.Real(text))
	if err != nil {
		r.Fatalf("%s: %v", at, err)
	}
	if r.server != nil {
		printed = strings.ReplaceAll(printed, r.server.URL, pageEndpoint)
	}
	if code != 0 && !checked {
		r.Fatalf("%s: %s\nit exited with %d, and the page does not say so; it printed\n%s", at, c.Text, code, printed)
	}
	if err := r.runs.Match(c.Want, printed); err != nil {
		r.Fatalf("%s: %s\n%v", at, c.Text, err)
	}
}

func (r *reader) direct(b docstest.Block) {
	r.Helper()
	switch b.Info {
	case "file":
		r.saveAs = b.Text
	case "endpoint":
		r.answer(b.Text)
	case "repository":
		r.unpack(b.Text)
	case "warns": // what is said of a source
	default:
		panic("docs: no such directive: " + b.Info)
	}
}

// answer starts an endpoint, which is the one of all commands from here on.
func (r *reader) answer(scripts string) {
	r.Helper()
	file, err := os.Open(filepath.Join(r.pageDir, scripts))
	if err != nil {
		r.Fatal(err)
	}
	defer file.Close()
	loaded, err := testendpoint.LoadScripts(file)
	if err != nil {
		r.Fatalf("%s: %v", scripts, err)
	}
	r.server = testendpoint.Start(r.T, loaded...)
}

// unpack makes the current folder a repository with the files of an archive,
// or with those of a folder.
func (r *reader) unpack(from string) {
	r.Helper()
	from = filepath.Join(r.pageDir, from)
	if strings.HasSuffix(from, ".txtar") {
		a, err := txtar.ParseFile(from)
		if err != nil {
			r.Fatal(err)
		}
		for _, f := range a.Files {
			r.save(f.Name, f.Data)
		}
	} else {
		dir, err := r.shell.Dir()
		if err = errors.Join(err, os.CopyFS(dir, os.DirFS(from))); err != nil {
			r.Fatal(err)
		}
	}
	const commit = "git init -q && git add -A && git commit -q -m 'Begin'"
	if printed, code, err := r.shell.Type(r.Context(), commit); err != nil || code != 0 {
		r.Fatalf("commit %s: %s%v", from, printed, err)
	}
}

func (r *reader) save(name string, content []byte) {
	r.Helper()
	dir, err := r.shell.Dir()
	if err != nil {
		r.Fatal(err)
	}
	path := filepath.Join(dir, filepath.FromSlash(name))
	if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, content, 0o644)); err != nil {
		r.Fatal(err)
	}
}

// What a page shows as JSON is JSON, unless it leaves something out.
func TestJSONInPagesIsJSON(t *testing.T) {
	for _, p := range pages(t) {
		for _, b := range p.blocks {
			if b.Kind == docstest.Fence && b.Info == "json" && !strings.Contains(b.Text, docstest.Anything) && !json.Valid([]byte(b.Text)) {
				t.Errorf("%s:%d: it is no JSON", p.path, b.Line)
			}
		}
	}
}
