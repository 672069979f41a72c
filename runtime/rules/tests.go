package rules

import (
	"context"
	"fmt"
	"path"
	"strings"
	"unicode/utf8"

	"github.com/snodo-lang/snodo/compiler/plan"
	"github.com/snodo-lang/snodo/internal/glob"
	"github.com/snodo-lang/snodo/runtime/workspace"
)

// untested finds the added and modified files that match a pattern of Modified,
// are no tests themselves, and for which the result has no test.
func untested(ctx context.Context, args plan.RuleArgs, set *workspace.ChangeSet, tree *workspace.Tree) ([]Finding, error) {
	modified, err := glob.Compile(args.Modified)
	if err != nil {
		return nil, err
	}
	tests, err := glob.Compile(anyTest(args.TestedBy))
	if err != nil {
		return nil, err
	}
	files, err := tree.Files(ctx)
	if err != nil {
		return nil, err
	}
	result := newNames(files)
	var findings []Finding
	for _, c := range set.Changes {
		if c.New.Mode == 0 || c.New.Mode == workspace.Submodule || !modified.Match(c.Path) || tests.Match(c.Path) {
			continue
		}
		wanted := testsOf(c.Path, args)
		found := false
		for _, pattern := range wanted {
			if found, err = result.has(pattern); err != nil {
				return nil, err
			}
			if found {
				break
			}
		}
		if !found {
			findings = append(findings, Finding{Path: c.Path, Because: fmt.Sprintf("%q was %v and the result has no test for it; looked for %s",
				c.Path, c.Kind, strings.Join(wanted, ", "))})
		}
	}
	return findings, nil
}

// anyTest returns globs that match every file which could be the test of
// some file. A {dir} stands for folders of any depth, as it does when it is
// filled in.
func anyTest(testedBy []string) []string {
	globs := make([]string, len(testedBy))
	for i, pattern := range testedBy {
		elements := strings.Split(strings.ReplaceAll(pattern, "{stem}", "*"), "/")
		for j, e := range elements {
			if e == "{dir}" {
				elements[j] = "**"
			}
			elements[j] = strings.ReplaceAll(elements[j], "{dir}", "*")
		}
		globs[i] = strings.Join(elements, "/")
	}
	return globs
}

// testsOf returns the globs of which one must match a file of the result, for
// every pattern of Modified that matches the path.
func testsOf(name string, args plan.RuleArgs) []string {
	dir := path.Dir(name)
	if dir == "." {
		dir = ""
	}
	var wanted []string
	for _, pattern := range args.Modified {
		if !glob.Match(pattern, name) {
			continue
		}
		stem := lastStar(pattern, name)
		for _, test := range args.TestedBy {
			if dir == "" {
				test = strings.ReplaceAll(test, "{dir}/", "")
			}
			wanted = append(wanted, strings.NewReplacer("{dir}", escape(dir), "{stem}", escape(stem)).Replace(test))
		}
	}
	return wanted
}

// lastStar returns what the last * of a pattern matched in a name: as little as
// it can be, since the stars before it take what they can. It is empty where
// the pattern has no star.
func lastStar(pattern, name string) string {
	before, after, found := cutLastStar(pattern)
	if !found {
		return ""
	}
	// Behind the last star everything matches one character, so where its
	// match ends is known.
	end := len(name)
	for range width(after) {
		_, n := utf8.DecodeLastRuneInString(name[:end])
		end -= n
	}
	for start := end; start >= 0; start-- {
		stem := name[start:end]
		if utf8.ValidString(stem) && glob.Match(before+escape(stem)+after, name) {
			return stem
		}
	}
	return ""
}

// cutLastStar splits a pattern around its last star, or pair of stars.
func cutLastStar(pattern string) (before, after string, found bool) {
	last := -1
	for i := 0; i < len(pattern); i++ {
		switch pattern[i] {
		case '\\':
			i++
		case '[':
			i += classLength(pattern[i:]) - 1
		case '*':
			last = i
		}
	}
	if last < 0 {
		return pattern, "", false
	}
	return strings.TrimRight(pattern[:last], "*"), pattern[last+1:], true
}

// width counts the characters that a pattern without stars matches.
func width(pattern string) int {
	n := 0
	for len(pattern) > 0 {
		size := 1
		switch pattern[0] {
		case '\\':
			_, size = utf8.DecodeRuneInString(pattern[1:])
			size++
		case '[':
			size = classLength(pattern)
		default:
			_, size = utf8.DecodeRuneInString(pattern)
		}
		pattern = pattern[min(size, len(pattern)):]
		n++
	}
	return n
}

// classLength returns how long the class at the beginning of a pattern is.
func classLength(pattern string) int {
	for i := 1; i < len(pattern); i++ {
		switch pattern[i] {
		case '\\':
			i++
		case ']':
			return i + 1
		}
	}
	return len(pattern)
}

// escape makes a name a pattern that matches that name alone.
func escape(name string) string {
	var b strings.Builder
	for _, r := range name {
		if strings.ContainsRune(`*?[]{}\`, r) {
			b.WriteByte('\\')
		}
		b.WriteRune(r)
	}
	return b.String()
}

// names are the files of the result.
type names struct {
	all []string
	set map[string]bool
}

func newNames(files []workspace.Entry) names {
	n := names{set: map[string]bool{}}
	for _, e := range files {
		if e.Mode != workspace.Submodule {
			n.all = append(n.all, e.Path)
			n.set[e.Path] = true
		}
	}
	return n
}

// has reports whether a file matches. Only a pattern that is not a plain name is
// tried on all of them.
func (n names) has(pattern string) (bool, error) {
	if plain, ok := literal(pattern); ok {
		return n.set[plain], nil
	}
	g, err := glob.Compile([]string{pattern})
	if err != nil {
		return false, err
	}
	for _, name := range n.all {
		if g.Match(name) {
			return true, nil
		}
	}
	return false, nil
}

// literal returns the one name that a pattern without magic matches.
func literal(pattern string) (string, bool) {
	var b strings.Builder
	for i := 0; i < len(pattern); i++ {
		switch pattern[i] {
		case '*', '?', '[':
			return "", false
		case '\\':
			if i++; i == len(pattern) {
				return "", false
			}
		}
		b.WriteByte(pattern[i])
	}
	return b.String(), true
}
