package runtime

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strings"
)

// A seed is where a run's markers and receipts come from. It stands in the
// first event, so that a recorded run can be played again.
type seed string

// derive returns n hex digits that belong to the parts and to nothing else.
func (s seed) derive(n int, parts ...any) string {
	mac := hmac.New(sha256.New, []byte(s))
	for _, p := range parts {
		word := fmt.Sprint(p)
		fmt.Fprintf(mac, "%d:%s,", len(word), word)
	}
	return strings.ToLower(hex.EncodeToString(mac.Sum(nil)))[:n]
}
