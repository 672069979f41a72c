package judge_test

import (
	"bufio"
	"bytes"
	"context"
	"crypto/sha256"
	"fmt"
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

// nextAnswer divides the answers of FuzzHTTP.
const nextAnswer = "\n----\n"

// FuzzHTTP lets an endpoint answer with arbitrary bytes in the place of HTTP,
// one answer after the other and then from the beginning. Whatever they are,
// the judge ends with an error: no answer that does not know the receipt
// brings a verdict.
func FuzzHTTP(f *testing.F) {
	ok := func(body string) string { return "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n\r\n" + body }
	calls := func(name, arguments string) string {
		return ok(`{"choices":[{"message":{"tool_calls":[{"id":"1","function":{"name":"` + name + `","arguments":` + arguments + `}}]}}]}`)
	}
	for _, seed := range []string{
		"", "HTTP/1.1 204 No Content\r\n\r\n", "HTTP/0.9 999 \r\n\r\n", "SSH-2.0-OpenSSH\r\n",
		ok(`{"choices":[{"message":{"content":"pass"}}]}`),
		ok(`{"choices":[{"message":{"tool_calls":[{"id":1,"function":{"name":"read_file","arguments":{"path":"a.go"}}}]}}]}`),
		ok(`{"error":{"message":"x","code":429}}`),
		calls("submit_verdict", passing), calls("submit_verdict", text(passing)), calls("submit_verdict", text(text(passing))),
		calls("read_file", `"{\"path\":\"a.go\"}"`) + nextAnswer + calls("submit_verdict", text(passing)),
		calls("search_text", text(`{"pattern":"(x+x+)+y","path":"."}`)) + nextAnswer + calls("git_show", text(`{"rev":"c0ffee1","path":"a.go"}`)),
		"HTTP/1.1 429 Slow\r\nRetry-After: 1\r\n\r\n{}" + nextAnswer + ok("data: {}\n\n"),
		"HTTP/1.1 400 Bad\r\n\r\n" + `{"error":{"param":"tool_choice","message":"no"}}` + nextAnswer + calls("submit_verdict", passing),
		"HTTP/1.1 302 Found\r\nLocation: http://127.0.0.1:1/\r\n\r\n",
		"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\n{\"cho\r\nzz",
		"HTTP/1.1 200 OK\r\nContent-Length: 99\r\n\r\n{",
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, answers []byte) {
		wire := &wire{answers: bytes.Split(answers, []byte(nextAnswer))}
		c, err := endpoint.New(endpoint.Config{
			Sleep: func(ctx context.Context, _ time.Duration) error { return ctx.Err() },
			Wrap:  func(http.RoundTripper) http.RoundTripper { return wire },
		})
		if err != nil {
			t.Fatal(err)
		}
		r := ask(subject(4, all()...))
		// No answer can know what depends on all of it.
		code := fmt.Sprintf("%x", sha256.Sum256(answers))
		r.Receipt = judge.Receipt{First: code[:6], Second: code[6:12]}
		r.Chat = c
		result := judge.Run(t.Context(), r)
		checkResult(t, r, result)
		if result.Verdict != nil {
			t.Errorf("%s came of nothing", *result.Verdict)
		}
		if result.Error != nil && result.Error.Class == verdict.Internal {
			t.Errorf("%v\n%s", result.Error, result.Stack)
		}
		if most := 5 * (3*4 + 1); wire.asked > most {
			t.Errorf("%d requests", wire.asked)
		}
	})
}

// A wire answers every request with bytes that may be HTTP.
type wire struct {
	answers [][]byte
	asked   int
}

func (w *wire) RoundTrip(r *http.Request) (*http.Response, error) {
	if _, err := io.Copy(io.Discard, r.Body); err != nil {
		return nil, err
	}
	answer := w.answers[w.asked%len(w.answers)]
	w.asked++
	return http.ReadResponse(bufio.NewReader(bytes.NewReader(answer)), r)
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
	f.Add(5, `submit_verdict {"findings":[{"criterion":"safe","because":"x","verdict":"pass"},{"criterion":"tidy","because":"x","vercd34":"pass"}],"receipt":"ab12-cd34"}`)
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
