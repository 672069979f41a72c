package command

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"
)

// redacted stands in the place of what is taken out.
const redacted = "[redacted]"

// The lengths from which a text may be taken out: a shorter one would be found
// where it does not stand. A key below its length is a placeholder such as "x".
const (
	shortestKey    = 8
	shortestSecret = 4
	shortestDigits = 8 // of digits and the letters a to f alone, which ids are made of
)

// ownWords are words that snodo writes itself: whoever took one out would break
// what it says.
var ownWords = strings.Fields(`pass warn unclear blocker error proceed complete escalate validator_error internal_error
	environment_error coder_error power_refused interrupted recovery_exhausted recovery_stalled protected_path outside_grant
	no_change nothing_kept judged task open answered ruled superseded overtaken done refused pinned unpinned pre_execute
	post_execute judge check rule snodo sha256 commit approve merge publish`)

// checkRedact refuses a text that cannot be taken out of everything.
func checkRedact(s string) error {
	digits := strings.Trim(s, "0123456789abcdef") == ""
	switch {
	case !utf8.ValidString(s) || strings.ContainsAny(s, "\x00\n\r"):
		return fmt.Errorf("a text of one line")
	case utf8.RuneCountInString(s) < shortestSecret:
		return fmt.Errorf("a text of at least %d characters: a shorter one would be found in words that are none of it", shortestSecret)
	case digits && len(s) < shortestDigits:
		return fmt.Errorf("digits that are at least %d: fewer would be found in commits and other ids", shortestDigits)
	}
	for _, w := range ownWords {
		if strings.Contains(w, s) {
			return fmt.Errorf("a text that is no part of `%s`, which is a word of snodo's own", w)
		}
	}
	return nil
}

// redaction takes a key, and texts that a user named, out of what is shown,
// sent or kept.
func redaction(key string, texts []string) func(string) string {
	if len(key) >= shortestKey {
		texts = append(slices.Clone(texts), key)
	}
	// The longest first: one may be part of another.
	texts = slices.SortedFunc(slices.Values(texts), func(a, b string) int { return cmp.Compare(len(b), len(a)) })
	var pairs []string
	for _, t := range texts {
		pairs = append(pairs, t, redacted)
	}
	if len(pairs) == 0 {
		return func(s string) string { return s }
	}
	return strings.NewReplacer(pairs...).Replace
}
