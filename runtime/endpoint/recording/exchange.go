package recording

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"unicode/utf8"

	"github.com/snodo-lang/snodo/compiler/plan"
	"github.com/snodo-lang/snodo/runtime/endpoint"
	"github.com/snodo-lang/snodo/runtime/verdict"
)

// An exchangeOnDisk is a request and what came of it: an answer, or the
// reason why none came.
type exchangeOnDisk struct {
	Request json.RawMessage `json:"request"` // the body, as it was sent
	Answer  *answer         `json:"answer"`
	Lost    *lost           `json:"lost"`
	Digest  string          `json:"digest,omitempty"`
}

type answer struct {
	Status      int    `json:"status"`
	ContentType string `json:"content_type"`
	RetryAfter  string `json:"retry_after"`
	Encoding    string `json:"encoding"` // of Body: plain, or base64 where it is no text
	Body        string `json:"body"`
}

const (
	plain    = "plain"
	inBase64 = "base64"
)

// A lost says why no answer came.
type lost struct {
	To      string `json:"to"` // toTime or toNetwork
	Message string `json:"message"`
}

const (
	toTime    = "time"    // that of the turn was over
	toNetwork = "network" // another request might have had better luck
)

// answerOf keeps an answer, whose body has been read.
func answerOf(r *http.Response, body string) *answer {
	a := &answer{Status: r.StatusCode, ContentType: r.Header.Get("Content-Type"), RetryAfter: r.Header.Get("Retry-After"), Encoding: plain, Body: body}
	if !utf8.ValidString(body) {
		a.Encoding, a.Body = inBase64, base64.StdEncoding.EncodeToString([]byte(body))
	}
	return a
}

// bytes returns the body as it came.
func (a *answer) bytes() ([]byte, error) {
	switch a.Encoding {
	case plain:
		return []byte(a.Body), nil
	case inBase64:
		return base64.StdEncoding.DecodeString(a.Body)
	}
	return nil, fmt.Errorf("the encoding %q is unknown", a.Encoding)
}

// valid says what an exchange lacks.
func (e *exchangeOnDisk) valid() error {
	switch {
	case (e.Answer == nil) == (e.Lost == nil):
		return errors.New("holds neither an answer nor the reason why there is none, or both")
	case e.Lost != nil && e.Lost.To != toTime && e.Lost.To != toNetwork:
		return fmt.Errorf("was lost to %q, which is unknown", e.Lost.To)
	case e.Answer != nil && (e.Answer.Status < 200 || e.Answer.Status > 599):
		return fmt.Errorf("has the status %d", e.Answer.Status)
	}
	if e.Answer != nil {
		if _, err := e.Answer.bytes(); err != nil {
			return fmt.Errorf("has a body that cannot be read: %w", err)
		}
	}
	return nil
}

// serve gives what came of the exchange again.
func (e *exchangeOnDisk) serve(r *http.Request) (*http.Response, error) {
	switch {
	case e.Lost != nil && e.Lost.To == toTime:
		return nil, &endpoint.Error{Class: verdict.Timeout, Message: e.Lost.Message, Cause: context.DeadlineExceeded}
	case e.Lost != nil:
		return nil, errors.New(e.Lost.Message)
	}
	body, err := e.Answer.bytes()
	if err != nil {
		panic("recording: an exchange came past valid: " + err.Error())
	}
	header := http.Header{}
	for name, value := range map[string]string{"Content-Type": e.Answer.ContentType, "Retry-After": e.Answer.RetryAfter} {
		if value != "" {
			header.Set(name, value)
		}
	}
	return &http.Response{
		StatusCode: e.Answer.Status, Status: http.StatusText(e.Answer.Status), Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		Header: header, Body: io.NopCloser(bytes.NewReader(body)), ContentLength: int64(len(body)), Request: r,
	}, nil
}

// spelling are the members of a request that say how it is spelled for an
// endpoint, and not what is asked. Which of them a request carries depends on
// what other conversations had already learnt.
var spelling = []string{"max_tokens", "max_completion_tokens", "tool_choice", "parallel_tool_calls"}

// keyOf returns the canonical form of a request, in which all of its spellings
// are the same, and its key.
func keyOf(request []byte) (canonical []byte, key string, err error) {
	var members map[string]json.RawMessage
	if err := json.Unmarshal(request, &members); err != nil {
		return nil, "", fmt.Errorf("the request is no object in JSON: %w", err)
	}
	for _, name := range spelling {
		delete(members, name)
	}
	if canonical, err = plan.Canonical(members); err != nil {
		return nil, "", err
	}
	key, err = plan.Digest(json.RawMessage(canonical))
	return canonical, strings.TrimPrefix(key, "sha256:"), err
}

// fileOf names an exchange: the n-th of its request, from 1.
func fileOf(key string, n int) string { return fmt.Sprintf("%.16s-%d.json", key, n) }
