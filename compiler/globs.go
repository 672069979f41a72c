package compiler

import (
	"fmt"
	"path"
	"regexp"
	"strings"
	"sync"

	"github.com/snodo-lang/snodo/internal/glob"
	"github.com/snodo-lang/snodo/lang"
	"github.com/snodo-lang/snodo/lang/diag"
)

// checkGlobs reports globs that can never match, and those that another one
// of their list makes idle, wherever globs stand.
func checkGlobs(c *compilation) error {
	for _, u := range c.units {
		f := c.forms[u]
		if f.protocol != nil {
			c.globs(f.protocol.protects)
		}
		for _, j := range f.judges {
			c.grantGlobs(j.grants)
		}
		for _, s := range f.stages {
			c.grantGlobs(s.grants)
		}
		for _, r := range f.rules {
			c.globs(r.paths)
			c.globs(r.modified)
			c.globs(r.testedBy)
		}
	}
	return nil
}

func (c *compilation) grantGlobs(lines []*grantLine) {
	for _, line := range lines {
		c.globs(line.in)
	}
}

// globs examines one list.
func (c *compilation) globs(globs []lang.Text) {
	var good []lang.Text
	for _, g := range globs {
		if why, help := globFault(g.Value); why != "" {
			c.report(badPath(g, why, help))
			continue
		}
		good = append(good, g)
	}
	index := indexGlobs(values(good))
	for i, inner := range good {
		if outer := index.idle(i); outer >= 0 {
			c.report(globIdle(inner, good[outer]))
		}
	}
}

// drive begins an absolute path of another system.
var drive = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[A-Za-z]:/`) })

// globFault says why a glob can never match, and what to write instead; both
// are empty where nothing is wrong. Braces are never alternatives.
func globFault(written string) (why, help string) {
	switch clean := path.Clean(written); {
	case strings.TrimSpace(written) == "":
		return "is blank", "write a glob such as `src/**`"
	case strings.HasPrefix(written, "/") || drive().MatchString(written):
		return "is absolute", "write it relative to the repository's root, without the leading part"
	case strings.Contains(written, `\`):
		return "holds a backslash", "paths are written with `/`, and `[[]` stands for a literal bracket"
	case clean == ".." || strings.HasPrefix(clean, "../"):
		return "leaves the folder that it is relative to", "globs are relative to the repository's root and stay inside it"
	case climbs(written):
		return "leaves a folder that is not known", "write the path without `..`"
	case !glob.Valid(written):
		return "is malformed", "close every `[` with `]`"
	case emptyRange(written):
		return "has a range that holds no character", "write the lower end of a range first: `[a-z]`"
	case clean == ".":
		return "is the folder itself and matches no file", "write `**` for everything in it"
	case strings.HasSuffix(written, "/"):
		everything := clean + "/**"
		if path.Base(clean) == "**" {
			everything = clean
		}
		return "ends in `/` and matches no file", fmt.Sprintf("write `%s` for everything in the folder", everything)
	case clean != written:
		return "is not in its shortest form and matches nothing", fmt.Sprintf("write `%s`", clean)
	}
	return "", ""
}

// climbs reports whether a glob goes up from an element that may be any
// number of folders.
func climbs(written string) bool {
	before, _, found := strings.Cut(written+"/", "/../")
	return found && strings.ContainsAny(before, "*?[{")
}

// emptyRange reports whether a class of a well-formed glob holds a range that
// ends before it begins.
func emptyRange(written string) bool {
	letters := []rune(written)
	inside, start := false, 0 // of the class's characters
	for i := 0; i < len(letters); i++ {
		switch {
		case !inside && letters[i] == '[':
			if i+1 < len(letters) && (letters[i+1] == '!' || letters[i+1] == '^') {
				i++
			}
			inside, start = true, i+1
		case inside && letters[i] == ']' && i > start:
			inside = false
		case inside && i+2 < len(letters) && letters[i+1] == '-' && letters[i+2] != ']':
			if letters[i+2] < letters[i] {
				return true
			}
			i += 2
		}
	}
	return false
}

// notShortest says that a path is another one when it is written shorter.
func notShortest(t lang.Text) diag.Diagnostic {
	return badPath(t, "is not in its shortest form", fmt.Sprintf("write `%s`", path.Clean(t.Value)))
}

// A globIndex finds a glob of a list that matches all that another does. It
// may miss one, and never claims one that is not. What there is to compare
// with is looked up, so that a list of any length is gone through once.
type globIndex struct {
	list    []string
	first   map[string]int // the first place of each glob
	folders map[string]int // of F/**, by F
	tails   map[string]int // of **/T, by T
	general []int          // what else has wildcards, as far as it is tried on names
}

// maxGeneral is how many globs without a form that can be looked up are tried
// on every plain name.
const maxGeneral = 64

func indexGlobs(globs []string) *globIndex {
	x := &globIndex{list: globs, first: map[string]int{}, folders: map[string]int{}, tails: map[string]int{}}
	for i, g := range globs {
		noteFirst(x.first, g, i)
		if folder, ok := strings.CutSuffix(g, "/**"); ok {
			noteFirst(x.folders, folder, i)
		}
		if tail, ok := strings.CutPrefix(g, "**/"); ok {
			noteFirst(x.tails, tail, i)
		}
		if strings.ContainsAny(g, "*?[") && !strings.ContainsAny(g, "{}") && len(x.general) < maxGeneral {
			x.general = append(x.general, i)
		}
	}
	return x
}

// noteFirst keeps the first place of a word.
func noteFirst(places map[string]int, word string, i int) {
	if _, there := places[word]; !there {
		places[word] = i
	}
}

// covers reports whether everything that inner matches is matched by a glob
// of the list.
func (x *globIndex) covers(inner string) bool {
	_, same := x.first[inner]
	return same || x.wider(inner) >= 0
}

// idle returns the place of a glob that makes the one at i idle, or -1. Of
// equal ones the later is idle.
func (x *globIndex) idle(i int) int {
	if same := x.first[x.list[i]]; same < i {
		return same
	}
	return x.wider(x.list[i])
}

// wider returns the first place of another glob that covers inner, or -1.
func (x *globIndex) wider(inner string) int {
	best := -1
	try := func(places map[string]int, word string) {
		if at, ok := places[word]; ok && x.list[at] != inner && (best < 0 || at < best) {
			best = at
		}
	}
	try(x.first, "**")
	try(x.tails, inner)
	for at := range len(inner) {
		if inner[at] == '/' {
			try(x.folders, inner[:at])
			try(x.tails, inner[at+1:])
		}
	}
	if !strings.ContainsAny(inner, "*?[{") {
		for _, at := range x.general {
			if (best < 0 || at < best) && glob.Match(x.list[at], inner) {
				best = at
			}
		}
	}
	return best
}

func badPath(g lang.Text, why, help string) diag.Diagnostic {
	return diag.Diagnostic{
		Code: diag.SN407, Range: g.Range,
		Message: fmt.Sprintf("the path `%s` %s", g.Value, why),
		Help:    help,
	}
}

func globIdle(inner, outer lang.Text) diag.Diagnostic {
	return diag.Diagnostic{
		Code: diag.SN408, Range: inner.Range,
		Message: fmt.Sprintf("`%s` adds nothing: `%s` of the same list matches all of it", inner.Value, outer.Value),
		Help:    "leave it out",
		Related: []diag.Related{{Range: outer.Range, Message: "the wider one"}},
	}
}
