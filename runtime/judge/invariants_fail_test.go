package judge_test

import (
	"bytes"
	"slices"
	"testing"

	"github.com/snodo-lang/snodo/compiler/plan"
	"github.com/snodo-lang/snodo/internal/testendpoint"
	"github.com/snodo-lang/snodo/runtime/verdict"
)

// An invariant that no conversation can break holds nothing. Each is shown a
// conversation in which one thing is not as it was.
func TestEveryInvariantCanFail(t *testing.T) {
	blocker := plan.Blocker
	failed := map[string]bool{}
	for _, c := range []struct {
		invariant, name string
		spoil           func(*held)
	}{
		{"a result is a verdict or an error", "both", func(h *held) { h.result.Error = &verdict.Failure{Class: verdict.Tool, Message: "x", Turn: 1} }},
		{"a result is a verdict or an error", "neither", func(h *held) { h.result.Verdict = nil }},
		{"a result is a verdict or an error", "a list that is null", func(h *held) { h.result.Examined = nil }},
		{"a verdict comes of one valid submission, the last answer", "prose", func(h *held) { last(h).Answer = []byte(`{"choices":[{"message":{"content":"pass"}}]}`) }},
		{"a verdict comes of one valid submission, the last answer", "another tool", func(h *held) { replace(h, "submit_verdict", "read_file") }},
		{"a verdict comes of one valid submission, the last answer", "no receipt", func(h *held) { replace(h, "ab12-cd34", "ab12-????") }},
		{"a verdict comes of one valid submission, the last answer", "another verdict", func(h *held) { h.result.Verdict = &blocker }},
		{"a verdict comes of one valid submission, the last answer", "a criterion left out", func(h *held) { replace(h, `tidy`, `safe`) }},
		{"each call is answered exactly once, in its place", "no answer", func(h *held) { h.result.Transcript = slices.Delete(h.result.Transcript, 3, 4) }},
		{"each call is answered exactly once, in its place", "two answers", func(h *held) { h.result.Transcript = slices.Insert(h.result.Transcript, 3, h.result.Transcript[3]) }},
		{"each call is answered exactly once, in its place", "another's answer", func(h *held) { h.result.Transcript[3].CallID = "other" }},
		{"each call is answered exactly once, in its place", "no id", func(h *held) { h.result.Transcript[2].Calls[0].ID = "" }},
		{"the verdict turn offers submit_verdict alone", "a read beside it", func(h *held) { last(h).Tools = append(last(h).Tools, "read_file") }},
		{"the verdict turn offers submit_verdict alone", "forced among others", func(h *held) { h.seen[0].Choice = "required" }},
		{"the verdict turn offers submit_verdict alone", "reads come back", func(h *held) { h.seen[0].Tools = []string{plan.SubmitVerdict}; last(h).Tools = h.seen[1].Tools[:0] }},
		{"the verdict turn offers submit_verdict alone", "an error without one", func(h *held) {
			h.seen = h.seen[:1]
			h.result.Error = &verdict.Failure{Class: verdict.NoVerdict}
		}},
		{"the key is nowhere but in its header", "in a request", func(h *held) { last(h).Body = append(last(h).Body, key...) }},
		{"the key is nowhere but in its header", "in another header", func(h *held) { last(h).Header.Set("X-Key", key) }},
		{"the key is nowhere but in its header", "in an error", func(h *held) { h.result.Error = &verdict.Failure{Message: "bad " + key} }},
		{"the key is nowhere but in its header", "in the transcript", func(h *held) { h.result.Transcript[2].Content = key }},
		{"the key is nowhere but in its header", "not in its header", func(h *held) { last(h).Header.Del("Authorization") }},
		{"every loop ends within its bound", "too many replies", func(h *held) { h.result.Turns = 8 }},
		{"every loop ends within its bound", "too many requests", func(h *held) { h.seen = slices.Concat(slices.Repeat(h.seen[:1], 6), h.seen[1:]) }},
		{"a request begins with the messages before it, byte for byte", "a message rewritten", func(h *held) { last(h).Body = bytes.Replace(last(h).Body, []byte("Escape q"), []byte("Escape Q"), 1) }},
		{"a request begins with the messages before it, byte for byte", "members in another order", func(h *held) {
			last(h).Body = bytes.Replace(last(h).Body, []byte(`"messages":[{"role":"system",`), []byte(`"messages":[{`), 1)
		}},
		{"the receipt is told once", "in an answer", func(h *held) { h.result.Transcript[3].Content += "cd34" }},
		{"only what was offered was carried out", "on the verdict turn", func(h *held) {
			h.result.Examined = append(h.result.Examined, verdict.Examined{Tool: "read_file", Turn: 2})
		}},
		{"only what was offered was carried out", "a tool that is not there", func(h *held) { h.result.Examined[0].Tool = "write_file" }},
	} {
		r := ask(subject(2, all()...))
		result, s := talk(t, r, readA, pass)
		h := held{r, s.Requests(), result}
		if how := invariants[c.invariant](h); how != "" {
			t.Fatalf("%s: %s", c.invariant, how)
		}
		c.spoil(&h)
		if invariants[c.invariant](h) == "" {
			t.Errorf("%s is not broken by: %s", c.invariant, c.name)
		}
		failed[c.invariant] = true
	}
	for name := range invariants {
		if !failed[name] {
			t.Errorf("nothing breaks: %s", name)
		}
	}
}

func last(h *held) *testendpoint.Request { return &h.seen[len(h.seen)-1] }

// replace changes a word of the last answer.
func replace(h *held, old, with string) {
	last(h).Answer = bytes.ReplaceAll(last(h).Answer, []byte(old), []byte(with))
}
