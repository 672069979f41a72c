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
	if meant := nearest.To(s.Word.Text, p.words); len(meant) > 0 {
		r.report(fieldUnknown(s.Word, p, meant))
		return meant
	}
	if isSwitch(s) {
		r.report(chooses(s.Word, p, ""))
		return nil
	}
	r.report(fieldUnknown(s.Word, p, nil))
	return nil
}

// adviceFor returns the advice for a word. The word mode chooses only where
// it cannot be the declaration.
func adviceFor(word string, p place) (string, bool) {
	folded := strings.ReplaceAll(strings.ToLower(word), "-", "_")
	words, ok := advice[folded]
	if folded == "mode" && p.name != places[lang.KindJudge].name {
		return "", false
	}
	return words, ok
}

// isSwitch reports whether a statement has the form of a switch: a word
// alone, or with one bare word (a truth value is one) behind it.
func isSwitch(s *lang.Unknown) bool {
	if s.Body != nil {
		return false
	}
	return len(s.Tokens) == 0 || len(s.Tokens) == 1 && s.Tokens[0].Kind == lang.NameToken
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

func fieldUnknown(word lang.Name, p place, meant []string) diag.Diagnostic {
	d := diag.Diagnostic{
		Code: diag.SN203, Range: word.Range,
		Message: fmt.Sprintf("there is no `%s` in %s", word.Text, p.name),
		Help:    holds(p),
	}
	switch elsewhere := placesOf(word.Text); {
	case word.Text == "timeout" && clauseOf[p.name] != "":
		d.Help = fmt.Sprintf("the time limit stands behind the command, on its line: `%s`", clauseOf[p.name])
	case len(meant) > 0:
		d.Help = fmt.Sprintf("did you mean %s? (%s)", choice(meant), holds(p))
		if len(meant) == 1 {
			d.Edits = []diag.Edit{{Range: word.Range, Text: meant[0]}}
		}
	case len(elsewhere) > 0:
		d.Help = fmt.Sprintf("`%s` belongs in %s; %s", word.Text, joined(elsewhere, "or"), holds(p))
	}
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
	return fmt.Sprintf("%s holds %s", p.name, list(p.words))
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
