package compiler

import (
	"fmt"
	"slices"

	"github.com/snodo-lang/snodo/lang"
)

// readFields reads the body of every declaration into its form.
func readFields(c *compilation) error {
	c.forms = make(map[*unit]*forms)
	for _, u := range c.units {
		r := &fieldReader{compilation: c, unit: u, out: &forms{byDeclare: make(map[*lang.Declaration]form)}}
		for _, f := range u.files {
			for i, d := range f.tree.Decls {
				switch d := d.(type) {
				case *lang.Unknown:
					// A file that has no edition was reported, with what may
					// have been meant to be one.
					if f.tree.Edition != nil || i > 0 || !meantAsEdition(string(f.text[d.Range.Start.Offset:d.Range.End.Offset])) {
						r.unknown(d, topLevel)
					}
					if meant, ok := meaning(d, topLevel).(*lang.Declaration); ok {
						r.declaration(meant)
					}
				case *lang.Declaration:
					r.declaration(d)
				default:
					panic(fmt.Sprintf("compiler: no such declaration: %T", d))
				}
			}
		}
		c.forms[u] = r.out
	}
	return nil
}

// A fieldReader reads the declarations of one unit.
type fieldReader struct {
	*compilation
	unit *unit
	out  *forms
}

// A block is a body sorted by what its statements are.
type block struct {
	*fieldReader
	place   place
	decl    *lang.Declaration
	present map[string]bool
	fields  map[string]*lang.Field
	grants  []*grantLine
	gates   []*lang.Gate
	tests   *lang.TestsExist
	// rulings are criterion and include statements in their order.
	rulings []lang.Stmt
	cases   []*lang.Case
	vague   bool // a statement was not understood

	first map[string]lang.Name // where each field stands first
}

// open sorts the body of d. Fields that stand twice and statements that do
// not belong there are reported.
func (r *fieldReader) open(d *lang.Declaration) *block {
	b := &block{
		fieldReader: r, place: places[d.Kind], decl: d,
		present: make(map[string]bool), fields: make(map[string]*lang.Field), first: make(map[string]lang.Name),
	}
	for _, s := range d.Body {
		b.take(s)
	}
	return b
}

// take sorts one statement.
func (b *block) take(s lang.Stmt) {
	switch s := s.(type) {
	case *lang.Field:
		if b.once(s.Word) {
			b.fields[s.Word.Text] = s
			if s.Word.Text == "include" {
				b.rulings = append(b.rulings, s)
			}
		}
	case *lang.TestsExist:
		if b.once(s.Word) {
			b.tests = s
		}
	case *lang.Grants:
		b.present["grants"] = true
		b.grants = append(b.grants, b.grantLine(s))
	case *lang.Criterion:
		b.present["criterion"] = true
		b.rulings = append(b.rulings, s)
	case *lang.Case:
		b.cases = append(b.cases, s)
	case *lang.Gate:
		b.gates = append(b.gates, s)
	case *lang.Unknown:
		b.misplaced(s)
	default:
		panic(fmt.Sprintf("compiler: no such statement in %s: %T", b.place.name, s))
	}
}

// once reports a field that stands twice, and whether this is its first time.
func (b *block) once(word lang.Name) bool {
	b.present[word.Text] = true
	if before, ok := b.first[word.Text]; ok {
		b.report(fieldTwice(word, before))
		return false
	}
	b.first[word.Text] = word
	return true
}

// misplaced reports a statement that does not belong here, and takes it as
// what it was meant to be.
func (b *block) misplaced(s *lang.Unknown) {
	_, gate := s.Meant.(*lang.Gate)
	if b.decl.Kind == lang.KindTask && (judging[s.Word.Text] || gate || routes(s)) {
		b.report(taskJudges(s.Word))
		return
	}
	words := b.unknown(s, b.place)
	if meant, ok := meaning(s, b.place).(lang.Stmt); ok {
		b.take(meant)
		return
	}
	b.vague = true
	for _, word := range words {
		b.present[word] = true
	}
}

// base returns what the form of this block begins with.
func (b *block) base() base { return base{decl: b.decl, unit: b.unit, present: b.present} }

// missing reports the required field word where nothing like it is present.
func (b *block) missing(word, help string) {
	if !b.decl.Damaged && !b.present[word] {
		b.report(fieldMissing(b.decl, word, help))
	}
}

// value returns the only value of a field, nil where the field is missing.
func (b *block) value(word string) lang.Value {
	f, ok := b.fields[word]
	if !ok || len(f.Values) == 0 {
		return nil
	}
	return f.Values[0]
}

// list returns the values of a field, none where it is missing.
func (b *block) list(word string) []lang.Value {
	f, ok := b.fields[word]
	if !ok {
		return nil
	}
	return f.Values
}

func (b *block) text(word string) *lang.Text {
	v := b.value(word)
	if v == nil {
		return nil
	}
	t, ok := b.asText(word, v)
	if !ok || !b.says(word, t) {
		return nil
	}
	return &t
}

func (b *block) number(word string) *lang.Number {
	v := b.value(word)
	if v == nil {
		return nil
	}
	return b.asNumber(word, v)
}

func (b *block) ref(word string) *lang.Ref {
	v := b.value(word)
	if v == nil {
		return nil
	}
	return b.asRef(word, v)
}

// word returns the value of a field that takes one of some words.
func (b *block) word(field, what string, words []string) *lang.Name {
	v := b.value(field)
	if v == nil {
		return nil
	}
	r := b.asRef(field, v)
	if r == nil {
		return nil
	}
	n := nameOf(*r)
	if !slices.Contains(words, n.Text) {
		b.report(wordUnknown(n, what, words, nil))
		return nil
	}
	return &n
}

func (b *block) texts(word string) []lang.Text {
	return b.asTexts(word, b.list(word))
}

func (b *block) refs(word string) []lang.Ref {
	return b.asRefs(word, b.list(word))
}

// command reads a field that holds a command with its timeout.
func (b *block) command(word string) *command {
	t := b.text(word)
	timeout := b.clause(word)
	if t == nil {
		return nil
	}
	return &command{text: *t, timeout: timeout}
}

// clause reads the timeout behind a command.
func (b *block) clause(word string) *lang.Duration {
	f, ok := b.fields[word]
	if !ok || f.Timeout == nil {
		return nil
	}
	return b.asDuration("timeout", f.Timeout.Value)
}

func (b *block) duration(word string) *lang.Duration {
	v := b.value(word)
	if v == nil {
		return nil
	}
	return b.asDuration(word, v)
}
