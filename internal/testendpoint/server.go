// Package testendpoint is a model server for tests: it speaks Chat
// Completions over real HTTP on this machine, plays scripts, and can
// misbehave in every way that endpoints do.
//
// What goes in is a list of Scripts, one for each model that will speak. It
// records every request and holds each against what no client of ours may
// ever do. It never sleeps, and it knows nothing of the client's code.
//
// A file of scripts is a list in JSON; the members are those of Script,
// Reply and Call:
//
//	[
//	  {"judge": "injection", "replies": [
//	    {"call": "read_file", "args": {"path": "a.go"}},
//	    {"say": "let me think"},
//	    {"submit": {"injection": {"verdict": "unclear", "missing": [{"evidence": "test-run", "args": {"target": "./api"}}]}}}
//	  ]},
//	  {"judge": "readable", "refuses": ["tool_choice function"], "replies": [
//	    {"status": 429, "header": {"Retry-After": "1"}},
//	    {"drop": true},
//	    {"submit": "pass", "times": 3}
//	  ]}
//	]
package testendpoint

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"slices"
	"strings"
	"sync"
)

// TB is the part of *testing.T that Start needs.
type TB interface {
	Helper()
	Errorf(format string, args ...any)
	Fatalf(format string, args ...any)
	Cleanup(func())
}

// A Server plays scripts.
type Server struct {
	// URL is the base URL that a client is configured with; it ends in /v1.
	URL string
	// Key is an API key that a client may be configured with. The server
	// takes any, and none, and watches that the one it gets stays in its
	// header.
	Key string

	http  http.Server
	ended chan struct{} // closed when nothing is to be waited for any more

	mu         sync.Mutex
	scripts    []Script
	given      []int // how many replies each script has given
	requests   []Request
	watch      watch
	violations []string
}

// DefaultKey is the API key of a server.
const DefaultKey = "sk-test-2f6b1c9de8a7450b"

// A Request is one that the server received.
type Request struct {
	Judge    string // of the script that answered; empty: none fitted
	Header   http.Header
	Body     []byte
	Messages []json.RawMessage
	Tools    []string // the names offered
	Choice   string   // tool_choice: "", "function", "required", "any" …
	Answer   []byte   // the body that was sent back
}

// Start starts a server that ends with the test. Violations, and replies
// that nobody asked for, fail the test at its end.
func Start(t TB, scripts ...Script) *Server {
	t.Helper()
	s, err := listen(scripts)
	if err != nil {
		t.Fatalf("%v", err)
	}
	t.Cleanup(func() {
		s.close()
		for _, v := range append(s.Violations(), s.unasked()...) {
			t.Errorf("%s", v)
		}
	})
	return s
}

// Serve runs a server until ctx ends, and calls ready with its URL once it
// listens. The error lists what was violated. Replies that nobody asked for
// are not violations here.
func Serve(ctx context.Context, scripts []Script, ready func(url string)) error {
	s, err := listen(scripts)
	if err != nil {
		return err
	}
	ready(s.URL)
	<-ctx.Done()
	s.close()
	var all []error
	for _, v := range s.Violations() {
		all = append(all, errors.New(v))
	}
	return errors.Join(all...)
}

func listen(scripts []Script) (*Server, error) {
	if err := known(scripts); err != nil {
		return nil, fmt.Errorf("test endpoint: %w", err)
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, fmt.Errorf("test endpoint: %w", err)
	}
	s := &Server{
		URL:     "http://" + l.Addr().String() + "/v1",
		Key:     DefaultKey,
		ended:   make(chan struct{}),
		scripts: expand(scripts),
		given:   make([]int, len(scripts)),
		watch:   watch{},
	}
	s.http.Handler = http.HandlerFunc(s.serve)
	go s.http.Serve(l) // its error is that it was closed
	return s, nil
}

func (s *Server) close() {
	close(s.ended)
	s.http.Close()
}

// Requests are those received so far, in order.
func (s *Server) Requests() []Request {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.requests)
}

// Violations are the broken rules so far, a sentence each.
func (s *Server) Violations() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.violations)
}

func (s *Server) unasked() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	var all []string
	for i, script := range s.scripts {
		if left := len(script.Replies) - s.given[i]; left > 0 {
			all = append(all, fmt.Sprintf("judge %q: nobody asked for its last %d replies", script.Judge, left))
		}
	}
	return all
}

// expand writes every reply as often as it is to be given.
func expand(scripts []Script) []Script {
	out := slices.Clone(scripts)
	for i, script := range out {
		out[i].Replies = nil
		for _, r := range script.Replies {
			for range max(1, r.Times) {
				out[i].Replies = append(out[i].Replies, r)
			}
		}
	}
	return out
}

func (s *Server) serve(w http.ResponseWriter, r *http.Request) {
	if r.Method == http.MethodGet && r.URL.Path == "/v1/models" {
		s.list(w)
		return
	}
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return // the client has gone
	}
	var asked wireRequest
	if err := json.Unmarshal(body, &asked); err != nil || r.URL.Path != "/v1/chat/completions" {
		s.violated("%s %s is no request for a completion: %v", r.Method, r.URL.Path, err)
		http.Error(w, "no such address", http.StatusNotFound)
		return
	}
	messages := asked.read()
	turn := s.next(r, body, &asked, messages)
	w = &tee{w, s, turn.number}
	reply := turn.reply
	switch {
	case turn.refused != "":
		writeError(w, http.StatusBadRequest, turn.refused, fmt.Sprintf("%s is not supported", turn.refused))
		return
	case reply == nil:
		s.violated("judge %q: there is no reply left for this request", turn.script)
		writeError(w, http.StatusBadRequest, "", "the script is used up")
		return
	}
	if reply.Arrived != nil {
		close(reply.Arrived)
	}
	if reply.Hold != nil {
		select {
		case <-reply.Hold:
		case <-r.Context().Done():
			return
		case <-s.ended:
			return
		}
	}
	s.answer(w, reply, &asked, messages)
}

// A turn is what becomes of one request.
type turn struct {
	number  int    // of the request
	script  string // its name; empty where none fits
	reply   *Reply // nil: there is none
	refused string // the parameter for which the request is refused
}

// A tee keeps what is sent back, before it is sent.
type tee struct {
	http.ResponseWriter
	server *Server
	number int
}

func (t *tee) Unwrap() http.ResponseWriter { return t.ResponseWriter }

func (t *tee) Write(p []byte) (int, error) {
	t.server.mu.Lock()
	kept := &t.server.requests[t.number].Answer
	*kept = append(*kept, p...)
	t.server.mu.Unlock()
	return t.ResponseWriter.Write(p)
}

// list answers with the models that there are. Asking costs nothing, so it is
// not recorded.
func (s *Server) list(w http.ResponseWriter) {
	var models []json.RawMessage
	for _, script := range s.scripts {
		if len(script.Listed) > 0 {
			models = append(models, script.Listed)
		}
	}
	if len(models) == 0 {
		writeError(w, http.StatusNotFound, "", "there is no list of models")
		return
	}
	w.Header().Set("Content-Type", "application/json")
	json.NewEncoder(w).Encode(map[string]any{"object": "list", "data": models}) // a client that has gone does not matter
}

// next records a request and finds what becomes of it.
func (s *Server) next(r *http.Request, body []byte, asked *wireRequest, messages []wireMessage) turn {
	s.mu.Lock()
	defer s.mu.Unlock()
	t := turn{number: len(s.requests)}
	i := slices.IndexFunc(s.scripts, func(c Script) bool {
		return len(messages) > 0 && strings.Contains(messages[0].text(), c.Judge)
	})
	if i >= 0 {
		t.script = s.scripts[i].Judge
	}
	s.requests = append(s.requests, Request{
		Judge: t.script, Header: r.Header, Body: body, Messages: asked.Messages, Tools: asked.offered(), Choice: asked.choice(),
	})
	for _, v := range s.watch.look(r, body, asked, messages) {
		s.violations = append(s.violations, fmt.Sprintf("judge %q, request %d: %s", t.script, len(s.requests), v))
	}
	if i < 0 {
		return t
	}
	for _, parameter := range s.scripts[i].Refuses {
		if asked.uses(parameter) {
			t.refused = strings.Fields(parameter)[0]
			return t
		}
	}
	if s.given[i] < len(s.scripts[i].Replies) {
		t.reply = &s.scripts[i].Replies[s.given[i]]
		s.given[i]++
	}
	return t
}

func (s *Server) violated(format string, args ...any) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.violations = append(s.violations, fmt.Sprintf(format, args...))
}
