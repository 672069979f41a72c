// Package glob is the one meaning of a glob in the project: the compiler
// refuses the malformed ones, rules and grants match by it. Globs go in, a set
// that matches paths comes out; it never looks at a file system.
//
// A glob is relative to the repository's root and separated by /: * and ?
// stand for characters of one element, […] for one of several characters, and
// ** for elements of any number. Braces are themselves and never
// alternatives. Matching is case-sensitive.
package glob

import (
	"fmt"
	"slices"
	"strings"

	"github.com/bmatcuk/doublestar/v4"
)

// A Set is a compiled list of globs. The zero value matches nothing.
type Set struct {
	written  []string
	patterns []string
}

// Compile returns the set of the given globs. The error names the first that
// is malformed.
func Compile(globs []string) (Set, error) {
	s := Set{written: slices.Clone(globs)}
	for _, g := range globs {
		if !Valid(g) {
			return Set{}, fmt.Errorf("glob %q is malformed", g)
		}
		s.patterns = append(s.patterns, literalBraces(g))
	}
	return s, nil
}

// Match reports whether any glob of the set matches a normalised path.
func (s Set) Match(path string) bool {
	return slices.ContainsFunc(s.patterns, func(p string) bool { return doublestar.MatchUnvalidated(p, path) })
}

// Empty reports whether the set holds no glob.
func (s Set) Empty() bool { return len(s.patterns) == 0 }

// Strings returns the globs as they were written.
func (s Set) Strings() []string { return s.written }

// Valid reports whether a glob is well formed.
func Valid(glob string) bool { return doublestar.ValidatePattern(literalBraces(glob)) }

// Match reports whether one glob matches a path. A malformed glob matches
// nothing.
func Match(glob, path string) bool {
	matched, err := doublestar.Match(literalBraces(glob), path)
	return err == nil && matched
}

// literalBraces escapes the braces of a glob for a matcher that knows
// alternatives.
func literalBraces(glob string) string {
	if !strings.ContainsAny(glob, "{}") {
		return glob
	}
	var b strings.Builder
	escaped := false
	for _, r := range glob {
		if (r == '{' || r == '}') && !escaped {
			b.WriteByte('\\')
		}
		b.WriteRune(r)
		escaped = r == '\\' && !escaped
	}
	return b.String()
}
