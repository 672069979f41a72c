package compiler

import (
	"maps"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	"github.com/snodo-lang/snodo/compiler/plan"
	"github.com/snodo-lang/snodo/lang/diag"
)

// heldTo compares a package with a plan and returns what SN801 says: the
// message and the lines of the help, but for the last of a plan that can be
// read, which is the same always.
func heldTo(t *testing.T, src Source, content []byte) []string {
	t.Helper()
	report, err := Locked(src, Committed{Name: "p.plan.json", Content: content})
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, d := range report.Diagnostics {
		if d.Code != diag.SN801 {
			continue
		}
		if want := (diag.Range{File: "p.plan.json", Start: diag.Position{Line: 1, Column: 1}, End: diag.Position{Line: 1, Column: 1}}); d.Range != want {
			t.Errorf("it stands at %v", d.Range)
		}
		out = append(out, d.Message)
		for _, line := range strings.Split(d.Help, "\n") {
			if !strings.HasPrefix(line, "compile it anew") {
				out = append(out, line)
			}
		}
	}
	return out
}

func encoded(t *testing.T, p *plan.Plan) []byte {
	t.Helper()
	content, err := plan.Encode(p)
	if err != nil {
		t.Fatal(err)
	}
	return content
}

func TestAPlanThatIsWhatItsSourcesGive(t *testing.T) {
	src := packageOf(original(t))
	p := compile(t, src)
	pretty, err := plan.Pretty(p)
	if err != nil {
		t.Fatal(err)
	}
	for name, content := range map[string][]byte{"canonical": encoded(t, p), "indented": pretty} {
		if got := heldTo(t, src, content); got != nil {
			t.Errorf("%s: %q", name, got)
		}
	}
}

func TestAPlanThatWasLeftBehindSaysWhatMoved(t *testing.T) {
	files := original(t)
	committed := encoded(t, compile(t, packageOf(files)))
	for _, tt := range []struct {
		name   string
		change change
		also   map[string]string
		want   []string
	}{
		{"a comment", change{"// end", "// the end"}, nil,
			[]string{"the plan is not what its sources give: source `protocol.snodo` changed"}},
		{"a check", change{"make lint", "make lints"}, nil,
			[]string{"the plan is not what its sources give: source `protocol.snodo` changed", "validator `lint` moved"}},
		{"an imported judge", change{"judges/judges.snodo: It is documented.", "It is good."}, nil,
			[]string{"the plan is not what its sources give: source `judges/judges.snodo` changed", "validator `judges.extern` moved"}},
		{"another file with another check", nil, map[string]string{"more.snodo": "snodo 1\n\ncheck more {\n  phase post_execute\n  run \"x\"\n}\n"},
			[]string{"the plan is not what its sources give: source `more.snodo` was added", "validator `more` was added"}},
		{"two files changed", change{"make lint", "make lints", "judges/judges.snodo: It is documented.", "It is good."}, nil,
			[]string{"the plan is not what its sources give: sources `judges/judges.snodo` and `protocol.snodo` changed", "validators `judges.extern` and `lint` moved"}},
		{"a validator less", change{"panel tests, lint, scope", "panel tests, scope", "check lint {\n  phase post_execute\n  run \"make lint\"\n}\n", ""}, nil,
			[]string{"the plan is not what its sources give: source `protocol.snodo` changed", "validator `lint` was removed"}},
		{"another protocol", change{"protocol p \"", "protocol q \""}, nil,
			[]string{"this is the plan of protocol `p`, and the sources are those of `q`"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			now := tt.change.apply(t, files)
			maps.Copy(now, tt.also)
			if diff := cmp.Diff(tt.want, heldTo(t, packageOf(now), committed)); diff != "" {
				t.Errorf("want (-), got (+):\n%s", diff)
			}
		})
	}
}

func TestAPlanThatSomebodyChangedIsSaidToBe(t *testing.T) {
	src := packageOf(original(t))
	lead := "the plan is not what its sources give: the sources are the same, and "
	for _, tt := range []struct {
		name   string
		change func(*plan.Plan)
		want   []string
	}{
		{"a command", func(p *plan.Plan) { p.Validators["lint"].(*plan.Check).Run = "true" },
			[]string{lead + "the plan was changed by hand", "validator `lint` moved", "what differs: `validators`"}},
		{"what is protected", func(p *plan.Plan) { p.Protocol.Protects = []string{} },
			[]string{lead + "the plan was changed by hand", "what differs: `protocol`"}},
		{"the compiler", func(p *plan.Plan) { p.Compiler = "0.0.9" },
			[]string{lead + "compiler 0.0.9 wrote it; this is " + plan.Compiler, "what differs: `compiler`"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			p := compile(t, src)
			tt.change(p)
			if err := plan.Seal(p); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.want, heldTo(t, src, encoded(t, p))); diff != "" {
				t.Errorf("want (-), got (+):\n%s", diff)
			}
		})
	}
}

func TestADamagedPlanIsSaidToBe(t *testing.T) {
	src := packageOf(original(t))
	p := compile(t, src)
	p.Validators["lint"].(*plan.Check).Run = "true" // and not sealed again
	for name, tt := range map[string]struct {
		content []byte
		want    string
	}{
		"nothing":          {nil, "the plan is damaged: it is not JSON"},
		"another document": {[]byte(`{"schema":"snodo.check.v1"}`), `the plan is damaged: its schema is "snodo.check.v1"`},
		"a changed member": {encoded(t, p), "the plan is damaged: the digest of validator \"lint\" does not fit it"},
	} {
		got := heldTo(t, src, tt.content)
		if len(got) == 0 || !strings.HasPrefix(got[0], tt.want) {
			t.Errorf("%s: %q, want %q", name, got, tt.want)
		}
	}
}

// What a package with an error would give is not known, and the error is the
// cause.
func TestAPackageWithErrorsIsNotHeldToAPlan(t *testing.T) {
	files := original(t)
	for name, now := range map[string]map[string]string{
		"an error":    change{"panel tests, lint, scope", "panel tests, lnit, scope"}.apply(t, files),
		"no protocol": {"lib.snodo": "snodo 1\n\nrole me \"Me\"\n"},
	} {
		if got := heldTo(t, packageOf(now), nil); got != nil {
			t.Errorf("%s: %q", name, got)
		}
		if report, _ := Locked(packageOf(now), Committed{}); report.OK() {
			t.Errorf("%s: there is no error", name)
		}
	}
}

func TestSourcesAreCalledWhatAPersonWouldType(t *testing.T) {
	text := "snodo 1\n\nprotocol p {\n}\n\ntask t {\n  goal \"x\"\n  coder c\n  grants write_file\n}\n\ncoder c { run \"x\" }\n"
	src := func(text string) Source {
		return Source{FS: fstest.MapFS{"std/a/p.snodo": {Data: []byte(text)}}, Dir: "std/a", Display: func(name string) string { return "../" + name }}
	}
	got := heldTo(t, src(text+"\n"), encoded(t, compile(t, src(text))))
	want := []string{"the plan is not what its sources give: source `../std/a/p.snodo` changed"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("want (-), got (+):\n%s", diff)
	}
}
