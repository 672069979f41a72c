package endpoint_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/snodo-lang/snodo/runtime/endpoint"
	"github.com/snodo-lang/snodo/runtime/verdict"
)

// choice is tool_choice as it was sent, in a word.
func choice(r map[string]any) string {
	switch c := r["tool_choice"].(type) {
	case nil:
		return "none"
	case string:
		return c
	}
	return "function"
}

func refuse(status int, param, says string) answer {
	return raw(status, fmt.Sprintf(`{"error":{"message":%q,"param":%q,"type":"invalid_request_error"}}`, says, param))
}

func TestForcingClimbsDownOneRungForEachRefusal(t *testing.T) {
	s := serve(t,
		refuse(400, "tool_choice", "Invalid tool_choice type: 'object'"),
		raw(422, `{"detail":[{"loc":["body","tool_choice"],"msg":"Input should be 'none', 'auto' or 'any'"}]}`),
		raw(200, `{"error":{"message":"tool_choice any is unknown","code":400}}`),
		good)
	c := client(t, s, newPacer())
	for range 2 {
		if _, err := c.Chat(t.Context(), forced()); err != nil {
			t.Fatal(err)
		}
	}
	var got []string
	for _, r := range s.sent() {
		got = append(got, choice(r))
		if tools := r["tools"].([]any); len(tools) != 1 {
			t.Errorf("%d tools were offered", len(tools))
		}
	}
	if diff := cmp.Diff([]string{"function", "required", "any", "none", "none"}, got); diff != "" {
		t.Error(diff)
	}
}

func TestOtherRefusalsDoNotWeakenForcing(t *testing.T) {
	for _, status := range []int{400, 422, 500, 404} {
		s := serve(t, raw(status, `{"error":{"message":"messages must alternate"}}`))
		c := client(t, s, newPacer())
		if _, err := c.Chat(t.Context(), forced()); err == nil {
			t.Fatal("no error")
		}
		for _, r := range s.sent() {
			if choice(r) != "function" {
				t.Errorf("status %d: tool_choice became %s", status, choice(r))
			}
		}
	}
}

func TestARefusedParameterIsRenamedOrDroppedAndRemembered(t *testing.T) {
	s := serve(t,
		refuse(400, "max_tokens", "Unsupported parameter: 'max_tokens'. Use 'max_completion_tokens' instead."),
		refuse(400, "", "Unrecognized request argument supplied: parallel_tool_calls"),
		good)
	c := client(t, s, newPacer())
	for range 2 {
		if _, err := c.Chat(t.Context(), forced()); err != nil {
			t.Fatal(err)
		}
	}
	type spelled struct{ Max, Completion, Parallel any }
	var got []spelled
	for _, r := range s.sent() {
		got = append(got, spelled{r["max_tokens"], r["max_completion_tokens"], r["parallel_tool_calls"]})
	}
	want := []spelled{{100.0, nil, false}, {nil, 100.0, false}, {nil, 100.0, nil}, {nil, 100.0, nil}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestWhatIsLearntOfOneModelIsNotHeldAgainstAnother(t *testing.T) {
	s := serve(t, refuse(400, "tool_choice", "no"), good)
	c := client(t, s, newPacer())
	for _, model := range []string{"m", "n"} {
		r := forced()
		r.Model = model
		if _, err := c.Chat(t.Context(), r); err != nil {
			t.Fatal(err)
		}
	}
	if got := choice(s.sent()[2]); got != "function" {
		t.Errorf("the other model was asked with %s", got)
	}
}

func TestAtMostFiveRequestsMakeATurn(t *testing.T) {
	s := serve(t,
		refuse(400, "max_tokens", "no"), refuse(400, "tool_choice", "no"), refuse(400, "tool_choice", "no"),
		refuse(400, "tool_choice", "no"), raw(500, ``), good)
	_, err := client(t, s, newPacer()).Chat(t.Context(), forced())
	if classOf(err) != verdict.Transport || len(s.sent()) != 5 {
		t.Errorf("%v after %d requests", err, len(s.sent()))
	}
}

func TestModelsThatTakeNoMaxTokensAreNotSentIt(t *testing.T) {
	for _, model := range []string{"o1", "o3-mini", "o4-mini", "gpt-5", "gpt-5.1"} {
		s := serve(t, good)
		c := client(t, s, newPacer())
		if err := c.Accepts(model); err != nil {
			t.Errorf("%s: %v", model, err)
		}
		r := forced()
		r.Model = model
		if _, err := c.Chat(t.Context(), r); err != nil {
			t.Fatalf("%s: %v", model, err)
		}
		if got := s.sent()[0]; got["max_completion_tokens"] != 100.0 || got["max_tokens"] != nil {
			t.Errorf("%s: sent %v", model, got)
		}
	}
}

func TestAModelThatTheLibraryRefusesIsRefusedBeforeTheRun(t *testing.T) {
	s := serve(t, good)
	c := client(t, s, newPacer())
	for _, model := range []string{"gpt-6-sol", "gpt-6-astra", "text-davinci-003", "", " "} {
		if err := c.Accepts(model); err == nil {
			t.Errorf("%q is accepted", model)
		}
	}
	for _, model := range []string{"tiny", "gpt-4o", "qwen/qwen3-coder", "gpt-6-unheard-of"} {
		if err := c.Accepts(model); err != nil {
			t.Errorf("%q: %v", model, err)
		}
	}
	r := forced()
	r.Model = "gpt-6-sol"
	if _, err := c.Chat(t.Context(), r); classOf(err) != verdict.BadRequest {
		t.Errorf("asked anyway: %v", err)
	}
	if len(s.sent()) != 0 {
		t.Errorf("%d requests were made", len(s.sent()))
	}
}

func TestAConversationIsSentBackSoThatAnyEndpointTakesIt(t *testing.T) {
	s := serve(t, good)
	r := free()
	r.Messages = append(r.Messages,
		endpoint.Message{Role: endpoint.Assistant, Reasoning: "hm", Calls: []endpoint.Call{
			{ID: "a", Name: "read file/€", Arguments: "{oops"}, {ID: "b", Name: "", Arguments: `{"x":1}`}, {ID: "c", Name: strings.Repeat("n", 99), Arguments: "null"}}},
		endpoint.Message{Role: endpoint.ToolRole, CallID: "a", Content: "no"},
		endpoint.Message{Role: endpoint.Assistant},
	)
	if _, err := client(t, s, newPacer()).Chat(t.Context(), r); err != nil {
		t.Fatal(err)
	}
	var sent []string
	for _, m := range s.sent()[0]["messages"].([]any)[2:] {
		out, err := json.Marshal(m)
		if err != nil {
			t.Fatal(err)
		}
		sent = append(sent, string(out))
	}
	want := []string{
		`{"reasoning_content":"hm","role":"assistant","tool_calls":[` +
			`{"function":{"arguments":"{}","name":"read_file__"},"id":"a","type":"function"},` +
			`{"function":{"arguments":"{\"x\":1}","name":"_"},"id":"b","type":"function"},` +
			`{"function":{"arguments":"{}","name":"` + strings.Repeat("n", 64) + `"},"id":"c","type":"function"}]}`,
		`{"content":"no","role":"tool","tool_call_id":"a"}`,
		`{"content":"…","role":"assistant"}`,
	}
	if diff := cmp.Diff(want, sent); diff != "" {
		t.Error(diff)
	}
	if !strings.Contains(s.written()[0], `"properties":{"z":{},"a":{}}`) {
		t.Errorf("the order of a schema's properties was not kept: %s", s.written()[0])
	}
}

func TestAServerThatReadsAWordForAnObjectIsGivenOne(t *testing.T) {
	s := serve(t, raw(400, `{"error":{"code":400,"message":"[json.exception.type_error.302] type must be string, but is object"}}`), good)
	if _, err := client(t, s, newPacer()).Chat(t.Context(), forced()); err != nil || choice(s.sent()[1]) != "required" {
		t.Errorf("%v, %v", err, s.sent())
	}
}

func TestAClientSaysWhatItHasLearnt(t *testing.T) {
	s := serve(t, refuse(400, "tool_choice", "no"), refuse(400, "max_tokens", "no"), refuse(400, "parallel_tool_calls", "no"), good)
	learnt := client(t, s, newPacer())
	if _, err := learnt.Chat(t.Context(), forced()); err != nil {
		t.Fatal(err)
	}
	want := map[string]endpoint.Spelling{"m": {Forcing: "required", MaxTokens: "max_completion_tokens"}}
	if diff := cmp.Diff(want, learnt.Spellings()); diff != "" {
		t.Error(diff)
	}
}

func TestAModelsOwnLimitIsLeftOutWhereItIsRefused(t *testing.T) {
	s := serve(t, refuse(400, "max_completion_tokens", "no"), good)
	r := free()
	r.Model = "gpt-5"
	if _, err := client(t, s, newPacer()).Chat(t.Context(), r); err != nil {
		t.Fatal(err)
	}
	if got := s.sent()[1]; got["max_completion_tokens"] != nil || got["max_tokens"] != nil {
		t.Errorf("sent %v", got)
	}
}

func TestACallCanBeForcedInOneWayAlone(t *testing.T) {
	s := serve(t, refuse(400, "parallel_tool_calls", "no"), good, refuse(400, "tool_choice", "no"), good)
	c := client(t, s, newPacer())
	if _, err := c.ChatForcing(t.Context(), forced(), "required"); err != nil {
		t.Fatal(err)
	}
	if _, err := c.ChatForcing(t.Context(), forced(), "any"); classOf(err) != verdict.BadRequest {
		t.Errorf("%v", err)
	}
	if _, err := c.Chat(t.Context(), forced()); err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, r := range s.sent() {
		got = append(got, fmt.Sprint(choice(r), " ", r["parallel_tool_calls"]))
	}
	if diff := cmp.Diff([]string{"required false", "required <nil>", "any <nil>", "function <nil>"}, got); diff != "" {
		t.Error(diff)
	}
}
