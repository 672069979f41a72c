package compiler

import (
	"fmt"
	"path"
	"regexp"
	"slices"
	"strings"

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
	for i, inner := range good {
		outer := slices.IndexFunc(good, func(outer lang.Text) bool { return globCovers(outer.Value, inner.Value) && outer.Value != inner.Value })
		if same := slices.IndexFunc(good[:i], func(g lang.Text) bool { return g.Value == inner.Value }); same >= 0 {
			outer = same
		}
		if outer >= 0 {
			c.report(globIdle(inner, good[outer]))
		}
	}
}

// drive begins an absolute path of another system.
var drive = regexp.MustCompile(`^[A-Za-z]:/`)

// globFault says why a glob can never match, and what to write instead; both
// are empty where nothing is wrong. Braces are never alternatives.
func globFault(written string) (why, help string) {
	switch elements := strings.Split(written, "/"); {
	case strings.TrimSpace(written) == "":
		return "is blank", "write a glob such as `src/**`"
	case strings.HasPrefix(written, "/") || drive.MatchString(written):
		return "is absolute", "write it relative to the repository's root, without the leading part"
	case strings.Contains(written, `\`):
		return "holds a backslash", "paths are written with `/`, and `[[]` stands for a literal bracket"
	case slices.Contains(elements, ".."):
		return "leaves the folder that it is relative to", "globs are relative to the repository's root and stay inside it"
	case !glob.Valid(written):
		return "is malformed", "close every `[` with `]`"
	case strings.HasSuffix(written, "/"):
		return "ends in `/` and matches no file", fmt.Sprintf("write `%s**` for everything in the folder", written)
	case path.Clean(written) != written:
		return "is not in its shortest form and matches nothing", fmt.Sprintf("write `%s`", path.Clean(written))
	}
	return "", ""
}

// globCovers reports whether everything that inner matches is matched by
// outer. It may miss a case, and never claims one that is not.
func globCovers(outer, inner string) bool {
	if outer == inner || outer == "**" {
		return true
	}
	if folder, ok := strings.CutSuffix(outer, "/**"); ok && strings.HasPrefix(inner, folder+"/") {
		return true
	}
	if tail, ok := strings.CutPrefix(outer, "**/"); ok && (inner == tail || strings.HasSuffix(inner, "/"+tail)) {
		return true
	}
	if strings.ContainsAny(inner, "*?[{") {
		return false
	}
	return glob.Match(outer, inner) && !strings.ContainsAny(outer, "{}")
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
