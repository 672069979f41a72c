// Package diag holds the one kind of diagnostic that snodo has: a stable
// code, a range of source, a sentence that says what is wrong, and a help
// that says what to write instead.
//
// What goes in are diagnostics from the lexer, the parser and the compiler's
// stages; what comes out is text for people, JSON, a SARIF log or annotations
// of a pull request. The package never decides what is an error: it words,
// orders and prints what others found.
package diag

import (
	"cmp"
	"slices"
)

// A Position is a place in a source file. Lines and columns count from 1,
// columns in Unicode code points; offsets count bytes from 0 and include a
// byte order mark where the file has one.
type Position struct {
	Line   int `json:"line"`
	Column int `json:"column"`
	Offset int `json:"offset"`
}

// A Range is the half-open stretch of a file from Start up to End. File is
// the name that a person would type: slash-separated, relative to the folder
// the command was asked about, or std/… for the library.
type Range struct {
	File  string
	Start Position
	End   Position
}

// Valid reports whether r points anywhere.
func (r Range) Valid() bool { return r.Start.Line > 0 }

// To returns the range from the start of r to the end of s.
func (r Range) To(s Range) Range { r.End = s.End; return r }

// A Severity says what a diagnostic does to the package it is about.
type Severity int

// The severities, gravest first. Only an Error keeps a package from being
// compiled.
const (
	Error Severity = iota
	Warning
	Note
)

// String returns the word that stands in every output format.
func (s Severity) String() string {
	switch s {
	case Error:
		return "error"
	case Warning:
		return "warning"
	case Note:
		return "note"
	}
	panic("diag: no such severity")
}

// A Related points at another place that takes part in what is wrong, such as
// the first of two declarations of one name.
type Related struct {
	Range   Range
	Message string
}

// An Edit replaces what stands in Range by Text. Edits are offered only where
// the mend is certain.
type Edit struct {
	Range Range
	Text  string
}

// A Diagnostic is one finding about a source text.
type Diagnostic struct {
	Code     Code
	Severity Severity
	Range    Range
	Message  string    // what is wrong: one sentence, lower case, no full stop
	Label    string    // said under the caret, may be empty
	Help     string    // what to write instead
	Related  []Related // other places involved, in source order
	Edits    []Edit    // the certain mend, if there is one
}

// A List collects diagnostics. The zero value is empty and ready.
type List []Diagnostic

// Add appends d, with the severity that its code is registered with.
func (l *List) Add(d Diagnostic) {
	d.Severity = d.Code.Severity()
	*l = append(*l, d)
}

// Sorted returns the diagnostics ordered by file, place, code and message,
// each once.
func (l List) Sorted() List {
	out := slices.Clone(l)
	slices.SortStableFunc(out, compare)
	return slices.CompactFunc(out, func(a, b Diagnostic) bool {
		return compare(a, b) == 0
	})
}

// Strict returns the diagnostics with every warning made an error. Notes stay
// notes.
func (l List) Strict() List {
	out := slices.Clone(l)
	for i := range out {
		if out[i].Severity == Warning {
			out[i].Severity = Error
		}
	}
	return out
}

// Count returns how many diagnostics have the severity s.
func (l List) Count(s Severity) int {
	n := 0
	for _, d := range l {
		if d.Severity == s {
			n++
		}
	}
	return n
}

func compare(a, b Diagnostic) int {
	return cmp.Or(
		cmp.Compare(a.Range.File, b.Range.File),
		cmp.Compare(a.Range.Start.Offset, b.Range.Start.Offset),
		cmp.Compare(a.Range.End.Offset, b.Range.End.Offset),
		cmp.Compare(a.Code, b.Code),
		cmp.Compare(a.Message, b.Message),
	)
}
