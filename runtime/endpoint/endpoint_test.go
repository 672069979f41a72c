package endpoint_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/snodo-lang/snodo/runtime/endpoint"
	"github.com/snodo-lang/snodo/runtime/verdict"
)

const key = "sk-leak-canary-4b1d"

// A stub is an endpoint that gives its answers in order and repeats the last.
type stub struct {
	*httptest.Server
	mu       sync.Mutex
	requests []map[string]any
	bodies   []string
	keys     []string
}

type answer func(http.ResponseWriter, map[string]any)

func serve(t *testing.T, answers ...answer) *stub {
	t.Helper()
	s := &stub{}
	s.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			return
		}
		var request map[string]any
		if err := json.Unmarshal(body, &request); err != nil {
			t.Errorf("request body: %v", err)
		}
		s.mu.Lock()
		n := len(s.requests)
		s.requests = append(s.requests, request)
		s.bodies = append(s.bodies, string(body))
		s.keys = append(s.keys, r.Header.Get("Authorization"))
		s.mu.Unlock()
		answers[min(n, len(answers)-1)](w, request)
	}))
	t.Cleanup(s.Close)
	return s
}

// sent are the requests so far; written are their bytes; auth their
// Authorization headers.
func (s *stub) sent() []map[string]any {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.requests)
}

func (s *stub) written() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.bodies)
}

func (s *stub) auth() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.keys)
}

func raw(status int, body string, header ...string) answer {
	return func(w http.ResponseWriter, _ map[string]any) {
		for i := 0; i < len(header); i += 2 {
			w.Header().Set(header[i], header[i+1])
		}
		w.WriteHeader(status)
		fmt.Fprint(w, body)
	}
}

func drop(w http.ResponseWriter, _ map[string]any) {
	conn, _, err := w.(http.Hijacker).Hijack()
	if err == nil {
		conn.Close()
	}
}

// message is a completion with the given message, in JSON.
func message(m string) string { return `{"choices":[{"message":` + m + `,"finish_reason":"stop"}]}` }

var good = raw(200, message(`{"role":"assistant","content":"hello"}`))

// A pacer is a clock that moves only when somebody sleeps on it.
type pacer struct {
	now    time.Time
	sleeps []time.Duration
}

func (p *pacer) Sleep(ctx context.Context, d time.Duration) error {
	p.sleeps = append(p.sleeps, d)
	p.now = p.now.Add(d)
	return ctx.Err()
}

func (p *pacer) Now() time.Time { return p.now }

func newPacer() *pacer { return &pacer{now: time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)} }

func client(t *testing.T, s *stub, p *pacer) *endpoint.Client {
	t.Helper()
	c, err := endpoint.New(endpoint.Config{
		BaseURL: s.URL + "/v1", Key: key, Now: p.Now, Sleep: p.Sleep, Jitter: func() float64 { return 0 },
	})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func forced() endpoint.Request {
	return endpoint.Request{
		Model:     "m",
		Messages:  []endpoint.Message{{Role: endpoint.System, Content: "s"}, {Role: endpoint.User, Content: "u"}},
		Tools:     []endpoint.Tool{{Name: "submit_verdict", Parameters: json.RawMessage(`{"type":"object","properties":{"z":{},"a":{}}}`)}},
		Force:     "submit_verdict",
		MaxTokens: 100,
	}
}

func free() endpoint.Request {
	r := forced()
	r.Force = ""
	return r
}

func classOf(err error) verdict.Class {
	var e *endpoint.Error
	if errors.As(err, &e) {
		return e.Class
	}
	return ""
}

func TestFailuresHaveAClassAndAreRepeatedWhereThatHelps(t *testing.T) {
	quota := `{"error":{"message":"You exceeded your current quota","type":"insufficient_quota","code":"insufficient_quota"}}`
	for _, c := range []struct {
		name     string
		answer   answer
		class    verdict.Class
		requests int
	}{
		{"server error", raw(500, `{"error":{"message":"boom","code":500}}`), verdict.Transport, 5},
		{"server error with a text for an error", raw(500, `{"error":"boom"}`), verdict.Transport, 5},
		{"server error in HTML", raw(502, `<html>bad gateway</html>`), verdict.Transport, 5},
		{"request timeout", raw(408, ``), verdict.Transport, 5},
		{"conflict", raw(409, ``), verdict.Transport, 5},
		{"too many requests", raw(429, `{"error":{"message":"slow down","code":"rate_limit_exceeded"}}`), verdict.RateLimited, 5},
		{"lost connection", drop, verdict.Transport, 5},
		{"no JSON", raw(200, `Service starting`), verdict.Protocol, 5},
		{"cut JSON", raw(200, `{"choices":[{"message":{"content":"hel`), verdict.Protocol, 5},
		{"an empty body", raw(200, ``), verdict.Protocol, 5},
		{"no choices", raw(200, `{"choices":[]}`), verdict.Protocol, 5},
		{"null choices", raw(200, `{"choices":null}`), verdict.Protocol, 5},
		{"no content", raw(204, ``), verdict.Protocol, 5},
		{"a page for a browser", raw(200, `<!doctype html><title>Welcome</title>`), verdict.Protocol, 5},
		{"a stream where none was asked for", raw(200, "data: {\"choices\":[{\"delta\":{}}]}\n\ndata: [DONE]\n", "Content-Type", "text/event-stream"), verdict.Protocol, 5},
		{"tool calls of another kind", raw(200, message(`{"tool_calls":7}`)), verdict.Protocol, 5},
		{"null message", raw(200, message(`null`)), verdict.Protocol, 5},
		{"JSON of another kind", raw(200, `[1,2]`), verdict.Protocol, 5},
		{"a success that is a server error", raw(200, `{"error":{"message":"boom","code":503}}`), verdict.Transport, 5},
		{"a success that is an error", raw(200, `{"error":{"message":"boom","code":"weird"}}`), verdict.Protocol, 5},
		{"a success that is a rate limit", raw(200, `{"error":{"message":"slow","code":429},"choices":[]}`), verdict.RateLimited, 5},
		{"exhausted quota", raw(429, quota), verdict.Quota, 1},
		{"a success that is an exhausted quota", raw(200, quota), verdict.Quota, 1},
		{"payment required", raw(402, `{"error":{"message":"Insufficient Balance"}}`), verdict.Quota, 1},
		{"wrong key", raw(401, `{"error":{"message":"Incorrect API key"}}`), verdict.Auth, 1},
		{"forbidden", raw(403, `no`), verdict.Auth, 1},
		{"not found", raw(404, `404 page not found`), verdict.BadRequest, 1},
		{"bad request", raw(400, `{"error":{"message":"bad"}}`), verdict.BadRequest, 1},
		{"bad request with an integer code", raw(400, `{"error":{"message":"bad","code":400,"type":"invalid_request_error"}}`), verdict.BadRequest, 1},
		{"overflow", raw(400, `{"error":{"message":"This model's maximum context length is 8192 tokens.","code":"context_length_exceeded"}}`), verdict.ContextOverflow, 1},
		{"overflow of a local server", raw(400, `{"error":{"code":400,"message":"the request exceeds the available context size","type":"exceed_context_size_error"}}`), verdict.ContextOverflow, 1},
		{"too large", raw(413, ``), verdict.ContextOverflow, 1},
		{"filtered prompt", raw(400, `{"error":{"message":"filtered","code":"content_filter"}}`), verdict.ContentFilter, 1},
		{"filtered answer", raw(200, `{"choices":[{"message":{"content":""},"finish_reason":"content_filter"}]}`), verdict.ContentFilter, 1},
		{"refusal", raw(200, message(`{"content":null,"refusal":"I cannot help with that."}`)), verdict.Refusal, 1},
		{"redirect", raw(302, ``, "Location", "/elsewhere"), verdict.Protocol, 1},
		{"redirect that keeps the method", raw(307, ``, "Location", "/elsewhere"), verdict.Protocol, 1},
		{"too long", raw(200, strings.Repeat(" ", 16<<20+1)), verdict.Protocol, 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := serve(t, c.answer)
			_, err := client(t, s, newPacer()).Chat(t.Context(), forced())
			if got := classOf(err); got != c.class {
				t.Errorf("class %q, want %q (%v)", got, c.class, err)
			}
			if len(s.sent()) != c.requests {
				t.Errorf("%d requests, want %d", len(s.sent()), c.requests)
			}
		})
	}
}

func TestAnAnswerThatIsNoCompletionSaysWhatItIs(t *testing.T) {
	for body, want := range map[string]string{
		"":                         "the answer is empty",
		"\n <html></html>":         "a page for a browser; is this the address of an API?",
		"data: {}\n\n":             "a stream, and none was asked for",
		"event: message\ndata: {}": "a stream, and none was asked for",
		"Service starting":         "not the JSON of a completion",
	} {
		s := serve(t, raw(200, body))
		_, err := client(t, s, newPacer()).Chat(t.Context(), free())
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", body, err, want)
		}
	}
}

func TestAFailureThatPassesIsNoFailure(t *testing.T) {
	s := serve(t, raw(500, ``), drop, raw(200, `junk`), raw(200, message(`null`)), good)
	p := newPacer()
	reply, err := client(t, s, p).Chat(t.Context(), free())
	if err != nil || reply.Message.Content != "hello" {
		t.Fatalf("%+v, %v", reply, err)
	}
	want := []time.Duration{500 * time.Millisecond, time.Second, 2 * time.Second, 4 * time.Second}
	if diff := cmp.Diff(want, p.sleeps); diff != "" {
		t.Error(diff)
	}
}

func TestTheEndpointSaysHowLongToWaitAtLeast(t *testing.T) {
	p := newPacer()
	date := p.now.Add(90 * time.Second).Format(http.TimeFormat)
	s := serve(t,
		raw(429, ``, "Retry-After", "7"),
		raw(503, ``, "Retry-After", date),
		raw(429, ``, "Retry-After", "0"),
		raw(429, ``, "Retry-After", "soon"),
		good)
	if _, err := client(t, s, p).Chat(t.Context(), free()); err != nil {
		t.Fatal(err)
	}
	want := []time.Duration{7 * time.Second, 83 * time.Second, 2 * time.Second, 4 * time.Second}
	if diff := cmp.Diff(want, p.sleeps); diff != "" {
		t.Error(diff)
	}
}

// deadline is a context whose deadline is on the pacer's clock.
type deadline struct {
	context.Context
	at time.Time
}

func (d deadline) Deadline() (time.Time, bool) { return d.at, true }

func TestNothingWaitsBeyondTheDeadline(t *testing.T) {
	p := newPacer()
	s := serve(t, raw(429, `{"error":{"message":"slow"}}`, "Retry-After", "60"))
	_, err := client(t, s, p).Chat(deadline{t.Context(), p.now.Add(time.Minute)}, free())
	if classOf(err) != verdict.RateLimited || len(p.sleeps) != 0 || len(s.sent()) != 1 {
		t.Errorf("%v after %v and %d requests", err, p.sleeps, len(s.sent()))
	}
}

func TestJitterOnlyLengthensAWait(t *testing.T) {
	s := serve(t, raw(500, ``), good)
	p := newPacer()
	c, err := endpoint.New(endpoint.Config{BaseURL: s.URL, Now: p.Now, Sleep: p.Sleep, Jitter: func() float64 { return 0.5 }})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := c.Chat(t.Context(), free()); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]time.Duration{625 * time.Millisecond}, p.sleeps); diff != "" {
		t.Error(diff)
	}
}
