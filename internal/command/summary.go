package command

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/snodo-lang/snodo/compiler/plan"
	"github.com/snodo-lang/snodo/runtime/child"
	"github.com/snodo-lang/snodo/runtime/record"
	"github.com/snodo-lang/snodo/runtime/verdict"
)

// writeSummary prints the end of a run so that a person can act on it: every
// gate with its members, what is asked of whom, and what to type next.
func writeSummary(w io.Writer, p record.Payload, detail string, c colors) error {
	b := &summary{colors: c}
	b.head(p)
	for _, g := range p.Gates {
		b.gate(p, g)
	}
	b.rows(p)
	b.powers(p)
	b.end(p, detail)
	_, err := io.WriteString(w, b.String())
	return err
}

type summary struct {
	strings.Builder
	colors colors
}

func (b *summary) line(format string, args ...any) {
	b.WriteString(strings.TrimRight(fmt.Sprintf(format, args...), " "))
	b.WriteByte('\n')
}

func (b *summary) head(p record.Payload) {
	b.line("run %s  %s/%s", p.Run, p.Protocol, p.Stage)
	if p.Gate == record.GateTask {
		published := ""
		if slices.ContainsFunc(p.Powers, func(x record.Exercised) bool { return x.Power == "publish" }) {
			published = " and published"
		}
		b.line("task: no judge: every completed turn is kept unscored%s", published)
	}
	if p.Rehearsal {
		b.line("rehearsal: no judge was asked, and no power is exercised")
	}
	if p.Replay {
		b.line("replay: judges were answered from a recording, no endpoint was asked, and no power is exercised")
	}
	if p.Partial {
		b.line("partial: only the gates of one phase ran, and no power is exercised")
	}
}

func (b *summary) gate(p record.Payload, g record.GateRecord) {
	attempt := ""
	if g.Attempt != nil {
		attempt = fmt.Sprintf("  attempt %d", *g.Attempt)
	}
	b.line("%s%s   %d of %d pass", g.Phase, attempt, g.Counts.Pass, g.Counts.Expected)
	wide := 0
	for _, r := range g.Results {
		wide = max(wide, len(r.Validator))
	}
	for _, r := range g.Results {
		b.result(p, r, wide)
	}
}

// verdictWord is what stands before a validator's name.
func verdictWord(r record.Result) string {
	if r.Verdict == nil {
		return "error"
	}
	if *r.Verdict == plan.Pass {
		return "ok"
	}
	return string(*r.Verdict)
}

func (b *summary) result(p record.Payload, r record.Result, wide int) {
	word := verdictWord(r)
	indent := strings.Repeat(" ", 2+9+wide+3)
	lead := fmt.Sprintf("  %s%s%-*s   ", b.paint(word), strings.Repeat(" ", 9-len(word)), wide, r.Validator)
	lines := resultLines(r)
	if r.Observed {
		lines = append([]string{"(observer: does not gate)"}, lines...)
	}
	if len(lines) == 0 {
		lines = []string{""}
	}
	b.line("%s%-40s %s", lead, lines[0], cost(r))
	for _, line := range lines[1:] {
		b.line("%s%s", indent, line)
	}
	if len(r.GovernedBy) > 0 {
		b.line("%sgoverned by what was changed: %s", indent, child.Sanitize(strings.Join(r.GovernedBy, ", ")))
	}
	if u := r.Ruling; u != nil {
		b.line("%sruled %s by %s (%s): %s", indent, u.Rule, u.Role, u.Signature, firstLine(child.Sanitize(u.Because)))
	}
	for _, q := range p.Requests {
		if q.Validator == r.Validator && q.Evidence != nil && q.State == record.StateOpen {
			b.line("%sneeds  %s  %s   owner %s", indent, q.ID, call(*q.Evidence, q.Args), q.Owner)
			b.line("%s           %s", indent, q.Request)
		}
	}
}

// cost says how long a validator took and, of a judge, how many tokens.
func cost(r record.Result) string {
	var parts []string
	if r.MS >= 100 {
		parts = append(parts, fmt.Sprintf("%.1fs", float64(r.MS)/1000))
	}
	if r.Usage != nil {
		parts = append(parts, usage(*r.Usage))
	}
	return strings.Join(parts, "  ")
}

// usage writes tokens: those that went in, of these the ones from a cache, and
// those that came out.
func usage(u verdict.Usage) string {
	if u.Input == nil || u.Output == nil {
		return "tokens not reported"
	}
	cached := ""
	if u.Cached != nil {
		cached = fmt.Sprintf(" (%d cached)", *u.Cached)
	}
	return fmt.Sprintf("%d tokens in%s, %d out", *u.Input, cached, *u.Output)
}

// outputLines is how much of what a validator says stands in a summary.
const outputLines = 12

// resultLines says what a validator found: for a pass of a command the
// command, otherwise each finding that is no pass.
func resultLines(r record.Result) []string {
	if r.Error != nil {
		where := ""
		if r.Error.Turn > 0 {
			where = fmt.Sprintf(" in turn %d", r.Error.Turn)
		}
		return cut(fmt.Sprintf("%s%s: %s", r.Error.Class, where, r.Error.Message))
	}
	var lines []string
	for _, f := range r.Findings {
		if f.Verdict == plan.Pass {
			continue
		}
		text := f.Because
		if f.Criterion != "" {
			text = f.Criterion + ": " + text
		}
		lines = append(lines, cut(text)...)
		for _, q := range f.Quotes {
			lines = append(lines, quoteLine(q))
		}
	}
	if len(lines) == 0 && r.Kind == plan.KindCheck && len(r.Findings) == 1 {
		return cut(r.Findings[0].Because)
	}
	return lines
}

func quoteLine(q verdict.Quote) string {
	return child.Sanitize(fmt.Sprintf("  %s:%d  %s", q.Path, q.Line, firstLine(q.Text)))
}

func firstLine(text string) string {
	first, _, _ := strings.Cut(text, "\n")
	return first
}

// cut splits a text into lines and leaves out the middle of a long one.
func cut(text string) []string {
	lines := strings.Split(strings.TrimSpace(child.Sanitize(text)), "\n")
	if over := len(lines) - outputLines; over > 1 {
		lines = slices.Concat(lines[:outputLines/2], []string{fmt.Sprintf("[%d lines left out here; snodo show --json has them]", over)}, lines[len(lines)-outputLines/2:])
	}
	return lines
}

// call writes a request as its evidence with its arguments.
func call(evidence string, args map[string]any) string {
	var parts []string
	for _, name := range slices.Sorted(maps.Keys(args)) {
		parts = append(parts, fmt.Sprintf("%s=%v", name, args[name]))
	}
	return evidence + "(" + strings.Join(parts, ", ") + ")"
}

func (b *summary) rows(p record.Payload) {
	for _, row := range p.Rows {
		what := ""
		switch {
		case row.Commit != nil:
			what = fmt.Sprintf("commit %.12s", *row.Commit)
		case row.Reason != nil:
			what = child.Sanitize(*row.Reason)
		}
		b.line("turn %-3d %-8s unscored  %s", row.Turn, row.Decision, what)
	}
}

func (b *summary) powers(p record.Payload) {
	for _, power := range p.Powers {
		b.line("%s %s: %s", power.Power, power.State, power.Target)
	}
}

func (b *summary) end(p record.Payload, detail string) {
	if p.Attempts.Dispatches > 1 {
		b.line("%s, the coder was sent %s", counted(p.Attempts.Total, "attempt"), counted(p.Attempts.Dispatches, "time"))
	}
	if p.Usage != nil {
		b.line("in all: %s%s", usage(*p.Usage), allowance(p.Tokens))
	}
	if p.HaltType == nil {
		b.line("%s: %s", b.paint(p.Outcome), p.Reason)
	} else {
		b.line("stopped: %s. %s", b.paint(*p.HaltType), child.Sanitize(p.Reason))
	}
	if detail != "" {
		b.line("%s", child.Sanitize(detail))
	}
	if len(p.Next) > 0 {
		b.line("Next:")
	}
	for _, next := range p.Next {
		b.line("  %s", next)
	}
}

// allowance says how much of the limit of a run was taken, where it has one.
func allowance(a record.Allowance) string {
	if a.Limit == nil {
		return ""
	}
	about := ""
	if a.Estimated {
		about = "about "
	}
	return fmt.Sprintf("; %s%d of the %d that the run may take", about, a.Taken, *a.Limit)
}

// paint colours a word by what it means.
func (b *summary) paint(word string) string {
	switch word {
	case "ok", "complete":
		return b.colors.good + word + b.colors.end
	case "warn", "unclear", "escalate":
		return b.colors.warn + word + b.colors.end
	}
	return b.colors.bad + word + b.colors.end
}

// counted writes a number of things.
func counted(n int, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	if strings.HasSuffix(thing, "s") {
		thing += "e"
	}
	return fmt.Sprintf("%d %ss", n, thing)
}

// elapsed writes a length of time as a person reads it.
func elapsed(d time.Duration) string { return d.Round(100 * time.Millisecond).String() }
