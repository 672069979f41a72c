package trial_test

import (
	"context"
	"crypto/rand"
	"os"
	"path"
	"slices"
	"testing"
	"time"

	"github.com/snodo-lang/snodo/compiler"
	"github.com/snodo-lang/snodo/compiler/plan"
	"github.com/snodo-lang/snodo/internal/trial"
	"github.com/snodo-lang/snodo/lang/diag"
	"github.com/snodo-lang/snodo/runtime"
	"github.com/snodo-lang/snodo/runtime/proof"
	"github.com/snodo-lang/snodo/stdlib"
)

// library is the library as it stands in this repository, with the controls
// that are no part of the program.
const library = "../../stdlib"

func sourceOf(folder string) compiler.Source {
	return compiler.Source{FS: os.DirFS(library), Dir: folder, Library: stdlib.FS}
}

func folders(t *testing.T) []string {
	t.Helper()
	entries, err := os.ReadDir(library)
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, e := range entries {
		if e.IsDir() {
			out = append(out, e.Name())
		}
	}
	return out
}

func trialsOf(t *testing.T, folder string) []compiler.Trial {
	t.Helper()
	all, report, err := compiler.Trials(sourceOf(folder))
	if err != nil || report.Diagnostics.Count(diag.Error) > 0 {
		t.Fatal(err, report.Diagnostics)
	}
	return all
}

func setting(t *testing.T) trial.Setting {
	t.Helper()
	t.Setenv("GIT_CONFIG_GLOBAL", os.DevNull)
	t.Setenv("GIT_CONFIG_NOSYSTEM", "1")
	return trial.Setting{
		FS: os.DirFS(library), Runs: 1, Jobs: 1, Cache: t.TempDir(), Redact: func(s string) string { return s },
		Reach: func(*runtime.Request, string) (trial.Reached, error) { panic("a judge was asked") },
		Done:  func(string, proof.Case, proof.Run) {}, Now: time.Now, Random: rand.Reader,
	}
}

// Every check and rule of the library passes what it must and catches what it
// must, and would not if it were broken: the proof of one whose command or
// predicate lets everything through does not hold.
func TestTheLibrarysChecksAndRulesAreProven(t *testing.T) {
	for _, folder := range folders(t) {
		for _, tr := range trialsOf(t, folder) {
			if tr.Plan.Validators[tr.Validator].OfKind() == plan.KindJudge {
				continue
			}
			t.Run(folder+"/"+tr.Validator, func(t *testing.T) {
				s := setting(t)
				if why := prove(t, s, tr).Holds(); why != "" {
					t.Errorf("it is not proven: %s", why)
				}
				breakDown(t, tr)
				if prove(t, s, tr).Holds() == "" {
					t.Error("it is proven still when it lets everything through")
				}
			})
		}
	}
}

func prove(t *testing.T, s trial.Setting, tr compiler.Trial) proof.Proof {
	t.Helper()
	p, err := s.Prove(context.WithoutCancel(t.Context()), tr)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// breakDown makes a validator let everything through.
func breakDown(t *testing.T, tr compiler.Trial) {
	t.Helper()
	switch v := tr.Plan.Validators[tr.Validator].(type) {
	case *plan.Check:
		v.Run = "true"
	case *plan.Rule:
		v.Predicate, v.Args = plan.FilesInScope, plan.RuleArgs{Paths: []string{"**"}}
	}
	if err := plan.Seal(tr.Plan); err != nil {
		t.Fatal(err)
	}
}

// Whatever decides in the library has a good and a bad case, and each judge
// one that cannot be decided.
func TestTheLibraryHasControlsForAll(t *testing.T) {
	for _, folder := range folders(t) {
		known := map[string][]plan.Verdict{}
		for _, tr := range trialsOf(t, folder) {
			for _, c := range tr.Cases {
				known[tr.Validator] = append(known[tr.Validator], c.Expect)
			}
		}
		report, err := compiler.Proven(sourceOf(folder), func(m compiler.Member) string {
			name := path.Base(m.Validator)
			if known[name] == nil && path.Ext(name) != "" {
				return "" // an import is proven where it is declared
			}
			want := []plan.Verdict{plan.Pass, plan.Blocker}
			if m.Of.OfKind() == plan.KindJudge {
				want = append(want, plan.Unclear)
			}
			for _, v := range want {
				if !slices.Contains(known[name], v) {
					return "it has no case of " + string(v)
				}
			}
			return ""
		})
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range report.Diagnostics {
			if d.Code == diag.SN802 {
				t.Errorf("%s: %s", folder, d.Message)
			}
		}
	}
}
