package lang

import (
	"fmt"
	"reflect"
	"slices"

	"github.com/snodo-lang/snodo/lang/diag"
)

// A RefusedError says that a layout was not handed out, because it would not
// say what the source says.
type RefusedError struct {
	Path   string
	Reason string // what would be different
}

func (e *RefusedError) Error() string {
	return fmt.Sprintf("format %s: refused, since the result does not read as the source does: %s", e.Path, e.Reason)
}

// difference compares a file with its layout, of the given size. It returns
// "" where they have the same tokens, trees, comments and diagnostics, places
// left out.
func difference(source, layout *parser, size int) string {
	switch {
	case size > MaxFile:
		return "it is larger than 4 MiB"
	case !slices.EqualFunc(source.diags.list, layout.diags.list, sameDiagnostic):
		return "it has other errors"
	case !slices.EqualFunc(source.tokens, layout.tokens, sameToken):
		return "it has other tokens"
	case !same(reflect.ValueOf(source.file), reflect.ValueOf(layout.file)):
		return "it has another tree, or other comments"
	}
	return ""
}

func sameDiagnostic(a, b diag.Diagnostic) bool { return a.Code == b.Code && a.Message == b.Message }

func sameToken(a, b token) bool {
	return a.kind == b.kind && a.flaw == b.flaw && lineFeeds(a.text) == lineFeeds(b.text)
}

var rangeType = reflect.TypeFor[diag.Range]()

// same compares two trees of one type by everything but their ranges.
func same(a, b reflect.Value) bool {
	if a.Type() == rangeType {
		return true
	}
	switch a.Kind() {
	case reflect.Interface, reflect.Pointer:
		if a.IsNil() || b.IsNil() {
			return a.IsNil() == b.IsNil()
		}
		return a.Elem().Type() == b.Elem().Type() && same(a.Elem(), b.Elem())
	case reflect.Struct:
		for i := range a.NumField() {
			if !same(a.Field(i), b.Field(i)) {
				return false
			}
		}
		return true
	case reflect.Slice:
		if a.IsNil() != b.IsNil() || a.Len() != b.Len() {
			return false
		}
		for i := range a.Len() {
			if !same(a.Index(i), b.Index(i)) {
				return false
			}
		}
		return true
	case reflect.String:
		return lineFeeds(a.String()) == lineFeeds(b.String())
	}
	return a.Equal(b)
}
