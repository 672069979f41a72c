package endpoint

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/snodo-lang/snodo/runtime/verdict"
)

// An Error is a failed turn. Message is a sentence for a person; it never
// holds an API key.
type Error struct {
	Class   verdict.Class
	Message string
	Status  int   // the HTTP status, or the one that an answer of 200 names; 0 where there was none
	Cause   error // what ended the context, or nil

	again bool          // another request may have better luck
	after time.Duration // the least wait that the endpoint asks for
	about string        // the parameter that is refused, or what the endpoint says in full
}

func (e *Error) Error() string { return fmt.Sprintf("%s: %s", e.Class, e.Message) }

func (e *Error) Unwrap() error { return e.Cause }

// OutOfTime is the message of a turn whose time was over before its answer
// came.
const OutOfTime = "the time was used up before an answer came"

// ended is the error of a context that has ended.
func ended(ctx context.Context) *Error {
	if errors.Is(ctx.Err(), context.Canceled) {
		return &Error{Class: verdict.Timeout, Message: "the run was interrupted before an answer came", Cause: ctx.Err()}
	}
	return &Error{Class: verdict.Timeout, Message: OutOfTime, Cause: context.DeadlineExceeded}
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
		return &Error{Class: verdict.BadRequest, Message: "the client library refuses the request: " + c.secrets.clean(err.Error())}
	}
}
