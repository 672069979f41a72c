package compiler

import (
	"strconv"
	"strings"
)

// list writes words in backquotes, with commas and a final "and".
func list(words []string) string {
	return joined(quoted(words), "and")
}

// choice writes words in backquotes, with commas and a final "or".
func choice(words []string) string {
	return joined(quoted(words), "or")
}

// maxNamed is how many names a sentence lists at the most.
const maxNamed = 12

// some lists names like list, and counts those that would be too many.
func some(words []string) string {
	if len(words) <= maxNamed {
		return list(words)
	}
	return strings.Join(quoted(words[:maxNamed]), ", ") + " and " + plural(len(words)-maxNamed, "other")
}

func joined(words []string, last string) string {
	switch n := len(words); n {
	case 0:
		return ""
	case 1:
		return words[0]
	default:
		return strings.Join(words[:n-1], ", ") + " " + last + " " + words[n-1]
	}
}

func quoted(words []string) []string {
	out := make([]string, len(words))
	for i, w := range words {
		out[i] = "`" + w + "`"
	}
	return out
}

func prefixed(prefix string, words []string) []string {
	out := make([]string, len(words))
	for i, w := range words {
		out[i] = prefix + w
	}
	return out
}

func set(words ...string) map[string]bool {
	out := make(map[string]bool, len(words))
	for _, w := range words {
		out[w] = true
	}
	return out
}

// plural returns "1 turn", "2 turns".
func plural(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return strconv.Itoa(n) + " " + noun + "s"
}

func joinComma(words []string) string { return strings.Join(words, ", ") }
