package judge_test

import (
	"strings"
	"testing"

	"github.com/snodo-lang/snodo/compiler/plan"
	"github.com/snodo-lang/snodo/internal/testendpoint"
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

	key        = testendpoint.DefaultKey
	findings   = `"findings":[{"criterion":"safe","quotes":[],"because":"x","verdict":"pass"},{"criterion":"tidy","quotes":[],"because":"x","verdict":"pass"}]`
	submission = `{` + findings + `,"receipt":"$RECEIPT"}`
)

func repeat(reply string, n int) string {
	return strings.TrimSuffix(strings.Repeat(reply+"\n", n), "\n")
}

func lines(replies ...string) string { return strings.Join(replies, "\n") }

// A scenario is one conversation in a line. What must hold after every one of
// them stands in invariants.
type scenario struct {
	name     string
	turns    int
	replies  string // one a line
	want     string // a verdict or a class
	requests int
	reads    int      // carried out
	told     string   // what the model was told before its last reply
	refuses  []string // by the endpoint, see testendpoint.Script
}

func play(t *testing.T, scenarios []scenario) {
	for _, c := range scenarios {
		t.Run(c.name, func(t *testing.T) {
			result, s := talkRefusing(t, ask(subject(c.turns, all()...)), c.refuses, strings.FieldsFunc(c.replies, func(r rune) bool { return r == '\n' })...)
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
		})
	}
}

func TestTurns(t *testing.T)       { play(t, turnScenarios) }
func TestSubmissions(t *testing.T) { play(t, submissionScenarios) }
func TestEndpoints(t *testing.T)   { play(t, endpointScenarios) }
func TestForcing(t *testing.T)     { play(t, forcingScenarios) }

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
