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
	"fmt"
	"maps"
	"math/rand/v2"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"
	"unicode"

	"github.com/sashabaranov/go-openai"
)

// DefaultBaseURL is where requests go when no other address is configured.
const DefaultBaseURL = "https://api.openai.com/v1"

// maxRequests is how many requests make one turn at the most, the first, its
// repetitions and the attempts at another spelling together.
const maxRequests = 5

// A Config says where an endpoint is and what stands between it and a Client.
// Only BaseURL and Key come from a user; the rest has a sensible zero value.
type Config struct {
	BaseURL string // empty: DefaultBaseURL
	Key     string // empty: none is sent, as local endpoints need none

	// Wrap puts a layer between the client library and the network, to record
	// exchanges or to serve recorded ones. What it sees, answers included,
	// holds no key; an answer that it gets is at hand as a whole, so reading
	// it does not fail. The cause of its context is DeadlineExceeded where the
	// time of the turn is over. An *Error that it returns is the error of the
	// turn, and is not tried again. May be nil.
	Wrap func(next http.RoundTripper) http.RoundTripper

	Now    func() time.Time                           // nil: time.Now
	Sleep  func(context.Context, time.Duration) error // nil: a timer; ends with the context
	Jitter func() float64                             // from 0 to below 1; nil: random
}

// A Client speaks with one endpoint. It remembers which spellings each model
// there accepts, for as long as it lives, and may be used by many goroutines.
type Client struct {
	baseURL string
	secrets scrubber
	http    *http.Client
	now     func() time.Time
	sleep   func(context.Context, time.Duration) error
	jitter  func() float64
	pace    pace

	mu        sync.Mutex
	spellings map[string]Spelling // by model
}

// New makes a Client. An address that is no plain http or https address and
// a key that cannot stand in a header are errors.
func New(c Config) (*Client, error) {
	base, err := baseURL(c.BaseURL)
	if err != nil {
		return nil, err
	}
	key := strings.TrimSpace(c.Key)
	if strings.ContainsFunc(key, func(r rune) bool { return !unicode.IsPrint(r) || r > unicode.MaxASCII }) {
		return nil, fmt.Errorf("the API key holds characters that no header can carry")
	}
	var network http.RoundTripper = keyed{secrets: scrubber{key}, next: transport()}
	if c.Wrap != nil {
		network = c.Wrap(network)
	}
	client := &Client{
		baseURL: base,
		secrets: scrubber{key},
		http: &http.Client{
			Transport:     network,
			CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		},
		now:       c.Now,
		sleep:     c.Sleep,
		jitter:    c.Jitter,
		spellings: map[string]Spelling{},
	}
	if client.now == nil {
		client.now = time.Now
	}
	if client.sleep == nil {
		client.sleep = sleep
	}
	if client.jitter == nil {
		client.jitter = rand.Float64
	}
	client.pace.now, client.pace.sleep = client.now, client.sleep
	return client, nil
}

// Address returns where the endpoint is. It holds no key.
func (c *Client) Address() string { return c.baseURL }

// transport keeps as many connections to one host as to all: judges ask side
// by side, and the usual two would leave most of their turns to begin with a
// handshake.
func transport() *http.Transport {
	t := http.DefaultTransport.(*http.Transport).Clone()
	t.MaxIdleConnsPerHost = t.MaxIdleConns
	return t
}

func baseURL(address string) (string, error) {
	if address == "" {
		return DefaultBaseURL, nil
	}
	u, err := url.Parse(address)
	switch {
	case err != nil:
		return "", fmt.Errorf("the address of the endpoint is not a URL")
	case u.Scheme != "http" && u.Scheme != "https" || u.Host == "":
		return "", fmt.Errorf("the address of the endpoint, %q, is not an http or https address", u.Redacted())
	case u.User != nil:
		return "", fmt.Errorf("the address of the endpoint holds a user or password; the key belongs in OPENAI_API_KEY")
	case u.RawQuery != "" || u.Fragment != "":
		return "", fmt.Errorf("the address of the endpoint, %q, ends in a query or fragment, which it cannot have", address)
	}
	return strings.TrimRight(u.String(), "/"), nil
}

func sleep(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-t.C:
		return nil
	}
}

// Accepts says whether judges and coders can work with a model at all, as far
// as that is known without asking the endpoint. The error is a sentence for a
// person.
func (c *Client) Accepts(model string) error {
	if strings.TrimSpace(model) == "" {
		return fmt.Errorf("no model is named")
	}
	r := Request{
		Model:     model,
		Messages:  []Message{{Role: User, Content: model}},
		Tools:     []Tool{{Name: "any", Parameters: []byte(`{"type":"object"}`)}},
		Force:     "any",
		MaxTokens: 1,
	}
	err := refusedByLibrary(r.spelled(firstSpelling(model)))
	if err != nil {
		return fmt.Errorf("the model %q cannot be used here: the client library refuses it: %w", model, err)
	}
	return nil
}

// Chat makes one turn: at most five requests, among them the retries and the
// attempts at another spelling. An error is always an *Error; one of class
// ContentFilter or Refusal may come with the reply that it is about. The
// context should have a deadline: nothing waits beyond it.
func (c *Client) Chat(ctx context.Context, r Request) (Reply, error) {
	reply, s, err := c.turn(ctx, r, c.spelling(r.Model), Spelling.without)
	if err != nil {
		return reply, err
	}
	c.remember(r.Model, s)
	return reply, nil
}

// turn makes one turn, beginning with a spelling, and returns that which the
// endpoint took. Next finds the one to try after a refusal.
func (c *Client) turn(ctx context.Context, r Request, s Spelling, next func(Spelling, *Error, Request) (Spelling, bool)) (Reply, Spelling, *Error) {
	retries := 0
	for n := 1; ; n++ {
		reply, err := c.exchange(ctx, r.spelled(s))
		if err == nil {
			return unique(reply, r.Messages), s, nil
		}
		err.Message = c.secrets.clean(fmt.Sprintf("%s at %s: %s", r.Model, c.baseURL, err.Message))
		if n == maxRequests {
			return reply, s, err
		}
		if other, ok := next(s, err, r); ok {
			s = other
			continue
		}
		if !err.again {
			return reply, s, err
		}
		retries++
		if failed := c.pause(ctx, retries, err); failed != nil {
			return reply, s, failed
		}
	}
}

// exchange makes one request, when the endpoint takes requests.
func (c *Client) exchange(ctx context.Context, body openai.ChatCompletionRequest) (Reply, *Error) {
	if err := c.pace.enter(ctx); err != nil {
		return Reply{}, err
	}
	reply, err := c.send(ctx, body)
	c.pace.leave(err)
	return reply, err
}

func (c *Client) send(ctx context.Context, body openai.ChatCompletionRequest) (Reply, *Error) {
	seam := &seam{client: c}
	config := openai.DefaultConfig("")
	config.BaseURL = c.baseURL
	config.HTTPClient = seam
	response, err := openai.NewClientWithConfig(config).CreateChatCompletion(ctx, body)
	if err != nil {
		return Reply{}, c.typed(ctx, err)
	}
	return seam.reply(response.Choices[0].Message)
}

func (c *Client) spelling(model string) Spelling {
	c.mu.Lock()
	defer c.mu.Unlock()
	if s, ok := c.spellings[model]; ok {
		return s
	}
	return firstSpelling(model)
}

// remember keeps a spelling that the endpoint took. Two conversations may
// have learnt different things at the same time, so they are put together.
func (c *Client) remember(model string, s Spelling) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if known, ok := c.spellings[model]; ok {
		s = s.and(known)
	}
	c.spellings[model] = s
}

// Spellings returns what the client has learnt, by model.
func (c *Client) Spellings() map[string]Spelling {
	c.mu.Lock()
	defer c.mu.Unlock()
	return maps.Clone(c.spellings)
}
