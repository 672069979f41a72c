package endpoint

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// A Class says what kind of failure kept a judge or a coder from its answer.
type Class string

// The classes of errors. The first group comes from this package; the second
// is given by those who use it.
const (
	Transport       Class = "transport"        // no answer was had: the connection, a 5xx
	RateLimited     Class = "rate_limited"     // too many requests, for longer than could be waited
	Quota           Class = "quota"            // the account has nothing left to spend
	Auth            Class = "auth"             // the key is missing, wrong or not allowed
	BadRequest      Class = "bad_request"      // the endpoint refuses the request, the model or the address
	Protocol        Class = "protocol"         // an answer that is no Chat Completion
	ContextOverflow Class = "context_overflow" // the conversation is longer than the model can read
	ContentFilter   Class = "content_filter"   // the provider withheld the answer
	Refusal         Class = "refusal"          // the model declined
	Timeout         Class = "timeout"          // the time was used up, or the run was interrupted

	NoVerdict        Class = "no_verdict"        // the verdict turn brought no submission
	InvalidVerdict   Class = "invalid_verdict"   // the corrected submission was invalid too
	ContextTruncated Class = "context_truncated" // the endpoint cut the messages without saying so
	Budget           Class = "budget"            // the tokens of the run are spent
	ToolFailed       Class = "tool"              // a tool could not do its work
	Replay           Class = "replay"            // a recorded run has no such exchange
	Internal         Class = "internal"          // a defect of snodo
)

// An Error is a failed turn. Message is a sentence for a person; it never
// holds an API key.
type Error struct {
	Class   Class
	Message string
	Status  int   // the HTTP status, or the one that an answer of 200 names; 0 where there was none
	Cause   error // what ended the context, or nil

	again bool          // another request may have better luck
	after time.Duration // the least wait that the endpoint asks for
	about string        // the parameter that is refused, or what the endpoint says in full
}

func (e *Error) Error() string { return fmt.Sprintf("%s: %s", e.Class, e.Message) }

func (e *Error) Unwrap() error { return e.Cause }

// ended is the error of a context that has ended.
func ended(ctx context.Context) *Error {
	if errors.Is(ctx.Err(), context.Canceled) {
		return &Error{Class: Timeout, Message: "the run was interrupted before an answer came", Cause: ctx.Err()}
	}
	return &Error{Class: Timeout, Message: "the time was used up before an answer came", Cause: context.DeadlineExceeded}
}

// typed makes an Error of what the client library returned. Most of it comes
// from the seam and is one already.
func (c *Client) typed(ctx context.Context, err error) *Error {
	var e *Error
	switch {
	case errors.As(err, &e):
		copied := *e
		return &copied
	case ctx.Err() != nil:
		return ended(ctx)
	default:
		return &Error{Class: BadRequest, Message: "the client library refuses the request: " + c.secrets.clean(err.Error())}
	}
}
