package importer

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/snodo-lang/snodo/lang"
)

// maxName bounds a name that is made of words, in bytes.
const maxName = 48

// mended makes a name of this language of one that need not be. Prefix
// begins it where nothing else could.
func mended(written, prefix string) string {
	name := lang.NameOf(written, prefix)
	if len(name) > 2*maxName {
		name = strings.TrimRight(name[:2*maxName], "-")
	}
	if lang.Reserved(name) {
		name += "-1" // the prefix alone
	}
	return name
}

// name returns a name that nothing else of the package has, and reports it
// where it is not the one that was written.
func (im *importer) name(written, prefix string, line int) string {
	name := im.names.free(mended(written, prefix), prefix)
	if oneLine(written) == "" {
		im.say(Line{line, of(name, "the name"), "none is written, so the " + prefix + " has this one"})
	} else if name != written {
		im.say(Line{line, "the name " + quoted(oneLine(written)), fmt.Sprintf("%s is named %s, since %s", "the "+prefix, name, im.why(written))})
	}
	return name
}

// why says what is the matter with a name.
func (im *importer) why(written string) string {
	switch {
	case lang.Reserved(written):
		return "that is a word of the language"
	case mended(written, "x") == written:
		return "all names of a package are one set, and something else has that one"
	}
	return "a name is made of letters, digits, _ and single dashes, and begins with a letter or _"
}

// names are those that are taken, and how often each was asked for.
type names map[string]int

// free returns the first of name, name-kind, name-2, … that is not taken, and
// takes it.
func (taken names) free(name, kind string) string {
	out := name
	for n := taken[name]; ; n++ {
		switch {
		case n == 1 && kind != "":
			out = name + "-" + kind
		case n > 0:
			out = name + "-" + strconv.Itoa(max(n, 2))
		}
		if taken[out] == 0 {
			taken[name] = n + 1
			taken[out] = max(taken[out], 1)
			return out
		}
	}
}

// firstWords names a criterion after its first words, or returns "" where it
// has none that fit a name.
func firstWords(s string) string {
	const words = 4
	fields := strings.FieldsFunc(strings.ToLower(s), func(c rune) bool {
		return !('a' <= c && c <= 'z' || '0' <= c && c <= '9')
	})
	name := ""
	for i, w := range fields {
		if i == words || len(name)+1+len(w) > maxName {
			break
		}
		name = strings.Trim(name+"-"+w, "-")
	}
	return name
}
