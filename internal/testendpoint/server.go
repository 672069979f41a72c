// Package testendpoint is a model server for tests: it speaks Chat
// Completions over real HTTP on this machine, plays scripts, and can
// misbehave in every way that endpoints do.
//
// What goes in is a list of Scripts, one for each model that will speak. It
// records every request and holds each against what no client of ours may
// ever do. It never sleeps, and it knows nothing of the client's code.
package testendpoint

import (
	"context"
	"encoding/json"
	"net/http"
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
	// Key is what the server expects to find in the Authorization header.
	Key string
}

// DefaultKey is the API key of a server.
const DefaultKey = "sk-test-2f6b1c9de8a7450b"

// Start starts a server that ends with the test. Violations, and replies
// that nobody asked for, fail the test at its end.
func Start(t TB, scripts ...Script) *Server { return &Server{} }

// Serve runs a server until ctx ends, and calls ready with its URL once it
// listens. The error lists what was violated. Replies that nobody asked for
// are not violations here.
func Serve(ctx context.Context, scripts []Script, ready func(url string)) error { return nil }

// A Request is one that the server received.
type Request struct {
	Judge    string // of the script that answered; empty: none fitted
	Header   http.Header
	Body     []byte
	Messages []json.RawMessage
	Tools    []string // the names offered
	Choice   string   // tool_choice: "", "function NAME", "required", "any" …
}

// Requests are those received so far, in order.
func (s *Server) Requests() []Request { return nil }

// Violations are the broken rules so far, a sentence each.
func (s *Server) Violations() []string { return nil }
