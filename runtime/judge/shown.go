package judge

import (
	"path"
	"strings"

	"github.com/snodo-lang/snodo/runtime/verdict"
)

// shown remembers which words of which files a conversation was shown, so
// that quotations can be held against them.
type shown map[string][]passage

// A passage is a run of lines that stand one below the other.
type passage struct {
	first int // the number of its first line
	lines []string
}

// add notes one line of a file. Lines that follow one another in the file,
// and are noted one after another, make one passage.
func (s shown) add(file string, number int, line string) {
	passages := s[file]
	if n := len(passages); n > 0 {
		last := &passages[n-1]
		if last.first+len(last.lines) == number {
			last.lines = append(last.lines, line)
			return
		}
	}
	s[file] = append(passages, passage{number, []string{line}})
}

// gap makes the next line begin a passage of its own.
func (s shown) gap(file string) {
	if n := len(s[file]); n > 0 && len(s[file][n-1].lines) > 0 {
		s[file] = append(s[file], passage{first: -1})
	}
}

// find says where a quotation begins: on the line given, if it occurs there,
// otherwise on the nearest line of the file where it does.
func (s shown) find(q verdict.Quote) (verdict.Quote, bool) {
	q.Path = path.Clean(q.Path)
	text := strings.Trim(strings.ReplaceAll(q.Text, "\r\n", "\n"), "\n")
	if strings.TrimSpace(text) == "" {
		return q, false
	}
	words := strings.Split(text, "\n")
	best, found := 0, false
	for _, p := range s[q.Path] {
		for i := 0; i+len(words) <= len(p.lines); i++ {
			if !occurs(words, p.lines[i:]) {
				continue
			}
			if line := p.first + i; !found || distance(line, q.Line) < distance(best, q.Line) {
				best, found = line, true
			}
		}
	}
	if found {
		q.Line = best
	}
	return q, found
}

// occurs says whether words stand at the beginning of lines: the first at
// the end of its line, the last at the beginning of its own, and what is
// between in full.
func occurs(words, lines []string) bool {
	last := len(words) - 1
	if last == 0 {
		return strings.Contains(lines[0], words[0])
	}
	if !strings.HasSuffix(lines[0], words[0]) || !strings.HasPrefix(lines[last], words[last]) {
		return false
	}
	for i := 1; i < last; i++ {
		if lines[i] != words[i] {
			return false
		}
	}
	return true
}

func distance(a, b int) int {
	if a < b {
		return b - a
	}
	return a - b
}
