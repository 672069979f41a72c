package importer

import (
	"strings"
)

var (
	criteriaKeys = []string{"criteria", "criterion", "checks", "rules"}
	promptKeys   = []string{"prompt", "system_prompt", "instructions"}
)

// A criterion is one predicate, in the words of its author.
type criterion struct {
	name, text string
	line       int
	comments   block
}

// criteria writes what a judge rules on, word for word.
func (im *importer) criteria(v *validator) {
	var found []criterion
	taken := names{}
	if e := v.node.take(criteriaKeys...); e != nil {
		comments := e.comments
		e.comments = nil
		v.notes.carry(comments)
		for _, item := range e.value.named() {
			if c, ok := im.criterion(v, item, taken); ok {
				found = append(found, c)
			}
		}
	}
	found = append(found, im.prompt(v, len(found) > 0, taken)...)
	if len(found) == 0 {
		text := oneLine(v.title)
		became := "it says nothing that holds or does not; a criterion carries its description until you write predicates"
		if text == "" {
			text = "Nobody has written yet what must hold."
			became = "it says nothing that holds or does not; a criterion stands in the place of those that you must write"
		}
		im.ask(&v.notes, v.line, of(v.name, "criteria"), became)
		found = []criterion{{name: "described", text: text}}
	}
	for _, c := range found {
		v.body.lines = append(v.body.lines, c.comments.lines...)
		if tooLong(c.text) {
			im.ask(&v.body, c.line, of(v.name, "criterion "+c.name), "it is longer than a line of a source may be; it stands here as a comment, so say it in several criteria")
			v.body.quote(strings.Split(c.text, "\n")...)
			c.text = "What the comment above says holds."
		}
		v.body.line("criterion %s %s", c.name, text(c.text))
	}
}

// criterion understands one item of a list of criteria.
func (im *importer) criterion(v *validator, e *entry, taken names) (criterion, bool) {
	c := criterion{line: e.line}
	c.comments.carry(e.takeComments())
	name := e.key
	if e.value.kind == scalar {
		c.text = e.value.text
	} else {
		n := e.value
		if n.kind == list {
			n = &node{kind: mapping, fields: []*entry{{key: e.key, value: e.value, line: e.line}}}
		}
		if id := n.takeScalar("criterion_id", "id", "name", "key"); id != nil {
			name = id.value.text
		}
		if t := n.takeScalar("text", "criterion", "description", "statement", "predicate", "check"); t != nil {
			c.text = t.value.text
		} else if left := n.left(); len(left) == 1 && name == "" && left[0].value.kind == scalar {
			// `- injection: No input …`, which YAML reads as a mapping
			left[0].taken = true
			name, c.text = left[0].key, left[0].value.text
		}
		im.leftovers(&c.comments, n, of(v.name, "criterion "+oneLine(name)))
	}
	if strings.TrimSpace(c.text) == "" {
		im.note(&v.notes, e.line, of(v.name, strings.TrimSpace("criterion "+oneLine(name))), "dropped: it says nothing")
		v.notes.lines = append(v.notes.lines, c.comments.lines...)
		return criterion{}, false
	}
	c.name = im.criterionName(v, name, c, taken)
	return c, true
}

// criterionName names a criterion as it was named, or after its first words.
func (im *importer) criterionName(v *validator, written string, c criterion, taken names) string {
	if written == "" {
		if !im.namedAfter {
			im.namedAfter = true
			im.say(Line{c.line, "criteria without names", "each is named after its first words; name them as you would speak of them"})
		}
		return taken.free(mended(firstWords(c.text), "criterion"), "")
	}
	name := taken.free(mended(written, "criterion"), "")
	if name != written {
		im.say(Line{c.line, of(v.name, "the name "+quoted(oneLine(written))), "the criterion is named " + name + ", since a name is made of letters, digits, _ and single dashes, is no word of the language and stands once in a judge"})
	}
	return name
}

// prompt understands free words to a judge. Where they are all there is, they
// are one criterion.
func (im *importer) prompt(v *validator, hasCriteria bool, taken names) []criterion {
	var out []criterion
	for e := v.node.takeScalar(promptKeys...); e != nil; e = v.node.takeScalar(promptKeys...) {
		switch {
		case e.value.blank():
		case hasCriteria || len(out) > 0:
			im.note(&v.notes, e.line, of(v.name, e.key), "a judge is told its criteria and nothing else; it stands here as a comment, so write what it adds as criteria")
			v.notes.quote(strings.Split(strings.TrimRight(e.value.text, "\n"), "\n")...)
		default:
			im.note(&v.notes, e.line, of(v.name, e.key), "it is one criterion, word for word; a criterion is a sentence that holds or does not, so write it as several")
			out = append(out, criterion{name: taken.free(mended(e.key, "criterion"), ""), text: e.value.text, line: e.line})
		}
	}
	return out
}
