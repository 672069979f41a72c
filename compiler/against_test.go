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
	const unranked = "unranked"
	for _, tt := range []struct {
		name   string
		change change
		want   []string
		back   string
	}{
		// Who decides.
		{name: "a validator leaves its panel", change: change{"panel tests, lint, scope", "panel tests, scope"},
			want: []string{"SN901 post_execute \"cheap\" | check `lint` no longer decides in mode `producer`"}},
		{name: "a validator is gone", change: change{"panel tests, lint, scope", "panel tests, scope", "check lint {\n  phase post_execute\n  run \"make lint\"\n}\n", ""},
			want: []string{"SN901 post_execute \"cheap\" | check `lint` no longer decides in mode `producer`: it is gone"}},
		{name: "a validator is renamed", change: change{"panel tests, lint, scope", "panel tests, linter, scope", "check lint {", "check linter {"},
			want: []string{"SN901 post_execute \"cheap\" | check `lint` no longer decides in mode `producer`: it is gone"}, back: unranked},
		{name: "a gate is gone", change: change{"  pre_execute {\n    panel spec\n    proceed when all pass\n    unclear -> ask me\n    blocker -> halt\n  }\n", ""},
			want: []string{"SN901 mode producer \"Producer\" | judge `spec` no longer decides in mode `producer`"}},
		{name: "a judge becomes a check", change: change{"judge spec {\n  phase pre_execute\n  requests say\n  criterion end \"It has an end.\"\n}", "check spec {\n  phase pre_execute\n  run \"make spec\"\n}",
			"panel spec\n    proceed when all pass\n    unclear -> ask me\n", "panel spec\n    proceed when all pass\n"},
			want: []string{"SN901 pre_execute | judge `spec` no longer decides in mode `producer`: it is a check now"}, back: unranked},
		{name: "a member only observes", change: change{"panel tests, lint, scope", "panel tests, scope\n    observe lint"},
			want: []string{"SN902 lint | check `lint` decided here, and now only observes"}},

		// What they ask.
		{name: "a criterion is gone", change: change{"  criterion two \"Two holds.\"\n", ""},
			want: []string{"SN903 judge security \"Security\" | judge `security` lost the criterion `two`"}},
		{name: "a criterion says something else", change: change{"\"Two holds.\"", "\"Two mostly holds.\""},
			want: []string{"SN903 \"Two mostly holds.\" | the criterion `two` says something else"}, back: unranked},
		{name: "a criterion of a list is gone", change: change{"  criterion small \"It is small.\"\n", ""},
			want: []string{"SN903 criteria house | criteria `house` lost the criterion `small`"}},
		{name: "a list is no longer included", change: change{"judge style {\n  phase post_execute\n  include house", "judge style {\n  phase post_execute"},
			want: []string{
				"SN903 judge style | judge `style` lost the criterion `small`",
				"SN903 judge style | judge `style` lost the criterion `tidy`",
			}},
		{name: "a criterion of an imported judge says less", change: change{"judges/judges.snodo: \"It is documented.\"", "\"It may be documented.\""},
			want: []string{"SN903 \"It may be documented.\" | the criterion `documented` says something else"}, back: unranked},
		{name: "a check runs another command", change: change{"\"make lint\"", "\"make lint-fast\""},
			want: []string{"SN904 \"make lint-fast\" | check `lint` runs another command"}, back: unranked},
		{name: "an evidence is obtained by another command", change: change{"obtain \"go\", \"test\"", "obtain \"echo\", \"fine\""},
			want: []string{"SN904 \"echo\", \"fine\", \"{target}\" | evidence `run-it` is obtained by another command"}, back: unranked},
		{name: "folders are prepared by another command", change: change{"prepare \"make deps\"", "prepare \"make stubs\""},
			want: []string{"SN904 \"make stubs\" | another command prepares every folder that is checked"}, back: unranked},
		{name: "a rule lets more files change", change: change{"\"src/**\", \"docs/**\"", "\"src/**\", \"docs/**\", \"ci/**\""},
			want: []string{"SN905 \"ci/**\" | rule `scope` demands less: `ci/**` may change too"}},
		{name: "fewer files need a test", change: change{"tests_exist_for_modified \"src/*.go\", \"lib/*.go\"", "tests_exist_for_modified \"src/*.go\""},
			want: []string{"SN905 rule tested | rule `tested` demands less: files that match `lib/*.go` need no test any more"}},
		{name: "more files count as tests", change: change{"tested by \"{dir}/{stem}_test.go\"", "tested by \"{dir}/{stem}_test.go\", \"README.md\""},
			want: []string{"SN905 \"README.md\" | rule `tested` demands less: a file that matches `README.md` counts as a test too"}},
		{name: "a rule gets another predicate", change: change{"files_in_scope \"src/**\", \"docs/**\"", "no_secrets_in_diff"},
			want: []string{"SN905 rule scope | rule `scope` demands less: it was `files_in_scope` and is `no_secrets_in_diff`"}, back: unranked},
		{name: "a verdict cannot be returned any more", change: change{"  returns pass, warn, unclear, blocker\n  criterion extra", "  returns pass, unclear, blocker\n  criterion extra"},
			want: []string{"SN906 returns pass, unclear, blocker | judge `extra` can no longer return `warn`"}},
		{name: "fewer turns", change: change{"turns 12", "turns 6"},
			want: []string{"SN907 6 | judge `security` has less to judge with: `turns` is 6 and was 12"}},
		{name: "turns fall to the default", change: change{"  turns 30\n", ""},
			want: []string{"SN907 judge style | judge `style` has less to judge with: `turns` is 20 and was 30"}},
		{name: "fewer tokens", change: change{"tokens 8192", "tokens 1024"},
			want: []string{"SN907 1024 | judge `security` has less to judge with: `tokens` is 1024 and was 8192"}},
		{name: "less time", change: change{"timeout 7m", "timeout 1m30s"},
			want: []string{"SN907 1m30s | judge `security` has less to judge with: `timeout` is 1m30s and was 7m"}},
		{name: "a judge loses a tool", change: change{"grants read_file, read_diff", "grants read_file"},
			want: []string{"SN908 judge security \"Security\" | judge `security` can no longer use `read_diff`"}},
		{name: "a judge loses every tool, and its default turns with them", change: change{"  grants list_files\n", ""},
			want: []string{"SN908 judge extra | judge `extra` can no longer use `list_files`"}},
		{name: "a judge is kept to a folder", change: change{"grants read_file, read_diff", "grants read_diff\n  grants read_file in \"src/**\""},
			want: []string{"SN908 grants read_file in \"src/**\" | judge `security` reaches fewer paths with `read_file`"}},
		{name: "a judge may request less", change: change{"requests run-it, say", "requests say"},
			want: []string{"SN908 say | judge `extra` may no longer request `run-it`"}},
		{name: "another model judges", change: change{"model \"great\"", "model \"small\""},
			want: []string{"SN909 \"small\" | judge `security` is played by `small` and was by `great`"}, back: unranked},
		{name: "no model is pinned any more", change: change{"  model \"great\"\n", ""},
			want: []string{"SN909 judge security \"Security\" | judge `security` is played by the model of the run and was by `great`"}},

		// Gates.
		{name: "fewer passes", change: change{"panel security, style, judges.extern\n    proceed when 2 of 3 pass", "panel security, style, judges.extern\n    proceed when 1 of 3 pass", "    warn -> recover 2 then halt\n", ""},
			want: []string{"SN910 proceed when 1 of 3 pass | this gate proceeds with fewer passes than it took: 1 of 3 are enough, and it was 2 of 3"}},
		{name: "fewer passes than all, of checks", change: change{"proceed when all pass // cheap", "proceed when 2 of 3 pass"},
			want: []string{"SN910 proceed when 2 of 3 pass | this gate proceeds with fewer passes than it took: 2 of 3 are enough, and it was 3 of 3"}},
		{name: "a panel grows, and as many passes are enough", change: change{"panel security, style, judges.extern\n    proceed when 2 of 3 pass", "panel security, style, judges.extern, extra\n    proceed when 2 of 4 pass"},
			want: []string{"SN910 proceed when 2 of 4 pass | this gate proceeds with fewer passes than it took: 2 of 4 are enough, and it was 2 of 3"}, back: unranked},
		{name: "one gate becomes two that tolerate as much each", change: change{"panel security, style, judges.extern\n    proceed when 2 of 3 pass", "panel security, style\n    proceed when 1 of 2 pass\n    unclear -> ask lead\n    blocker -> halt\n  }\n  post_execute {\n    panel judges.extern, extra\n    proceed when 1 of 2 pass"},
			want: []string{"SN910 proceed when 1 of 2 pass | 2 gates together proceed with fewer passes than the one that they were: it took 2 of 3"}, back: unranked},
		{name: "more recoveries", change: change{"recover 2 then halt // cheap", "recover 5 then halt"},
			want: []string{"SN911 blocker -> recover 5 then halt | the route of `blocker` is softer: it sends the work back up to 5 times, and it was 2"}},
		{name: "recovery where there was none", change: change{"blocker -> halt // read", "blocker -> recover 1 then halt"},
			want: []string{"SN911 blocker -> recover 1 then halt | the route of `blocker` is softer: it sends the work back up to once, and did not"}},
		{name: "asking where it halted", change: change{"warn -> halt", "warn -> ask me"},
			want: []string{"SN911 warn -> ask me | the route of `warn` is softer: it asks, and it halted"}},
		{name: "asking after more recoveries where it halted", change: change{"warn -> recover 2 then halt", "warn -> recover 3 then ask me"},
			want: []string{"SN911 warn -> recover 3 then ask me | the route of `warn` is softer: it sends the work back up to 3 times, and it was 2; it asks, and it halted"}},

		// Who answers.
		{name: "somebody else is asked", change: change{"unclear -> gather then ask lead", "unclear -> gather then ask me"},
			want: []string{"SN912 me | `me` rules on `unclear` here, and it was `lead`"}, back: unranked},
		{name: "a key is gone", change: change{" key \"ssh-ed25519 AAAA\"", ""},
			want: []string{"SN912 role lead \"The lead\" | role `lead` has no key any more: anybody may rule in its name"}},
		{name: "a key is another one", change: change{"ssh-ed25519 AAAA", "ssh-ed25519 BBBB"},
			want: []string{"SN912 \"ssh-ed25519 BBBB\" | role `lead` has another key: somebody else may rule in its name"}, back: unranked},
		{name: "an evidence comes from somebody else", change: change{"evidence say(q text) from lead", "evidence say(q text) from me"},
			want: []string{"SN912 me | evidence `say` comes from `me`, and came from `lead`"}, back: unranked},

		// What stages may do.
		{name: "a grant is added", change: change{"grants edit_file in \"src/**\"", "grants edit_file in \"src/**\"\n  grants publish"},
			want: []string{"SN913 publish | mode `producer` is granted `publish`, and was not"}},
		{name: "a grant reaches further", change: change{"grants edit_file in \"src/**\"", "grants edit_file in \"src/**\", \"lib/**\""},
			want: []string{"SN913 grants edit_file in \"src/**\", \"lib/**\" | mode `producer` may use `edit_file` on more paths: `lib/**`"}},
		{name: "a grant reaches everything", change: change{"grants edit_file in \"src/**\"", "grants edit_file"},
			want: []string{"SN913 grants edit_file | mode `producer` may use `edit_file` on more paths: `**`"}},
		{name: "less is protected", change: change{"protects \".github/**\", \"ci/**\"", "protects \".github/**\""},
			want: []string{"SN914 \".github/**\" | protocol `p` no longer protects `ci/**`"}},
		{name: "nothing is protected", change: change{"  protects \".github/**\", \"ci/**\"\n", ""},
			want: []string{"SN914 protocol p \"The protocol\" | protocol `p` no longer protects `.github/**` and `ci/**`"}},
		{name: "a new task", change: change{"// end", "task drafts {\n  goal \"Write.\"\n  coder cmd\n  grants write_file\n}"},
			want: []string{"SN915 task drafts | task `drafts` is new: nothing judges its work"}},
		{name: "a review is gone", change: change{"review auditor {\n  grants approve\n  post_execute {\n    panel security\n    proceed when all pass\n    warn -> halt // audit\n    unclear -> ask me\n    blocker -> halt\n  }\n}\n", ""},
			want: []string{"SN916 protocol p \"The protocol\" | review `auditor` is gone, and judges nothing any more"}, back: unranked},
		{name: "a run begins where less decides", change: change{"starts producer", "starts auditor"},
			want: []string{"SN916 auditor | a run begins in `auditor` and not in `producer`, and `extern`, `lint`, `scope`, `spec`, `style`, `tested` and `tests` do not decide there"}},

		// Controls.
		{name: "a control is gone", change: change{"  bad \"cases/bad\" violates one\n", ""},
			want: []string{"SN917 controls security | controls of `security` lost the bad case `cases/bad`"}},
		{name: "a control violates less", change: change{"violates one", ""},
			want: []string{"SN917 bad \"cases/bad\" | the bad case `cases/bad` no longer has to violate `one`"}},
		{name: "a control needs something else", change: change{"needs say", "needs run-it"},
			want: []string{"SN917 undecidable \"cases/good\" needs run-it | the undecidable case `cases/good` no longer needs `say`"}, back: unranked},
		{name: "a case is another one", change: change{"cases/bad/after/a.go: package bad", "package fine"},
			want: []string{"SN917 \"cases/bad\" | the bad case `cases/bad` is another one: what is in its folder changed"}, back: unranked},
	} {
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
	text := files["judges/judges.snodo"]
	for _, tt := range []struct {
		name, now string
		want      []string
	}{
		{"the same", text, nil},
		{"a criterion", strings.Replace(text, "documented.", "good.", 1), []string{"SN903 \"It is good.\" | the criterion `documented` says something else"}},
		{"a judge that others may import", text[:strings.Index(text, "judge extern")], []string{"SN901 snodo 1 | judge `extern` is gone"}},
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
