package endpoint

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"sync"

	"github.com/snodo-lang/snodo/runtime/verdict"
)

// A complaint is what an endpoint says in the body of an error.
type complaint struct {
	message, code, kind, param string
}

// complaintOf reads an error. Its body is an object with a member error, which is
// an object or a text, or has the members of an error itself, or is anything.
func complaintOf(body []byte) complaint {
	var wire struct {
		Error   json.RawMessage `json:"error"`
		Message json.RawMessage `json:"message"`
		Detail  json.RawMessage `json:"detail"`
	}
	body = bytes.TrimSpace(body)
	inner := bytes.TrimSuffix(bytes.TrimPrefix(body, []byte("[")), []byte("]"))
	if json.NewDecoder(bytes.NewReader(inner)).Decode(&wire) != nil {
		return complaint{message: string(body)}
	}
	raw := json.RawMessage(inner)
	if present(wire.Error) {
		raw = wire.Error
	}
	var e struct {
		Message, Code, Type, Param json.RawMessage
	}
	if s := text(raw); s != "" || json.NewDecoder(bytes.NewReader(raw)).Decode(&e) != nil {
		return complaint{message: s}
	}
	c := complaint{message: text(e.Message), code: scalar(e.Code), kind: text(e.Type), param: text(e.Param)}
	switch {
	case c.message != "":
	case text(wire.Message) != "":
		c.message = text(wire.Message)
	case present(wire.Detail):
		c.message = string(wire.Detail)
	default:
		c.message = string(body)
	}
	return c
}

var (
	saysOverflow = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`(?i)context[_ ]length[_ ]exceeded|exceed_context_size|maximum context length|context (window|size|length)|prompt is too long|too many (input )?tokens|input is too long`)
	})
	saysQuota = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`(?i)insufficient[_ ](quota|balance|funds|credits?)|billing_hard_limit`)
	})
	saysFilter = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`(?i)content[_ ](filter|policy_violation)|ResponsibleAIPolicyViolation`)
	})
)

// classify makes an error of an answer that is no completion.
func classify(status int, body []byte) *Error {
	c := complaintOf(body)
	if code, err := strconv.Atoi(c.code); err == nil && code >= 400 && code <= 599 && status < 400 {
		status = code
	}
	e := &Error{Status: status, about: c.param}
	if e.about == "" {
		e.about = c.message
	}
	says := strings.Join([]string{c.code, c.kind, c.message}, " ")
	what := ""
	switch {
	case status == http.StatusPaymentRequired, saysQuota().MatchString(says):
		e.Class, what = verdict.Quota, "the account has nothing left to spend"
	case status == http.StatusUnauthorized:
		e.Class, what = verdict.Auth, "the endpoint does not take the API key, or asks for one (OPENAI_API_KEY)"
	case status == http.StatusForbidden:
		e.Class, what = verdict.Auth, "the endpoint forbids this to the API key"
	case status == http.StatusTooManyRequests:
		e.Class, what, e.again = verdict.RateLimited, "the endpoint takes no more requests now", true
	case status == http.StatusRequestEntityTooLarge, saysOverflow().MatchString(says):
		e.Class, what = verdict.ContextOverflow, "the conversation is longer than the model can read"
	case saysFilter().MatchString(says):
		e.Class, what = verdict.ContentFilter, "the provider does not let the conversation through"
	case status == http.StatusNotFound:
		e.Class, what = verdict.BadRequest, "the endpoint has no such model or no such address"
	case status == http.StatusRequestTimeout, status == http.StatusConflict, status >= 500:
		e.Class, what, e.again = verdict.Transport, "the endpoint failed", true
	case status >= 400:
		e.Class, what = verdict.BadRequest, "the endpoint refuses the request"
	case status >= 300:
		e.Class, what = verdict.Protocol, "the endpoint redirects, which is not followed"
	default:
		e.Class, what, e.again = verdict.Protocol, "the endpoint answered with an error", true
	}
	e.Message = fmt.Sprintf("%s (status %d): %s", what, status, c.message)
	return e
}
