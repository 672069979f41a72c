package compiler

import (
	"maps"
	"math/rand/v2"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// renamed gives a name of the package another one wherever it stands, texts
// left alone.
func renamed(files map[string]string, names ...string) map[string]string {
	out := maps.Clone(files)
	for i := 0; i < len(names); i += 2 {
		pattern := regexp.MustCompile(`(^|[^\w-])` + regexp.QuoteMeta(names[i]) + `($|[^\w-])`)
		for _, file := range []string{"protocol.snodo", "judges/judges.snodo"} {
			parts := strings.Split(out[file], `"`)
			for n := 0; n < len(parts); n += 2 {
				for range 2 { // neighbours share a character
					parts[n] = pattern.ReplaceAllString(parts[n], "${1}"+names[i+1]+"$2")
				}
			}
			out[file] = strings.Join(parts, `"`)
		}
	}
	return out
}

// everyName are the names of the original that are no words of the language.
var everyName = []string{
	"me", "lead", "owner", "say", "run-it", "house", "tidy", "small", "spec", "security", "one", "two",
	"style", "named", "extra", "tests", "lint", "scope", "extern", "documented", "cmd", "producer", "auditor",
}

func TestAnotherNameIsNoWeakening(t *testing.T) {
	files := original(t)
	for _, name := range everyName {
		after := renamed(files, name, name+"-2")
		if after["protocol.snodo"] == files["protocol.snodo"] && after["judges/judges.snodo"] == files["judges/judges.snodo"] {
			t.Fatalf("%s is no name", name)
		}
		if got := against(t, after, files); len(got) > 0 {
			t.Errorf("%s: %q", name, got)
		}
	}
	var all []string
	for _, name := range everyName {
		all = append(all, name, "x-"+name)
	}
	if got := against(t, renamed(files, all...), files); len(got) > 0 {
		t.Errorf("all: %q", got)
	}
}

// Names that others had may be given again.
func TestNamesThatWereExchanged(t *testing.T) {
	files := original(t)
	for _, tt := range []struct {
		name  string
		names []string
	}{
		{"two checks", []string{"lint", "x", "tests", "lint", "x", "tests"}},
		{"two judges", []string{"style", "x", "extra", "style", "x", "extra"}},
		{"one after another", []string{"lint", "linter", "tests", "lint"}},
		{"two roles", []string{"me", "x", "lead", "me", "x", "lead"}},
		{"two kinds of evidence", []string{"say", "x", "run-it", "say", "x", "run-it"}},
	} {
		if got := against(t, renamed(files, tt.names...), files); len(got) > 0 {
			t.Errorf("%s: %q", tt.name, got)
		}
	}
}

// What is the same is told apart by its place, so that it may be renamed, too.
func TestTwinsOfOtherNames(t *testing.T) {
	const twin = "check %s {\n  phase post_execute\n  run \"make twin\"\n}\n"
	before := change{"// end", strings.ReplaceAll(twin, "%s", "zeta") + strings.ReplaceAll(twin, "%s", "beta") +
		"review later {\n  post_execute {\n    panel zeta\n    proceed when all pass\n    blocker -> halt\n  }\n}\n",
		"panel tests, lint, scope", "panel tests, lint, scope, beta"}.apply(t, original(t))
	if got := against(t, renamed(before, "zeta", "alpha", "beta", "omega"), before); len(got) > 0 {
		t.Errorf("got %q", got)
	}
	// One of them does not do what both did.
	after := change{"check omega {\n  phase post_execute\n  run \"make twin\"\n}\n", "", ", omega", ""}.apply(t, renamed(before, "zeta", "alpha", "beta", "omega"))
	want := []string{"SN901 post_execute \"cheap\" | check `beta` no longer decides in mode `producer`: it is gone"}
	if diff := cmp.Diff(want, against(t, after, before)); diff != "" {
		t.Errorf("want (-), got (+):\n%s", diff)
	}
}

// Whatever gets another name, what is weaker is still reported: the same, or,
// where the weaker thing is not to be known again, that it is gone.
func TestNoNameHidesAWeakening(t *testing.T) {
	files := original(t)
	random := rand.New(rand.NewPCG(3, 4))
	for _, w := range weakenings {
		weaker := w.change.apply(t, files)
		for range 3 {
			var names []string
			for _, name := range everyName {
				// No gate holds extra, which is not missed.
				if name != "extra" && random.IntN(3) == 0 {
					names = append(names, name, name+"-2")
				}
			}
			if got := against(t, renamed(weaker, names...), files); len(got) < min(1, len(w.want)) {
				t.Errorf("%s, renamed %q: nothing is reported", w.name, names)
			}
		}
	}
}

// Stages of the same name are compared, whatever others are: a run may be told
// the name.
func TestStagesThatExchangedTheirNames(t *testing.T) {
	files := original(t)
	const review = "review %s {\n  post_execute {\n    panel security, extra\n    proceed when %d of 2 pass\n    warn -> halt\n    unclear -> ask me\n    blocker -> halt\n  }\n}\n"
	written := func(name, need string) string {
		return strings.NewReplacer("%s", name, "%d", need).Replace(review)
	}
	before := change{"// end", written("strict", "2") + written("lax", "1")}.apply(t, files)
	after := change{"// end", written("strict", "1") + written("lax", "2")}.apply(t, files)
	want := []string{"SN910 proceed when 1 of 2 pass | this gate proceeds with fewer passes than it took: 1 of 2 are enough, and it was 2 of 2"}
	if diff := cmp.Diff(want, against(t, after, before)); diff != "" {
		t.Errorf("want (-), got (+):\n%s", diff)
	}
	after = change{"// end", written("a", "1") + written("b", "2")}.apply(t, files)
	if got := against(t, after, before); len(got) > 0 {
		t.Errorf("other names: %q", got)
	}
}
