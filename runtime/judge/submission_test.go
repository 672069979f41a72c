package judge_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/snodo-lang/snodo/compiler/plan"
	"github.com/snodo-lang/snodo/runtime/judge"
	"github.com/snodo-lang/snodo/runtime/verdict"
)

// submit is a reply that submits the given text, in which @ is the right
// receipt.
func submit(arguments string) string {
	raw, err := json.Marshal(strings.ReplaceAll(arguments, "@", "$RECEIPT"))
	if err != nil {
		panic(err)
	}
	return `{"calls":[{"tool":"submit_verdict","raw":` + string(raw) + `}]}`
}

// ruled is a submission in which safe is ruled as given and tidy passes.
func ruled(members string) string {
	return submit(`{"findings":[{"criterion":"safe",` + members + `},{"criterion":"tidy","quotes":[],"because":"b","verdict":"pass"}],"receipt":"@"}`)
}

func TestSubmissionsAreReadStrictly(t *testing.T) {
	const ok = `"quotes":[],"because":"b","verdict":"pass"`
	missing := func(evidence, args string) string {
		return ruled(fmt.Sprintf(`"quotes":[],"because":"b","verdict":"unclear","missing":[{"evidence":%q,"args":%s}]`, evidence, args))
	}
	quote := func(q string) string { return ruled(`"quotes":[` + q + `],"because":"b","verdict":"pass"`) }
	for _, c := range []struct {
		name, reply string
		reasons     []string // what the answer holds; none: accepted
	}{
		{"in full", ruled(ok), nil},
		{"quotes left out", ruled(`"because":"b","verdict":"pass"`), nil},
		{"an empty missing", ruled(ok + `,"missing":[]`), nil},
		{"members in another order", submit(`{"receipt":"@","findings":[{"verdict":"pass","because":"b","criterion":"tidy"},{"because":"b","verdict":"pass","criterion":"safe"}]}`), nil},
		{"blanks around", submit("\n " + `{"findings":[{"criterion":"safe",` + ok + `},{"criterion":"tidy",` + ok + `}],"receipt":" @\n"}` + " \n"), nil},

		{"no object", submit(`[]`), []string{"ReasonJSON NotJSON"}},
		{"a second object", submit(submission + `{}`), []string{"ReasonJSON NotJSON"}},
		{"too deep", submit(strings.Repeat("[", 5000)), []string{"ReasonJSON NotJSON"}},
		{"deep in a member", submit(`{"findings":` + strings.Repeat(`{"x":`, 40) + "1" + strings.Repeat("}", 40) + `}`), []string{"ReasonJSON NotJSON"}},
		{"an unknown member", submit(`{"verdict":"pass",` + findings + `,"receipt":"@"}`), []string{"ReasonJSON Unknown verdict"}},
		{"an unknown member of a finding", ruled(ok + `,"confidence":1`), []string{"Unknown findings[0].confidence"}},
		{"a member of other case", ruled(`"quotes":[],"Because":"b","verdict":"pass"`), []string{"Unknown findings[0].Because", "Required findings[0].because"}},
		{"a repeated member", ruled(ok + `,"verdict":"blocker"`), []string{"Repeated findings[0].verdict"}},
		{"a repeated list", submit(`{` + findings + `,"findings":[],"receipt":"@"}`), []string{"Repeated findings"}},
		{"findings of another type", submit(`{"findings":{},"receipt":"@"}`), []string{"NotList findings", "ReasonMissingFinding"}},
		{"a finding of another type", submit(`{"findings":["pass"],"receipt":"@"}`), []string{"NotTable"}},
		{"a verdict of another type", ruled(`"because":"b","verdict":true`), []string{"NotText findings[0].verdict"}},
		{"quotes of another type", ruled(`"quotes":null,"because":"b","verdict":"pass"`), []string{"NotList findings[0].quotes"}},
		{"missing of another type", ruled(ok + `,"missing":null`), []string{"NotList findings[0].missing"}},
		{"no receipt", submit(`{` + findings + `}`), []string{"Required receipt"}},

		{"no findings", submit(`{"findings":[],"receipt":"@"}`), []string{"ReasonMissingFinding\n- ReasonMissingFinding"}},
		{"two findings for one criterion", submit(`{"findings":[{"criterion":"safe",` + ok + `},{"criterion":"safe",` + ok + `},{"criterion":"tidy",` + ok + `}],"receipt":"@"}`), []string{"ReasonTwoFindings"}},
		{"a criterion that is none", submit(`{"findings":[{"criterion":"nice",` + ok + `},{"criterion":"safe",` + ok + `},{"criterion":"tidy",` + ok + `}],"receipt":"@"}`), []string{"ReasonCriterion"}},
		{"a verdict that it may not return", ruled(`"because":"b","verdict":"warn"`), []string{"ReasonVerdict"}},
		{"a verdict in capitals", ruled(`"because":"b","verdict":"PASS"`), []string{"ReasonVerdict"}},
		{"a blank because", ruled(`"because":" \n","verdict":"pass"`), []string{"ReasonBecause"}},
		{"several reasons", submit(`{"findings":[{"criterion":"safe","because":"","verdict":"warn"}],"receipt":"x"}`), []string{"ReasonBecause", "ReasonVerdict", "ReasonMissingFinding", "ReasonReceipt"}},

		{"unclear without missing", ruled(`"because":"b","verdict":"unclear"`), []string{"ReasonNoMissing"}},
		{"unclear with an empty missing", ruled(`"because":"b","verdict":"unclear","missing":[]`), []string{"ReasonNoMissing"}},
		{"missing on a pass", ruled(ok + `,"missing":[{"evidence":"test-run","args":{"target":"x"}}]`), []string{"ReasonMissingUnasked"}},
		{"missing on a blocker", ruled(`"because":"b","verdict":"blocker","missing":[{"evidence":"test-run","args":{"target":"x"}}]`), []string{"ReasonMissingUnasked"}},
		{"evidence that is not its own", missing("other", `{}`), []string{"ReasonEvidence"}},
		{"evidence that there is not", missing("nothing", `{}`), []string{"ReasonEvidence"}},
		{"a name", missing("test-run", `{"target":"./api/v1:x@2+b"}`), nil},
		{"a name with a blank", missing("test-run", `{"target":"./api; rm"}`), []string{"BadName target"}},
		{"a name that is an option", missing("test-run", `{"target":"-exec"}`), []string{"BadName target"}},
		{"a name that climbs", missing("test-run", `{"target":"./../x"}`), []string{"BadName target"}},
		{"a name with two dots in it", missing("test-run", `{"target":"a..b"}`), nil},
		{"an empty name", missing("test-run", `{"target":""}`), []string{"BadName target"}},
		{"a name that is too long", missing("test-run", `{"target":"`+strings.Repeat("x", 257)+`"}`), []string{"Long target"}},
		{"a name of the most bytes", missing("test-run", `{"target":"`+strings.Repeat("x", 256)+`"}`), nil},
		{"no argument", missing("test-run", `{}`), []string{"Required target"}},
		{"an argument that there is not", missing("test-run", `{"target":"x","mode":"y"}`), []string{"Unknown mode"}},
		{"an argument twice", missing("test-run", `{"target":"x","target":"y"}`), []string{"Repeated target"}},
		{"a number for a name", missing("test-run", `{"target":7}`), []string{"NotText target"}},
		{"args of another type", missing("test-run", `[]`), []string{"NotTable"}},
		{"a path and a line", missing("human-read", `{"file":"api/q.go","at":41}`), nil},
		{"a folder is a path", missing("human-read", `{"file":"api","at":1}`), nil},
		{"a line as a text", missing("human-read", `{"file":"a.go","at":"41"}`), []string{"NotLine at"}},
		{"line 0", missing("human-read", `{"file":"a.go","at":0}`), []string{"NotLine at"}},
		{"a line with a point", missing("human-read", `{"file":"a.go","at":1.0}`), []string{"NotLine at"}},
		{"a line with an exponent", missing("human-read", `{"file":"a.go","at":1e2}`), []string{"NotLine at"}},
		{"a path that is not there", missing("human-read", `{"file":"gone.go","at":1}`), []string{"NoPath file"}},
		{"a path that is not normalised", missing("human-read", `{"file":"./a.go","at":1}`), []string{"BadPath file"}},
		{"a path that leaves the tree", missing("human-read", `{"file":"../a.go","at":1}`), []string{"BadPath file"}},
		{"a choice", missing("setting", `{"which":"ci"}`), nil},
		{"a choice that there is not", missing("setting", `{"which":"prod"}`), []string{"OneOf which"}},
		{"a text", missing("answer", `{"what":"Is q trusted? – yes/no"}`), nil},
		{"a text of two lines", missing("answer", `{"what":"a\nb"}`), []string{"Control what"}},
		{"a text with an escape", missing("answer", `{"what":"a\u001b[31m"}`), []string{"Control what"}},
		{"a text that turns direction", missing("answer", `{"what":"a\u202eb"}`), []string{"Control what"}},
		{"a blank text", missing("answer", `{"what":" "}`), []string{"Blank what"}},
		{"evidence that was given", missing("human-read", `{"file":"a.go","at":3}`), []string{"ReasonGiven"}},
		{"other arguments than were given", missing("human-read", `{"file":"a.go","at":4}`), nil},

		{"a quotation from the difference", quote(`{"path":"api/q.go","line":3,"text":"escape(in)"}`), nil},
		{"a removed line", quote(`{"path":"api/q.go","line":3,"text":"var q = in"}`), nil},
		{"a quotation of nothing", quote(`{"path":"api/q.go","line":3,"text":" "}`), []string{"ReasonQuote"}},
		{"a quotation that is not exact", quote(`{"path":"api/q.go","line":3,"text":"Escape(in)"}`), []string{"ReasonQuote"}},
		{"a quotation from a file that was not shown", quote(`{"path":"a.go","line":1,"text":"package a"}`), []string{"ReasonQuote"}},
		{"a quotation of a part that was not shown", quote(`{"path":"api/q.go","line":1,"text":"package api"}`), []string{"ReasonQuote"}},
		{"a quotation without a line", quote(`{"path":"api/q.go","text":"escape(in)"}`), []string{"Required findings[0].quotes[0].line"}},
		{"a quotation with more", quote(`{"path":"api/q.go","line":3,"text":"escape(in)","why":""}`), []string{"Unknown findings[0].quotes[0].why"}},
		{"two wrong quotations", quote(`{"path":"x","line":1,"text":"x"},{"path":"y","line":1,"text":"y"}`), []string{"ReasonQuote\n- ReasonQuote"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := ask(subject(5, all()...))
			r.Supplied = []judge.Supplied{{Evidence: "human-read", Args: map[string]any{"file": "a.go", "at": float64(3)}, Source: "me", Head: "looks fine"}}
			replies := []string{c.reply}
			if c.reasons != nil {
				replies = append(replies, pass)
			}
			result, _ := talk(t, r, replies...)
			if result.Error != nil {
				t.Fatalf("%v", result.Error)
			}
			if c.reasons == nil {
				return
			}
			told := lastAnswers(result)
			if !strings.HasPrefix(told, "Invalid\n") {
				t.Errorf("told %q", told)
			}
			for _, reason := range c.reasons {
				if !strings.Contains(told, reason) {
					t.Errorf("told %q, want %q", told, reason)
				}
			}
		})
	}
}

func TestQuotationsAreHeldAgainstWhatWasShown(t *testing.T) {
	f := files()
	f["twice.go"] = "x := 1\nreturn x\nx := 1\nreturn y\n"
	for _, c := range []struct {
		name, quote string
		want        verdict.Quote
	}{
		{"on its line", `{"path":"twice.go","line":3,"text":"x := 1"}`, verdict.Quote{Path: "twice.go", Line: 3, Text: "x := 1"}},
		{"on a line nearby", `{"path":"twice.go","line":2,"text":"return y"}`, verdict.Quote{Path: "twice.go", Line: 4, Text: "return y"}},
		{"on the nearest of its lines", `{"path":"./twice.go","line":9,"text":"x := 1"}`, verdict.Quote{Path: "twice.go", Line: 3, Text: "x := 1"}},
		{"over lines", `{"path":"twice.go","line":1,"text":"x := 1\nreturn y\n"}`, verdict.Quote{Path: "twice.go", Line: 3, Text: "x := 1\nreturn y\n"}},
		{"in an old version", `{"path":"a.go","line":2,"text":"old second"}`, verdict.Quote{Path: "a.go", Line: 2, Text: "old second"}},
		{"found by a search", `{"path":"c.go","line":5,"text":"package c"}`, verdict.Quote{Path: "c.go", Line: 1, Text: "package c"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := ask(subject(9, all()...))
			r.Tree = f
			result, _ := talk(t, r,
				`{"calls":[{"tool":"read_file","args":{"path":"twice.go"}},{"tool":"git_show","args":{"rev":"c0ffee1","path":"a.go"}},{"tool":"search_text","args":{"pattern":"package c","path":"c.go"}}]}`,
				ruled(`"quotes":[`+c.quote+`],"because":"b","verdict":"blocker"`))
			if result.Error != nil || len(result.Findings) != 2 {
				t.Fatalf("%v: %s", result.Error, lastAnswers(result))
			}
			if diff := cmp.Diff([]verdict.Quote{c.want}, result.Findings[0].Quotes); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestLinesOfDifferentReadsAreNotReadAsOne(t *testing.T) {
	// The old version has two lines, and a part of the new one begins at 3.
	result, _ := talk(t, ask(subject(3, all()...)),
		`{"calls":[{"tool":"git_show","args":{"rev":"c0ffee1","path":"a.go"}},{"tool":"read_file_lines","args":{"path":"a.go","start":3,"end":3}}]}`,
		ruled(`"quotes":[{"path":"a.go","line":2,"text":"of a.go\nfunc A"}],"because":"b","verdict":"blocker"`), pass)
	if told := lastAnswers(result); !strings.Contains(told, "ReasonQuote") {
		t.Errorf("told %q", told)
	}
}

func TestTheResultIsWrittenAsThePayloadHasIt(t *testing.T) {
	result, _ := talk(t, ask(subject(5, all()...)), readA,
		ruled(`"quotes":[{"path":"a.go","line":3,"text":"run(q)"}],"because":"b","verdict":"unclear","missing":[{"evidence":"human-read","args":{"file":"a.go","at":3}}]`))
	out, err := json.Marshal(result)
	if err != nil {
		t.Fatal(err)
	}
	want := `{"verdict":"unclear","error":null,"findings":[` +
		`{"criterion":"safe","verdict":"unclear","because":"b","quotes":[{"path":"a.go","line":3,"text":"run(q)"}],"missing":[{"evidence":"human-read","args":{"at":3,"file":"a.go"}}]},` +
		`{"criterion":"tidy","verdict":"pass","because":"b","quotes":[]}],` +
		`"examined":[{"tool":"read_file","path":"a.go","turn":1}],"model":"tiny","turns":2,"usage":{"input":200,"output":20,"cached":null}}`
	if diff := cmp.Diff(want, string(out)); diff != "" {
		t.Error(diff)
	}
	result, _ = talk(t, ask(subject(1)), prose)
	out, err = json.Marshal(result)
	if err != nil {
		t.Fatal(err)
	}
	want = `{"verdict":null,"error":{"class":"no_verdict","message":"the verdict turn brought no submission","turn":1},"findings":[],"examined":[],"model":"tiny","turns":1,"usage":{"input":100,"output":10,"cached":null}}`
	if diff := cmp.Diff(want, string(out)); diff != "" {
		t.Error(diff)
	}
}

func TestTheVerdictIsTheGravestOfTheFindings(t *testing.T) {
	for _, c := range []struct{ safe, tidy, want plan.Verdict }{
		{"pass", "pass", "pass"}, {"warn", "pass", "warn"}, {"pass", "unclear", "unclear"},
		{"unclear", "warn", "unclear"}, {"blocker", "unclear", "blocker"}, {"warn", "blocker", "blocker"},
	} {
		ruling := func(v plan.Verdict) string {
			if v == plan.Unclear {
				return `{"verdict":"unclear","missing":[{"evidence":"test-run","args":{"target":"x"}}]}`
			}
			return `"` + string(v) + `"`
		}
		r := ask(subject(1))
		r.Judge.Returns = plan.Verdicts
		result, _ := talk(t, r, `{"submit":{"safe":`+ruling(c.safe)+`,"tidy":`+ruling(c.tidy)+`}}`)
		if got := became(result); got != string(c.want) {
			t.Errorf("%s and %s became %s", c.safe, c.tidy, got)
		}
	}
}
