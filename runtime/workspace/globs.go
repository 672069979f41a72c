package workspace

import (
	"fmt"
	"strings"

	"github.com/bmatcuk/doublestar/v4"
)

// Globs is a compiled set of globs: `*` and `?` within an element, `[…]`, and
// `**` across elements. Braces are themselves and never alternatives.
// Matching is case-sensitive, on normalised paths with `/`.
type Globs struct {
	written  []string
	patterns []string
}

// CompileGlobs returns the set of the given globs. The error names the glob
// that is malformed.
func CompileGlobs(globs []string) (Globs, error) {
	g := Globs{written: globs}
	for _, glob := range globs {
		pattern := escapeBraces(glob)
		if !doublestar.ValidatePattern(pattern) {
			return Globs{}, fmt.Errorf("glob %q is malformed", glob)
		}
		g.patterns = append(g.patterns, pattern)
	}
	return g, nil
}

// Match reports whether any glob of the set matches the path.
func (g Globs) Match(path string) bool {
	for _, p := range g.patterns {
		if doublestar.MatchUnvalidated(p, path) {
			return true
		}
	}
	return false
}

// Empty reports whether the set holds no glob.
func (g Globs) Empty() bool { return len(g.patterns) == 0 }

// Strings returns the globs as they were written.
func (g Globs) Strings() []string { return g.written }

// Match reports whether one glob matches a path. A malformed glob matches
// nothing.
func Match(glob, path string) bool {
	g, err := CompileGlobs([]string{glob})
	return err == nil && g.Match(path)
}

// escapeBraces makes braces literal for a matcher that knows alternatives.
func escapeBraces(glob string) string {
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
