package compiler

import (
	"fmt"
	"slices"
	"strings"

	"github.com/snodo-lang/snodo/internal/nearest"
	"github.com/snodo-lang/snodo/lang"
	"github.com/snodo-lang/snodo/lang/diag"
)

// unknown reports a statement whose first word is no field in p, and returns
// the fields that it may have been meant to be.
//
// Whether it is a key that chooses between behaviours (SN301) or a word that
// does not exist (SN203) is decided in this order: a word with advice of its
// own chooses; a word near a field is that field misspelt; what has the form
// of a switch is one; and anything else is merely unknown.
func (r *fieldReader) unknown(s *lang.Unknown, p place) []string {
	if words, ok := adviceFor(s.Word.Text, p); ok {
		r.report(chooses(s.Word, p, words))
		return nil
	}
	if meaning(s, p) != nil {
		r.report(fieldMisspelt(s, p))
		return nil
	}
	if meant := nearest.To(s.Word.Text, p.words); len(meant) > 0 {
		r.report(fieldUnknown(s, p, meant))
		return meant
	}
	if isSwitch(s) {
		r.report(chooses(s.Word, p, ""))
		return nil
	}
	d := fieldUnknown(s, p, nil)
	if at := arrow(s); at > 0 && p.name == gatePlace.name {
		d.Help = fmt.Sprintf("a route begins with its verdict: `%s`", spelled(s.Tokens[at-1:]))
	}
	r.report(d)
	return nil
}

// meaning returns what an unknown statement of a place was meant to be, nil
// where that is not certain: a word with advice of its own is near to nothing.
func meaning(s *lang.Unknown, p place) lang.Node {
	if _, ok := adviceFor(s.Word.Text, p); ok {
		return nil
	}
	return s.Meant
}

// spelled returns tokens with one space between them.
func spelled(tokens []lang.Token) string {
	var words []string
	for _, t := range tokens {
		words = append(words, t.Text)
	}
	return strings.Join(words, " ")
}

// folded returns a word in the form in which spellings are compared.
func folded(word string) string { return strings.ReplaceAll(strings.ToLower(word), "-", "_") }

// adviceFor returns the advice for a word. The word mode chooses only where
// it cannot be the declaration.
func adviceFor(word string, p place) (string, bool) {
	words, ok := advice[folded(word)]
	if folded(word) == "mode" && p.name != places[lang.KindJudge].name {
		return "", false
	}
	return words, ok
}

// isSwitch reports whether a statement has the form of a switch: a word
// alone, or with one bare word (a truth value is one) behind it. The sign that
// other notations put before a value is no value.
func isSwitch(s *lang.Unknown) bool {
	if s.Body != nil {
		return false
	}
	value := s.Tokens
	if len(value) > 0 && (value[0].Text == "=" || value[0].Text == ":") {
		value = value[1:]
	}
	return len(value) == 0 || len(value) == 1 && value[0].Kind == lang.NameToken
}

// routes reports whether a statement holds an arrow, as a route does.
func routes(s *lang.Unknown) bool { return arrow(s) >= 0 }

// arrow returns the place of the first arrow among the tokens of a statement,
// or -1.
func arrow(s *lang.Unknown) int {
	return slices.IndexFunc(s.Tokens, func(t lang.Token) bool { return t.Text == "->" })
}

func chooses(word lang.Name, p place, words string) diag.Diagnostic {
	d := diag.Diagnostic{
		Code: diag.SN301, Range: word.Range,
		Message: fmt.Sprintf("`%s` is a key that chooses between behaviours, and the language has none", word.Text),
		Label:   "say it with a declaration",
		Help:    words,
	}
	switch elsewhere := placesOf(word.Text); {
	case words != "":
	case len(elsewhere) > 0:
		d.Help = fmt.Sprintf("`%s` belongs in %s; different behaviour in %s is a different declaration", word.Text, joined(elsewhere, "or"), p.name)
	default:
		d.Help = fmt.Sprintf("different behaviour is a different declaration: write another `judge`, `check`, `rule`, `coder` or `mode` for it, and let the gate list what decides; %s", holds(p))
	}
	return d
}

func fieldUnknown(s *lang.Unknown, p place, meant []string) diag.Diagnostic {
	word := s.Word
	d := diag.Diagnostic{
		Code: diag.SN203, Range: word.Range,
		Message: fmt.Sprintf("there is no `%s` in %s", word.Text, p.name),
		Help:    holds(p),
	}
	if p.name == topLevel.name {
		d.Message = fmt.Sprintf("`%s` begins no declaration", word.Text)
	}
	switch elsewhere := placesOf(word.Text); {
	case word.Text == "timeout" && clauseOf[p.name] != "":
		d.Help = fmt.Sprintf("the time limit stands behind the command, on its line: `%s`", clauseOf[p.name])
	case word.Text == "criteria" && slices.Contains(p.words, "include"):
		d.Help = "write each of them as `criterion NAME \"WHAT HOLDS\"`, or copy a list of them: `include CRITERIA`"
	case len(elsewhere) > 0:
		d.Help = fmt.Sprintf("`%s` belongs in %s; %s", word.Text, joined(elsewhere, "or"), holds(p))
	case len(meant) > 0:
		d.Help = fmt.Sprintf("did you mean %s? (%s)", choice(shown(meant)), holds(p))
	}
	return d
}

// fieldMisspelt reports a statement that is what it was meant to be but for
// its first word.
func fieldMisspelt(s *lang.Unknown, p place) diag.Diagnostic {
	d := fieldUnknown(s, p, nil)
	d.Help = fmt.Sprintf("did you mean `%s`? (%s)", s.MeantWords, holds(p))
	d.Edits = []diag.Edit{{Range: s.Word.Range, Text: s.MeantWords}}
	return d
}

// clauseOf shows the commands that carry their own time limit, by the place
// where they stand.
var clauseOf = map[string]string{
	"a check":     `run "…" timeout 10m`,
	"a protocol":  `prepare "…" timeout 10m`,
	"an evidence": `obtain "…" timeout 5m`,
}

// holds says what may stand in p.
func holds(p place) string {
	if len(p.words) == 0 {
		return p.name + " holds nothing"
	}
	return fmt.Sprintf("%s holds %s", p.name, list(shown(p.words)))
}

// placesOf returns the places in which word is a field, sorted by name.
func placesOf(word string) []string {
	var out []string
	for _, p := range places {
		if slices.Contains(p.words, word) {
			out = append(out, p.name)
		}
	}
	if slices.Contains(gatePlace.words, word) {
		out = append(out, gatePlace.name)
	}
	slices.Sort(out)
	return out
}
