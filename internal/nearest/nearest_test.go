package nearest

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestNearest(t *testing.T) {
	words := []string{"phase", "grants", "requests", "returns", "model", "turns", "tokens", "timeout"}
	for _, c := range []struct {
		word string
		want []string
	}{
		{"phse", []string{"phase"}},
		{"pahse", []string{"phase"}},       // an exchange is one edit
		{"hpsae", []string{"phase"}},       // and two are two
		{"reqeusts", []string{"requests"}}, //
		{"turn", []string{"turns"}},
		{"trn", nil},                             // two edits are not fewer than half of three letters
		{"modl", []string{"model"}},              // one edit of four letters
		{"mo", nil},                              // three edits
		{"phase", nil},                           // no misspelling
		{"Grants", []string{"grants"}},           // letters are compared as they are
		{"toekns", []string{"tokens"}},           //
		{"rturns", []string{"returns", "turns"}}, // equally near
		{"ümeout", []string{"timeout"}},          // letters, not bytes
	} {
		if diff := cmp.Diff(c.want, To(c.word, words)); diff != "" {
			t.Errorf("%s: %s", c.word, diff)
		}
	}
}
