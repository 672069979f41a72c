package command

import (
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/snodo-lang/snodo/internal/testendpoint"
	"github.com/snodo-lang/snodo/runtime/confine"
)

func TestMain(m *testing.M) {
	// Every event of a run is on disk before the run goes on, so these tests
	// wait for the disk more than for the processor.
	if err := flag.Set("test.parallel", "6"); err != nil {
		panic(err)
	}
	testscript.Main(m, map[string]func(){
		"snodo":          func() { os.Exit(Snodo()) },
		"snodoc":         func() { os.Exit(Snodoc()) },
		"snodo-crashing": crashing,
	})
}

// testKey is where a script keeps the test that it belongs to.
type testKey struct{}

// TestScript plays what a person would type. Each file of testdata/script is
// a scenario, named by command and topic.
func TestScript(t *testing.T) {
	top, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	published := publishedSchemas(t)
	testscript.Run(t, testscript.Params{
		Dir:                 "../../testdata/script",
		RequireExplicitExec: true,
		Setup: func(env *testscript.Env) error {
			env.Values[testKey{}] = env.T()
			env.Values[schemasKey{}] = published
			env.Defer(func() { published.records(env.T().(failing), env.WorkDir) })
			home := filepath.Join(env.WorkDir, "home")
			env.Setenv("HOME", home)
			env.Setenv("XDG_CACHE_HOME", filepath.Join(home, "cache"))
			env.Setenv("GIT_CONFIG_GLOBAL", filepath.Join(home, "gitconfig"))
			env.Setenv("GIT_CONFIG_NOSYSTEM", "1")
			env.Setenv("PROJECT", top)
			if err := os.MkdirAll(home, 0o755); err != nil {
				return err
			}
			return os.WriteFile(filepath.Join(home, "gitconfig"), []byte("[user]\n\tname = A Person\n\temail = person@example.com\n[init]\n\tdefaultBranch = main\n[safe]\n\tdirectory = *\n"), 0o644)
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"exit":     cmdExit,
			"commit":   cmdCommit,
			"endpoint": cmdEndpoint,
			"asked":    cmdAsked,
			"json":     cmdJSON,
			"runid":    cmdRunID,
		},
		Condition: func(cond string) (bool, error) { return condition(top, cond) },
	})
}

// guarded are the paths that the project's own protocol keeps from coders.
var guarded = []string{".ci", "LICENSE", "protocol.snodo"}

// condition tells what is true of the checkout that is tested. Its newest
// commit is plain, empty, or one that touches guarded paths.
func condition(top, cond string) (bool, error) {
	if cond == "history" {
		return exec.Command("git", "-C", top, "rev-parse", "--verify", "--quiet", "HEAD~1").Run() == nil, nil
	}
	if cond == "landlock" {
		return confine.Available() == nil, nil
	}
	want, ok := strings.CutPrefix(cond, "newest:")
	if !ok {
		return false, fmt.Errorf("there is no condition %q", cond)
	}
	changed := func(paths ...string) bool {
		return exec.Command("git", slices.Concat([]string{"-C", top, "diff", "--quiet", "HEAD~1", "HEAD", "--"}, paths)...).Run() != nil
	}
	switch {
	case changed(guarded...):
		return want == "guarded", nil
	case !changed():
		return want == "empty", nil
	}
	return want == "plain", nil
}

// cmdExit runs a program and wants an exit code: exit CODE PROGRAM ARGS…
func cmdExit(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: exit CODE PROGRAM [ARGS…]")
	}
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	got := 0
	if err := ts.Exec(args[1], args[2:]...); err != nil {
		var exit *exec.ExitError
		if !errors.As(err, &exit) {
			ts.Fatalf("%s: %v", args[1], err)
		}
		got = exit.ExitCode()
	}
	ts.Value(schemasKey{}).(*heldToSchemas).printed(ts, args)
	if got != want {
		ts.Fatalf("%s exited with %d, want %d", strings.Join(args[1:], " "), got, want)
	}
}

// cmdCommit makes the current folder a repository, if it is none, and commits
// everything in it: commit MESSAGE
func cmdCommit(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: commit MESSAGE")
	}
	if _, err := os.Stat(ts.MkAbs(".git")); err != nil {
		ts.Check(ts.Exec("git", "init", "-q"))
	}
	ts.Check(ts.Exec("git", "add", "-A"))
	ts.Check(ts.Exec("git", "commit", "-q", "--allow-empty", "-m", args[0]))
}

// A scenario is the part of a testing.T that an endpoint needs. A violation
// fails the test, also when the script is over.
type scenario struct {
	*testscript.TestScript
	failing
}

// failing is what a testing.T has and a testscript.T does not show.
type failing interface {
	Helper()
	Errorf(format string, args ...any)
}

func (s scenario) Cleanup(f func()) { s.Defer(f) }

// endpoints are those of the scripts that are running, by their work folder.
var endpoints = make(chan map[string]*testendpoint.Server, 1)

func init() { endpoints <- map[string]*testendpoint.Server{} }

// cmdEndpoint starts a scripted endpoint and configures it: endpoint FILE
func cmdEndpoint(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: endpoint FILE")
	}
	scripts, err := testendpoint.LoadScripts(strings.NewReader(ts.ReadFile(args[0])))
	ts.Check(err)
	server := testendpoint.Start(scenario{ts, ts.Value(testKey{}).(failing)}, scripts...)
	ts.Setenv("OPENAI_BASE_URL", server.URL)
	ts.Setenv("OPENAI_API_KEY", server.Key)
	ts.Setenv("SNODO_MODEL", "scripted")
	all := <-endpoints
	all[ts.Getenv("WORK")] = server
	endpoints <- all
}

// cmdAsked wants a number of requests, and of the last one the tools offered
// and the forcing: asked N [TOOLS [CHOICE]]
func cmdAsked(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 1 {
		ts.Fatalf("usage: asked N [TOOLS [CHOICE]]")
	}
	all := <-endpoints
	requests := all[ts.Getenv("WORK")].Requests()
	endpoints <- all
	if got := strconv.Itoa(len(requests)); got != args[0] {
		ts.Fatalf("the endpoint got %s requests, want %s", got, args[0])
	}
	if len(args) == 1 {
		return
	}
	last := requests[len(requests)-1]
	if got := strings.Join(last.Tools, ","); got != args[1] {
		ts.Fatalf("the last request offered %s, want %s", got, args[1])
	}
	if len(args) > 2 && last.Choice != args[2] {
		ts.Fatalf("the last request forced with %q, want %q", last.Choice, args[2])
	}
}

// cmdJSON wants members of a JSON file: json FILE PATH=VALUE… A path goes
// through members and indices with dots; a value is JSON, or a text as it is.
func cmdJSON(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: json FILE PATH=VALUE…")
	}
	var doc any
	if err := json.Unmarshal([]byte(ts.ReadFile(args[0])), &doc); err != nil {
		ts.Fatalf("%s: %v", args[0], err)
	}
	for _, arg := range args[1:] {
		path, want, _ := strings.Cut(arg, "=")
		got := at(doc, strings.Split(path, "."))
		out, err := json.Marshal(got)
		ts.Check(err)
		if text, ok := got.(string); string(out) != want && !(ok && text == want) {
			ts.Fatalf("%s is %s, want %s", path, out, want)
		}
	}
}

// at returns what stands at a path, or a text that says that nothing does.
// The step len is the length of a list.
func at(doc any, path []string) any {
	if len(path) == 0 {
		return doc
	}
	switch v := doc.(type) {
	case map[string]any:
		if member, ok := v[path[0]]; ok {
			return at(member, path[1:])
		}
	case []any:
		if path[0] == "len" {
			return len(v)
		}
		if i, err := strconv.Atoi(path[0]); err == nil && i < len(v) {
			return at(v[i], path[1:])
		}
	}
	return "(nothing at " + strings.Join(path, ".") + ")"
}

// cmdRunID puts the name of the newest run into a variable: runid NAME
func cmdRunID(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: runid NAME")
	}
	entries, err := os.ReadDir(ts.MkAbs(".snodo/runs"))
	ts.Check(err)
	newest, at := "", time.Time{}
	for _, e := range entries {
		info, err := os.Stat(ts.MkAbs(filepath.Join(".snodo/runs", e.Name(), "events.jsonl")))
		ts.Check(err)
		if info.ModTime().After(at) {
			newest, at = e.Name(), info.ModTime()
		}
	}
	if newest == "" {
		ts.Fatalf("there is no run")
	}
	ts.Setenv(args[0], newest)
}
