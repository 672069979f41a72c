package runtime

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"strings"
)

// A seed is where a run's markers and receipts come from. It stands in the
// first event, so that a recorded run can be played again.
type seed string

// NewSeed draws a seed. A run that is going to be recorded is given one, so
// that its recording can begin before it does.
func NewSeed(random io.Reader) (string, error) {
	s, err := newSeed(random)
	return string(s), err
}

func newSeed(random io.Reader) (seed, error) {
	drawn := make([]byte, 16)
	if _, err := io.ReadFull(random, drawn); err != nil {
		return "", fmt.Errorf("draw a seed: %w", err)
	}
	return seed(hex.EncodeToString(drawn)), nil
}

// derive returns n hex digits that belong to the parts and to nothing else.
func (s seed) derive(n int, parts ...any) string {
	mac := hmac.New(sha256.New, []byte(s))
	for _, p := range parts {
		word := fmt.Sprint(p)
		fmt.Fprintf(mac, "%d:%s,", len(word), word)
	}
	return strings.ToLower(hex.EncodeToString(mac.Sum(nil)))[:n]
}
