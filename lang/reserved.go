package lang

import "strings"

// Reserved reports whether a word is one of the language's own, which is never
// a name (§1 of the language): those that begin declarations, and those of
// verdicts and outcomes.
func Reserved(word string) bool {
	switch word {
	case "snodo", "import", "protocol", "role", "evidence", "criteria", "judge", "check", "rule", "controls", "coder", "mode", "review", "task",
		"pass", "warn", "unclear", "blocker", "error", "all":
		return true
	}
	return false
}

// NameOf makes a name of any text: its runs of letters, digits and _, joined by
// dashes. Where that is empty, begins with a digit or is reserved, which is no
// name, the prefix and a dash stand before it.
func NameOf(text, prefix string) string {
	words := strings.FieldsFunc(text, func(c rune) bool {
		return !('a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' || c == '_')
	})
	name := strings.Join(words, "-")
	if name == "" || name[0] >= '0' && name[0] <= '9' || Reserved(name) {
		name = strings.Trim(prefix+"-"+name, "-")
	}
	return name
}
