package judge

import (
	"path"
	"slices"
	"strings"
	"unicode"

	"github.com/snodo-lang/snodo/compiler/plan"
	"github.com/snodo-lang/snodo/internal/glob"
)

// confine makes the path of something in a tree of what a model wrote, or
// says that it is none: it is relative, has no element .. or .git, does not
// begin with -, and holds no control character. An empty path is the root.
func confine(p string) (string, bool) {
	if strings.ContainsFunc(p, func(r rune) bool { return unicode.IsControl(r) || r == unicode.ReplacementChar }) {
		return "", false
	}
	if strings.HasPrefix(p, "/") || strings.HasPrefix(p, "-") || strings.Contains(p, `\`) {
		return "", false
	}
	for element := range strings.SplitSeq(p, "/") {
		if element == ".." || strings.EqualFold(element, ".git") {
			return "", false
		}
	}
	p = path.Clean(p)
	return p, !strings.HasPrefix(p, "-")
}

// A scope is the globs that a tool is confined to; an empty one confines to
// nothing.
type scope []string

// scopes are those of the tools that are granted. A tool that is granted
// twice may read what either grant lets it.
func scopes(grants []plan.Grant) map[string]scope {
	out := map[string]scope{}
	for _, g := range grants {
		known, granted := out[g.Tool]
		if granted && len(known) == 0 || len(g.In) == 0 {
			out[g.Tool] = scope{}
			continue
		}
		out[g.Tool] = append(known, g.In...)
	}
	return out
}

func (s scope) holds(p string) bool {
	return len(s) == 0 || slices.ContainsFunc(s, func(g string) bool { return glob.Match(g, p) })
}
