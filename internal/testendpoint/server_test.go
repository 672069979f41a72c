package testendpoint_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/snodo-lang/snodo/internal/testendpoint"
)

// A probe stands in for a test, to see what fails it.
type probe struct {
	failures []string
	cleanups []func()
}

func (p *probe) Helper() {}
func (p *probe) Errorf(f string, args ...any) {
	p.failures = append(p.failures, fmt.Sprintf(f, args...))
}
func (p *probe) Fatalf(f string, args ...any) { panic(fmt.Sprintf(f, args...)) }
func (p *probe) Cleanup(f func())             { p.cleanups = append(p.cleanups, f) }
func (p *probe) end() []string                { p.cleanups[0](); return p.failures }
func post(url, body string) (int, string, error) {
	r, err := http.NewRequest(http.MethodPost, url+"/chat/completions", strings.NewReader(body))
	if err != nil {
		return 0, "", err
	}
	r.Header.Set("Authorization", "Bearer "+testendpoint.DefaultKey)
	response, err := http.DefaultClient.Do(r)
	if err != nil {
		return 0, "", err
	}
	defer response.Body.Close()
	out, err := io.ReadAll(response.Body)
	return response.StatusCode, string(out), err
}

// Parts of requests.
const (
	begun    = `{"role":"system","content":"rule on injection\nreceipt: ab"},{"role":"user","content":"begin\nreceipt: cd"}`
	called   = begun + `,{"role":"assistant","tool_calls":[{"id":"1"},{"id":"2"}]}`
	answered = called + `,{"role":"tool","tool_call_id":"2","content":"x"},{"role":"tool","tool_call_id":"1","content":"x"}`
	read     = `{"type":"function","function":{"name":"read_file"}}`
	submit   = `{"type":"function","function":{"name":"submit_verdict","parameters":{"properties":{"findings":{"items":{"properties":{"criterion":{"enum":["injection","secrets"]}}}}}}}}`
)

func request(messages, tools, rest string) string {
	return `{"model":"m","messages":[` + messages + `],"tools":[` + tools + `]` + rest + `}`
}

func TestRulesThatNoClientMayBreakAreWatched(t *testing.T) {
	ok := request(begun, read+","+submit, "")
	verdict := request(begun, submit, `,"tool_choice":"required"`)
	for _, c := range []struct {
		name     string
		requests []string
		want     string // part of the violation; empty: none
	}{
		{"a conversation", []string{ok, request(answered, submit, `,"tool_choice":{"type":"function"}`)}, ""},
		{"a retry", []string{ok, ok}, ""},
		{"a second conversation", []string{verdict, ok}, ""},
		{"a coder without a system message", []string{request(`{"role":"user","content":"injection"}`, read, "")}, ""},
		{"no system message", []string{request(`{"role":"user","content":"injection"}`, submit, "")}, "0 system messages"},
		{"two system messages", []string{request(begun+`,{"role":"system","content":"x"}`, submit, "")}, "2 system messages"},
		{"a late system message", []string{request(`{"role":"user","content":"injection"},{"role":"system","content":"x"}`, submit, "")}, "1 system messages"},
		{"an unanswered call", []string{request(called+`,{"role":"user","content":"x"}`, read, "")}, "not answered"},
		{"an answer to no call", []string{request(begun+`,{"role":"tool","tool_call_id":"9","content":"x"}`, read, "")}, "answers no call"},
		{"a call that is answered twice", []string{request(called+strings.Repeat(`,{"role":"tool","tool_call_id":"1","content":"x"}`, 2), read, "")}, "answers no open call"},
		{"a repeated id", []string{request(answered+`,{"role":"assistant","tool_calls":[{"id":"1"}]},{"role":"tool","tool_call_id":"1"}`, read, "")}, "repeated"},
		{"forcing beside read tools", []string{request(begun, read+","+submit, `,"tool_choice":"required"`)}, "forced"},
		{"read tools that come back", []string{ok, request(answered, submit, ""), request(answered+`,{"role":"user","content":"x"}`, read+","+submit, "")}, "after the verdict turn"},
		{"a changed message", []string{request(answered, read, ""), request(strings.Replace(answered, `"x"`, `"y"`, 1), read, "")}, "do not begin"},
		{"a leaking key", []string{request(begun+`,{"role":"user","content":"`+testendpoint.DefaultKey+`"}`, read, "")}, "API key"},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := &probe{}
			s := testendpoint.Start(p, testendpoint.Script{Judge: "injection", Replies: []testendpoint.Reply{{Say: "x", Times: len(c.requests)}}})
			for _, r := range c.requests {
				if _, _, err := post(s.URL, r); err != nil {
					t.Fatal(err)
				}
			}
			got := strings.Join(p.end(), "\n")
			if c.want == "" && got != "" || !strings.Contains(got, c.want) {
				t.Errorf("violations %q, want %q", got, c.want)
			}
		})
	}
}

// first is the message of a completion.
func first(t *testing.T, body string) map[string]any {
	t.Helper()
	var out struct {
		Choices []struct {
			Message map[string]any `json:"message"`
		} `json:"choices"`
	}
	if err := json.Unmarshal([]byte(body), &out); err != nil || len(out.Choices) == 0 {
		t.Fatalf("%v: %s", err, body)
	}
	return out.Choices[0].Message
}

func arguments(t *testing.T, body string) string {
	t.Helper()
	call := first(t, body)["tool_calls"].([]any)[0].(map[string]any)
	return call["function"].(map[string]any)["arguments"].(string)
}

func TestASubmissionIsWrittenOut(t *testing.T) {
	for _, c := range []struct{ name, reply, want string }{
		{"one word for all", `{"submit":"pass"}`,
			`{"findings":[{"criterion":"injection","quotes":[],"because":"as scripted","verdict":"pass"},{"criterion":"secrets","quotes":[],"because":"as scripted","verdict":"pass"}],"receipt":"ab-cd"}`},
		{"the others pass", `{"submit":{"secrets":"blocker"},"receipt":"xx"}`,
			`{"findings":[{"criterion":"injection","quotes":[],"because":"as scripted","verdict":"pass"},{"criterion":"secrets","quotes":[],"because":"as scripted","verdict":"blocker"}],"receipt":"xx"}`},
		{"whole findings, and one too many", `{"submit":{"injection":{"verdict":"unclear","because":"b","missing":[{"evidence":"e","args":{}}]},"other":"pass"}}`,
			`{"findings":[{"criterion":"injection","quotes":[],"because":"b","verdict":"unclear","missing":[{"evidence":"e","args":{}}]},{"criterion":"secrets","quotes":[],"because":"as scripted","verdict":"pass"},{"criterion":"other","quotes":[],"because":"as scripted","verdict":"pass"}],"receipt":"ab-cd"}`},
		{"by hand", `{"call":"submit_verdict","args":{"receipt":"$RECEIPT"}}`, `{"receipt":"ab-cd"}`},
	} {
		scripts, err := testendpoint.LoadScripts(strings.NewReader(`[{"judge":"injection","replies":[` + c.reply + `]}]`))
		if err != nil {
			t.Fatal(err)
		}
		s := testendpoint.Start(t, scripts...)
		_, body, err := post(s.URL, request(begun, submit, ""))
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(c.want, arguments(t, body)); diff != "" {
			t.Errorf("%s: %s", c.name, diff)
		}
	}
}

func TestRepliesAreGivenToTheJudgeThatTheyAreFor(t *testing.T) {
	s := testendpoint.Start(t,
		testendpoint.Script{Judge: "injection", Replies: []testendpoint.Reply{{Say: "a"}, {Status: 503, Header: map[string]string{"Retry-After": "1"}, Body: "busy"}}},
		testendpoint.Script{Judge: "readable", Refuses: []string{testendpoint.RefuseNamed}, Replies: []testendpoint.Reply{{Say: "b"}}})
	other := strings.Replace(begun, "injection", "readable", 1)
	var got []string
	for _, r := range []string{
		request(begun, submit, ""), request(begun, submit, ""),
		request(other, submit, `,"tool_choice":{"type":"function"}`), request(other, submit, `,"tool_choice":"required"`),
	} {
		status, body, err := post(s.URL, r)
		if err != nil {
			t.Fatal(err)
		}
		if status == 200 {
			body = first(t, body)["content"].(string)
		}
		if len(body) > 20 {
			body = body[:20]
		}
		got = append(got, fmt.Sprint(status, " ", body))
	}
	if diff := cmp.Diff([]string{"200 a", "503 busy", `400 {"error":{"code":400`, "200 b"}, got); diff != "" {
		t.Error(diff)
	}
	if r := s.Requests()[3]; r.Judge != "readable" || r.Choice != "required" || !cmp.Equal(r.Tools, []string{"submit_verdict"}) {
		t.Errorf("recorded %+v", r)
	}
}

func TestAReplyThatNobodyAskedForAndARequestWithoutOneAreFailures(t *testing.T) {
	p := &probe{}
	s := testendpoint.Start(p, testendpoint.Script{Judge: "injection"}, testendpoint.Script{Judge: "never", Replies: []testendpoint.Reply{{Say: "x"}}})
	status, _, err := post(s.URL, request(begun, submit, ""))
	if err != nil || status != 400 {
		t.Errorf("%d, %v", status, err)
	}
	if got := p.end(); len(got) != 2 {
		t.Errorf("%q", got)
	}
}

func TestCompletionsMisbehaveAsAsked(t *testing.T) {
	call := testendpoint.Call{Tool: "f", Args: json.RawMessage(`{"a":1}`)}
	for quirk, want := range map[string]string{
		testendpoint.QuirkNoIDs:        `"tool_calls":[{"function":{"arguments":"{\"a\":1}","name":"f"},"type":"function"}]`,
		testendpoint.QuirkSameIDs:      `"id":"call_0"`,
		testendpoint.QuirkIntegerIDs:   `"id":0`,
		testendpoint.QuirkObjects:      `"arguments":{"a":1}`,
		testendpoint.QuirkNullContent:  `"content":null`,
		testendpoint.QuirkArrayContent: `"content":[{"text":"s","type":"text"}]`,
		testendpoint.QuirkNullMessage:  `"message":null`,
		testendpoint.QuirkNoChoices:    `"choices":[]`,
		testendpoint.QuirkTrailing:     `[DONE]`,
		testendpoint.QuirkRefusal:      `"refusal":"s"`,
		testendpoint.QuirkReasoning:    `"reasoning_content":"s"`,
	} {
		s := testendpoint.Start(t, testendpoint.Script{Replies: []testendpoint.Reply{{Say: "s", Calls: []testendpoint.Call{call}, Quirks: []string{quirk}}}})
		if _, body, err := post(s.URL, request(begun, read, "")); err != nil || !strings.Contains(body, want) {
			t.Errorf("%s: %v, %s", quirk, err, body)
		}
	}
	s := testendpoint.Start(t, testendpoint.Script{Replies: []testendpoint.Reply{{Say: "s", Quirks: []string{testendpoint.QuirkNoUsage}}, {Drop: true}}})
	if _, body, err := post(s.URL, request(begun, read, "")); err != nil || strings.Contains(body, "usage") {
		t.Errorf("no usage: %v, %s", err, body)
	}
	if _, _, err := post(s.URL, request(begun, read, "")); err == nil {
		t.Error("a dropped connection brought an answer")
	}
}

func TestServeEndsWithItsContextAndSaysWhatWasViolated(t *testing.T) {
	file, err := os.ReadFile("testdata/example.json")
	if err != nil {
		t.Fatal(err)
	}
	scripts, err := testendpoint.LoadScripts(bytes.NewReader(file))
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	err = testendpoint.Serve(ctx, scripts, func(url string) {
		if _, _, err := post(url, request(`{"role":"user","content":"injection"}`, submit, "")); err != nil {
			t.Error(err)
		}
		cancel()
	})
	if err == nil || !strings.Contains(err.Error(), "system messages") {
		t.Errorf("%v", err)
	}
}

func TestScriptsThatCannotBePlayedAreRefused(t *testing.T) {
	for _, script := range []string{
		`{}`, `[{"judgement":"x"}]`, `[{"judge":"x","refuses":["everything"]}]`, `[{"judge":"x","replies":[{"quirks":["odd"]}]}]`,
	} {
		if _, err := testendpoint.LoadScripts(strings.NewReader(script)); err == nil {
			t.Errorf("%s is accepted", script)
		}
	}
}

func TestABareAnswerHoldsTheReceiptAndIsKept(t *testing.T) {
	s := testendpoint.Start(t, testendpoint.Script{Judge: "injection", Replies: []testendpoint.Reply{
		{Status: 200, Body: `{"code":"$RECEIPT"}`, Pad: 3}, {Drop: true}, {Say: "x"},
	}})
	for _, want := range []string{`{"code":"ab-cd"}   `, "", `"content":"x"`} {
		_, body, err := post(s.URL, request(begun, submit, ""))
		if (err != nil) != (want == "") || !strings.Contains(body, want) {
			t.Errorf("%q, %v, want %q", body, err, want)
		}
		all := s.Requests()
		if kept := string(all[len(all)-1].Answer); kept != body {
			t.Errorf("kept %q of %q", kept, body)
		}
	}
}

func TestModelsAreListedWhereAScriptSaysHow(t *testing.T) {
	for _, c := range []struct {
		script, want string
		status       int
	}{
		{`[{"judge":"x"}]`, "no list", 404},
		{`[{"judge":"x","listed":{"id":"m","n_ctx":512}}]`, `{"data":[{"id":"m","n_ctx":512}],"object":"list"}`, 200},
	} {
		scripts, err := testendpoint.LoadScripts(strings.NewReader(c.script))
		if err != nil {
			t.Fatal(err)
		}
		s := testendpoint.Start(t, scripts...)
		response, err := http.Get(s.URL + "/models")
		if err != nil {
			t.Fatal(err)
		}
		defer response.Body.Close()
		body, err := io.ReadAll(response.Body)
		if err != nil || response.StatusCode != c.status || !strings.Contains(string(body), c.want) {
			t.Errorf("%d %s, %v", response.StatusCode, body, err)
		}
		if len(s.Requests()) != 0 {
			t.Errorf("recorded %v", s.Requests())
		}
	}
}
