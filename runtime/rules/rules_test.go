package rules

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/snodo-lang/snodo/compiler/plan"
	"github.com/snodo-lang/snodo/runtime/workspace"
)

func TestMain(m *testing.M) {
	for name, value := range map[string]string{
		"GIT_CONFIG_GLOBAL": os.DevNull, "GIT_CONFIG_NOSYSTEM": "1",
		"GIT_AUTHOR_NAME": "a", "GIT_AUTHOR_EMAIL": "a@b", "GIT_COMMITTER_NAME": "a", "GIT_COMMITTER_EMAIL": "a@b",
	} {
		if err := os.Setenv(name, value); err != nil {
			panic(err)
		}
	}
	os.Exit(m.Run())
}

// change commits two states of a repository, "" deleting a file and "-> x"
// linking to x, and returns what differs.
func change(t *testing.T, before, after map[string]string) (*workspace.ChangeSet, *workspace.Tree) {
	t.Helper()
	dir := t.TempDir()
	git := func(args ...string) string {
		t.Helper()
		cmd := exec.Command("git", args...)
		cmd.Dir = dir
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("git %v: %v\n%s", args, err, out)
		}
		return strings.TrimSpace(string(out))
	}
	commit := func(files map[string]string) workspace.Commit {
		t.Helper()
		for name, content := range files {
			place := filepath.Join(dir, name)
			if err := os.RemoveAll(place); err != nil {
				t.Fatal(err)
			}
			if content == "" {
				continue
			}
			if err := os.MkdirAll(filepath.Dir(place), 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(place, []byte(content), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		git("add", "--all", "--force", ".")
		git("commit", "--quiet", "--allow-empty", "-m", "x")
		return workspace.Commit(git("rev-parse", "HEAD"))
	}
	git("init", "--quiet", "--template=", ".")
	base, head := commit(before), commit(after)
	r, err := workspace.Open(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { r.Close() })
	set, err := r.Changes(t.Context(), base, head)
	if err != nil {
		t.Fatal(err)
	}
	return set, r.Tree(head)
}

func judge(t *testing.T, rule *plan.Rule, before, after map[string]string) Outcome {
	t.Helper()
	set, tree := change(t, before, after)
	outcome, err := Judge(t.Context(), rule, set, tree)
	if err != nil {
		t.Fatal(err)
	}
	if (outcome.Verdict == plan.Pass) != (len(outcome.Findings) == 0) {
		t.Fatalf("verdict %s with findings %v", outcome.Verdict, outcome.Findings)
	}
	return outcome
}

func found(o Outcome) []string {
	var paths []string
	for _, f := range o.Findings {
		paths = append(paths, f.Path)
	}
	return paths
}

func TestFilesInScope(t *testing.T) {
	rule := &plan.Rule{Predicate: plan.FilesInScope, Args: plan.RuleArgs{Paths: []string{"src/**", "docs/*.md", "{x}/*"}}}
	before := map[string]string{"src/a": "a\n", "old": "moved\nto another place\n", "README": "r\n"}
	after := map[string]string{"src/a": "b\n", "src/deep/b": "b\n", "docs/x.md": "x\n", "docs/deep/x.md": "x\n", "old": "",
		"src/new": "moved\nto another place\n", "x/y": "y\n", "{x}/y": "y\n", "Src/a": "a\n"}
	want := []string{"Src/a", "docs/deep/x.md", "old", "x/y"}
	if diff := cmp.Diff(want, found(judge(t, rule, before, after))); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

func TestTestsExistForModified(t *testing.T) {
	for _, test := range []struct {
		name               string
		modified, testedBy []string
		before, after      map[string]string
		want               []string
	}{
		{"beside the file", []string{"**/*.go"}, []string{"{dir}/{stem}_test.go"}, nil,
			map[string]string{"a.go": "a\n", "a_test.go": "t\n", "x/y/b.go": "b\n", "x/y/b_test.go": "t\n", "x/c.go": "c\n", "c_test.go": "t\n"},
			[]string{"x/c.go"}},
		{"in another folder", []string{"src/*.py"}, []string{"tests/test_{stem}.py"}, nil,
			map[string]string{"src/a.py": "a\n", "tests/test_a.py": "t\n", "src/b.py": "b\n", "src/deep/c.py": "c\n"},
			[]string{"src/b.py"}},
		{"a test that was there before", []string{"*.go"}, []string{"{stem}_test.go"},
			map[string]string{"a.go": "a\n", "a_test.go": "t\n"}, map[string]string{"a.go": "b\n"}, nil},
		{"a test that is deleted", []string{"*.go"}, []string{"{stem}_test.go"},
			map[string]string{"a.go": "a\n", "a_test.go": "t\n"}, map[string]string{"a.go": "b\n", "a_test.go": ""}, []string{"a.go"}},
		{"a file that is deleted needs none", []string{"*.go"}, []string{"{stem}_test.go"},
			map[string]string{"a.go": "a\n"}, map[string]string{"a.go": ""}, nil},
		{"a file that did not change needs none", []string{"*.go"}, []string{"{stem}_test.go"},
			map[string]string{"a.go": "a\n"}, map[string]string{"b": "b\n"}, nil},
		{"one of several places", []string{"src/**/*.ts"}, []string{"{dir}/{stem}.test.ts", "test/{stem}.ts"}, nil,
			map[string]string{"src/a/x.ts": "x\n", "test/x.ts": "t\n", "src/y.ts": "y\n", "src/y.test.ts": "t\n", "src/z.ts": "z\n"},
			[]string{"src/z.ts"}},
		{"a glob for the test", []string{"*.c"}, []string{"t/**/{stem}_*.c"}, nil,
			map[string]string{"a.c": "a\n", "t/x/a_one.c": "t\n", "b.c": "b\n"}, []string{"b.c"}},
		{"a name that looks like a glob", []string{"*.c"}, []string{"{stem}.t"}, nil,
			map[string]string{"[ab].c": "a\n", "a.t": "t\n", "x{y}.c": "x\n", "x{y}.t": "t\n"}, []string{"[ab].c"}},
		{"the last star", []string{"src-*/*-impl.c"}, []string{"{stem}.t"}, nil,
			map[string]string{"src-x/y-impl.c": "y\n", "y.t": "t\n", "src-y/x-impl.c": "x\n"}, []string{"src-y/x-impl.c"}},
		{"a tree of stars", []string{"lib/**"}, []string{"spec/{stem}"}, nil,
			map[string]string{"lib/a/b.rb": "b\n", "spec/a/b.rb": "s\n", "lib/c.rb": "c\n"}, []string{"lib/c.rb"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			rule := &plan.Rule{Predicate: plan.TestsExistForModified, Args: plan.RuleArgs{Modified: test.modified, TestedBy: test.testedBy}}
			if diff := cmp.Diff(test.want, found(judge(t, rule, test.before, test.after))); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
		})
	}
}

func TestLastStar(t *testing.T) {
	for _, test := range [][3]string{
		{"*.go", "a.go", "a"},
		{"**/*.go", "x/y/a.go", "a"},
		{"**/*.go", "a.go", "a"},
		{"*-*.c", "a-b-c.c", "c"},
		{"src/*/main.go", "src/cmd/main.go", "cmd"},
		{"a*b?[cd]", "axxbyc", "xx"},
		{"*.[ch]", "é.c", "é"},
		{`*\*`, "a*", "a"},
		{"*[*]", "a*", "a"},
		{"lib/**", "lib/a/b", "a/b"},
		{"plain", "plain", ""},
	} {
		if got := lastStar(test[0], test[1]); got != test[2] {
			t.Errorf("lastStar(%q, %q) = %q, want %q", test[0], test[1], got, test[2])
		}
	}
}

// The credentials here are none, and put together so that this file holds no
// text that looks like one.
var (
	aws     = "AKIA" + "IMNOJVGFDXXXE4OA"[:15] + "7"
	github  = "ghp" + "_" + "wWPw5k4aXcaT4fNP0UcnZwJUVFk6LO0pINUx"
	pem     = "-----BEGIN RSA PRIVATE " + "KEY-----\n" + strings.Repeat("MIIEpAIBAAKCAQEA1c7+9z5Pad7OejecsQ0bu3aozN3tihPmljnnudb9G3HECdnH\n", 3) + "-----END RSA PRIVATE " + "KEY-----\n"
	guessed = "api" + "_key = \"" + "zxYw9Kq3Lm8Nv2Rt5Bp7" + "Hd4Js6\"\n"
)

func TestNoSecretsInDiff(t *testing.T) {
	rule := &plan.Rule{Predicate: plan.NoSecretsInDiff, Args: plan.RuleArgs{Ruleset: plan.SecretsRuleset}}
	wide := func(s string) string {
		var b strings.Builder
		b.WriteString("\xff\xfe")
		for _, c := range []byte(s) {
			b.WriteByte(c)
			b.WriteByte(0)
		}
		return b.String()
	}
	for _, test := range []struct {
		name          string
		before, after map[string]string
		want          []Finding // without Because
	}{
		{"nothing", nil, map[string]string{"a": "key = os.Getenv(\"KEY\")\n"}, nil},
		{"a new file", nil, map[string]string{"a": "x\nk := \"" + aws + "\"\n"}, []Finding{{Path: "a", Line: 2}}},
		{"the first line", nil, map[string]string{"a": "k := \"" + github + "\"\n"}, []Finding{{Path: "a", Line: 1}}},
		{"no newline at the end", nil, map[string]string{"a": "x\n\nk=" + aws}, []Finding{{Path: "a", Line: 3}}},
		{"an added line", map[string]string{"a": "1\n2\n3\n4\n"}, map[string]string{"a": "1\n2\n3\nk=" + aws + "\n4\n"}, []Finding{{Path: "a", Line: 4}}},
		{"a line that was there", map[string]string{"a": "k=" + aws + "\n"}, map[string]string{"a": "k=" + aws + "\nmore\n"}, nil},
		{"a line that is removed", map[string]string{"a": "x\nk=" + aws + "\n"}, map[string]string{"a": "x\n"}, nil},
		{"a file that is deleted", map[string]string{"a": "k=" + aws + "\n"}, map[string]string{"a": ""}, nil},
		{"a file that moves", map[string]string{"a": "k=" + aws + "\n"}, map[string]string{"a": "", "b": "k=" + aws + "\n"}, []Finding{{Path: "b", Line: 1}}},
		{"a key of many lines", nil, map[string]string{"a": "x\n" + pem}, []Finding{{Path: "a", Line: 2}}},
		{"the body of a key whose frame was there",
			map[string]string{"a": "-----BEGIN RSA PRIVATE " + "KEY-----\nhere\n-----END RSA PRIVATE " + "KEY-----\n"},
			map[string]string{"a": pem}, []Finding{{Path: "a", Line: 2}}},
		{"a line behind one that draws a match away", map[string]string{"a": "key =\nx\n"},
			map[string]string{"a": "key =\nauth_token_name = \"" + "zxYw9Kq3Lm8Nv2Rt5Bp7" + "Hd4Js6\"\nx\n"}, []Finding{{Path: "a", Line: 2}}},
		{"a comment that allows it", nil, map[string]string{"a": "k=" + aws + " # gitleaks:allow\n"}, []Finding{{Path: "a", Line: 1}}},
		{"a comment that holds what is allowed", nil, map[string]string{"a": strings.TrimSpace(guessed) + " # --mount=type=secret,\n"}, []Finding{{Path: "a", Line: 1}}},
		{"what is allowed in its place", nil, map[string]string{"Dockerfile": "RUN --mount=type=secret,id=zxYw9Kq3Lm8Nv2Rt5Bp7 make\n"}, nil},
		{"an ignore file", nil, map[string]string{".gitleaksignore": "a:aws-access-token:1\n", ".gitleaks.toml": "[allowlist]\npaths=['a']\n", "a": "k=" + aws + "\n"}, []Finding{{Path: "a", Line: 1}}},
		{"a name that gitleaks passes over", nil, map[string]string{
			"go.sum": "k=" + aws + "\n", "package-lock.json": "k=" + aws + "\n", "node_modules/x": "k=" + aws + "\n",
			"gitleaks.toml": "k=" + aws + "\n", "a.svg": "k=" + aws + "\n", "vendor/github.com/x": "k=" + aws + "\n"},
			[]Finding{{Path: "a.svg", Line: 1}, {Path: "gitleaks.toml", Line: 1}, {Path: "go.sum", Line: 1}, {Path: "node_modules/x", Line: 1},
				{Path: "package-lock.json", Line: 1}, {Path: "vendor/github.com/x", Line: 1}}},
		{"a guess", nil, map[string]string{"a": guessed, "x.svg": guessed}, []Finding{{Path: "a", Line: 1}, {Path: "x.svg", Line: 1}}},
		{"checksums are no guess", nil, map[string]string{"go.sum": "github.com/99designs/keyring v1.2.1 h1:tYLp1ULvO7i3fI5vE21ReQuig99QFs7lGm0yWyJo87o=\n" + guessed}, nil},
		{"a binary file", nil, map[string]string{"a.png": "\x89PNG\r\n\x1a\n\x00\x00\x01\x02\x00\nk=" + aws + "\n\x00\x00\x03"}, []Finding{{Path: "a.png", Line: 4}}},
		{"wide characters", nil, map[string]string{"a.ps1": wide("x\r\nk=\"" + aws + "\"\r\n")}, []Finding{{Path: "a.ps1", Line: 2}}},
		{"one NUL in front", nil, map[string]string{"a": "\x00\nk=" + aws + "\n"}, []Finding{{Path: "a", Line: 2}}},
		{"attributes that hide it", map[string]string{".gitattributes": "* -diff binary\n"}, map[string]string{"a": "k=" + aws + "\n"}, []Finding{{Path: "a", Line: 1}}},
		{"encoded", nil, map[string]string{"a": "k: " + base64.StdEncoding.EncodeToString([]byte("token = "+github+" and more")) + "\n"}, []Finding{{Path: "a", Line: 1}}},
		{"a key store", nil, map[string]string{"a.p12": "x\n"}, []Finding{{Path: "a.p12"}}},
	} {
		t.Run(test.name, func(t *testing.T) {
			outcome := judge(t, rule, test.before, test.after)
			got := slicesOfPlaces(outcome.Findings)
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
			said, err := json.Marshal(outcome)
			if err != nil {
				t.Fatal(err)
			}
			for _, secret := range []string{aws, github, "MIIEp", "zxYw9"} {
				if strings.Contains(string(said), secret) {
					t.Errorf("the outcome repeats the credential: %s", said)
				}
			}
		})
	}
}

// slicesOfPlaces keeps where findings are, once each.
func slicesOfPlaces(findings []Finding) []Finding {
	var places []Finding
	for _, f := range findings {
		f.Because = ""
		if len(places) == 0 || places[len(places)-1] != f {
			places = append(places, f)
		}
	}
	return places
}

func TestAFileThatCannotBeExaminedIsAnError(t *testing.T) {
	rule := &plan.Rule{Predicate: plan.NoSecretsInDiff, Args: plan.RuleArgs{Ruleset: plan.SecretsRuleset}}
	set, tree := change(t, nil, map[string]string{"a": strings.Repeat("x\n", workspace.MaxBlob/2+1)})
	_, err := Judge(t.Context(), rule, set, tree)
	var tooLarge *workspace.TooLargeError
	if !errors.As(err, &tooLarge) {
		t.Errorf("got %v", err)
	}
	set, tree = change(t, nil, map[string]string{"a": "x\n"})
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Judge(ctx, rule, set, tree); err == nil {
		t.Error("an interrupted examination passed")
	}
}

func FuzzLastStar(f *testing.F) {
	for _, seed := range [][2]string{{"**/*.go", "x/a.go"}, {"*-*.c", "a-b-c.c"}, {`*[\]]?`, "a]é"}, {"[", "["}, {"{*}", "{a}"}, {"**", "a/b"}} {
		f.Add(seed[0], seed[1])
	}
	f.Fuzz(func(t *testing.T, glob, name string) {
		stem := lastStar(glob, name)
		if !strings.Contains(name, stem) {
			t.Fatalf("%q is not in %q", stem, name)
		}
		if plain, ok := literal(escape(name)); !ok || plain != strings.ToValidUTF8(name, "\uFFFD") {
			if strings.ToValidUTF8(name, "\uFFFD") == name {
				t.Fatalf("escape(%q) means %q", name, plain)
			}
		}
	})
}

// The version of the patterns stands in every plan that uses them, and must
// be the one that is built in.
func TestTheRulesetIsTheOneThatIsBuiltIn(t *testing.T) {
	mod, err := os.ReadFile("../../go.mod")
	if err != nil {
		t.Fatal(err)
	}
	version := strings.TrimPrefix(plan.SecretsRuleset, "gitleaks ")
	if !strings.Contains(string(mod), "github.com/zricethezav/gitleaks/v8 v"+version) {
		t.Errorf("go.mod has another version than %s", plan.SecretsRuleset)
	}
	rule := &plan.Rule{Predicate: plan.NoSecretsInDiff, Args: plan.RuleArgs{Ruleset: "gitleaks 0"}}
	if _, err := Judge(t.Context(), rule, nil, nil); err == nil || !strings.Contains(err.Error(), "compile it again") {
		t.Errorf("a plan for other patterns gives %v", err)
	}
}
