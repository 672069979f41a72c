package compiler

import (
	"strings"

	"github.com/snodo-lang/snodo/lang"
)

// The functions of this file read values, and report those of the wrong kind
// (SN206) and those that must say something and do not (SN207). The name of
// the field goes into the words of the report.

func (r *fieldReader) asText(field string, v lang.Value) (lang.Text, bool) {
	t, ok := v.(lang.Text)
	if !ok {
		r.report(wrongKind(field, aText, v))
	}
	return t, ok
}

func (r *fieldReader) asTexts(field string, values []lang.Value) []lang.Text {
	var out []lang.Text
	for _, v := range values {
		if t, ok := r.asText(field, v); ok {
			out = append(out, t)
		}
	}
	return out
}

func (r *fieldReader) asNumber(field string, v lang.Value) *lang.Number {
	n, ok := v.(lang.Number)
	if !ok {
		r.report(wrongKind(field, aNumber, v))
		return nil
	}
	return &n
}

func (r *fieldReader) asDuration(field string, v lang.Value) *lang.Duration {
	d, ok := v.(lang.Duration)
	if !ok {
		r.report(wrongKind(field, aDuration, v))
		return nil
	}
	return &d
}

func (r *fieldReader) asRef(field string, v lang.Value) *lang.Ref {
	ref, ok := v.(lang.Ref)
	if !ok {
		r.report(wrongKind(field, aName, v))
		return nil
	}
	return &ref
}

func (r *fieldReader) asRefs(field string, values []lang.Value) []lang.Ref {
	var out []lang.Ref
	for _, v := range values {
		if ref := r.asRef(field, v); ref != nil {
			out = append(out, *ref)
		}
	}
	return out
}

// says reports a text that must say something and is blank.
func (r *fieldReader) says(field string, t lang.Text) bool {
	if strings.TrimSpace(t.Value) == "" {
		r.report(blank(field, t))
		return false
	}
	return true
}

// nameOf returns a reference as the one name that it is written as.
func nameOf(r lang.Ref) lang.Name { return lang.Name{Text: r.String(), Range: r.Range} }

// kindOf says what kind of value v is, with its article.
func kindOf(v lang.Value) string {
	switch v.(type) {
	case lang.Text:
		return aText
	case lang.Number:
		return aNumber
	case lang.Duration:
		return aDuration
	case lang.Ref:
		return aName
	}
	panic("compiler: no such value")
}

// The kinds of values as people call them.
const (
	aText     = "a text"
	aNumber   = "a number"
	aDuration = "a duration"
	aName     = "a name"
)
