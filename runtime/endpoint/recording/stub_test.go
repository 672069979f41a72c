package recording_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"

	"github.com/snodo-lang/snodo/runtime/endpoint"
	"github.com/snodo-lang/snodo/runtime/endpoint/recording"
)

type roundTripper func(*http.Request) (*http.Response, error)

func (f roundTripper) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

// A network gives its answers in order and repeats the last.
type network struct {
	mu      sync.Mutex
	answers []func(*http.Request) (*http.Response, error)
	sent    []string
}

func (n *network) RoundTrip(r *http.Request) (*http.Response, error) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return nil, err
	}
	n.mu.Lock()
	a := n.answers[min(len(n.sent), len(n.answers)-1)]
	n.sent = append(n.sent, string(body))
	n.mu.Unlock()
	return a(r)
}

func answer(status int, body string, header ...string) func(*http.Request) (*http.Response, error) {
	return func(r *http.Request) (*http.Response, error) {
		h := http.Header{}
		for i := 0; i < len(header); i += 2 {
			h.Set(header[i], header[i+1])
		}
		return &http.Response{StatusCode: status, Header: h, Body: io.NopCloser(strings.NewReader(body)), Request: r}, nil
	}
}

func said(text string) func(*http.Request) (*http.Response, error) {
	return answer(200, fmt.Sprintf(`{"choices":[{"message":{"content":%q},"finish_reason":"stop"}],"usage":{"prompt_tokens":3,"completion_tokens":4}}`, text))
}

func drop(*http.Request) (*http.Response, error) { return nil, errors.New("connection reset") }

// outOfTime answers when the time of the turn is over.
func outOfTime(r *http.Request) (*http.Response, error) {
	<-r.Context().Done()
	return nil, r.Context().Err()
}

func keep(s string) string { return s }

var header = recording.Header{Seed: "ab12", Plan: "sha256:1", Stage: "s", Task: "sha256:2", Model: "m", Endpoint: "http://127.0.0.1:1/v1"}

func begin(t *testing.T, dir string, redact func(string) string) *recording.Recorder {
	t.Helper()
	r, err := recording.New(dir, redact)
	if err != nil {
		t.Fatal(err)
	}
	if err := r.Begin(header); err != nil {
		t.Fatal(err)
	}
	return r
}

func load(t *testing.T, dir string) *recording.Recording {
	t.Helper()
	r, err := recording.Load(dir)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// client speaks through a layer, and never waits.
func client(t *testing.T, wrap func(http.RoundTripper) http.RoundTripper, n http.RoundTripper) *endpoint.Client {
	t.Helper()
	c, err := endpoint.New(endpoint.Config{
		BaseURL: header.Endpoint, Sleep: recording.NoWait, Jitter: func() float64 { return 0 },
		Wrap: func(http.RoundTripper) http.RoundTripper { return wrap(n) },
	})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// unreachable fails the test if anything reaches it.
func unreachable(t *testing.T) http.RoundTripper {
	return roundTripper(func(*http.Request) (*http.Response, error) {
		t.Error("a request reached the network")
		return nil, errors.New("unreachable")
	})
}

func request(text string) endpoint.Request {
	return endpoint.Request{
		Model:     "m",
		Messages:  []endpoint.Message{{Role: endpoint.System, Content: "You judge."}, {Role: endpoint.User, Content: text}},
		Tools:     []endpoint.Tool{{Name: "submit_verdict", Parameters: json.RawMessage(`{"type":"object"}`)}},
		Force:     "submit_verdict",
		MaxTokens: 100,
	}
}

// turn makes a turn that has no time left where its text says so, and
// returns what came of it as text.
func turn(t *testing.T, c *endpoint.Client, text string) string {
	t.Helper()
	ctx := t.Context()
	if strings.HasPrefix(text, "late") {
		short, cancel := context.WithTimeout(ctx, 1)
		defer cancel()
		ctx = short
	}
	reply, err := c.Chat(ctx, request(text))
	out, failed := json.Marshal(reply)
	if failed != nil {
		t.Fatal(failed)
	}
	return fmt.Sprintf("%s %v", out, err)
}
