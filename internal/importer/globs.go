package importer

import (
	"path"
	"slices"
	"strings"

	"github.com/snodo-lang/snodo/internal/glob"
)

// globsOf returns the globs of a list, mended where the older engine read them
// differently. An entry that is no list of texts is left alone.
func (im *importer) globsOf(b *block, e *entry, owner string) []string {
	if e == nil {
		return nil
	}
	words, ok := e.value.scalars()
	if !ok {
		e.taken = false
		return nil
	}
	b.carry(e.takeComments())
	var out []string
	for _, w := range words {
		what := of(owner, e.key+": "+w.text)
		globs := mendedGlobs(w.text)
		if len(globs) == 0 {
			im.ask(b, w.line, what, "no glob of the repository: one is relative to its root, stays inside, and takes nothing out again")
			continue
		}
		if len(globs) > 1 || globs[0] != w.text {
			im.say(Line{w.line, what, "it is written " + texts(globs)})
		}
		for _, g := range globs {
			if !slices.Contains(out, g) {
				out = append(out, g)
			}
		}
	}
	return out
}

// maxAlternatives bounds what one glob with braces is written out to.
const maxAlternatives = 32

// mendedGlobs writes a glob as the language has it: a folder is what is in it,
// and alternatives in braces are globs of their own. It is empty where no glob
// can be made of it.
func mendedGlobs(g string) []string {
	g = strings.TrimPrefix(strings.TrimSpace(g), "./")
	if strings.HasSuffix(g, "/") {
		g += "**"
	}
	all := alternatives(g)
	for _, one := range all {
		clean := path.Clean(one)
		if one == "" || strings.HasPrefix(one, "/") || strings.HasPrefix(one, "!") || clean == ".." || strings.HasPrefix(clean, "../") ||
			clean != one || strings.ContainsRune(one, '\\') || strings.ContainsFunc(one, hidden) || !glob.Valid(one) {
			return nil
		}
	}
	return all
}

// alternatives writes out the first pair of braces with a comma in it, and
// those that are left.
func alternatives(g string) []string {
	open := strings.Index(g, "{")
	if open < 0 {
		return []string{g}
	}
	shut := strings.Index(g[open:], "}")
	if shut < 0 || !strings.Contains(g[open:open+shut], ",") {
		return []string{g}
	}
	if strings.Contains(g[open+1:open+shut], "{") {
		return []string{""} // braces in braces
	}
	var out []string
	for _, choice := range strings.Split(g[open+1:open+shut], ",") {
		out = append(out, alternatives(g[:open]+strings.TrimSpace(choice)+g[open+shut+1:])...)
		if len(out) > maxAlternatives {
			return []string{""}
		}
	}
	return out
}
