package endpoint

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"time"

	"github.com/sashabaranov/go-openai"

	"github.com/snodo-lang/snodo/runtime/verdict"
)

const (
	// maxBody is the most bytes of an answer.
	maxBody = 16 << 20
	// maxExchange is the longest that one request may take, from its first
	// byte to the answer's last. What is left of a judge's time ends it
	// earlier.
	maxExchange = 15 * time.Minute
)

// errTooSlow ends a request that takes longer than maxExchange.
var errTooSlow = errors.New("no request may take so long")

// A seam carries one exchange between the client library and the network.
// What it returns to the library is a completion that the library can read,
// or an *Error; what the library has no room for, it keeps.
type seam struct {
	client *Client
	seen   completion
}

// Do sends a request of the client library.
func (s *seam) Do(r *http.Request) (*http.Response, error) {
	// The cause tells a layer between here and the network whether the request
	// or the whole turn ran out of time.
	ctx, cancel := context.WithTimeoutCause(r.Context(), maxExchange, errTooSlow)
	defer cancel()
	response, err := s.client.http.Do(r.WithContext(ctx))
	if err != nil {
		return nil, s.lost(r.Context(), err)
	}
	body, err := readAnswer(response)
	if err != nil {
		return nil, s.lost(r.Context(), err)
	}
	if len(body) > maxBody {
		return nil, tooLong(response)
	}
	if response.StatusCode < 200 || response.StatusCode > 299 {
		return nil, s.failure(response, body)
	}
	canonical, failed := s.read(response, body)
	if failed != nil {
		return nil, failed
	}
	response.Body = io.NopCloser(bytes.NewReader(canonical))
	response.ContentLength = int64(len(canonical))
	return response, nil
}

func tooLong(r *http.Response) *Error {
	return &Error{Class: verdict.Protocol, Message: "the answer is longer than 16 MiB", Status: r.StatusCode}
}

// lost is the error of an exchange that brought no answer.
func (s *seam) lost(ctx context.Context, err error) *Error {
	var typed *Error
	if errors.As(err, &typed) {
		return typed
	}
	if ctx.Err() != nil {
		return ended(ctx)
	}
	var wrapped *url.Error
	if errors.As(err, &wrapped) {
		err = wrapped.Err
	}
	return &Error{Class: verdict.Transport, Message: "no answer: " + s.client.secrets.clean(err.Error()), again: true}
}

// failure is the error that an answer stands for.
func (s *seam) failure(response *http.Response, body []byte) *Error {
	err := classify(response.StatusCode, body)
	err.after = retryAfter(response.Header, s.client.now())
	err.Message = s.client.secrets.clean(err.Message)
	return err
}

// read makes a completion that the library can read of an answer.
func (s *seam) read(response *http.Response, body []byte) ([]byte, *Error) {
	seen, err := decode(body)
	if err != nil {
		return nil, &Error{Class: verdict.Protocol, Message: s.client.secrets.clean(err.Error()), Status: response.StatusCode, again: true, after: retryAfter(response.Header, s.client.now())}
	}
	if seen.failed {
		return nil, s.failure(response, body)
	}
	s.seen = seen
	return seen.canonical(), nil
}

// reply makes the answer to a turn of what the library and the seam read.
func (s *seam) reply(m openai.ChatCompletionMessage) (Reply, *Error) {
	reply := Reply{
		Message: Message{Role: Assistant, Content: m.Content, Reasoning: m.ReasoningContent},
		Finish:  s.seen.finish,
		Usage:   s.seen.usage,
	}
	for _, call := range m.ToolCalls {
		reply.Message.Calls = append(reply.Message.Calls, Call{ID: call.ID, Name: call.Function.Name, Arguments: call.Function.Arguments})
	}
	switch {
	case len(reply.Message.Calls) > 0:
		return reply, nil
	case m.Refusal != "":
		return reply, &Error{Class: verdict.Refusal, Message: "the model declined: " + s.client.secrets.clean(m.Refusal)}
	case s.seen.finish == string(openai.FinishReasonContentFilter):
		return reply, &Error{Class: verdict.ContentFilter, Message: "the provider withheld the answer"}
	}
	return reply, nil
}

// unique gives every call an id that no other call of the conversation has.
func unique(r Reply, before []Message) Reply {
	taken := map[string]bool{"": true}
	calls := 0
	for _, m := range before {
		for _, call := range m.Calls {
			taken[call.ID] = true
			calls++
		}
	}
	for i := range r.Message.Calls {
		call := &r.Message.Calls[i]
		for n := calls + i + 1; taken[call.ID]; n++ {
			// Nine letters and digits: the only form that every endpoint takes.
			call.ID = fmt.Sprintf("call%05d", n)
		}
		taken[call.ID] = true
	}
	return r
}
