package endpoint

import (
	"bytes"
	"net/http"
	"strings"
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
	return bytes.ReplaceAll(b, []byte(s.key), []byte(scrubbed))
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

// keyed is the last layer before the network: it alone knows the key.
type keyed struct {
	key  string
	next http.RoundTripper
}

func (k keyed) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	if k.key != "" {
		r.Header.Set("Authorization", "Bearer "+k.key)
	}
	return k.next.RoundTrip(r)
}
