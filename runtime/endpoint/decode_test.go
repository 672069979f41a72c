package endpoint_test

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/snodo-lang/snodo/runtime/endpoint"
	"github.com/snodo-lang/snodo/runtime/verdict"
)

func num(n int64) *int64 { return &n }

func TestDeviationsOfRepliesAreEvenedOut(t *testing.T) {
	call := func(id, arguments string) string {
		return fmt.Sprintf(`{%s"type":"function","function":{"name":"f","arguments":%s}}`, id, arguments)
	}
	calls := func(list ...string) string {
		return message(`{"content":null,"tool_calls":[` + strings.Join(list, ",") + `]}`)
	}
	one := func(id, arguments string) endpoint.Message {
		return endpoint.Message{Role: endpoint.Assistant, Calls: []endpoint.Call{{ID: id, Name: "f", Arguments: arguments}}}
	}
	for _, c := range []struct {
		name, body string
		want       endpoint.Message
	}{
		{"a text", message(`{"content":"hi"}`), endpoint.Message{Role: endpoint.Assistant, Content: "hi"}},
		{"null content", message(`{"content":null}`), endpoint.Message{Role: endpoint.Assistant}},
		{"no content", message(`{}`), endpoint.Message{Role: endpoint.Assistant}},
		{"a list of parts", message(`{"content":[{"type":"text","text":"a"},{"type":"x"},{"type":"text","text":"b"}]}`), endpoint.Message{Role: endpoint.Assistant, Content: "ab"}},
		{"content of another kind", message(`{"content":7}`), endpoint.Message{Role: endpoint.Assistant}},
		{"empty content beside a call", message(`{"content":"","tool_calls":[` + call(`"id":"x",`, `"{}"`) + `]}`), one("x", "{}")},
		{"an id", calls(call(`"id":"x",`, `"{}"`)), one("x", "{}")},
		{"an integer id", calls(call(`"id":17,`, `"{}"`)), one("17", "{}")},
		{"no id", calls(call(``, `"{}"`)), one("call00001", "{}")},
		{"a null id", calls(call(`"id":null,`, `"{}"`)), one("call00001", "{}")},
		{"object arguments", calls(call(``, `{"a": 1}`)), one("call00001", `{"a": 1}`)},
		{"arguments encoded twice", calls(call(``, `"\"{\\\"a\\\": 1}\""`)), one("call00001", `{"a": 1}`)},
		{"a text encoded twice, which is no object", calls(call(``, `"\"hi\""`)), one("call00001", `"hi"`)},
		{"arguments that are cut off", calls(call(``, `"{\"a\": [1,"`)), one("call00001", `{"a": [1,`)},
		{"arguments with repeated keys", calls(call(``, `"{\"a\":1,\"a\":2}"`)), one("call00001", `{"a":1,"a":2}`)},
		{"null arguments", calls(call(``, `null`)), one("call00001", "")},
		{"arguments that are no JSON", calls(call(``, `"{oops"`)), one("call00001", "{oops")},
		{"a call of nothing", calls(`{"id":"x"}`), endpoint.Message{Role: endpoint.Assistant, Calls: []endpoint.Call{{ID: "x"}}}},
		{"trailing bytes", message(`{"content":"hi"}`) + "\n\ndata: [DONE]", endpoint.Message{Role: endpoint.Assistant, Content: "hi"}},
		{"leading blanks", "\n \n" + message(`{"content":"hi"}`), endpoint.Message{Role: endpoint.Assistant, Content: "hi"}},
		{"a call though it stopped", strings.Replace(calls(call(`"id":"x",`, `"{}"`)), `"stop"`, `"length"`, 1), one("x", "{}")},
		{"a finish of another kind", strings.Replace(message(`{"content":"hi"}`), `"stop"`, `{"reason":1}`, 1), endpoint.Message{Role: endpoint.Assistant, Content: "hi"}},
		{"reasoning", message(`{"content":"hi","reasoning_content":"hm"}`), endpoint.Message{Role: endpoint.Assistant, Content: "hi", Reasoning: "hm"}},
		{"a refusal beside a call", message(`{"refusal":"no","tool_calls":[` + call(`"id":"x",`, `"{}"`) + `]}`), one("x", "{}")},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := serve(t, raw(200, c.body))
			reply, err := client(t, s, newPacer()).Chat(t.Context(), free())
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(c.want, reply.Message); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestIdsAreUniqueInAConversation(t *testing.T) {
	s := serve(t, raw(200, message(`{"tool_calls":[{"id":"x","function":{"name":"f"}},{"id":"x","function":{"name":"f"}},{"id":"call00003","function":{"name":"f"}}]}`)))
	r := free()
	r.Messages = append(r.Messages, endpoint.Message{Role: endpoint.Assistant, Calls: []endpoint.Call{{ID: "x"}}})
	reply, err := client(t, s, newPacer()).Chat(t.Context(), r)
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string]bool{"x": true}
	for _, call := range reply.Message.Calls {
		if call.ID == "" || seen[call.ID] {
			t.Errorf("id %q is not unique", call.ID)
		}
		seen[call.ID] = true
	}
}

func TestUsageThatIsNotReportedIsNotZero(t *testing.T) {
	for _, c := range []struct {
		usage string
		want  verdict.Usage
	}{
		{``, verdict.Usage{}},
		{`,"usage":null`, verdict.Usage{}},
		{`,"usage":[]`, verdict.Usage{}},
		{`,"usage":{"prompt_tokens":0,"completion_tokens":3}`, verdict.Usage{Input: num(0), Output: num(3)}},
		{`,"usage":{"prompt_tokens":"7","completion_tokens":-1}`, verdict.Usage{}},
		{`,"usage":{"prompt_tokens":7.0,"completion_tokens":2.5}`, verdict.Usage{Input: num(7)}},
		{`,"usage":{"prompt_tokens":1e300,"completion_tokens":{}}`, verdict.Usage{}},
		{`,"usage":{"prompt_tokens":9,"completion_tokens":3,"prompt_tokens_details":{"cached_tokens":4}}`, verdict.Usage{Input: num(9), Output: num(3), Cached: num(4)}},
		{`,"usage":{"prompt_tokens":9,"completion_tokens":3,"prompt_cache_hit_tokens":5}`, verdict.Usage{Input: num(9), Output: num(3), Cached: num(5)}},
	} {
		s := serve(t, raw(200, `{"choices":[{"message":{"content":"x"}}]`+c.usage+`}`))
		reply, err := client(t, s, newPacer()).Chat(t.Context(), free())
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(c.want, reply.Usage); diff != "" {
			t.Errorf("%s: %s", c.usage, diff)
		}
	}
	known := verdict.Usage{Input: num(1), Output: num(2)}
	if got := known.Plus(verdict.Usage{Input: num(3), Cached: num(1)}); !cmp.Equal(got, verdict.Usage{Input: num(4)}) {
		t.Errorf("a sum with an unknown part is %v", got)
	}
}

func FuzzChat(f *testing.F) {
	f.Add(200, []byte(message(`{"content":"x"}`)))
	f.Add(200, []byte(message(`{"tool_calls":[{"id":1,"function":{"name":"f","arguments":{}}},null]}`)))
	f.Add(400, []byte(`{"error":{"code":1,"message":["a"]}}`))
	f.Add(429, []byte(`[{"error":"x"}]`))
	f.Fuzz(func(t *testing.T, status int, body []byte) {
		if status < 200 || status > 599 {
			return
		}
		p := newPacer()
		c, err := endpoint.New(endpoint.Config{Now: p.Now, Sleep: p.Sleep, Wrap: func(http.RoundTripper) http.RoundTripper {
			return roundTripper(func(*http.Request) (*http.Response, error) {
				return &http.Response{StatusCode: status, Header: http.Header{}, Body: io.NopCloser(bytes.NewReader(body))}, nil
			})
		}})
		if err != nil {
			t.Fatal(err)
		}
		reply, err := c.Chat(t.Context(), forced())
		if err != nil && classOf(err) == "" {
			t.Errorf("an error without a class: %v", err)
		}
		if err == nil && status > 299 {
			t.Errorf("status %d made a reply: %+v", status, reply)
		}
	})
}
