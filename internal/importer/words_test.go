package importer

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/snodo-lang/snodo/lang"
)

// imported is the result of a protocol that must be readable.
func imported(t *testing.T, src string) Result {
	t.Helper()
	r, err := Import("p.yml", []byte(src), Surroundings{})
	if err != nil {
		t.Fatal(err)
	}
	sound(t, r)
	return r
}

func TestCriteriaAreCarriedWordForWord(t *testing.T) {
	want := []string{
		"It holds.",
		`Nothing says "yes" or \no\ without {care}.`,
		"One line,\n\n  then an indented one.",
		"A fence \"\"\" in\ntwo lines.",
		"Zero\u200bwidth, a bell \a and a tab\t.",
		"Übergrößen, 日本語 🙂",
		"  blanks around  ",
		"Return BLOCKER if it does not.",
		strings.Repeat("Long words do not hurt. ", 2000) + "End.",
	}
	src := "name: a\nmodes: {m: {tools: [edit], validators: [v]}}\nvalidators:\n  v:\n    phase: post_execute\n    type: llm\n    criteria:\n"
	for _, w := range want {
		src += fmt.Sprintf("      - %s\n", jsonText(w))
	}
	r := imported(t, src)
	file, _ := lang.Parse("p.snodo", r.Source)
	var got []string
	for _, d := range file.Decls {
		for _, stmt := range d.(*lang.Declaration).Body {
			if c, ok := stmt.(*lang.Criterion); ok {
				got = append(got, c.Text.(lang.Text).Value)
			}
		}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// jsonText writes a text as YAML and JSON have it.
func jsonText(s string) string {
	var out strings.Builder
	out.WriteByte('"')
	for _, r := range s {
		switch {
		case r == '"' || r == '\\':
			out.WriteString(`\` + string(r))
		case r == '\n':
			out.WriteString(`\n`)
		case hidden(r) || r == '\t':
			fmt.Fprintf(&out, `\u%04x`, r)
		default:
			out.WriteRune(r)
		}
	}
	return out.String() + `"`
}

// gate imports a mode with three judges after the work and the policy that is
// given, and returns the statements of their gate.
func gateOf(t *testing.T, policy string) (string, Result) {
	t.Helper()
	src := "name: a\nroles: {lead: The lead, ops: Operations}\nrecovery_depth: 2\nmodes:\n  m:\n    tools: [edit]\n    validators: [x, y, z]\n    policy: " + policy + "\nvalidators:\n"
	for _, name := range []string{"x", "y", "z"} {
		src += "  " + name + ": {phase: post_execute, type: llm, tools: [read_file], criteria: [It holds.]}\n"
	}
	r := imported(t, src)
	_, gate, found := strings.Cut(string(r.Source), "panel x, y, z\n")
	if !found {
		t.Fatalf("there is no gate of the three:\n%s", r.Source)
	}
	gate, _, _ = strings.Cut(gate, "\n  }")
	return strings.Join(strings.Split(strings.TrimSpace(strings.ReplaceAll(gate, "    ", "")), "\n"), "; "), r
}

func TestPoliciesBecomeNumbersAndRoutes(t *testing.T) {
	const ask, back = "unclear -> ask lead; ", "blocker -> recover 2 then halt"
	all := "proceed when all pass; warn -> ask lead; " + ask + back
	two := "proceed when 2 of 3 pass; warn -> ask lead; " + ask + back
	one := "proceed when 1 of 3 pass; warn -> ask lead; " + ask + back
	for policy, want := range map[string]string{
		"unanimous":              all,
		"all":                    all,
		"majority":               two,
		"quorum":                 "proceed when all pass; warn -> ask lead; " + ask + back, // 0.67 of three are more than two
		"any":                    one,
		"2":                      two,
		`"2 of 3"`:               two,
		"2/3":                    two,
		"60%":                    two,
		"0.5":                    two,
		"7":                      all,
		"0":                      one,
		`"1 of 2"`:               two, // one may be missing, of three as of two
		`"2 of 5"`:               two,
		"sometimes":              all,
		"{quorum: 2, of: 3}":     two,
		"{required: 2}":          two,
		"{post_execute: 2}":      two,
		"{pre_execute: 1}":       all,
		"{on_warn: halt}":        "proceed when all pass; warn -> halt; " + ask + back,
		"{on_warn: recover}":     "proceed when all pass; warn -> recover 2 then ask lead; " + ask + back,
		"{on_warn: ask ops}":     "proceed when all pass; warn -> ask ops; " + ask + back,
		"{on_warn: ask nobody}":  all,
		"{on_warn: proceed}":     all,
		"{on_blocker: halt}":     "proceed when all pass; warn -> ask lead; " + ask + "blocker -> halt",
		"{on_blocker: recover}":  all,
		"{on_blocker: ask}":      all,
		"{on_unclear: ask ops}":  "proceed when all pass; warn -> ask lead; unclear -> ask ops; " + back,
		"{on_unclear: recover}":  all,
		"{on_unclear: proceed}":  all,
		"{on_blocker: fix 4}":    "proceed when all pass; warn -> ask lead; " + ask + "blocker -> recover 4 then halt",
		"{on_abstain: continue}": all,
	} {
		t.Run(policy, func(t *testing.T) {
			got, r := gateOf(t, policy)
			got = strings.Replace(got, "warn -> ask lead; ", "", strings.Count(got, "1 of 3")) // two may warn
			want := strings.Replace(want, "warn -> ask lead; ", "", strings.Count(want, "1 of 3"))
			if got != want {
				t.Errorf("it is %q, want %q", got, want)
			}
			for _, word := range []string{"sometimes", "proceed", "ask nobody", "abstain", "1 of 2", "2 of 5", ": 7", ": 0", "pre_execute: 1"} {
				if strings.Contains(": "+policy, word) && !strings.Contains(flat(printed(r)), flat(strings.Trim(word, ": "))) {
					t.Errorf("the report does not speak of %s:\n%s", word, printed(r))
				}
			}
		})
	}
}

// A panel that is smaller for its observers never asks for fewer than all that
// are left where that many were asked for.
func TestObserversDoNotLowerAQuorum(t *testing.T) {
	r := imported(t, "name: a\npolicy: 2 of 3\nmodes: {m: {tools: [edit], validators: [x, y, z]}}\nvalidators:\n"+
		"  x: {phase: post_execute, type: llm, tools: [read_file], criteria: [It holds.]}\n"+
		"  y: {phase: post_execute, type: llm, tools: [read_file], criteria: [It holds.]}\n"+
		"  z: {phase: post_execute, type: llm, tools: [read_file], criteria: [It holds.], severity_cap: warn}\n")
	for _, want := range []string{"panel x, y\n", "observe z\n", "proceed when all pass\n"} {
		if !strings.Contains(string(r.Source), want) {
			t.Errorf("there is no %q in\n%s", want, r.Source)
		}
	}
	if !strings.Contains(printed(r), "policy: 2 of 3: the panel has 2, so all must pass") {
		t.Errorf("the report is silent about the quorum:\n%s", printed(r))
	}
}

func TestAMissingCommandFails(t *testing.T) {
	r := imported(t, "name: a\nmodes: {m: {tools: [edit], validators: [quality]}}\nvalidators: {quality: {type: quality}}\n")
	if !strings.Contains(string(r.Source), "exit 1\"\n") || len(r.Decisions) != 1 {
		t.Errorf("a check without a command passes, or nobody has to write it: %v\n%s", r.Decisions, r.Source)
	}
}

func TestPowersGoToOneStage(t *testing.T) {
	r := imported(t, "name: a\nmodes:\n  w: {tools: [edit, merge], validators: [x]}\n  r: {tools: [merge, approve], validators: [x]}\n  s: {tools: [approve], validators: [x]}\n"+
		"validators: {x: {phase: post_execute, type: llm, tools: [read_file], criteria: [It holds.]}}\n")
	if got := strings.Count(string(r.Source), "merge\n") + strings.Count(string(r.Source), "merge,"); got != 1 {
		t.Errorf("merge is held %d times:\n%s", got, r.Source)
	}
	if !strings.Contains(string(r.Source), "grants merge, approve\n") || len(r.Decisions) != 2 {
		t.Errorf("the review does not hold both, or nothing is left to decide: %v\n%s", r.Decisions, r.Source)
	}
}

// A review that approves or merges judges a work, also where its validators were
// about proposals.
func TestPowersAreNeverExercisedOverAWorkThatNothingJudged(t *testing.T) {
	r := imported(t, "name: a\nmodes: {r: {tools: [approve], validators: [x]}}\nvalidators: {x: {phase: pre_execute, type: llm, criteria: [It holds.]}}\n")
	if !strings.Contains(string(r.Source), "  post_execute {\n    panel no-secrets\n") || len(r.Decisions) != 1 {
		t.Errorf("nothing judges the work, or nothing is left to decide: %v\n%s", r.Decisions, r.Source)
	}
}

func TestGlobsAreMended(t *testing.T) {
	for written, want := range map[string][]string{
		"src/**":                    {"src/**"},
		"./src/*.go":                {"src/*.go"},
		"src/":                      {"src/**"},
		"a.{ts,tsx}":                {"a.ts", "a.tsx"},
		"{a, b}/*.{c,d}":            {"a/*.c", "a/*.d", "b/*.c", "b/*.d"},
		"{dir}/{stem}.py":           {"{dir}/{stem}.py"},
		"{a,{b,c}}":                 nil,
		"/etc/**":                   nil,
		"../x":                      nil,
		"a/../../x":                 nil,
		"!a":                        nil,
		"a[":                        nil,
		"":                          nil,
		"a\\b":                      nil,
		strings.Repeat("{a,b}", 12): nil,
	} {
		if got := mendedGlobs(written); !slices.Equal(got, want) {
			t.Errorf("%q is %q, want %q", written, got, want)
		}
	}
}

func TestLengthsOfTimeAreWritten(t *testing.T) {
	for d, want := range map[time.Duration]string{time.Second: "1s", 90 * time.Second: "1m30s", 24 * time.Hour: "24h", 1500 * time.Millisecond: "1s500ms"} {
		if got := duration(d); got != want {
			t.Errorf("%v is %q, want %q", d, got, want)
		}
	}
}

func TestNamesAreMended(t *testing.T) {
	for written, want := range map[string]string{
		"security": "security", "intent_clarity": "intent_clarity", "2+n": "judge-2-n", "a  b.c": "a-b-c", "-x-": "x",
		"judge": "judge-judge", "all": "judge-all", "": "judge-1", "日本": "judge-1", "Über mut": "ber-mut",
	} {
		if got := mended(written, "judge"); got != want {
			t.Errorf("%q is named %q, want %q", written, got, want)
		}
	}
}

func TestNamesAreOneSet(t *testing.T) {
	taken, got := names{}, []string(nil)
	for range 4 {
		got = append(got, taken.free("a", "judge"))
	}
	got = append(got, taken.free("a-2", "role"), taken.free("a-judge", ""))
	if want := []string{"a", "a-judge", "a-2", "a-3", "a-2-role", "a-judge-2"}; !slices.Equal(got, want) {
		t.Errorf("the names are %q, want %q", got, want)
	}
}
