package workspace

import (
	"path"
	"strings"
	"unicode"
	"unicode/utf8"
)

// CleanPath returns the normalised form of a path that a judge or a person
// named: relative to the repository's root, `/` between its elements, "." for
// the root itself. The error is a *PathError for a path that is absolute or
// empty, begins with a dash, holds a `..` element, a control character or
// invalid UTF-8, or leads into a git directory.
func CleanPath(name string) (string, error) {
	refuse := func(reason string) (string, error) { return "", &PathError{Path: name, Reason: reason} }
	switch {
	case name == "":
		return refuse("is empty")
	case !utf8.ValidString(name):
		return refuse("is not valid UTF-8")
	case strings.ContainsFunc(name, unicode.IsControl):
		return refuse("holds a control character")
	case strings.HasPrefix(name, "/"):
		return refuse("is absolute; name it from the repository's root")
	}
	for _, element := range strings.Split(name, "/") {
		if element == ".." {
			return refuse("holds `..`; name it from the repository's root")
		}
		if isGitDir(element) {
			return refuse("leads into a git directory")
		}
	}
	clean := path.Clean(name)
	if strings.HasPrefix(clean, "-") {
		return refuse("begins with a dash")
	}
	return clean, nil
}

// isGitDir reports whether a name is .git, in whatever letters: some file
// systems do not tell them apart.
func isGitDir(element string) bool { return strings.EqualFold(element, ".git") }
