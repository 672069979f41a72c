package importer

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// A Line says what became of one thing of the YAML.
type Line struct {
	Line   int    // of the YAML, from 1; 0 where it is about the whole
	What   string // as the YAML has it
	Became string // a sentence
}

// In words the line for a reader of the file.
func (l Line) In(file string) string {
	if l.Line == 0 {
		return fmt.Sprintf("%s: %s: %s", file, visible(l.What), visible(l.Became))
	}
	return fmt.Sprintf("%s:%d: %s: %s", file, l.Line, visible(l.What), visible(l.Became))
}

// A report collects lines, each once.
type report struct {
	changes, decisions []Line
	said               map[Line]bool
}

// once reports whether a line is a new one.
func (r *report) once(l Line) bool {
	if r.said == nil {
		r.said = map[Line]bool{}
	}
	before := r.said[l]
	r.said[l] = true
	return !before
}

func (r report) sorted() (changes, decisions []Line) {
	order := func(a, b Line) int { return cmp.Compare(a.Line, b.Line) }
	slices.SortStableFunc(r.changes, order)
	slices.SortStableFunc(r.decisions, order)
	return r.changes, r.decisions
}

// say reports a change.
func (im *importer) say(l Line) {
	if im.report.once(l) {
		im.report.changes = append(im.report.changes, l)
	}
}

// decide reports something that its author must decide.
func (im *importer) decide(line int, what, became string) {
	if l := (Line{line, what, became}); im.report.once(l) {
		im.report.decisions = append(im.report.decisions, l)
	}
}

// note reports a change and writes it as a comment at its place.
func (im *importer) note(b *block, line int, what, became string) {
	im.say(Line{line, what, became})
	b.comment(b.without(what) + ": " + became)
}

// ask reports a decision and writes it as a comment at its place.
func (im *importer) ask(b *block, line int, what, became string) {
	im.decide(line, what, became)
	b.comment("TO DECIDE: " + b.without(what) + ": " + became)
}

// without leaves out of what a comment is about whose it is.
func (b *block) without(what string) string {
	if b.owner == "" {
		return what
	}
	return strings.TrimPrefix(what, b.owner+": ")
}
