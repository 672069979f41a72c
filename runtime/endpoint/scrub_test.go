package endpoint

import (
	"strings"
	"testing"
)

// The key is taken out of an answer however the answer writes it.
func TestTheKeyIsTakenOutWithItsEscapes(t *testing.T) {
	s := scrubber{key: "sk-attack-0123456789"}
	for _, body := range []string{
		`{"a":"sk-attack-0123456789"}`,
		`{"a":"\u0073k-attack-0123456789"}`,
		`{"a":"sk\u002Dattack-012345678\u0039"}`,
		`{"a":"{\"b\":\"\\u0073k-attack-0123456789\"}"}`,
	} {
		got := string(s.body([]byte(body)))
		if !strings.Contains(got, scrubbed) || strings.Contains(got, "attack") {
			t.Errorf("%s became %s", body, got)
		}
	}
	other := `{"a":"\u0073ome \u0022 text"}`
	if got := string(s.body([]byte(other))); got != other {
		t.Errorf("%s became %s", other, got)
	}
}
