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

// The band gives what the whole table would, as far as it looks.
func TestTheBandIsTheTableNearItsDiagonal(t *testing.T) {
	words := []string{"", "a", "ab", "ba", "abc", "acb", "abcd", "bacd", "abdc", "badc", "xabc", "abcx", "axbc", "aabb", "bbaa", "grants", "garnts", "grnats", "requests", "reqeusts"}
	for _, a := range words {
		for _, b := range words {
			want := min(table([]rune(a), []rune(b)), most+1)
			if got := distance([]rune(a), []rune(b)); got != want {
				t.Errorf("%q and %q: %d, want %d", a, b, got, want)
			}
		}
	}
}

// table is the same distance by its definition.
func table(a, b []rune) int {
	switch {
	case len(a) == 0:
		return len(b)
	case len(b) == 0:
		return len(a)
	}
	cost := 1
	if a[len(a)-1] == b[len(b)-1] {
		cost = 0
	}
	d := min(table(a[:len(a)-1], b)+1, table(a, b[:len(b)-1])+1, table(a[:len(a)-1], b[:len(b)-1])+cost)
	if len(a) > 1 && len(b) > 1 && a[len(a)-1] == b[len(b)-2] && a[len(a)-2] == b[len(b)-1] {
		d = min(d, table(a[:len(a)-2], b[:len(b)-2])+1)
	}
	return d
}
