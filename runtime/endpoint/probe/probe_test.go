package probe_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/snodo-lang/snodo/runtime/endpoint"
	"github.com/snodo-lang/snodo/runtime/endpoint/probe"
)

// A fake is an endpoint with a model. Its zero value can do everything.
type fake struct {
	list      string   // the answer to the list of models; empty: there is none
	refuses   []string // values of tool_choice, and names of parameters
	ignores   []string // values of tool_choice that make no difference
	onlyProse bool     // it never calls
	freely    bool     // it calls only when it is forced
	arguments string   // of every call, instead of the right ones
	another   bool     // it calls another tool
	single    bool     // one call a reply
	cuts      int      // of the last message only so many characters from its beginning arrive
	window    int      // more characters are refused
	unlimited bool     // it writes on
	uncounted bool     // it reports no usage
	breaks    bool     // it fails where a call is asked for and not forced
	thinks    int      // it needs a limit of so many tokens to come to a call
	lost      bool     // what is forced is not found
	fails     func(*http.Request) (*http.Response, error)

	requests int
}

type asked struct {
	Messages []struct{ Content string }
	Tools    []any
	Choice   any `json:"tool_choice"`
	Max      int `json:"max_tokens"`
}

func response(status int, body string) (*http.Response, error) {
	return &http.Response{StatusCode: status, Header: http.Header{}, Body: io.NopCloser(strings.NewReader(body))}, nil
}

func refused(parameter string) (*http.Response, error) {
	return response(400, fmt.Sprintf(`{"error":{"message":"%s is not supported","param":%q}}`, parameter, parameter))
}

func (f *fake) RoundTrip(r *http.Request) (*http.Response, error) {
	f.requests++
	if strings.HasSuffix(r.URL.Path, "/models") {
		if f.list == "" {
			return response(404, "no such address")
		}
		return response(200, f.list)
	}
	if f.fails != nil {
		return f.fails(r)
	}
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return nil, err
	}
	var a asked
	if err := json.Unmarshal(body, &a); err != nil {
		return nil, err
	}
	choice, ok := a.Choice.(string)
	if a.Choice != nil && !ok {
		choice = "function"
	}
	for _, parameter := range f.refuses {
		switch {
		case parameter == choice:
			return refused("tool_choice")
		case slices.Contains(endpoint.Forcings(), parameter):
		case bytes.Contains(body, []byte(`"`+parameter+`"`)):
			return refused(parameter)
		}
	}
	if n := len(a.Messages[1].Content); f.window > 0 && n > f.window {
		return response(400, `{"error":{"message":"maximum context length exceeded","code":"context_length_exceeded"}}`)
	}
	if f.lost && choice != "" {
		return response(404, `{"error":{"message":"not found"}}`)
	}
	if f.thinks > a.Max && len(a.Tools) > 0 {
		return response(200, `{"choices":[{"message":{"content":""},"finish_reason":"length"}]}`)
	}
	if f.breaks && choice == "" && len(a.Tools) > 0 {
		return response(500, `{"error":{"message":"the output does not match the format"}}`)
	}
	return f.reply(a, choice != "" && !slices.Contains(f.ignores, choice))
}

func (f *fake) reply(a asked, forced bool) (*http.Response, error) {
	words := func(i int) []string {
		content := a.Messages[i].Content
		if f.cuts > 0 && len(content) > f.cuts {
			content = content[:f.cuts]
		}
		return strings.Fields(content)
	}
	last := a.Messages[1].Content
	wanted := strings.Contains(last, "Call the tool") && !f.freely
	message := map[string]any{"content": "Hello there."}
	finish := "stop"
	if strings.Contains(last, "two hundred") && a.Max > 0 && !f.unlimited {
		finish = "length"
	}
	if len(a.Tools) > 0 && !f.onlyProse && (forced || wanted) {
		arguments := f.arguments
		if arguments == "" {
			first, second := words(0), words(1)
			arguments = fmt.Sprintf(`{"receipt":"%s-%s"}`, first[len(first)-1], second[len(second)-1])
		}
		name := "report"
		if f.another {
			name = "other"
		}
		call := map[string]any{"function": map[string]any{"name": name, "arguments": arguments}}
		calls := []any{call}
		if strings.Contains(last, "two times") && !f.single {
			calls = append(calls, call)
		}
		message["tool_calls"], message["content"] = calls, nil
	}
	out := map[string]any{"choices": []any{map[string]any{"message": message, "finish_reason": finish}}}
	if !f.uncounted {
		out["usage"] = map[string]any{"prompt_tokens": len(last) / 4, "completion_tokens": 16}
		if f.unlimited {
			out["usage"] = map[string]any{"prompt_tokens": 1, "completion_tokens": 900}
		}
	}
	body, err := json.Marshal(out)
	if err != nil {
		return nil, err
	}
	return response(200, string(body))
}

func ask(t *testing.T, ctx context.Context, f *fake) (probe.Report, error) {
	t.Helper()
	c, err := endpoint.New(endpoint.Config{
		BaseURL: "http://127.0.0.1:1/v1", Wrap: func(http.RoundTripper) http.RoundTripper { return f },
		Sleep: func(ctx context.Context, _ time.Duration) error { return ctx.Err() },
	})
	if err != nil {
		t.Fatal(err)
	}
	return probe.Ask(ctx, c, "m", strings.NewReader(strings.Repeat("0123456789", 20)), func(string) {})
}

// best is what is found of an endpoint that can do everything but list its
// models.
func best() map[string]probe.Found {
	return map[string]probe.Found{
		"model list": probe.Unknown, "tools": probe.Yes, "forcing: function": probe.Yes, "forcing: required": probe.Yes, "forcing: any": probe.Yes,
		"verdict turn": probe.Yes, "parallel calls": probe.Yes, "parallel_tool_calls": probe.Taken, "token limit": probe.Yes, "context": probe.Yes,
	}
}

func but(changes ...any) map[string]probe.Found {
	all := best()
	for i := 0; i < len(changes); i += 2 {
		all[changes[i].(string)] = changes[i+1].(probe.Found)
	}
	return all
}

// untried is what is left where everything behind a question is not asked.
func untried(from string, changes ...any) map[string]probe.Found {
	all := but(changes...)
	for _, q := range probe.Questions()[slices.Index(probe.Questions(), from):] {
		all[q] = probe.Untried
	}
	return all
}

func TestARowSaysWhatCameBackShows(t *testing.T) {
	fails := func(status int, body string) func(*http.Request) (*http.Response, error) {
		return func(*http.Request) (*http.Response, error) { return response(status, body) }
	}
	for _, c := range []struct {
		name   string
		fake   fake
		want   map[string]probe.Found
		judges probe.Found
		says   string // in the report, as JSON
	}{
		{"no list", fake{}, best(), probe.Yes, "there is none at http://127.0.0.1:1/v1/models"},
		{"everything", fake{}, best(), probe.Yes, "both ends of a message of 128000 characters arrived, 32"},
		{"a list", fake{list: `{"data":[{"id":"m","context_length":131072}]}`}, but("model list", probe.Yes), probe.Yes, "the list of models says 131072 tokens"},
		{"a list without sizes", fake{list: `{"data":[{"id":"m"}]}`}, but("model list", probe.Yes), probe.Yes, "m is listed"},
		{"a list without the model", fake{list: `{"data":[{"id":"n"},{"id":"o"}]}`}, but("model list", probe.No), probe.Yes, "m is not among the 2 models listed: n, o"},
		{"a list with a small context", fake{list: `{"data":[{"id":"m","n_ctx":4096}]}`}, but("model list", probe.Yes, "context", probe.No), probe.Yes, "its context is small"},
		{"no named function", fake{refuses: []string{"function"}}, but("forcing: function", probe.No), probe.Yes, "forced by required"},
		{"no tool_choice at all", fake{refuses: []string{"tool_choice"}}, but("forcing: function", probe.No, "forcing: required", probe.No, "forcing: any", probe.No), probe.Yes, "offered alone, as no forcing is taken"},
		{"forcing that is taken and not obeyed", fake{ignores: []string{"function", "required"}}, but("forcing: function", probe.No, "forcing: required", probe.No), probe.Yes, "it was not refused, and prose came back"},
		{"calls only when forced", fake{freely: true}, but("tools", probe.No, "parallel calls", probe.Unknown), probe.Yes, "likely to decide unread"},
		{"one call at a time", fake{single: true}, but("parallel calls", probe.No), probe.Yes, "one call came back where two were asked for"},
		{"no parallel_tool_calls", fake{refuses: []string{"parallel_tool_calls"}}, but("parallel_tool_calls", probe.No), probe.Yes, "left out"},
		{"another name of the limit", fake{refuses: []string{"max_tokens"}}, but("token limit", probe.Taken), probe.Yes, "max_completion_tokens: not refused"},
		{"no limit", fake{unlimited: true}, but("token limit", probe.No), probe.Yes, "900 tokens came back where 16 were allowed"},
		{"no usage", fake{uncounted: true}, best(), probe.Yes, "both ends of a message of 128000 characters arrived"},
		{"a small window", fake{window: 50_000}, best(), probe.Yes, "arrived, 8021 tokens as the endpoint counts; of a message of 128000 characters, the conversation is longer"},
		{"a tiny window", fake{window: 5_000}, but("context", probe.No), probe.Yes, "its context is small"},
		{"messages that are cut without a word", fake{cuts: 5_000}, but("context", probe.No), probe.Yes, "it is cut, or the model loses it"},

		{"prose alone", fake{onlyProse: true}, untried("parallel calls", "tools", probe.No, "forcing: function", probe.No, "forcing: required", probe.No, "forcing: any", probe.No, "verdict turn", probe.No), probe.No,
			"prose came back where it was to come: judges would end in no_verdict"},
		{"calls of what was not offered", fake{another: true}, untried("parallel calls", "tools", probe.No, "forcing: function", probe.No, "forcing: required", probe.No, "forcing: any", probe.No, "verdict turn", probe.No), probe.No,
			"a call of another tool came back"},
		{"the wrong code", fake{arguments: `{"receipt":"12-34"}`}, untried("parallel calls", "verdict turn", probe.No), probe.No, "context_truncated"},
		{"arguments that are no JSON", fake{arguments: `{"receipt":`}, untried("parallel calls", "tools", probe.No, "forcing: function", probe.No, "forcing: required", probe.No, "forcing: any", probe.No, "verdict turn", probe.No), probe.No,
			"arguments in JSON"},
		{"no answers to calls", fake{refuses: []string{"tool_call_id"}}, untried("parallel calls", "verdict turn", probe.No), probe.No, "the last turn of a judge would end in an error"},
		{"no schemas with choices", fake{refuses: []string{"enum"}}, untried("forcing: function", "tools", probe.No), probe.No, "the first question was answered with an error"},
		{"few tools", fake{refuses: []string{"git_show"}}, untried("forcing: function", "tools", probe.No), probe.No, "the first question was answered with an error"},
		{"a model that thinks before it calls", fake{thinks: 1000}, best(), probe.Yes, "both ends of a message of 128000 characters arrived"},
		{"a model that thinks for long", fake{thinks: 9000}, untried("parallel calls", "tools", probe.No, "forcing: function", probe.No, "forcing: required", probe.No, "forcing: any", probe.No, "verdict turn", probe.Unknown), probe.Unknown, "give judges more"},
		{"forcing that is not found", fake{lost: true}, untried("parallel calls", "forcing: function", probe.Unknown, "forcing: required", probe.Unknown, "forcing: any", probe.Unknown, "verdict turn", probe.Unknown), probe.Unknown, "was not found"},
		{"no tools", fake{refuses: []string{"tools"}}, untried("forcing: function", "tools", probe.No), probe.No, "the first question was answered with an error: the endpoint refuses the request (status 400)"},
		{"a wrong key", fake{fails: fails(401, `{"error":{"message":"Incorrect API key"}}`)}, untried("forcing: function", "tools", probe.Unknown), probe.No, "OPENAI_API_KEY"},
		{"no such model", fake{fails: fails(404, `{"error":{"message":"no model m"}}`)}, untried("forcing: function", "tools", probe.Unknown), probe.No, "no such model or no such address"},
		{"a page for a browser", fake{fails: fails(200, `<html></html>`)}, untried("forcing: function", "tools", probe.Unknown), probe.No, "a page for a browser"},
		{"a limit that is spent", fake{fails: fails(429, `{"error":{"message":"slow down"}}`)}, untried("forcing: function", "tools", probe.Unknown), probe.Unknown, "takes no more requests"},
		{"a server that fails", fake{fails: fails(500, ``)}, untried("parallel calls", "tools", probe.Unknown, "forcing: function", probe.Unknown, "forcing: required", probe.Unknown, "forcing: any", probe.Unknown, "verdict turn", probe.Unknown), probe.Unknown, "the endpoint failed (status 500)"},
		{"a server that fails at what its model writes unless it is forced", fake{breaks: true}, but("tools", probe.Unknown, "parallel calls", probe.Unknown), probe.Yes, "does not match the format"},
	} {
		t.Run(c.name, func(t *testing.T) {
			r, err := ask(t, t.Context(), &c.fake)
			if err != nil {
				t.Fatal(err)
			}
			got := map[string]probe.Found{}
			for _, row := range r.Rows {
				got[row.What] = row.Found
			}
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Errorf("%s\n%+v", diff, r.Rows)
			}
			if r.Judges != c.judges || r.Because == "" {
				t.Errorf("judges can work: %s, because %q", r.Judges, r.Because)
			}
			var out bytes.Buffer
			e := json.NewEncoder(&out)
			e.SetEscapeHTML(false)
			if err := e.Encode(r); err != nil || !strings.Contains(out.String(), c.says) {
				t.Errorf("%v; it does not say %q: %s", err, c.says, &out)
			}
			if c.fake.requests > 30 {
				t.Errorf("%d requests", c.fake.requests)
			}
		})
	}
}

func TestWithoutAServerNothingElseIsAsked(t *testing.T) {
	c, err := endpoint.New(endpoint.Config{BaseURL: "http://127.0.0.1:1/v1"})
	if err != nil {
		t.Fatal(err)
	}
	var questions []string
	r, err := probe.Ask(t.Context(), c, "m", strings.NewReader(""), func(q string) { questions = append(questions, q) })
	if err != nil || r.Judges != probe.No || len(questions) != 1 || !strings.Contains(r.Because, "nothing answers at the address: no answer: ") {
		t.Errorf("%+v, %v after %q", r, err, questions)
	}
}

func TestAnInterruptedExaminationHasNoReport(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	f := &fake{fails: func(r *http.Request) (*http.Response, error) {
		cancel()
		return nil, r.Context().Err()
	}}
	if _, err := ask(t, ctx, f); !errors.Is(err, context.Canceled) || f.requests != 2 {
		t.Errorf("%v after %d requests", err, f.requests)
	}
}
