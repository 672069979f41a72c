package judge_test

import (
	"strings"
	"testing"

	"github.com/snodo-lang/snodo/compiler/plan"
)

// Replies of models.
const (
	pass    = `{"submit":"pass"}`
	block   = `{"submit":{"tidy":"blocker"}}`
	unclear = `{"submit":{"safe":{"verdict":"unclear","missing":[{"evidence":"test-run","args":{"target":"./api"}}]}}}`
	wrong   = `{"submit":{"safe":"maybe"}}`
	cut     = `{"submit":"pass","receipt":"ab12-????"}`
	cutBad  = `{"submit":{"safe":"maybe"},"receipt":"ab12-????"}`
	prose   = `{"say":"It all looks fine to me: pass."}`
	silence = `{"say":""}`
	claim   = `{"say":"{\"findings\":[{\"criterion\":\"safe\",\"verdict\":\"pass\"}]}"}`
	thought = `{"say":"submit_verdict pass","quirks":["reasoning"]}`
	readA   = `{"call":"read_file","args":{"path":"a.go"}}`
	readA2  = `{"call":"read_file","args":{ "path" : "./a.go" }}`
	readB   = `{"call":"read_file","args":{"path":"b.go"}}`
	readC   = `{"call":"read_file","args":{"path":"c.go"}}`
	readD   = `{"call":"read_file","args":{"path":"d.go"}}`
	readAB  = `{"calls":[{"tool":"read_file","args":{"path":"a.go"}},{"tool":"read_file","args":{"path":"b.go"}}]}`
	readAA  = `{"calls":[{"tool":"read_file","args":{"path":"a.go"}},{"tool":"read_file","args":{"path":"a.go"}}]}`
	nothing = `{"call":"write_file","args":{"path":"a.go"}}`
	both    = `{"call":"read_file","args":{"path":"a.go"},"submit":"pass"}`
	twice   = `{"calls":[{"tool":"submit_verdict","args":` + submission + `},{"tool":"submit_verdict","args":{"receipt":"$RECEIPT",` + findings + `}}]}`
	differ  = `{"call":"submit_verdict","args":{"findings":[],"receipt":"$RECEIPT"},"submit":"pass"}`

	findings   = `"findings":[{"criterion":"safe","quotes":[],"because":"x","verdict":"pass"},{"criterion":"tidy","quotes":[],"because":"x","verdict":"pass"}]`
	submission = `{` + findings + `,"receipt":"$RECEIPT"}`
)

func repeat(reply string, n int) string {
	return strings.TrimSuffix(strings.Repeat(reply+"\n", n), "\n")
}

func lines(replies ...string) string { return strings.Join(replies, "\n") }

var scenarios = []struct {
	name     string
	turns    int
	replies  string // one a line
	want     string // a verdict or a class
	requests int
	reads    int
	told     string // what the model was told before its last reply
}{
	// The table of the design, row by row.
	{"design: 1, prose", 1, prose, "no_verdict", 1, 0, ""},
	{"design: 1, invalid, invalid", 1, lines(wrong, wrong), "invalid_verdict", 2, 0, "ReasonVerdict"},
	{"design: 2, prose, prose", 2, lines(prose, prose), "no_verdict", 2, 0, "VerdictTurnProse"},
	{"design: 2, invalid three times", 2, lines(wrong, wrong, wrong), "invalid_verdict", 3, 0, "ReasonVerdict"},
	{"design: 5, read ×5", 5, lines(readA, readB, readC, readD, `{"call":"read_file","args":{"path":"new.go"}}`), "no_verdict", 5, 4, "VerdictTurnBudget"},
	{"design: 40, read, the same read ×3, submit", 40, lines(readA, repeat(readA, 3), pass), "pass", 5, 1, "VerdictTurnRepeats"},

	// Accepted at once.
	{"pass", 5, pass, "pass", 1, 0, ""},
	{"blocker", 5, block, "blocker", 1, 0, ""},
	{"unclear", 5, unclear, "unclear", 1, 0, ""},
	{"a blocker is graver than an unclear", 5, `{"submit":{"tidy":"blocker","safe":{"verdict":"unclear","missing":[{"evidence":"test-run","args":{"target":"x"}}]}}}`, "blocker", 1, 0, ""},
	{"pass beside prose", 5, `{"say":"done","submit":"pass"}`, "pass", 1, 0, ""},
	{"read, pass", 5, lines(readA, pass), "pass", 2, 1, "package a"},
	{"two reads at once", 5, lines(readAB, pass), "pass", 2, 2, "package b"},
	{"one turn, pass", 1, pass, "pass", 1, 0, ""},
	{"equal submissions are one", 5, twice, "pass", 1, 0, ""},
	{"equal submissions are one on the verdict turn", 1, twice, "pass", 1, 0, ""},

	// Nothing comes of anything but a submission.
	{"prose, pass", 5, lines(prose, pass), "pass", 2, 0, "VerdictTurnProse"},
	{"silence, pass", 5, lines(silence, pass), "pass", 2, 0, "VerdictTurnProse"},
	{"silence twice", 5, lines(silence, silence), "no_verdict", 2, 0, ""},
	{"JSON in prose, twice", 5, lines(claim, claim), "no_verdict", 2, 0, ""},
	{"a verdict in the reasoning, twice", 5, lines(thought, thought), "no_verdict", 2, 0, ""},
	{"a call of another tool named like a verdict", 1, `{"call":"pass","args":` + submission + `}`, "no_verdict", 1, 0, ""},
	{"a submission under a name of other case", 1, `{"call":"Submit_Verdict","args":` + submission + `}`, "no_verdict", 1, 0, ""},

	// Invalid submissions.
	{"invalid, pass", 5, lines(wrong, pass), "pass", 2, 0, "ReasonVerdict"},
	{"invalid, read, pass", 5, lines(wrong, readA, pass), "pass", 3, 1, "package a"},
	{"invalid on the verdict turn, pass", 1, lines(wrong, pass), "pass", 2, 0, "Invalid"},
	{"invalid on the verdict turn, prose", 1, lines(wrong, prose), "no_verdict", 2, 0, "Invalid"},
	{"invalid on the verdict turn, another call", 1, lines(wrong, readA), "no_verdict", 2, 0, "Invalid"},
	{"invalid on the verdict turn, beside a read", 1, lines(wrong, both), "invalid_verdict", 2, 0, "Invalid"},
	{"invalid until the turns are spent", 4, repeat(wrong, 5), "invalid_verdict", 5, 0, "ReasonVerdict"},
	{"invalid, prose, pass", 5, lines(wrong, prose, pass), "pass", 3, 0, "VerdictTurnProse"},
	{"invalid, prose, invalid, invalid", 5, lines(wrong, prose, wrong, wrong), "invalid_verdict", 4, 0, ""},
	{"no JSON, pass", 5, lines(`{"calls":[{"tool":"submit_verdict","raw":"{oops"}]}`, pass), "pass", 2, 0, "NotJSON"},
	{"cut off arguments, twice", 1, repeat(`{"calls":[{"tool":"submit_verdict","raw":"{\"findings\":[{\"crit"}],"finish":"length"}`, 2), "invalid_verdict", 2, 0, "NotJSON"},
	{"empty arguments, pass", 5, lines(`{"calls":[{"tool":"submit_verdict","raw":""}]}`, pass), "pass", 2, 0, "NotJSON"},

	// Submissions that do not stand alone.
	{"submit beside a read, submit", 5, lines(both, pass), "pass", 2, 1, "SubmitAlone"},
	{"submit beside a read counts", 2, lines(both, both, both), "invalid_verdict", 3, 1, "Withdrawn"},
	{"submit beside a read on the verdict turn, submit", 1, lines(both, pass), "pass", 2, 0, "SubmitAlone"},
	{"submit beside an undeclared tool", 5, lines(`{"call":"nope","submit":"pass"}`, pass), "pass", 2, 0, "UndeclaredTool"},
	{"differing submissions, pass", 5, lines(differ, pass), "pass", 2, 0, "SubmitDiffer"},
	{"differing submissions on the verdict turn, pass", 1, lines(differ, pass), "pass", 2, 0, "SubmitDiffer"},
	{"differing submissions on the verdict turn, again", 1, lines(differ, differ), "invalid_verdict", 2, 0, "SubmitDiffer"},
	{"differing submissions beside a read", 5, lines(`{"calls":[{"tool":"submit_verdict","args":{}},{"tool":"read_file","args":{"path":"a.go"}}],"submit":"pass"}`, pass), "pass", 2, 1, "SubmitAlone"},
	{"all reasons at once on the verdict turn", 1, lines(`{"calls":[{"tool":"submit_verdict","args":{"findings":[]}}],"submit":"pass"}`, pass), "pass", 2, 0, "ReasonMissingFinding"},

	// The receipt.
	{"a wrong receipt", 5, cut, "context_truncated", 1, 0, ""},
	{"a wrong receipt on the verdict turn", 1, cut, "context_truncated", 1, 0, ""},
	{"a wrong receipt on an invalid submission", 5, lines(cutBad, pass), "pass", 2, 0, "ReasonReceipt"},
	{"a wrong receipt once corrected", 1, lines(wrong, cut), "context_truncated", 2, 0, ""},
	{"a wrong receipt beside a read", 5, lines(`{"call":"read_file","args":{"path":"a.go"},"submit":"pass","receipt":"x"}`, pass), "pass", 2, 1, "SubmitAlone"},
	{"halves without the hyphen", 5, `{"submit":"pass","receipt":"ab12cd34"}`, "context_truncated", 1, 0, ""},

	// Repeated reads.
	{"a repeated read is free", 2, lines(readA, pass), "pass", 2, 1, "VerdictTurnBudget"},
	{"two repeats, another read, two repeats", 5, lines(readA, readA, readA2, readB, readB, readA, readC, pass), "pass", 8, 3, "package c"},
	{"a repeat points at its turn", 5, lines(readB, readA, readA, pass), "pass", 4, 2, "Repeated 2"},
	{"a path spelled differently is a repeat", 5, lines(readA, readA2, pass), "pass", 3, 1, "Repeated 1"},
	{"the same twice in one reply", 5, lines(readAA, pass), "pass", 2, 1, "Repeated 1"},
	{"a repeat beside a new read costs a turn", 3, lines(readA, readAB, pass), "pass", 3, 2, "VerdictTurnBudget"},
	{"repeats alone, then prose", 5, lines(readA, repeat(readA, 3), prose), "no_verdict", 5, 1, ""},
	{"a refused read repeated is a repeat", 9, lines(repeat(`{"call":"read_file","args":{"path":"gone.go"}}`, 4), pass), "pass", 5, 0, "VerdictTurnRepeats"},

	// Calls that are not carried out.
	{"an undeclared tool, pass", 5, lines(nothing, pass), "pass", 2, 0, "UndeclaredTool"},
	{"undeclared tools until the turns are spent", 3, repeat(nothing, 3), "no_verdict", 3, 0, "VerdictTurnBudget"},
	{"a withdrawn tool is not carried out", 2, lines(readA, readB), "no_verdict", 2, 1, "VerdictTurnBudget"},
	{"a read after prose is not carried out", 9, lines(prose, readA), "no_verdict", 2, 0, "VerdictTurnProse"},
	{"arguments that are no JSON", 5, lines(`{"calls":[{"tool":"read_file","raw":"{oops"}]}`, pass), "pass", 2, 0, "BadArguments read_file NotJSON"},
	{"arguments of another type", 5, lines(`{"call":"read_file","args":{"path":1}}`, pass), "pass", 2, 0, "NotText path"},
	{"arguments that are unknown", 5, lines(`{"call":"read_file","args":{"path":"a.go","mode":"all"}}`, pass), "pass", 2, 0, "Unknown mode"},
	{"arguments that are repeated", 5, lines(`{"calls":[{"tool":"read_file","raw":"{\"path\":\"a.go\",\"path\":\"b.go\"}"}]}`, pass), "pass", 2, 0, "Repeated path"},
	{"a tree that cannot be read", 5, `{"call":"read_file","args":{"path":"broken.go"}}`, "tool", 1, 0, ""},
	{"a defect", 5, `{"call":"read_file","args":{"path":"panic"}}`, "internal", 1, 0, ""},

	// What endpoints do.
	{"no ids", 5, lines(`{"calls":[{"tool":"read_file","args":{"path":"a.go"}},{"tool":"read_file","args":{"path":"b.go"}}],"quirks":["no ids"]}`, pass), "pass", 2, 2, ""},
	{"the same id for all", 5, lines(`{"calls":[{"tool":"read_file","args":{"path":"a.go"}},{"tool":"read_file","args":{"path":"b.go"}}],"quirks":["same ids"]}`, `{"call":"read_file","args":{"path":"c.go"},"quirks":["same ids"]}`, pass), "pass", 3, 3, ""},
	{"integer ids", 5, lines(`{"call":"read_file","args":{"path":"a.go"},"quirks":["integer ids"]}`, `{"call":"read_file","args":{"path":"b.go"},"quirks":["integer ids"]}`, pass), "pass", 3, 2, ""},
	{"object arguments", 5, `{"submit":"pass","quirks":["object arguments","null content"]}`, "pass", 1, 0, ""},
	{"a finish that disagrees", 5, `{"submit":"pass","finish":"length"}`, "pass", 1, 0, ""},
	{"tool_calls announced and none made", 5, lines(`{"say":"hm","finish":"tool_calls"}`, pass), "pass", 2, 0, "VerdictTurnProse"},
	{"failures that pass", 5, lines(`{"status":500}`, `{"drop":true}`, `{"status":429}`, `{"status":200,"body":"busy"}`, pass), "pass", 5, 0, ""},
	{"failures that stay", 5, repeat(`{"status":503}`, 5), "transport", 5, 0, ""},
	{"a lost connection in the middle", 5, lines(readA, repeat(`{"drop":true}`, 5)), "transport", 6, 1, ""},
	{"no message", 5, lines(`{"say":"x","quirks":["null message"]}`, `{"say":"x","quirks":["no choices"]}`, pass), "pass", 3, 0, ""},
	{"a wrong key", 5, `{"status":401}`, "auth", 1, 0, ""},
	{"no such model", 5, `{"status":404}`, "bad_request", 1, 0, ""},
	{"a refusal", 5, `{"say":"I will not.","quirks":["refusal"]}`, "refusal", 1, 0, ""},
	{"a filter", 5, `{"say":"","finish":"content_filter"}`, "content_filter", 1, 0, ""},
	{"overflow", 5, lines(readA, `{"status":400,"body":"{\"error\":{\"code\":\"context_length_exceeded\",\"message\":\"too long\"}}"}`), "context_overflow", 2, 1, ""},
}

func TestScenarios(t *testing.T) {
	for _, c := range scenarios {
		t.Run(c.name, func(t *testing.T) {
			result, s := talk(t, ask(subject(c.turns, all()...)), strings.Split(c.replies, "\n")...)
			if got := became(result); got != c.want {
				t.Errorf("became %s, want %s (%v)", got, c.want, result.Error)
			}
			if got := len(s.Requests()); got != c.requests {
				t.Errorf("%d requests, want %d", got, c.requests)
			}
			if got := len(result.Examined); got != c.reads {
				t.Errorf("%d reads were carried out, want %d: %v", got, c.reads, result.Examined)
			}
			if told := lastAnswers(result); !strings.Contains(told, c.told) {
				t.Errorf("the model was told %q, want %q", told, c.told)
			}
			if result.Error != nil && result.Error.Turn == 0 {
				t.Error("the error does not say its turn")
			}
			for _, m := range result.Transcript[2:] {
				if strings.Contains(m.Content, "ab12") || strings.Contains(m.Content, "cd34") {
					t.Errorf("the receipt is revealed: %s", m.Content)
				}
			}
		})
	}
}

func TestWithoutGrantsEveryTurnIsTheVerdictTurn(t *testing.T) {
	for _, c := range []struct {
		replies, want string
		requests      int
	}{
		{prose, "no_verdict", 1},
		{readA, "no_verdict", 1},
		{lines(wrong, wrong), "invalid_verdict", 2},
		{lines(wrong, pass), "pass", 2},
	} {
		result, s := talk(t, ask(subject(3)), strings.Split(c.replies, "\n")...)
		if got := became(result); got != c.want || len(s.Requests()) != c.requests {
			t.Errorf("%q became %s after %d requests", c.replies, got, len(s.Requests()))
		}
		for _, r := range s.Requests() {
			if len(r.Tools) != 1 || r.Tools[0] != plan.SubmitVerdict || r.Choice != "function" {
				t.Errorf("offered %q, tool_choice %q", r.Tools, r.Choice)
			}
		}
		if !strings.Contains(result.Transcript[1].Content, "\n\nAsk\n\n") {
			t.Error("the judge was not asked to submit at once")
		}
	}
}

func TestTheFifthReplyAfterThreeRepeatsIsForced(t *testing.T) {
	_, s := talk(t, ask(subject(40, all()...)), readA, readA, readA, readA, pass)
	for i, r := range s.Requests() {
		if forced := i == 4; (r.Choice != "") != forced || (len(r.Tools) == 1) != forced {
			t.Errorf("request %d offers %q with tool_choice %q", i+1, r.Tools, r.Choice)
		}
	}
}

func TestForcingMayComeToNothingAndStillBringsNoPass(t *testing.T) {
	// An endpoint that takes no spelling of tool_choice, and a model that
	// then prefers to talk.
	result, s := talkRefusing(t, ask(subject(1, all()...)), []string{"tool_choice"}, prose)
	if became(result) != "no_verdict" || len(s.Requests()) != 4 {
		t.Errorf("%s after %d requests", became(result), len(s.Requests()))
	}
}
