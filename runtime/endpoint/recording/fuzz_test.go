package recording

import (
	"context"
	"errors"
	"net/http"
	"testing"
)

// What is read is an exchange that can be served, or a damage, whatever the
// file holds.
func FuzzExchange(f *testing.F) {
	for _, seed := range []string{
		`{"request":{"model":"m","messages":[]},"answer":{"status":200,"content_type":"","retry_after":"","encoding":"plain","body":"{}"},"lost":null}`,
		`{"request":{},"answer":{"status":200,"encoding":"base64","body":"/w=="}}`,
		`{"request":{},"lost":{"to":"time","message":""}}`,
		`{"request":[1e999],"lost":{"to":"network"}}`,
		`{"request":{"n":1e999},"lost":{"to":"network"}}`,
		`null`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, content []byte) {
		// A digest that does not fit hides the rest, so it is made to.
		var unsealed exchangeOnDisk
		if decode("x", content, &unsealed) != nil && unsealed.Request != nil {
			if again, err := encode(&unsealed); err == nil {
				content = again
			}
		}
		_, key, err := keyOf(unsealed.Request)
		if err != nil {
			key = "0123456789abcdef"
		}
		e, _, _, err := exchange(fileOf(key, 1), content)
		var damaged *DamagedError
		if err != nil {
			if !errors.As(err, &damaged) {
				t.Errorf("%v", err)
			}
			return
		}
		q, err := http.NewRequestWithContext(context.Background(), http.MethodPost, "http://127.0.0.1/", nil)
		if err != nil {
			t.Fatal(err)
		}
		if response, err := e.serve(q); (response == nil) == (err == nil) {
			t.Errorf("served %v and %v", response, err)
		}
	})
}
