package endpoint

import (
	"context"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// firstPause is the least wait before a request is repeated; it doubles with
// every repetition.
const firstPause = 500 * time.Millisecond

// pause waits before the given repetition, and returns err or another error
// if there is no time for it. What the endpoint asks for is the least wait.
func (c *Client) pause(ctx context.Context, repetition int, err *Error) *Error {
	wait := firstPause << (repetition - 1)
	wait += time.Duration(c.jitter() * float64(wait) / 2)
	wait = max(wait, err.after)
	if deadline, ok := ctx.Deadline(); ok && !c.now().Add(wait).Before(deadline) {
		err.Message += fmt.Sprintf(" (trying again would take a wait of %s, and there is less time left)", wait.Round(time.Millisecond))
		return err
	}
	if c.sleep(ctx, wait) != nil {
		return ended(ctx)
	}
	return nil
}

// retryAfter reads the wait that an endpoint asks for: seconds or a date.
func retryAfter(h http.Header, now time.Time) time.Duration {
	value := strings.TrimSpace(h.Get("Retry-After"))
	if seconds, err := strconv.ParseFloat(value, 64); err == nil {
		if !(seconds > 0) {
			return 0
		}
		return time.Duration(min(seconds, (24*time.Hour).Seconds()) * float64(time.Second))
	}
	if date, err := http.ParseTime(value); err == nil {
		return max(0, date.Sub(now))
	}
	return 0
}
