package judge_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"
	"unicode"

	"github.com/snodo-lang/snodo/compiler/plan"
	"github.com/snodo-lang/snodo/internal/testendpoint"
	"github.com/snodo-lang/snodo/runtime/endpoint"
	"github.com/snodo-lang/snodo/runtime/judge"
	"github.com/snodo-lang/snodo/runtime/verdict"
)

// A held is a conversation that is over: what it was about, what the endpoint
// saw and sent, and what came of it.
type held struct {
	asked  judge.Request
	seen   []testendpoint.Request
	result judge.Result
}

// invariants hold for every conversation, whatever model and endpoint do. Each
// says in a sentence how it is broken, or nothing. The server itself watches
// over its requests besides.
var invariants = map[string]func(held) string{
	"a result is a verdict or an error":                           oneOutcome,
	"a verdict comes of one valid submission, the last answer":    submitted,
	"each call is answered exactly once, in its place":            answeredOnce,
	"the verdict turn offers submit_verdict alone":                alone,
	"the key is nowhere but in its header":                        keySealed,
	"every loop ends within its bound":                            bounded,
	"a request begins with the messages before it, byte for byte": prefixed,
	"the receipt is told once":                                    receiptSealed,
	"only what was offered was carried out":                       offeredOnly,
}

// hold checks every invariant.
func hold(t *testing.T, h held) {
	t.Helper()
	for name, broken := range invariants {
		if how := broken(h); how != "" {
			t.Errorf("%s: %s", name, how)
		}
	}
}

// checkResult checks what can be checked where there was no server.
func checkResult(t *testing.T, r judge.Request, result judge.Result) {
	t.Helper()
	for _, broken := range []func(held) string{oneOutcome, answeredOnce, bounded, keySealed, receiptSealed} {
		if how := broken(held{asked: r, result: result}); how != "" {
			t.Error(how)
		}
	}
}

func oneOutcome(h held) string {
	r := h.result
	switch {
	case (r.Verdict == nil) == (r.Error == nil):
		return fmt.Sprintf("verdict %v beside error %v", r.Verdict, r.Error)
	case r.Findings == nil || r.Examined == nil:
		return "a list is null"
	case r.Error != nil && (r.Error.Class == "" || r.Error.Message == "" || r.Error.Turn == 0 || len(r.Findings) > 0):
		return fmt.Sprintf("the error is not said in full: %+v", r.Error)
	}
	return ""
}

// answer is what a completion is, as far as it decides something.
type answer struct {
	Choices []struct {
		Message struct {
			Calls []struct {
				Function struct {
					Name      string          `json:"name"`
					Arguments json.RawMessage `json:"arguments"`
				} `json:"function"`
			} `json:"tool_calls"`
		} `json:"message"`
	} `json:"choices"`
}

type submittedVerdict struct {
	Findings []struct {
		Criterion string       `json:"criterion"`
		Verdict   plan.Verdict `json:"verdict"`
	} `json:"findings"`
	Receipt string `json:"receipt"`
}

// submitted reads the last answer of the endpoint by itself, without a line of
// the judge's own code.
func submitted(h held) string {
	if h.result.Verdict == nil {
		return ""
	}
	if len(h.seen) == 0 {
		return "nothing was asked"
	}
	var a answer
	if err := json.NewDecoder(bytes.NewReader(h.seen[len(h.seen)-1].Answer)).Decode(&a); err != nil || len(a.Choices) == 0 {
		return fmt.Sprintf("the last answer is no completion: %v", err)
	}
	calls := a.Choices[0].Message.Calls
	if len(calls) == 0 {
		return "the last answer calls nothing"
	}
	var first any
	for i, call := range calls {
		if call.Function.Name != plan.SubmitVerdict {
			return "the last answer calls " + call.Function.Name
		}
		raw := []byte(call.Function.Arguments)
		for range 2 { // as a text, or as one that was encoded twice
			if text := ""; json.Unmarshal(raw, &text) == nil {
				raw = []byte(text)
			}
		}
		var same any
		if err := json.Unmarshal(raw, &same); err != nil {
			return "the submission is no JSON"
		}
		if i == 0 {
			first = same
		} else if !reflect.DeepEqual(first, same) {
			return "the last answer submits several things"
		}
		if why := says(raw, h); why != "" {
			return why
		}
	}
	return ""
}

// says holds the words of a submission against the verdict.
func says(raw []byte, h held) string {
	var s submittedVerdict
	if err := json.Unmarshal(raw, &s); err != nil {
		return err.Error()
	}
	if code := h.asked.Receipt.First + "-" + h.asked.Receipt.Second; strings.TrimSpace(s.Receipt) != code {
		return "the receipt is " + s.Receipt
	}
	gravest := plan.Pass
	rulings := map[string]int{}
	for _, f := range s.Findings {
		rulings[f.Criterion]++
		if slices.Index(plan.Verdicts, f.Verdict) > slices.Index(plan.Verdicts, gravest) {
			gravest = f.Verdict
		}
	}
	for i, c := range h.asked.Judge.Criteria {
		if rulings[c.Name] != 1 || len(rulings) != len(h.asked.Judge.Criteria) || h.result.Findings[i].Criterion != c.Name {
			return fmt.Sprintf("the rulings are not one for each criterion: %v", rulings)
		}
	}
	if gravest != *h.result.Verdict {
		return fmt.Sprintf("%s was submitted and became %s", gravest, *h.result.Verdict)
	}
	return ""
}

func answeredOnce(h held) string {
	ids := map[string]bool{"": true}
	all := h.result.Transcript
	for i := 0; i < len(all); i++ {
		if all[i].Role == endpoint.ToolRole {
			return fmt.Sprintf("message %d answers nothing", i)
		}
		calls := all[i].Calls
		if i == len(all)-1 {
			break // what ended the conversation is not answered
		}
		for _, call := range calls {
			if ids[call.ID] {
				return fmt.Sprintf("the id %q of message %d is empty or repeated", call.ID, i)
			}
			ids[call.ID] = true
		}
		for j, call := range calls {
			if i+1+j >= len(all) {
				// A tool that failed ended the conversation among its answers.
				if h.result.Error != nil {
					break
				}
				return fmt.Sprintf("call %q has no answer", call.ID)
			}
			if m := all[i+1+j]; m.Role != endpoint.ToolRole || m.CallID != call.ID {
				return fmt.Sprintf("call %q of message %d is not answered in its place", call.ID, i)
			}
		}
		i += min(len(calls), len(all)-i-1)
	}
	return ""
}

// turnsOf puts the requests of one turn together: they have the same messages.
func turnsOf(seen []testendpoint.Request) [][]testendpoint.Request {
	var out [][]testendpoint.Request
	for i, q := range seen {
		if i == 0 || len(q.Messages) != len(seen[i-1].Messages) {
			out = append(out, nil)
		}
		out[len(out)-1] = append(out[len(out)-1], q)
	}
	return out
}

func alone(h held) string {
	verdictTurns := 0
	for i, turn := range turnsOf(h.seen) {
		for _, q := range turn {
			only := len(q.Tools) == 1 && q.Tools[0] == plan.SubmitVerdict
			if verdictTurns > 0 && !only || q.Choice != "" && !only {
				return fmt.Sprintf("turn %d offers %q, tool_choice %q", i+1, q.Tools, q.Choice)
			}
		}
		if len(turn[0].Tools) == 1 {
			verdictTurns++
		}
	}
	if e := h.result.Error; e != nil && (e.Class == verdict.NoVerdict || e.Class == verdict.InvalidVerdict) && verdictTurns == 0 {
		return "there was no verdict turn"
	}
	if verdictTurns > 2 && len(h.asked.Judge.Tools) > 0 {
		return fmt.Sprintf("there were %d verdict turns", verdictTurns)
	}
	return ""
}

func keySealed(h held) string {
	const key = testendpoint.DefaultKey
	out, err := json.Marshal(h.result)
	if err != nil {
		return err.Error()
	}
	if strings.Contains(string(out)+fmt.Sprintf("%+v", h.result.Transcript), key) {
		return "it stands in the result"
	}
	for i, q := range h.seen {
		header := q.Header.Clone()
		if got := header.Get("Authorization"); got != "Bearer "+key {
			return fmt.Sprintf("request %d is authorized by %q", i+1, got)
		}
		header.Del("Authorization")
		if bytes.Contains(q.Body, []byte(key)) || strings.Contains(fmt.Sprint(header), key) {
			return fmt.Sprintf("it stands in request %d", i+1)
		}
	}
	return ""
}

func bounded(h held) string {
	most := 3*h.asked.Judge.Budget.Turns + 1
	turns := turnsOf(h.seen)
	if h.result.Turns > most || len(turns) > most {
		return fmt.Sprintf("%d replies with a budget of %d turns", h.result.Turns, h.asked.Judge.Budget.Turns)
	}
	for i, turn := range turns {
		if len(turn) > 5 {
			return fmt.Sprintf("turn %d took %d requests", i+1, len(turn))
		}
	}
	return ""
}

func prefixed(h held) string {
	for i, q := range h.seen {
		written := `{"model":"` + h.asked.Model + `","messages":[`
		if i > 0 {
			written += string(bytes.Join(raw(h.seen[i-1].Messages), []byte(",")))
		}
		if !bytes.HasPrefix(q.Body, []byte(written)) {
			return fmt.Sprintf("request %d does not begin with the one before", i+1)
		}
	}
	return ""
}

func raw(messages []json.RawMessage) [][]byte {
	out := make([][]byte, len(messages))
	for i, m := range messages {
		out[i] = m
	}
	return out
}

func receiptSealed(h held) string {
	for i, m := range h.result.Transcript {
		if i < 2 || m.Role == endpoint.Assistant {
			continue
		}
		for _, half := range []string{h.asked.Receipt.First, h.asked.Receipt.Second} {
			if strings.Contains(withoutOwn(m.Content, h.result.Transcript[:i], half), half) {
				return fmt.Sprintf("message %d reveals it: %s", i, m.Content)
			}
		}
	}
	return ""
}

// withoutOwn takes out of a message the longer words of the judge's own that
// hold half a receipt: naming a member that it made up reveals nothing to it.
func withoutOwn(content string, before []endpoint.Message, half string) string {
	for _, m := range before {
		for _, c := range m.Calls {
			for _, word := range strings.FieldsFunc(c.Arguments, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }) {
				if word != half && strings.Contains(word, half) {
					content = strings.ReplaceAll(content, word, "")
				}
			}
		}
	}
	return content
}

func offeredOnly(h held) string {
	turns := turnsOf(h.seen)
	for _, e := range h.result.Examined {
		asked := turns[e.Turn-1]
		if tools := asked[len(asked)-1].Tools; !slices.Contains(tools, e.Tool) {
			return fmt.Sprintf("%s was carried out in turn %d, which offered %q", e.Tool, e.Turn, tools)
		}
	}
	return ""
}
