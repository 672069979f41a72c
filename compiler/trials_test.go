package compiler

import (
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	"github.com/snodo-lang/snodo/compiler/plan"
	"github.com/snodo-lang/snodo/lang/diag"
	"github.com/snodo-lang/snodo/stdlib"
)

// provable is a package with controls of each kind of validator.
const provable = `snodo 1

protocol p {
  starts m
  protects "docs/**"
  prepare "make ready" timeout 1m
}

role me "Me"

evidence how(question text) from me "Say: {question}"

judge fine "Fine" {
  phase post_execute
  grants read_file
  requests how
  returns pass, warn, unclear, blocker
  criterion ok "It is ok."
}

judge early {
  phase pre_execute
  requests how
  criterion clear "It is clear."
}

check tests {
  phase post_execute
  run "make test"
}

check watched {
  phase post_execute
  run "make watch"
}

coder c { run "c" }

mode m {
  coder c
  grants write_file

  pre_execute {
    panel early
    proceed when all pass
    unclear -> ask me
    blocker -> halt
  }

  post_execute {
    panel tests, fine
    observe watched
    proceed when all pass
    unclear -> ask me
    warn -> halt
    blocker -> halt
  }
}

review again {
  post_execute {
    panel tests
    proceed when all pass
    blocker -> halt
  }
}

controls tests {
  good "cases/a"
  bad "cases/b"
}

controls fine {
  good "cases/a"
  bad "cases/b" violates ok
  undecidable "cases/c" needs how
}

controls early {
  good "cases/a"
  bad "cases/b" violates clear
}
`

func provablePackage() Source {
	files := fstest.MapFS{"in/p.snodo": {Data: []byte(provable)}}
	for _, c := range []string{"a", "b", "c"} {
		for _, name := range []string{"task.md", "before/x", "after/x"} {
			files["in/cases/"+c+"/"+name] = &fstest.MapFile{Data: []byte(c + name)}
		}
	}
	return Source{FS: files, Dir: "in", Library: stdlib.FS}
}

func trialsOf(t *testing.T, src Source) []Trial {
	t.Helper()
	out, report, err := Trials(src)
	if err != nil || !report.OK() {
		t.Fatal(err, report.Diagnostics)
	}
	return out
}

func TestATrialIsTheValidatorAloneInAGate(t *testing.T) {
	src := provablePackage()
	whole := compile(t, src)
	all := trialsOf(t, src)
	var names []string
	for _, tr := range all {
		names = append(names, tr.Validator)
		p := tr.Plan
		if err := plan.Verify(p); err != nil {
			t.Errorf("%s: %v", tr.Validator, err)
		}
		if got, want := p.Validators[tr.Validator].Sum(), whole.Validators[tr.Validator].Sum(); got != want || len(p.Validators) != 1 {
			t.Errorf("%s is another in its trial, or not alone", tr.Validator)
		}
		if p.Protocol.Prepare == nil || len(p.Protocol.Protects) != 0 || len(p.Stages) != 1 || p.Stages[TrialStage].Kind != plan.Review || len(p.Stages[TrialStage].Powers) != 0 {
			t.Errorf("%s: the plan is %+v", tr.Validator, p)
		}
		phase := plan.PostExecute
		if tr.Validator == "early" {
			phase = plan.PreExecute
		}
		gate := p.Stages[TrialStage].Steps[phase+"-1"].(*plan.Gate)
		if diff := cmp.Diff([]string{tr.Validator}, gate.Panel); diff != "" || gate.Need != 1 || len(gate.Observe) != 0 {
			t.Errorf("%s: the gate is %+v", tr.Validator, gate)
		}
	}
	if diff := cmp.Diff([]string{"tests", "fine", "early"}, names); diff != "" {
		t.Error(diff)
	}
	sum := all[0].Cases[0].Sum
	want := []Case{
		{Folder: "cases/a", Path: "in/cases/a", Sum: sum, Expect: plan.Pass, Violates: []string{}},
		{Folder: "cases/b", Path: "in/cases/b", Sum: all[0].Cases[1].Sum, Expect: plan.Blocker, Violates: []string{"ok"}},
		{Folder: "cases/c", Path: "in/cases/c", Sum: all[1].Cases[2].Sum, Expect: plan.Unclear, Violates: []string{}, Needs: "how"},
	}
	if diff := cmp.Diff(want, all[1].Cases); diff != "" {
		t.Error(diff)
	}
}

// What a judge is told of a trial does not say that it is one.
func TestATrialDoesNotSayThatItIsOne(t *testing.T) {
	for _, tr := range trialsOf(t, provablePackage()) {
		content, err := plan.Encode(tr.Plan)
		if err != nil {
			t.Fatal(err)
		}
		said := strings.ReplaceAll(string(content), `"path":"trial/`+tr.Validator+`"`, "")
		for _, word := range []string{"trial", "proof", "prove", "cases/"} {
			if strings.Contains(strings.ToLower(said), word) {
				t.Errorf("the plan of %s says %q", tr.Validator, word)
			}
		}
	}
}

// A recording fits a trial until something that its judge is told changes.
func TestATrialChangesWithItsValidatorAlone(t *testing.T) {
	digest := func(change ...string) map[string]string {
		src := provablePackage()
		files := src.FS.(fstest.MapFS)
		files["in/p.snodo"] = &fstest.MapFile{Data: []byte(strings.NewReplacer(change...).Replace(provable))}
		out := map[string]string{}
		for _, tr := range trialsOf(t, src) {
			out[tr.Validator] = tr.Plan.Digest
		}
		return out
	}
	was := digest()
	if diff := cmp.Diff(was, digest("coder c { run \"c\" }", "// A remark.\ncoder c { run \"d\" }")); diff != "" {
		t.Error(diff)
	}
	is := digest("It is ok.", "It is fine.")
	if is["fine"] == was["fine"] || is["tests"] != was["tests"] {
		t.Error("a criterion changed, and not its trial alone")
	}
}

func TestALibraryHasTrials(t *testing.T) {
	src := Source{FS: fstest.MapFS{
		"lib.snodo": {Data: []byte("snodo 1\n\nrule r {\n  phase post_execute\n  no_secrets_in_diff\n}\n\ncontrols r {\n  good \"g\"\n  bad \"b\"\n}\n")},
		"g/task.md": {}, "g/before/x": {}, "g/after/x": {}, "b/task.md": {}, "b/before/x": {}, "b/after/x": {},
	}, Dir: ".", Library: stdlib.FS}
	all := trialsOf(t, src)
	if len(all) != 1 || all[0].Validator != "r" || plan.Verify(all[0].Plan) != nil {
		t.Errorf("got %+v", all)
	}
}

func TestAPackageWithAnErrorHasNoTrials(t *testing.T) {
	src := provablePackage()
	src.FS.(fstest.MapFS)["in/p.snodo"] = &fstest.MapFile{Data: []byte(provable + "\ncheck\n")}
	if out, report, err := Trials(src); err != nil || report.OK() || out != nil {
		t.Errorf("got %v, %v", out, err)
	}
}

func TestProvenAsksOfEachWhoDecidesOnce(t *testing.T) {
	asked := map[string]int{}
	report, err := Proven(provablePackage(), func(m Member) string {
		asked[m.Validator] += len(m.Cases)
		if m.Validator == "fine" {
			return "for this reason"
		}
		return ""
	})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(map[string]int{"early": 2, "tests": 2, "fine": 3}, asked); diff != "" {
		t.Error(diff)
	}
	var got []string
	for _, d := range report.Diagnostics {
		if d.Code == diag.SN802 {
			got = append(got, d.Message, d.Help)
		}
	}
	if diff := cmp.Diff([]string{"`fine` decides here and is not proven: for this reason", "run `snodo prove fine`"}, got); diff != "" {
		t.Error(diff)
	}
}
