package runtime

import (
	"encoding/json"
	"testing"

	"github.com/snodo-lang/snodo/compiler/plan"
)

func TestPlaceholdersAreFilledOnceAndNeverInsideValues(t *testing.T) {
	args := map[string]any{"file": "{at}", "at": json.Number("41"), "a-b": "x"}
	for text, want := range map[string]string{
		"Read {file}:{at}.":       "Read {at}:41.",
		"{a-b}{a-b}":              "xx",
		"{{file}} is literal":     "{file} is literal",
		"{{unknown}} is too":      "{unknown} is too",
		"{unknown} stays":         "{unknown} stays",
		"{ file }, {}, {1}, }{":   "{ file }, {}, {1}, }{",
		"awk '{print $1}' {file}": "awk '{print $1}' {at}",
	} {
		if got := fill(text, args); got != want {
			t.Errorf("%q gives %q, want %q", text, got, want)
		}
	}
	if got := fill("Read {file}.", nil); got != "Read {file}." {
		t.Errorf("without arguments: %q", got)
	}
}

func TestDerivedCodesBelongToTheirPartsAlone(t *testing.T) {
	s := seed("00")
	if s.derive(8, "a", "bc") == s.derive(8, "ab", "c") {
		t.Error("the borders between parts do not count")
	}
	if again := seed("00"); s.derive(8, "a") != again.derive(8, "a") {
		t.Error("the same seed gives another code")
	}
	if s.derive(8, "a") == seed("01").derive(8, "a") {
		t.Error("another seed gives the same code")
	}
}

func TestAShellTakesAQuotedWordAsItIs(t *testing.T) {
	for word, want := range map[string]string{
		"/a/b-c.json": "/a/b-c.json",
		"/a b/c":      "'/a b/c'",
		"it's":        `'it'\''s'`,
		"":            "''",
		"$(x)":        "'$(x)'",
	} {
		if got := quoted(word); got != want {
			t.Errorf("%q: %s, want %s", word, got, want)
		}
	}
}

// rehearsed is a plan with two judges, one of which may warn.
func rehearsed() *plan.Plan {
	return &plan.Plan{Validators: plan.Validators{
		"security": &plan.Judge{Returns: []plan.Verdict{plan.Pass, plan.Unclear, plan.Blocker}, Criteria: []plan.Criterion{{Name: "a"}, {Name: "b"}}, Requests: []string{"look"}},
		"docs":     &plan.Judge{Returns: []plan.Verdict{plan.Pass, plan.Warn, plan.Unclear, plan.Blocker}, Criteria: []plan.Criterion{{Name: "c"}}, Requests: []string{"look"}},
		"tests":    &plan.Check{},
	}}
}

func TestARehearsalPlaysWhatItsSpecSays(t *testing.T) {
	for spec, want := range map[string][2]plan.Verdict{
		"pass":                          {plan.Pass, plan.Pass},
		"unclear":                       {plan.Unclear, plan.Unclear},
		"security=blocker":              {plan.Blocker, plan.Pass},
		"security=blocker,docs=warn":    {plan.Blocker, plan.Warn},
		" security=unclear , docs=pass": {plan.Unclear, plan.Pass},
	} {
		r, err := ParseRehearsal(spec, rehearsed())
		if err != nil {
			t.Errorf("%q: %v", spec, err)
			continue
		}
		if got := [2]plan.Verdict{r.verdict("security"), r.verdict("docs")}; got != want {
			t.Errorf("%q plays %v, want %v", spec, got, want)
		}
	}
	r, err := ParseRehearsal("security=unclear", rehearsed())
	if err != nil {
		t.Fatal(err)
	}
	res := r.play("security", rehearsed().Validators["security"].(*plan.Judge))
	if len(res.Findings) != 2 || res.Findings[0].Missing[0].Evidence != "look" || res.Findings[0].Missing[0].Args != nil {
		t.Errorf("a rehearsed unclear is %+v", res)
	}
}

func TestARehearsalOfWhatCannotHappenIsRefused(t *testing.T) {
	for _, spec := range []string{"", "maybe", "error", "security", "security=", "security=warn", "warn", "nobody=pass", "tests=pass", "security=pass,security=pass", "security=pass,"} {
		if _, err := ParseRehearsal(spec, rehearsed()); err == nil {
			t.Errorf("%q is accepted", spec)
		}
	}
}
