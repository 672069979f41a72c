package lang

import (
	"maps"
	"slices"
	"strings"

	"github.com/snodo-lang/snodo/internal/nearest"
)

// Statements whose first word is a misspelling. They are read as what they
// were meant to be, so that whoever wrote one is told in one go what else is
// wrong with it, and nobody is told that it is missing.

// wordsOf are the known words of each scope in one order. An edition is never
// read as such where its word is misspelt: the compiler says what it lacks.
var wordsOf = func() map[scope][]string {
	out := make(map[scope][]string)
	for sc, words := range known {
		out[sc] = slices.DeleteFunc(slices.Sorted(maps.Keys(words)), func(w string) bool { return w == "snodo" })
	}
	return out
}()

// knownSomewhere are the known words of all scopes. Where one of them stands
// in the wrong place, it is no misspelling of a word of that place.
var knownSomewhere = func() map[string]bool {
	out := make(map[string]bool)
	for _, words := range known {
		maps.Copy(out, words)
	}
	return out
}()

// phrases are the beginnings of statements that people write in one word.
var phrases = map[string]string{"hands": "hands to", "proceed": "proceed when"}

// fold returns words without what joins or parts them.
var fold = strings.NewReplacer("-", "", "_", "", " ", "")

// meantWords returns the words that a statement begins with if its first word
// is a misspelling, "" where that is not certain.
func meantWords(word string, sc scope) string {
	if knownSomewhere[word] {
		return ""
	}
	for first, phrase := range phrases {
		if !known[sc][first] {
			continue
		}
		one, whole := strings.ToLower(fold.Replace(word)), fold.Replace(phrase)
		if one == whole || len(nearest.To(one, []string{whole})) > 0 {
			return phrase
		}
	}
	if near := nearest.To(word, wordsOf[sc]); len(near) == 1 {
		return near[0]
	}
	return ""
}

// meant reads a statement whose first word is not known as the one that it
// was meant to be, and returns the words that belong in the place of its
// first. It is nil where that is not certain. What is wrong with a block is
// reported; what does not fit its form otherwise is not what was meant.
func (p *parser) meant(s *shape, sc scope) (Node, string) {
	words := meantWords(p.tokens[s.first].text, sc)
	if words == "" || p.flawed(s) || s.open >= 0 && (s.lowBrace || p.tokens[s.open].flaw != sound) {
		return nil, ""
	}
	m := *s
	m.meant = words
	switch lead := p.lead(&m); {
	case sc == fileScope && lead == "import":
		if n, err := run[importNode](p.statementTokens(&m, keyword)); err == nil {
			return p.importOf(&m, n), words
		}
	case sc == fileScope:
		if d := p.begun(&m); p.headed(d, &m) && (p.readAs(d, &m) || p.piecewise(d, &m)) {
			return d, words
		}
	case gateWords[lead]:
		if _, err := run[gateHead](append(p.appendHead(nil, &m, keyword), endOfFile)); err == nil && s.open >= 0 {
			g, _ := p.gatePiecewise(&m)
			return g, words
		}
	default:
		if n, err := statementParsers[sc](p.statementTokens(&m, keyword)); err == nil {
			return n.statement(p, &m), words
		}
	}
	return nil, ""
}

// headed reports whether a declaration has a sound header, and a block if and
// only if one belongs behind it.
func (p *parser) headed(d *Declaration, s *shape) bool {
	if _, err := heads[d.Kind](append(p.appendHead(nil, s, keyword)[1:], endOfFile)); err != nil {
		return false
	}
	_, opens := scopes[d.Kind]
	return opens == (s.open >= 0) || d.Kind == KindEvidence
}

// lead returns the first word of a statement as it is read.
func (p *parser) lead(s *shape) string {
	if s.meant != "" {
		first, _, _ := strings.Cut(s.meant, " ")
		return first
	}
	return p.tokens[s.first].text
}
