package judge

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/snodo-lang/snodo/compiler/plan"
)

var hunkHeader = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@`) })

// modeLines are the lines of a header that are shown: what they say stands
// nowhere else, and they hold neither names nor ids.
var modeLines = []string{"old mode ", "new mode ", "new file mode ", "deleted file mode "}

// A diffLine is one line of a difference, ready to be shown.
type diffLine struct {
	text     string // with its number
	old, new int    // where it stands before and after; 0 where it does not
	content  string // as it stands there
}

// readDiff makes a difference citable: every line gets the number that it
// has in the result, or, where it was removed, that it had before. Nothing
// of git's header is kept but the modes, since names are said elsewhere.
func (p *page) readDiff(text string) []diffLine {
	var out []diffLine
	var h hunk
	for _, line := range linesOf(text) {
		if h.done() {
			if m := hunkHeader().FindStringSubmatch(line); m != nil {
				h = hunk{number(m[1]), number(m[3]), length(m[2]), length(m[4])}
				out = append(out, diffLine{text: m[0]})
			} else if slices.ContainsFunc(modeLines, func(prefix string) bool { return strings.HasPrefix(line, prefix) }) {
				out = append(out, diffLine{text: line})
			}
			continue
		}
		mark, rest := " ", ""
		if line != "" {
			mark, rest = line[:1], line[1:]
		}
		whole, cut := shorten(p.words, rest)
		d := diffLine{content: whole}
		if !h.take(mark, &d) {
			continue // that there is no line end at the end of the file
		}
		at := d.new
		if at == 0 {
			at = d.old
		}
		d.text = fmt.Sprintf("%6d %s%s%s", at, mark, whole, cut)
		out = append(out, d)
	}
	return out
}

// A hunk is where a difference stands: the numbers of the next lines before
// and after, and how many are still to come of each.
type hunk struct{ old, new, oldLeft, newLeft int }

func (h *hunk) done() bool { return h.oldLeft <= 0 && h.newLeft <= 0 }

// take gives a line its numbers, by its mark.
func (h *hunk) take(mark string, d *diffLine) bool {
	if mark != "+" && mark != "-" && mark != " " {
		return false
	}
	if mark != "+" {
		d.old = h.old
		h.old++
		h.oldLeft--
	}
	if mark != "-" {
		d.new = h.new
		h.new++
		h.newLeft--
	}
	return true
}

// number reads a number of a hunk header. One that does not fit an int
// cannot come from git, and 0 is harmless.
func number(s string) int {
	n, err := strconv.Atoi(s)
	if err != nil {
		return 0
	}
	return n
}

// length reads a length of a hunk header, which is left out where it is 1.
func length(s string) int {
	if s == "" {
		return 1
	}
	return number(s)
}

// diff writes the difference of a file, and notes which of its lines were
// shown, before and after.
func (p *page) diff(file string, lines []diffLine, seen shown) {
	var written []diffLine
	for _, line := range lines {
		if p.line(line.text) {
			written = append(written, line)
		}
	}
	seen.gap(file)
	for _, line := range written {
		if line.new > 0 {
			seen.add(file, line.new, line.content)
		}
	}
	seen.gap(file)
	for _, line := range written {
		if line.old > 0 && line.new == 0 {
			seen.add(file, line.old, line.content)
		}
	}
}

func size(lines []diffLine) int {
	n := 0
	for _, line := range lines {
		n += len(line.text) + 1
	}
	return n
}

// firstDiff writes the differences that fit, whole files, in their order,
// and says which do not.
func (m *material) firstDiff(files []FileDiff) string {
	p := &page{words: m.words, room: maxReply}
	var omitted []string
	left := 0
	for _, f := range files {
		lines := m.difference(p, f)
		if p.text.Len()+size(lines) <= p.room {
			p.diff(f.Path, lines, m.seen)
			continue
		}
		left += size(lines)
		omitted = append(omitted, plan.Fill(m.words.DiffFileOmitted, "path", m.name(f.Path), "bytes", strconv.Itoa(size(lines))))
	}
	if n := len(omitted); n > maxOmitted {
		omitted = []string{plan.Fill(m.words.DiffOmitted, "files", strconv.Itoa(n), "bytes", strconv.Itoa(left))}
	}
	for _, line := range omitted {
		p.note(line)
	}
	return p.end()
}

// difference is what is shown of a file's difference, below its name.
func (m *material) difference(p *page, f FileDiff) []diffLine {
	if f.Binary {
		return []diffLine{{text: plan.Fill(m.words.DiffBinary, "path", m.name(f.Path))}}
	}
	lines := append([]diffLine{{text: m.name(f.Path)}}, p.readDiff(m.clean(f.Text))...)
	if f.Omitted > 0 {
		lines = append(lines, diffLine{text: plan.Fill(m.words.CutReply, "bytes", strconv.FormatInt(f.Omitted, 10))})
	}
	return lines
}

// maxOmitted is how many omitted differences are named one by one.
const maxOmitted = 50
