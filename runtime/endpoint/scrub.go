package endpoint

import (
	"bytes"
	"errors"
	"io"
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"unicode"
)

// A scrubber takes an API key out of what came back.
type scrubber struct{ key string }

const scrubbed = "[API key]"

// A key shorter than these is taken for a placeholder such as "x", and is
// left in: in an answer it may well be an ordinary word.
const (
	shortInAnswer  = 8
	shortInMessage = 4
)

// body takes the key out of an answer, in case the endpoint shows it.
func (s scrubber) body(b []byte) []byte {
	if len(s.key) < shortInAnswer {
		return b
	}
	b = bytes.ReplaceAll(b, []byte(s.key), []byte(scrubbed))
	// It may be written with the escapes of JSON, in a text within a text too.
	if plain := unescaped(b); bytes.Contains(plain, []byte(s.key)) {
		b = bytes.ReplaceAll(plain, []byte(s.key), []byte(scrubbed))
	}
	return b
}

// escape is a letter, digit, or sign of which keys are made, written as JSON may
// write it.
var escape = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\\+u00([2-7][0-9a-fA-F])`) })

// unescaped writes plainly what keys are made of.
func unescaped(b []byte) []byte {
	return escape().ReplaceAllFunc(b, func(found []byte) []byte {
		n, err := strconv.ParseUint(string(found[len(found)-2:]), 16, 8)
		c := rune(n)
		if err != nil || c != '-' && c != '_' && c != '.' && !unicode.IsLetter(c) && !unicode.IsDigit(c) {
			return found
		}
		return []byte{byte(n)}
	})
}

// clean makes one printable line, of a length for reading, of a message.
func (s scrubber) clean(message string) string {
	if len(s.key) >= shortInMessage {
		message = strings.ReplaceAll(message, s.key, scrubbed)
	}
	message = strings.Map(func(r rune) rune {
		if unicode.IsPrint(r) {
			return r
		}
		return ' '
	}, message)
	message = strings.Join(strings.Fields(message), " ")
	if runes := []rune(message); len(runes) > 600 {
		message = string(runes[:600]) + " …"
	}
	return message
}

// keyed is the last layer before the network: it alone knows the key, and
// lets nothing come back that holds it.
type keyed struct {
	secrets scrubber
	next    http.RoundTripper
}

func (k keyed) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	if k.secrets.key != "" {
		r.Header.Set("Authorization", "Bearer "+k.secrets.key)
	}
	response, err := k.next.RoundTrip(r)
	if err != nil {
		return nil, k.secrets.failure(err)
	}
	body, err := readAnswer(response)
	if err != nil {
		return nil, k.secrets.failure(err)
	}
	body = k.secrets.body(body)
	response.Body = io.NopCloser(bytes.NewReader(body))
	response.ContentLength = int64(len(body))
	return response, nil
}

// failure takes the key out of what a transport says of an answer that it
// could not read.
func (s scrubber) failure(err error) error {
	if s.key == "" || !strings.Contains(err.Error(), s.key) {
		return err
	}
	return errors.New(s.clean(err.Error()))
}

// readAnswer reads an answer to its end, or a byte further than its limit,
// by which its length is told.
func readAnswer(r *http.Response) ([]byte, error) {
	defer r.Body.Close()
	return io.ReadAll(io.LimitReader(r.Body, maxBody+1))
}
