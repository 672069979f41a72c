package judge

import (
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/snodo-lang/snodo/compiler/plan"
	"github.com/snodo-lang/snodo/runtime/content"
)

const (
	maxReply   = 64 << 10  // bytes of one tool's answer, and of a diff or list in the first message
	maxReading = 400 << 10 // bytes of all the answers to one judge
	maxLine    = 2000      // characters of a line
)

// A page is the text of one answer, as far as there is room for it. Once a
// line did not fit, none of those behind it is written.
type page struct {
	words *plan.JudgeWording
	room  int
	text  strings.Builder
	cut   int // bytes left out

	encoding content.Encoding // of the file that is shown, where it is not UTF-8
}

// line writes one line, and says whether it was written.
func (p *page) line(s string) bool {
	if p.cut > 0 || p.text.Len()+len(s)+1 > p.room {
		p.cut += len(s) + 1
		return false
	}
	p.text.WriteString(s)
	p.text.WriteByte('\n')
	return true
}

// note writes a line that there is always room for: a remark, not data.
func (p *page) note(s string) {
	p.text.WriteString(s)
	p.text.WriteByte('\n')
}

// end is the text, with a last line about what was left out.
func (p *page) end() string {
	if p.cut > 0 {
		p.note(plan.Fill(p.words.CutReply, "bytes", strconv.Itoa(p.cut)))
	}
	return p.text.String()
}

// numbered writes lines of a file with their numbers, and notes which were
// shown.
func (p *page) numbered(file string, first int, lines []string, seen shown) {
	seen.gap(file)
	for i, line := range lines {
		whole, rest := shorten(p.words, line)
		if p.line(fmt.Sprintf("%6d\t%s%s", first+i, whole, rest)) {
			seen.add(file, first+i, whole)
		}
	}
}

// shorten cuts a line that is too long, and words what was left out.
func shorten(words *plan.JudgeWording, line string) (whole, rest string) {
	if len(line) <= maxLine {
		return line, ""
	}
	n := utf8.RuneCountInString(line)
	if n <= maxLine {
		return line, ""
	}
	return string([]rune(line)[:maxLine]), plan.Fill(words.CutLine, "characters", strconv.Itoa(n-maxLine))
}

// linesOf are the lines of a text without their ends.
func linesOf(s string) []string {
	if s == "" {
		return nil
	}
	lines := strings.Split(strings.TrimSuffix(s, "\n"), "\n")
	for i, line := range lines {
		lines[i] = strings.TrimSuffix(line, "\r")
	}
	return lines
}
