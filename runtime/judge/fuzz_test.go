package judge_test

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/snodo-lang/snodo/compiler/plan"
	"github.com/snodo-lang/snodo/runtime/endpoint"
	"github.com/snodo-lang/snodo/runtime/judge"
	"github.com/snodo-lang/snodo/runtime/verdict"
)

// FuzzBody lets an endpoint answer with arbitrary bytes, always the same.
// Whatever they are, the judge ends, and there is no verdict that was not
// submitted with the receipt.
func FuzzBody(f *testing.F) {
	f.Add([]byte(`{"choices":[{"message":{"content":"pass"}}]}`))
	f.Add([]byte(`{"choices":[{"message":{"tool_calls":[{"id":1,"function":{"name":"read_file","arguments":{"path":"a.go"}}}]}}]}`))
	f.Add([]byte(`{"choices":[{"message":{"tool_calls":[{"function":{"name":"submit_verdict","arguments":` + passing + `}}]}}]}`))
	f.Add([]byte(`{"error":{"message":"x","code":429}}`))
	f.Fuzz(func(t *testing.T, body []byte) {
		c, err := endpoint.New(endpoint.Config{
			Sleep: func(ctx context.Context, _ time.Duration) error { return ctx.Err() },
			Wrap:  func(http.RoundTripper) http.RoundTripper { return always(body) },
		})
		if err != nil {
			t.Fatal(err)
		}
		r := ask(subject(4, all()...))
		r.Chat = c
		result := judge.Run(t.Context(), r)
		checkResult(t, r, result)
		if result.Verdict != nil && !bytes.Contains(body, []byte("submit_verdict")) {
			t.Errorf("%s came of nothing", *result.Verdict)
		}
	})
}

type always []byte

func (a always) RoundTrip(*http.Request) (*http.Response, error) {
	return &http.Response{StatusCode: 200, Header: http.Header{}, Body: io.NopCloser(bytes.NewReader(a))}, nil
}

// FuzzCalls lets a model make arbitrary calls: each line is a reply, and in
// it each field, divided by a bar, a call of the tool named before the first
// blank. Whatever they are, there is no verdict but that of one accepted
// submission, which stands alone in the last reply and says just that.
func FuzzCalls(f *testing.F) {
	f.Add(3, "read_file {\"path\":\"a.go\"}\nsubmit_verdict "+passing)
	f.Add(2, "submit_verdict "+passing+"|read_file {}\nsubmit_verdict {}|submit_verdict "+passing)
	f.Add(9, "search_text {\"pattern\":\".\",\"path\":\".\"}|read_diff \n\nlist_files {\"path\":\"\"}")
	f.Add(5, strings.Repeat("read_file {\"path\":\"a.go\"}\n", 9))
	f.Add(1, `submit_verdict {"findings":[{"criterion":"safe","because":"b","verdict":"unclear","missing":[{"evidence":"human-read","args":{"file":"a.go","at":1}}]},{"criterion":"tidy","because":"b","verdict":"blocker","quotes":[{"path":"api/q.go","line":1,"text":"q"}]}],"receipt":"ab12-cd34"}`)
	f.Fuzz(func(t *testing.T, turns int, script string) {
		if turns < 1 || turns > 20 {
			return
		}
		replies := strings.Split(script, "\n")
		n := 0
		r := ask(subject(turns, all()...))
		var offers [][]endpoint.Tool
		r.Chat = chat(func(_ context.Context, q endpoint.Request) (endpoint.Reply, error) {
			answered(t, q.Messages)
			offers = append(offers, q.Tools)
			reply := endpoint.Reply{Message: endpoint.Message{Role: endpoint.Assistant}}
			for i, field := range strings.Split(replies[n%len(replies)], "|") {
				if name, arguments, ok := strings.Cut(field, " "); ok {
					id := string(rune('a'+i%26)) + strings.Repeat("x", n) + strings.Repeat("y", i/26)
					reply.Message.Calls = append(reply.Message.Calls, endpoint.Call{ID: id, Name: name, Arguments: arguments})
				}
			}
			n++
			return reply, nil
		})
		result := judge.Run(t.Context(), r)
		checkResult(t, r, result)
		if result.Error != nil && result.Error.Class == verdict.Internal {
			t.Errorf("%v\n%s", result.Error, result.Stack)
		}
		verdictTurn := slices.IndexFunc(offers, func(tools []endpoint.Tool) bool { return len(tools) == 1 })
		if verdictTurn >= 0 && len(offers) > verdictTurn+2 {
			t.Errorf("%d replies after the verdict turn", len(offers)-verdictTurn-1)
		}
		if result.Verdict == nil {
			return
		}
		last := result.Transcript[len(result.Transcript)-1].Calls
		if len(last) == 0 || slices.ContainsFunc(last, func(c endpoint.Call) bool { return c.Name != plan.SubmitVerdict }) {
			t.Errorf("%s came of %+v", *result.Verdict, last)
		}
		if len(last) > 0 && !strings.Contains(last[0].Arguments, string(*result.Verdict)) {
			t.Errorf("%s is not what was submitted: %s", *result.Verdict, last[0].Arguments)
		}
	})
}

// answered checks that every call is answered once and in place.
func answered(t *testing.T, messages []endpoint.Message) {
	t.Helper()
	for i, m := range messages {
		for j, call := range m.Calls {
			if i+j+1 >= len(messages) || messages[i+j+1].Role != endpoint.ToolRole || messages[i+j+1].CallID != call.ID {
				t.Errorf("call %d of message %d is not answered in its place", j, i)
			}
		}
	}
}

// FuzzDiff reads arbitrary differences. None may be shown as anything but
// lines of data.
func FuzzDiff(f *testing.F) {
	f.Add("@@ -1,2 +1,2 @@\n a\n-b\n+c\n")
	f.Add("@@ -0,0 +1 @@\n+x\n@@ -99999999999999999999 +1 @@\n")
	f.Add("old mode 1\nBinary files differ\n")
	f.Fuzz(func(t *testing.T, text string) {
		r := ask(subject(2, all()...))
		r.Diff = []judge.FileDiff{{Path: "x", Text: text}}
		r.Chat = chat(func(_ context.Context, q endpoint.Request) (endpoint.Reply, error) {
			return calling(plan.SubmitVerdict, passing), nil
		})
		if result := judge.Run(t.Context(), r); result.Error != nil {
			t.Errorf("%v\n%s", result.Error, result.Stack)
		}
	})
}
