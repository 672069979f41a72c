package judge_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/snodo-lang/snodo/compiler/plan"
)

func refusing(parameters ...string) []string { return parameters }

// Refusals of parameters, as different servers word them.
var (
	noObject   = status(422, `{"detail":"tool_choice: Input should be 'none', 'auto' or 'required'"}`)
	noRequired = complaint(400, `"message":"only tool_choice auto is supported","param":"tool_choice"`)
	noMapType  = status(400, `{"error":"invalid type: map, expected a string"}`)
	noTokens   = complaint(400, `"message":"Unsupported parameter: 'max_tokens'. Use 'max_completion_tokens' instead.","param":"max_tokens"`)
	noParallel = complaint(400, `"message":"Unknown parameter: parallel_tool_calls"`)
)

// How a verdict turn is forced, and what comes of it where that comes to
// nothing.
var forcingScenarios = []scenario{
	{"a named function", 1, pass, "pass", 1, 0, "", nil},
	{"a word", 1, pass, "pass", 2, 0, "", refusing("tool_choice function")},
	{"another word", 1, pass, "pass", 3, 0, "", refusing("tool_choice function", "tool_choice required")},
	{"no forcing at all", 1, pass, "pass", 4, 0, "", refusing("tool_choice")},
	{"no forcing, prose", 1, prose, "no_verdict", 4, 0, "", refusing("tool_choice")},
	{"what was learnt is kept for the correction", 1, lines(wrong, pass), "pass", 5, 0, "Invalid", refusing("tool_choice")},
	{"what was learnt before the verdict turn is not about forcing", 2, lines(readA, pass), "pass", 5, 1, "VerdictTurnBudget", refusing("tool_choice")},
	{"forcing that is refused for another reason each time", 1, lines(noObject, noRequired, pass), "pass", 3, 0, "", nil},
	{"a map where a word is read", 1, lines(noMapType, pass), "pass", 2, 0, "", nil},
	{"no forcing and no parallel calls", 1, pass, "pass", 5, 0, "", refusing("tool_choice", "parallel_tool_calls")},
	{"no parallel calls", 1, lines(noParallel, pass), "pass", 2, 0, "", nil},
	{"parallel calls are not named where nothing is forced", 5, lines(readA, pass), "pass", 2, 1, "package a", refusing("parallel_tool_calls")},
	{"another name for the tokens", 5, lines(noTokens, pass), "pass", 2, 0, "", nil},
	{"another name for the tokens, learnt once", 5, lines(readA, readB, pass), "pass", 4, 2, "package b", refusing("max_tokens")},
	{"no forcing and another name for the tokens", 1, pass, "pass", 5, 0, "", refusing("tool_choice", "max_tokens")},
	{"neither name for the tokens", 5, "", "bad_request", 2, 0, "", refusing("max_tokens", "max_completion_tokens")},
	{"more refused than five requests can learn", 1, "", "bad_request", 5, 0, "", refusing("tool_choice", "parallel_tool_calls", "max_tokens")},
	{"refused for ever, whatever is left out", 1, repeat(noRequired, 4), "bad_request", 4, 0, "", nil},
	{"refused with 401, which is not about spelling", 1, complaint(401, `"message":"tool_choice","param":"tool_choice"`), "auth", 1, 0, "", nil},
	{"refused with 500, which is tried again as it was", 1, lines(complaint(500, `"message":"tool_choice","param":"tool_choice"`), pass), "pass", 2, 0, "", nil},
	{"refused and failing by turns", 1, lines(noObject, `{"status":503}`, noRequired, `{"status":503}`, pass), "pass", 5, 0, "", nil},
	{"refused and failing beyond five requests", 1, lines(noObject, `{"status":503}`, noRequired, `{"status":503}`, `{"status":503}`), "transport", 5, 0, "", nil},
}

// An endpoint may take every spelling of forcing and follow none. Then there
// is an error: the verdict turn offers nothing but submit_verdict, and what
// is no call of it is no verdict, whatever it says.
func TestForcingThatIsIgnoredIsAnErrorAndNeverAGuess(t *testing.T) {
	spellings := map[string][]string{
		"function": nil,
		"required": refusing("tool_choice function"),
		"any":      refusing("tool_choice function", "tool_choice required"),
		"":         refusing("tool_choice"),
	}
	for choice, refuses := range spellings {
		for name, reply := range map[string]string{
			"prose":               prose,
			"silence":             silence,
			"a submission said":   claim,
			"reasoning":           thought,
			"a read":              readA,
			"a tool of its own":   `{"call":"approve","args":` + submission + `}`,
			"the old call":        message(`{"content":null,"function_call":{"name":"submit_verdict","arguments":` + text(submission) + `}}`),
			"a call as a part":    message(`{"content":[{"type":"tool_use","name":"submit_verdict","input":` + submission + `}]}`),
			"a length reached":    `{"say":"The verdict is pass bec","finish":"length"}`,
			"calls that are none": `{"say":"pass","finish":"tool_calls"}`,
		} {
			for replies, j := range map[string]*plan.Judge{
				reply:               subject(1, all()...),
				lines(readB, reply): subject(2, all()...),
			} {
				result, s := talkRefusing(t, ask(j), refuses, strings.Split(replies, "\n")...)
				last := s.Requests()[len(s.Requests())-1]
				if became(result) != "no_verdict" || last.Choice != choice || !slices.Equal(last.Tools, []string{"submit_verdict"}) {
					t.Errorf("%q, %s: became %s; the last request offers %q, tool_choice %q", choice, name, became(result), last.Tools, last.Choice)
				}
			}
		}
	}
}
