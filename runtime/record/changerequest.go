package record

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/google/renameio/v2"

	"github.com/snodo-lang/snodo/compiler/plan"
	"github.com/snodo-lang/snodo/runtime/child"
)

// ChangeRequestFile is where the record keeps the text of a change request.
const ChangeRequestFile = "change-request.md"

// powerPublish is the power whose intention the text of a change request ends
// with.
const powerPublish = "publish"

// The most bytes of a change request, of the task in it, and of what one
// validator says. Forges refuse longer ones.
const (
	maxChangeRequest = 48 << 10
	maxShownTask     = 4 << 10
	maxShownFinding  = 2 << 10
)

// ErrNotPublishing says that no event announces that a run publishes.
var ErrNotPublishing = errors.New("nothing was to be published")

// ChangeRequest writes the text of a change request, in Markdown: what the
// work is, the table of verdicts, and where the record stood when publishing
// was announced. It follows from the events up to that announcement alone.
// Whatever a coder, a judge or the task says stands in it as code, so that it
// is shown and does nothing. The error is ErrNotPublishing before the
// announcement.
func ChangeRequest(events []Event) (string, error) {
	end, err := announced(events)
	if err != nil {
		return "", err
	}
	s, err := Fold(events[:end])
	if err != nil {
		return "", fmt.Errorf("write change request: %w", err)
	}
	b := &strings.Builder{}
	line := func(format string, args ...any) { fmt.Fprintf(b, format+"\n", args...) }
	line("Made by snodo run `%s`: stage `%s` of the protocol `%s`.\n", s.Started.Run, s.Started.Stage, s.Started.Protocol)
	if task := strings.TrimSpace(s.Started.Task); task != "" {
		line("%s", asCode(task, maxShownTask))
	}
	writeVerdicts(b, s)
	line("| | |\n|---|---|")
	line("| base | `%s` |", s.Started.Base)
	line("| result | `%s` |", s.Head)
	line("| plan | `%s` |", s.Started.Plan)
	line("| record | `%s` |\n", s.LastHash)
	closing := fmt.Sprintf("Whoever has the record can hold it to this: `snodo verify %s --head %s`\n", s.Started.Run, s.LastHash)
	return cutText(b.String(), maxChangeRequest) + closing, nil
}

// announced returns how many events there are up to the one that announces
// publishing.
func announced(events []Event) (int, error) {
	for i, e := range events {
		if e.Kind != KindIntended {
			continue
		}
		entry, err := e.Entry()
		if err != nil {
			return 0, fmt.Errorf("write change request: %w", err)
		}
		if entry.(Intended).Power == powerPublish {
			return i + 1, nil
		}
	}
	return 0, ErrNotPublishing
}

// writeVerdicts writes the table of verdicts, or of turns, and what was said
// with those that are no passes.
func writeVerdicts(b *strings.Builder, s State) {
	if s.Started.Gate == GateTask {
		b.WriteString("No judge: every completed turn is kept unscored.\n\n| turn | |\n|---|---|\n")
		for _, row := range s.Rows {
			fmt.Fprintf(b, "| %d | %s |\n", row.Turn, row.Decision)
		}
		b.WriteByte('\n')
		return
	}
	var said []Result
	b.WriteString("| gate | validator | kind | verdict |\n|---|---|---|---|\n")
	for _, g := range s.Gates() {
		for _, r := range g.Results {
			fmt.Fprintf(b, "| `%s` | `%s` | %s | %s |\n", g.Step, r.Validator, r.Kind, verdictCell(r))
			if r.Severity != string(plan.Pass) {
				said = append(said, r)
			}
		}
	}
	b.WriteByte('\n')
	for _, r := range said {
		var lines []string
		if r.Error != nil {
			lines = append(lines, r.Error.Message)
		}
		for _, f := range r.Findings {
			if f.Verdict == plan.Pass {
				continue
			}
			lines = append(lines, strings.TrimPrefix(f.Criterion+": ", ": ")+f.Because)
			for _, q := range f.Quotes {
				lines = append(lines, fmt.Sprintf("  %s:%d  %s", q.Path, q.Line, q.Text))
			}
		}
		fmt.Fprintf(b, "`%s`:\n\n%s\n", r.Validator, asCode(strings.Join(lines, "\n"), maxShownFinding))
	}
}

// verdictCell says in a few words what a validator came to, and who ruled on
// it.
func verdictCell(r Result) string {
	var parts []string
	switch {
	case r.Error != nil:
		parts = append(parts, "error ("+string(r.Error.Class)+")")
	case r.Verdict != nil:
		parts = append(parts, string(*r.Verdict))
	}
	if r.Observed {
		parts = append(parts, "observer: does not gate")
	}
	if u := r.Ruling; u != nil {
		parts = append(parts, fmt.Sprintf("ruled %s by `%s` (%s)", u.Rule, u.Role, u.Signature))
	}
	if len(r.GovernedBy) > 0 {
		parts = append(parts, "governed by what was changed")
	}
	return strings.Join(parts, "; ")
}

// asCode writes a text as an indented block of code, in which nothing is
// markup, a mention or a link.
func asCode(text string, limit int) string {
	b := &strings.Builder{}
	for line := range strings.Lines(cutText(child.Sanitize(text), limit)) {
		b.WriteString("    " + strings.TrimRight(line, " \n") + "\n")
	}
	return b.String()
}

// cutText bounds a text, between whole characters, and says what it leaves out.
func cutText(text string, limit int) string {
	if len(text) <= limit {
		return text
	}
	n := limit
	for n > 0 && !utf8.RuneStart(text[n]) {
		n--
	}
	return text[:n] + fmt.Sprintf("\n\n    [%d bytes left out here]\n\n", len(text)-n)
}

// WriteChangeRequest puts the text of the change request into the record and
// returns where it is.
func (l *Log) WriteChangeRequest() (path string, err error) {
	text, err := ChangeRequest(l.events)
	if err != nil {
		return "", err
	}
	path = filepath.Join(l.dir, ChangeRequestFile)
	if err := renameio.WriteFile(path, []byte(text), 0o644); err != nil {
		return "", fmt.Errorf("write change request: %w", err)
	}
	return path, nil
}

// Announcement returns the hash of the event that announces a power: where the
// record stood when the power was exercised. It is empty where there is none.
func (l *Log) Announcement(power string) string {
	i := slices.IndexFunc(l.events, func(e Event) bool {
		if e.Kind != KindIntended {
			return false
		}
		entry, err := e.Entry()
		return err == nil && entry.(Intended).Power == power
	})
	if i < 0 {
		return ""
	}
	return l.events[i].Hash
}
