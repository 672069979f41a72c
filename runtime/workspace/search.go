package workspace

import (
	"bytes"
	"context"
	"regexp"
	"strings"

	"github.com/snodo-lang/snodo/runtime/content"
)

// maxSearched is the largest file that a search looks into.
const maxSearched = 1 << 20

// A SearchQuery is what to look for, and where.
type SearchQuery struct {
	Pattern *regexp.Regexp         // matched against each line
	Dir     string                 // a clean path: a folder or a file; "." is everything
	Within  func(path string) bool // nil: every file
	Limit   int                    // the most lines returned
}

// A Found is a line that matches.
type Found struct {
	Path string
	Line int // from 1
	Text string
}

// A SearchResult is what a search found and what it left out.
type SearchResult struct {
	Found   []Found
	Cut     bool     // there was more than the limit
	Skipped []string // files not looked into: binary, or larger than 1 MiB
}

// Search looks through the files of the tree, in order of their paths. Links
// and submodules are not looked into.
func (t *Tree) Search(ctx context.Context, q SearchQuery) (SearchResult, error) {
	var result SearchResult
	if _, err := t.Stat(ctx, q.Dir); err != nil {
		return result, err
	}
	for _, e := range t.files {
		if !e.Mode.IsFile() || !inside(e.Path, q.Dir) || q.Within != nil && !q.Within(e.Path) {
			continue
		}
		if e.Size > maxSearched {
			result.Skipped = append(result.Skipped, e.Path)
			continue
		}
		blob, _, err := t.repo.objects.read(ctx, e.ID, maxSearched)
		if err != nil {
			return result, err
		}
		if content.IsBinary(blob) {
			result.Skipped = append(result.Skipped, e.Path)
			continue
		}
		if result.look(q, e.Path, blob); result.Cut {
			return result, nil
		}
	}
	return result, nil
}

// look adds the matching lines of one file, up to the limit.
func (s *SearchResult) look(q SearchQuery, path string, content []byte) {
	line := 0
	for len(content) > 0 {
		text, rest, _ := bytes.Cut(content, []byte("\n"))
		content = rest
		line++
		if !q.Pattern.Match(text) {
			continue
		}
		if len(s.Found) >= q.Limit {
			s.Cut = true
			return
		}
		s.Found = append(s.Found, Found{Path: path, Line: line, Text: strings.ToValidUTF8(string(text), "\uFFFD")})
	}
}

func inside(path, dir string) bool {
	return dir == "." || path == dir || strings.HasPrefix(path, dir+"/")
}
