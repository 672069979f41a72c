package compiler

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	"github.com/snodo-lang/snodo/lang/diag"
)

// original is a package that has something of everything that can be weakened.
func original(t *testing.T) map[string]string {
	t.Helper()
	out := make(map[string]string)
	root := os.DirFS("testdata/against")
	err := fs.WalkDir(root, ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		text, err := fs.ReadFile(root, name)
		out[name] = string(text)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func packageOf(files map[string]string) Source {
	fsys := make(fstest.MapFS)
	for name, text := range files {
		fsys[name] = &fstest.MapFile{Data: []byte(text)}
	}
	return Source{FS: fsys, Dir: "."}
}

// A change is a list of pairs: what stands in the original, once, and what stands
// there instead. "FILE:" before the first of a pair is the file if it is not
// protocol.snodo; a change to nothing removes the text.
type change []string

func (c change) apply(t *testing.T, files map[string]string) map[string]string {
	t.Helper()
	out := maps.Clone(files)
	for i := 0; i < len(c); i += 2 {
		file, from := "protocol.snodo", c[i]
		if name, rest, ok := strings.Cut(c[i], ": "); ok && files[name] != "" {
			file, from = name, rest
		}
		if n := strings.Count(out[file], from); n != 1 {
			t.Fatalf("%q stands %d times in %s", from, n, file)
		}
		out[file] = strings.Replace(out[file], from, c[i+1], 1)
	}
	return out
}

// against compares two packages that have no error, and returns what is found
// as "CODE source: message", the source being the first line of the range.
func against(t *testing.T, now, before map[string]string) []string {
	t.Helper()
	report, err := Against(packageOf(now), packageOf(before))
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, d := range report.Diagnostics {
		if !strings.HasPrefix(string(d.Code), "SN9") {
			if d.Severity == diag.Error {
				t.Fatalf("%s:%d: %s: %s", d.Range.File, d.Range.Start.Line, d.Code, d.Message)
			}
			continue
		}
		text, _, _ := strings.Cut(string(report.Files[d.Range.File][d.Range.Start.Offset:d.Range.End.Offset]), "\n")
		out = append(out, fmt.Sprintf("%s %s | %s", d.Code, text, d.Message))
	}
	return out
}

// What is weaker is reported, and the same change the other way round is not,
// unless the two cannot be ranked.
func TestWeakenings(t *testing.T) {
	for _, tt := range weakenings {
		t.Run(tt.name, func(t *testing.T) {
			before := original(t)
			after := tt.change.apply(t, before)
			if diff := cmp.Diff(tt.want, against(t, after, before)); diff != "" {
				t.Errorf("want (-), got (+):\n%s", diff)
			}
			if tt.back == unranked {
				return
			}
			if got := against(t, before, after); len(got) > 0 {
				t.Errorf("the other way round is stronger, and gives %q", got)
			}
		})
	}
}

// Nothing here is weaker.
func TestNoWeakenings(t *testing.T) {
	files := original(t)
	for _, tt := range []struct {
		name   string
		change change
	}{
		{"nothing changed", nil},
		{"titles, comments and layout", change{"\"The protocol\"", "\"Another title\"", "\"Security\"", "\"Safety\"", "// end", "// the end", "post_execute \"cheap\" {", "post_execute \"dear\" {\n"}},
		{"declarations in another order", change{"check tests {\n  phase post_execute\n  run \"make test\"\n}\n", "", "// end", "check tests {\n  phase post_execute\n  run \"make test\"\n}"}},
		{"members in another order", change{"panel tests, lint, scope", "panel scope, lint, tests"}},
		{"gates in another order", change{"  post_execute \"one more\" {\n    panel tested\n    proceed when all pass\n    blocker -> halt\n  }\n", "",
			"  post_execute \"cheap\" {", "  post_execute {\n    panel tested\n    proceed when all pass\n    blocker -> halt\n  }\n  post_execute \"cheap\" {"}},
		{"a gate in front of the others", change{"  post_execute \"cheap\" {", "  post_execute {\n    panel extra\n    proceed when all pass\n    warn -> halt\n    unclear -> ask me\n    blocker -> recover 9 then halt\n  }\n  post_execute \"cheap\" {"}},
		{"two gates made one", change{"panel tests, lint, scope", "panel tests, lint, scope, tested", "  post_execute \"one more\" {\n    panel tested\n    proceed when all pass\n    blocker -> halt\n  }\n", "",
			"blocker -> recover 2 then halt // cheap", "blocker -> halt"}},
		{"a panel with a member more, and a pass more", change{"panel security, style, judges.extern\n    proceed when 2 of 3 pass", "panel security, style, judges.extern, extra\n    proceed when 3 of 4 pass"}},
		{"a criterion of another name", change{"criterion two \"", "criterion second \""}},
		{"a criterion moved into a list", change{"  criterion two \"Two holds.\"\n", "  include more\n", "// end", "criteria more {\n  criterion two \"Two holds.\"\n}"}},
		{"a list of another name", change{"criteria house {", "criteria home {", "include house", "include home"}},
		{"a mode of another name", change{"starts producer", "starts maker", "mode producer \"", "mode maker \""}},
		{"a review of another name", change{"review auditor", "review reader"}},
		{"a package in another folder", change{"\"./judges\"", "\"./lib/judges\""}},
		{"a judge moved into the package", change{"judges.extern", "extern", "import \"./judges\"\n", "",
			"// end", "role owner \"The owner\"\nevidence ask(q text) from owner \"Answer {q}\"\njudge extern {\n  phase post_execute\n  grants read_file\n  requests ask\n  returns pass, warn, unclear, blocker\n  criterion documented \"It is documented.\"\n}"}},
		{"an observer that nothing replaces", change{"    panel tests, lint, scope\n", "    panel tests, lint, scope\n    observe extra\n"}},
		{"an unused judge that is gone", change{"judge extra {\n  phase post_execute\n  grants list_files\n  requests run-it, say\n  returns pass, warn, unclear, blocker\n  criterion extra \"It is extra.\"\n}\n", ""}},
		{"wider globs of a rule that say the same", change{"\"src/**\", \"docs/**\"", "\"src/**\", \"docs/**\", \"src/a/**\""}},
		{"protection that covers what it did", change{"\".github/**\", \"ci/**\"", "\"ci/**\", \".github/**\", \"**/*.snodo\""}},
		{"recovery that became no recovery", change{"blocker -> recover 2 then halt // cheap", "blocker -> halt"}},
		{"a case in another folder", change{"good \"cases/good\"", "good \"cases/fine\""}},
		{"the coder is another one", change{"claude -p", "codex exec"}},
		{"more time for a check", change{"\"make lint\"", "\"make lint\" timeout 1h"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			now := tt.change.apply(t, files)
			now["lib/judges/judges.snodo"] = now["judges/judges.snodo"]
			for name, text := range files {
				if rest, ok := strings.CutPrefix(name, "cases/good/"); ok {
					now["cases/fine/"+rest] = strings.ReplaceAll(text, "\n", "\r\n")
				}
			}
			if got := against(t, now, files); len(got) > 0 {
				t.Errorf("got %q", got)
			}
		})
	}
}

// An observer that is dropped is no loss: it never decided.
func TestAnObserverMayGo(t *testing.T) {
	files := original(t)
	before := change{"    panel tests, lint, scope\n", "    panel tests, lint, scope\n    observe extra\n"}.apply(t, files)
	if got := against(t, files, before); len(got) > 0 {
		t.Errorf("got %q", got)
	}
}

func TestAModeThatBecameATask(t *testing.T) {
	before := original(t)
	mode := before["protocol.snodo"][strings.Index(before["protocol.snodo"], "mode producer"):strings.Index(before["protocol.snodo"], "review auditor")]
	task := "{\n  goal \"Write.\"\n  coder cmd\n  grants write_file, commit\n  grants edit_file in \"src/**\"\n}\n"
	for name, want := range map[string][]string{
		"producer": {"SN915 task producer | task `producer` stands where mode `producer` stood: nothing judges its work"},
		"writer":   {"SN915 task writer | task `writer` stands where mode `producer` stood: nothing judges its work"},
	} {
		after := change{mode, "task " + name + " " + task, "starts producer", "starts " + name}.apply(t, before)
		if diff := cmp.Diff(want, against(t, after, before)); diff != "" {
			t.Errorf("want (-), got (+):\n%s", diff)
		}
	}
}

func TestWhatAStageThatIsGoneTookWithIt(t *testing.T) {
	files := original(t)
	second := "mode second {\n  coder cmd\n  grants write_file\n  post_execute {\n    panel %s\n    proceed when all pass\n    warn -> halt\n    unclear -> ask me\n    blocker -> halt\n  }\n}"
	for validator, want := range map[string][]string{
		"security": nil, // decides in another mode still
		"extra":    {"SN916 protocol p \"The protocol\" | mode `second` is gone, and `extra` decided nowhere else"},
	} {
		before := change{"// end", fmt.Sprintf(second, validator)}.apply(t, files)
		if diff := cmp.Diff(want, against(t, files, before)); diff != "" {
			t.Errorf("want (-), got (+):\n%s", diff)
		}
	}
}

func TestAProtocolThatIsGone(t *testing.T) {
	before := original(t)
	text := before["protocol.snodo"]
	after := map[string]string{"protocol.snodo": text[strings.Index(text, "role me"):]}
	after["protocol.snodo"] = "snodo 1\n\n" + after["protocol.snodo"][:strings.Index(after["protocol.snodo"], "controls security")]
	want := []string{"SN916 snodo 1 | protocol `p` is gone, and nothing of the package is judged by it any more"}
	if diff := cmp.Diff(want, against(t, after, before)); diff != "" {
		t.Errorf("want (-), got (+):\n%s", diff)
	}
}

func TestLibrariesAreComparedToo(t *testing.T) {
	files := original(t)
	source := func(text string) map[string]string { return map[string]string{"judges.snodo": text} }
	text := files["judges/judges.snodo"] + "\ncriteria house {\n  criterion tidy \"It is tidy.\"\n  criterion small \"It is small.\"\n}\n"
	for _, tt := range []struct {
		name, now string
		want      []string
	}{
		{"the same", text, nil},
		{"a criterion", strings.Replace(text, "documented.", "good.", 1), []string{"SN903 \"It is good.\" | the criterion `documented` says something else"}},
		{"a list of another name", strings.Replace(text, "criteria house", "criteria home", 1), nil},
		{"a criterion of a list", strings.Replace(text, "  criterion small \"It is small.\"\n", "", 1), []string{"SN903 criteria house | criteria `house` lost the criterion `small`"}},
		{"a list that others may include", text[:strings.Index(text, "criteria house")], []string{"SN903 snodo 1 | criteria `house` is gone"}},
		{"a judge that others may import", text[:strings.Index(text, "judge extern")] + text[strings.Index(text, "criteria house"):], []string{"SN901 snodo 1 | judge `extern` is gone"}},
	} {
		if diff := cmp.Diff(tt.want, against(t, source(tt.now), source(text))); diff != "" {
			t.Errorf("%s: want (-), got (+):\n%s", tt.name, diff)
		}
	}
}

func TestNothingToCompareWith(t *testing.T) {
	files := original(t)
	library := map[string]string{"lib.snodo": "snodo 1\n\nrole me \"Me\"\n"}
	broken := change{"starts producer", "starts nobody"}.apply(t, files)
	for _, tt := range []struct {
		name         string
		now, earlier Source
		want         string
	}{
		{"an empty folder", packageOf(files), Source{FS: fstest.MapFS{}, Dir: "."}, "there was no protocol"},
		{"no folder", packageOf(files), Source{FS: fstest.MapFS{}, Dir: "other"}, "there was no protocol"},
		{"a library that became a protocol", packageOf(files), packageOf(library), "there was no protocol"},
		{"an error", packageOf(files), packageOf(broken), "it did not check: protocol.snodo:6: SN213: "},
	} {
		report, err := Against(tt.now, tt.earlier)
		if err == nil || !strings.HasPrefix(err.Error(), tt.want) {
			t.Errorf("%s: %v, want %q", tt.name, err, tt.want)
		}
		if !report.OK() {
			t.Errorf("%s: %v", tt.name, report.Diagnostics)
		}
	}
	var earlier *EarlierError
	if _, err := Against(packageOf(files), packageOf(broken)); !errors.As(err, &earlier) || len(earlier.Errors) != 1 {
		t.Errorf("%v holds %v", err, earlier)
	}
}

// A package that does not check is not compared: what it lost may only be
// misspelt.
func TestAPackageWithErrorsIsNotCompared(t *testing.T) {
	files := original(t)
	broken := change{"panel tests, lint, scope", "panel tests, lnit, scope"}.apply(t, files)
	report, err := Against(packageOf(broken), packageOf(files))
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, d := range report.Diagnostics {
		if d.Severity == diag.Error {
			got = append(got, string(d.Code))
		}
	}
	if diff := cmp.Diff([]string{"SN202"}, got); diff != "" {
		t.Errorf("want (-), got (+):\n%s", diff)
	}
}
