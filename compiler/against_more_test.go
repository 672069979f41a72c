package compiler

import (
	"fmt"
	"math/rand/v2"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/snodo-lang/snodo/stdlib"
)

func TestNothingIsWeakerThanItself(t *testing.T) {
	for name, src := range map[string]Source{
		"hello": {FS: os.DirFS("testdata/hello"), Dir: "."}, "forty": {FS: os.DirFS("testdata/forty"), Dir: "."},
		"solo": {FS: stdlib.FS, Dir: "solo"}, "the original": packageOf(original(t)),
	} {
		report, err := Against(src, src)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range report.Diagnostics {
			if strings.HasPrefix(string(d.Code), "SN9") {
				t.Errorf("%s: %s: %s", name, d.Code, d.Message)
			}
		}
	}
}

// Each of these makes the original stronger, and none gets in the way of
// another.
var strengthenings = []change{
	{"protects \".github/**\", \"ci/**\"", "protects \".github/**\", \"ci/**\", \"Makefile\""},
	{"role me \"Me\"", "role me \"Me\" key \"ssh-ed25519 CCCC\""},
	{"criterion small \"It is small.\"", "criterion small \"It is small.\"\n  criterion plain \"It is plain.\""},
	{"criterion end \"It has an end.\"", "criterion end \"It has an end.\"\n  criterion start \"It has a start.\""},
	{"grants read_file, read_diff", "grants read_file, read_diff, git_log"},
	{"turns 12", "turns 40"},
	{"timeout 7m", "timeout 9m"},
	{"requests say\n  turns 30", "requests say, run-it\n  returns pass, warn, unclear, blocker\n  turns 30"},
	{"files_in_scope \"src/**\", \"docs/**\"", "files_in_scope \"src/**\""},
	{"tests_exist_for_modified \"src/*.go\", \"lib/*.go\"", "tests_exist_for_modified \"src/*.go\", \"lib/*.go\", \"cmd/*.go\""},
	{"  bad \"cases/bad\" violates one\n", "  bad \"cases/bad\" violates one, two\n"},
	{"grants write_file, commit\n", "grants write_file in \"src/**\"\n"},
	{"grants edit_file in \"src/**\"\n", "grants edit_file in \"src/api/**\"\n"},
	{"panel tests, lint, scope", "panel tests, lint, scope, tested2", "rule tested {", "rule tested2 {\n  phase post_execute\n  no_secrets_in_diff\n}\n\nrule tested {"},
	{"blocker -> recover 2 then halt // cheap", "blocker -> recover 1 then halt"},
	{"proceed when 2 of 3 pass", "proceed when all pass"},
	{"warn -> recover 2 then halt", "warn -> halt\n"},
	{"  post_execute \"read\" {", "  post_execute \"extra\" {\n    panel extra\n    proceed when all pass\n    warn -> ask me\n    unclear -> ask me\n    blocker -> halt\n  }\n  post_execute \"read\" {"},
	{"// end", "review again {\n  post_execute {\n    panel tests\n    proceed when all pass\n    blocker -> halt\n  }\n}\n"},
	{"judges/judges.snodo: requests ask", "requests ask\n  turns 50"},
	{"import \"./judges\"", "import \"./judges\" as judges"},
}

// Whatever is made stronger, in any company, is not weaker; and a package
// with fewer of the same improvements is what it is stronger than.
func TestStrongerPackagesAreNotWeaker(t *testing.T) {
	files := original(t)
	random := rand.New(rand.NewPCG(1, 2))
	for range 60 {
		some, more := files, files
		var applied []int
		for i, s := range strengthenings {
			switch random.IntN(3) {
			case 0:
				some = s.apply(t, some)
				fallthrough
			case 1:
				more = s.apply(t, more)
				applied = append(applied, i)
			}
		}
		for name, before := range map[string]map[string]string{"the original": files, "fewer": some} {
			if got := against(t, more, before); len(got) > 0 {
				t.Fatalf("%v against %s: %q", applied, name, got)
			}
		}
	}
}

const judged = " {\n  post_execute {\n    panel %s\n    proceed when all pass\n    unclear -> ask me\n    blocker -> halt\n  }\n}\n"

// Stages that were all renamed find one another by where a run begins, and by
// who decides in them.
func TestRenamedStagesFindOneAnother(t *testing.T) {
	files := original(t)
	mode := files["protocol.snodo"][strings.Index(files["protocol.snodo"], "mode producer"):strings.Index(files["protocol.snodo"], "review auditor")]
	lax := "mode second {\n  coder cmd\n  grants write_file, edit_file, publish\n  post_execute {\n    panel tests\n    proceed when all pass\n    blocker -> halt\n  }\n}\n"
	before := change{mode, mode + lax}.apply(t, files)
	after := change{"starts producer", "starts zeta", "mode producer", "mode zeta", "mode second", "mode alpha"}.apply(t, before)
	if got := against(t, after, before); len(got) > 0 {
		t.Errorf("modes: %q", got)
	}
	before = change{"// end", "review a" + fmt.Sprintf(judged, "style") + "review b" + fmt.Sprintf(judged, "style, tests")}.apply(t, files)
	after = change{"review a ", "review y ", "review b ", "review x "}.apply(t, before)
	if got := against(t, after, before); len(got) > 0 {
		t.Errorf("reviews: %q", got)
	}
}

func TestACauseIsReportedOnce(t *testing.T) {
	files := original(t)
	for _, tt := range []struct {
		name   string
		change change
		want   []string
	}{
		{
			"a route that is softer than those of two gates which became one",
			change{"panel tests, lint, scope", "panel tests, lint, scope, tested", "  post_execute \"one more\" {\n    panel tested\n    proceed when all pass\n    blocker -> halt\n  }\n", "",
				"blocker -> recover 2 then halt // cheap", "blocker -> recover 5 then halt"},
			[]string{"SN911 blocker -> recover 5 then halt | the route of `blocker` is softer: it sends the work back up to 5 times, and it was 2"},
		},
		{
			"a run that begins in a new task",
			change{"starts producer", "starts drafts", "// end", "task drafts {\n  goal \"Write.\"\n  coder cmd\n  grants write_file\n}"},
			[]string{"SN915 task drafts | task `drafts` is new: nothing judges its work"},
		},
	} {
		if diff := cmp.Diff(tt.want, against(t, tt.change.apply(t, files), files)); diff != "" {
			t.Errorf("%s: want (-), got (+):\n%s", tt.name, diff)
		}
	}
}

func TestWhatIsNew(t *testing.T) {
	files := original(t)
	for _, tt := range []struct {
		name   string
		change change
		want   []string
	}{
		{"a command before every check", change{"starts auditor\n", "starts auditor\n  prepare \"make stubs\"\n"},
			[]string{"SN904 \"make stubs\" | a command prepares every folder that is checked, and there was none"}},
		{"a stage that may merge", change{"// end", "review last" + strings.Replace(fmt.Sprintf(judged, "style"), "{\n", "{\n  grants merge\n", 1)},
			[]string{"SN913 merge | review `last` is new, and is granted `merge`"}},
	} {
		before := change{"starts producer\n", "starts auditor\n", "  prepare \"make deps\"\n", ""}.apply(t, files)
		if diff := cmp.Diff(tt.want, against(t, tt.change.apply(t, before), before)); diff != "" {
			t.Errorf("%s: want (-), got (+):\n%s", tt.name, diff)
		}
	}
}

// A number that had no effect gets one when a member learns to warn.
func TestAMemberThatLearnsToWarn(t *testing.T) {
	before := change{"// end", "review last {\n  post_execute {\n    panel style, tests\n    proceed when 1 of 2 pass\n    unclear -> ask me\n    blocker -> halt\n  }\n}\n"}.apply(t, original(t))
	after := change{"requests say\n  turns 30", "requests say\n  returns pass, warn, unclear, blocker\n  turns 30"}.apply(t, before)
	want := []string{"SN910 proceed when 1 of 2 pass | this gate proceeds with fewer passes than it took: more of its members can warn, and 1 of 2 are enough"}
	if diff := cmp.Diff(want, against(t, after, before)); diff != "" {
		t.Errorf("want (-), got (+):\n%s", diff)
	}
}

// Controls stay behind when a package is imported, and count all the same;
// so do those that a package has for what it imports and does not use.
func TestControlsOfAndForImportedJudges(t *testing.T) {
	files := original(t)
	for name, text := range files {
		if strings.HasPrefix(name, "cases/") {
			files["judges/"+name] = text
		}
	}
	files["judges/judges.snodo"] += "\njudge spare {\n  phase post_execute\n  grants read_file\n  requests ask\n  criterion c \"It holds.\"\n}\n" +
		"\ncontrols extern {\n  good \"cases/good\"\n  bad \"cases/bad\"\n}\n"
	files["lib/judges/judges.snodo"] = files["judges/judges.snodo"]
	before := change{"// end", "controls judges.spare {\n  good \"cases/good\"\n  bad \"cases/bad\"\n}\n" +
		"controls judges.extern {\n  good \"cases/good\"\n  bad \"cases/bad\" // of extern\n}\n"}.apply(t, files)
	for name, text := range before {
		if strings.HasPrefix(name, "cases/") {
			before["lib/judges/"+name] = text
		}
	}
	for _, tt := range []struct {
		change change
		want   []string
	}{
		{change{"judges/judges.snodo: \n  bad \"cases/bad\"", ""}, []string{"SN917 controls extern | controls of `extern` lost the bad case `cases/bad`"}},
		{change{"controls judges.spare {\n  good \"cases/good\"\n  bad \"cases/bad\"", "controls judges.spare {\n  good \"cases/good\""},
			[]string{"SN917 controls judges.spare | controls of `judges.spare` lost the bad case `cases/bad`"}},
		{change{"controls judges.spare {\n  good \"cases/good\"\n  bad \"cases/bad\"\n}\n", ""}, []string{"SN917 judge spare | judge `spare` has no controls any more"}},
		{change{"\"./judges\"", "\"./lib/judges\"", "  bad \"cases/bad\" // of extern\n", ""},
			[]string{"SN917 controls judges.extern | controls of `judges.extern` lost the bad case `cases/bad`"}},
	} {
		if diff := cmp.Diff(tt.want, against(t, tt.change.apply(t, before), before)); diff != "" {
			t.Errorf("want (-), got (+):\n%s", diff)
		}
	}
}

// A run that begins in another stage is held to the one in which it began,
// though both are what they were.
func TestARunThatBeginsInALaxerStage(t *testing.T) {
	const stage = "review %s {\n  post_execute {\n    panel security, extra\n    proceed when %d of 2 pass\n    warn -> halt\n    unclear -> ask me\n    blocker -> halt\n  }\n}\n"
	before := change{"starts producer", "starts strict", "// end", fmt.Sprintf(stage, "strict", 2) + fmt.Sprintf(stage, "lax", 1)}.apply(t, original(t))
	after := change{"starts strict", "starts lax"}.apply(t, before)
	want := []string{"SN916 lax | a run begins in `lax` and not in `strict`, which was stricter"}
	if diff := cmp.Diff(want, against(t, after, before)); diff != "" {
		t.Errorf("want (-), got (+):\n%s", diff)
	}
	if got := against(t, before, after); len(got) > 0 {
		t.Errorf("the other way round is stronger, and gives %q", got)
	}
}

func TestAStageThatNoLongerLeadsToAnother(t *testing.T) {
	before := change{"coder cmd\n", "coder cmd\n  hands to auditor\n"}.apply(t, original(t))
	after := change{"  hands to auditor\n", ""}.apply(t, before)
	want := []string{"SN916 mode producer \"Producer\" | mode `producer` no longer hands to review `auditor`"}
	if diff := cmp.Diff(want, against(t, after, before)); diff != "" {
		t.Errorf("want (-), got (+):\n%s", diff)
	}
	for name, after := range map[string]map[string]string{"more": before, "another name": renamed(before, "auditor", "reader")} {
		earlier := before
		if name == "more" {
			earlier = original(t)
		}
		if got := against(t, after, earlier); len(got) > 0 {
			t.Errorf("%s: %q", name, got)
		}
	}
}

// Whoever the routes ask answers an evidence that nobody owns.
func TestAnEvidenceThatGetsAnOwner(t *testing.T) {
	files := original(t)
	before := change{"say(q text) from lead", "say(q text)"}.apply(t, files)
	want := []string{"SN912 lead | evidence `say` comes from `lead`, and came from the role that the route asks"}
	if diff := cmp.Diff(want, against(t, files, before)); diff != "" {
		t.Errorf("want (-), got (+):\n%s", diff)
	}
	asksMe := change{"gather then ask lead", "gather then ask me"}
	before, after := asksMe.apply(t, before), change{"from lead", "from me"}.apply(t, asksMe.apply(t, files))
	if got := against(t, after, before); len(got) > 0 {
		t.Errorf("the same role: %q", got)
	}
}

// A member that moves brings no recovery with it.
func TestAMemberThatMovesIntoAGateThatRecovers(t *testing.T) {
	before := change{"panel tested\n    proceed when all pass\n    blocker -> halt", "panel tested\n    proceed when all pass\n    blocker -> recover 2 then halt"}.apply(t, original(t))
	after := change{"panel tests, lint, scope", "panel tests, lint", "panel tested\n", "panel tested, scope\n"}.apply(t, before)
	if got := against(t, after, before); len(got) > 0 {
		t.Errorf("got %q", got)
	}
}
