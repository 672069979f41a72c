package judge

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
	"sync"
	"unicode"

	"github.com/snodo-lang/snodo/compiler/plan"
)

// templateToken matches what the templates of chat models give a meaning to.
// Endpoints that do not escape them would read data as the turn of somebody
// else.
var templateToken = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?i)^(<\|[^\s<>|]{1,64}\|>|<｜[^<>｜]{1,64}｜>|<</?SYS>>|\[/?(INST|SYSTEM_PROMPT|AVAILABLE_TOOLS|TOOL_CALLS|TOOL_RESULTS|TOOL_CONTENT|THINK|PREFIX|SUFFIX|MIDDLE|IMG|gMASK)\]|` +
		`</?(s|bos|eos|unk|pad|mask|sop|eop|eoh|start_of_turn|end_of_turn|start_of_image|end_of_image|im_start|im_end|tool_call|tool_response|think|` +
		`fim_(prefix|middle|suffix|pad)|file_sep|repo_name|unused\d{1,4}|extra_id_\d{1,4})>)`)
})

// longestToken is more than the bytes of the longest token.
const longestToken = 300

// breakTokens makes such a token visibly something else: a backslash behind
// its first character. Only what begins like one is looked at, since this
// goes over everything that is read.
func breakTokens(s string) string {
	var out strings.Builder
	for {
		i := strings.IndexAny(s, "<[")
		if i < 0 {
			out.WriteString(s)
			return out.String()
		}
		out.WriteString(s[:i+1])
		if templateToken().MatchString(s[i:min(len(s), i+longestToken)]) {
			out.WriteByte('\\')
		}
		s = s[i+1:]
	}
}

// A marking puts data between markers that carry the token of the run. What
// goes through it is never taken for an instruction, whatever it says.
type marking struct {
	words  *plan.JudgeWording
	token  string
	redact func(string) string
}

// legible is material as it may be read: without secrets, and as UTF-8.
func (m *marking) legible(s string) string {
	if m.redact != nil {
		s = m.redact(s)
	}
	return strings.ToValidUTF8(s, "\uFFFD")
}

// harmless makes legible material fit to be shown: with template tokens
// broken and without the token of the markers.
func (m *marking) harmless(s string) string {
	if m.token != "" {
		s = strings.ReplaceAll(s, m.token, m.token[:1]+`\`+m.token[1:])
	}
	return breakTokens(s)
}

// clean makes text fit to be shown between markers. What hides in it, or
// hides something of it, is written out.
func (m *marking) clean(s string) string { return m.harmless(reveal(m.legible(s))) }

// reveal writes out the characters that a reader does not see, or that change
// what is seen: controls but for the tab and the ends of lines, directions,
// characters without width, tags.
func reveal(s string) string {
	if !strings.ContainsFunc(s, func(r rune) bool { return r != '\n' && r != '\t' && hidden(r) }) {
		return s
	}
	var out strings.Builder
	for i, r := range s {
		switch {
		case r == '\n', r == '\t', r == '\r' && strings.HasPrefix(s[i+1:], "\n"), !hidden(r):
			out.WriteRune(r)
		default:
			fmt.Fprintf(&out, `\u{%x}`, r)
		}
	}
	return out.String()
}

// between puts what has been cleaned between markers. what says what it is.
func (m *marking) between(what, data string) string {
	if data != "" && !strings.HasSuffix(data, "\n") {
		data += "\n"
	}
	return plan.Fill(m.words.MarkerOpen, "token", m.token, "what", what) + "\n" + data +
		plan.Fill(m.words.MarkerClose, "token", m.token, "what", what)
}

// name writes the name of a file, or another word of foreign origin, so that
// it cannot be taken for anything else: as JSON, in printable characters, and
// no longer than a line may be.
func (m *marking) name(s string) string {
	whole, rest := shorten(m.words, m.harmless(m.legible(s)))
	return quoted(whole) + rest
}

func quoted(s string) string {
	raw, err := json.Marshal(s)
	if err != nil {
		panic(fmt.Sprintf("judge: quote %q: %v", s, err))
	}
	var out strings.Builder
	for _, r := range string(raw) {
		switch {
		case unicode.IsPrint(r):
			out.WriteRune(r)
		case r > 0xFFFF:
			r -= 0x10000
			fmt.Fprintf(&out, `\u%04x\u%04x`, 0xD800+r>>10, 0xDC00+r&0x3FF)
		default:
			fmt.Fprintf(&out, `\u%04x`, r)
		}
	}
	return out.String()
}

// show makes one line of limited length of a model's own words, to be sent
// back to it in a refusal.
func show(s string) string {
	runes := []rune(breakTokens(s))
	if len(runes) > 200 {
		runes = append(runes[:200], '…')
	}
	s = quoted(string(runes))
	return s[1 : len(s)-1]
}
