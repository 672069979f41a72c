// Package endpoint speaks Chat Completions: one request of a conversation
// goes in, one reply or a typed error comes out.
//
// It evens out what differs between endpoints (spellings of forcing, names of
// parameters, shapes of replies), waits and tries again where that helps, and
// keeps limits on bodies and time. It never interprets what a model says,
// never turns a failure into an answer, and never lets an API key out of the
// header that carries it. The client library stays inside.
package endpoint

import (
	"context"
	"net/http"
	"time"
)

// DefaultBaseURL is where requests go when no other address is configured.
const DefaultBaseURL = "https://api.openai.com/v1"

// A Config says where an endpoint is and what stands between it and a Client.
// Only BaseURL and Key come from a user; the rest has a sensible zero value.
type Config struct {
	BaseURL string // empty: DefaultBaseURL
	Key     string // empty: none is sent, as local endpoints need none

	// Wrap puts a layer between the client library and the network, to record
	// exchanges or to serve recorded ones. What it sees holds no key. May be
	// nil.
	Wrap func(next http.RoundTripper) http.RoundTripper

	Now    func() time.Time                           // nil: time.Now
	Sleep  func(context.Context, time.Duration) error // nil: a timer; ends with the context
	Jitter func() float64                             // from 0 to below 1; nil: random
}

// A Client speaks with one endpoint. It remembers which spellings each model
// there accepts, for as long as it lives, and may be used by many goroutines.
type Client struct{}

// New makes a Client. An address that is no http or https address is an
// error.
func New(c Config) (*Client, error) { return &Client{}, nil }

// Accepts says whether judges and coders can work with a model at all, as far
// as that is known without asking the endpoint. The error is a sentence for a
// person.
func (c *Client) Accepts(model string) error { return nil }

// Chat makes one turn: at most five requests, among them the retries and the
// attempts at another spelling. An error is always an *Error. The context
// should have a deadline: nothing waits beyond it.
func (c *Client) Chat(ctx context.Context, r Request) (Reply, error) {
	return Reply{}, &Error{Class: Internal, Message: "not built yet"}
}
