package command

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"github.com/snodo-lang/snodo/runtime/record/stats"
	"github.com/snodo-lang/snodo/runtime/workspace"
)

var statsCommand = command{
	name:    "stats",
	summary: "says how verdicts fell, and what evidence was missing",
	detail: `Every verdict of a judge counts, also where the judge was asked again later. Checks and rules do not:
they cannot be unclear. Verdicts are taken from the newest runs first, as many as --last names and no
more, and compared with as many right before them. Observers stand apart; rehearsals and replays are
left out. An error is no verdict: its share is of all the times that a judge was asked. An unclear
verdict that asks for two kinds of evidence stands under both.
--as-binary counts an unclear verdict as what a ruling, or a later verdict of the same judge on the
same commit, says that it would have had to be; where neither is recorded, it is unknown.
--json prints all of this at once. docs/unclear.md says how to read it.

exit codes: 0, 64 wrong usage`,
	example: "snodo stats --last 200 --by validator",
	bind: func(flags *pflag.FlagSet) action {
		f := &statsFlags{}
		flags.IntVar(&f.last, "last", 0, "count the newest `N` verdicts; without it, all")
		flags.StringVar(&f.since, "since", "", "count runs that began at `TIME` or later: 2026-11-30 (UTC) or 2026-11-30T19:15:30Z")
		flags.StringVar(&f.by, "by", "", "break the counts down by validator, criterion or evidence, `WHAT`")
		flags.BoolVar(&f.binary, "as-binary", false, "count unclear verdicts as what two values would have made of them")
		flags.BoolVar(&f.json, "json", false, "print everything as JSON")
		return func(ctx context.Context, s streams, args []string) (int, error) {
			if len(args) != 0 {
				return 0, usagef("stats takes no arguments, only flags")
			}
			if flags.Changed("last") && f.last < 1 {
				return 0, usagef("--last takes a number of verdicts, 1 or more")
			}
			return exitOK, f.stats(ctx, s)
		}
	},
}

type statsFlags struct {
	last         int
	since, by    string
	binary, json bool
}

// The breakdowns of statistics.
const (
	byValidator = "validator"
	byCriterion = "criterion"
	byEvidence  = "evidence"
)

func (f *statsFlags) stats(ctx context.Context, s streams) error {
	q, err := f.question()
	if err != nil {
		return err
	}
	report, err := readStats(ctx, q)
	if err != nil {
		return err
	}
	for _, u := range report.Unread {
		fmt.Fprintf(s.err, "warning: run %s is left out: %v\n", u.Run, u.Reason)
	}
	if f.json {
		out, err := report.Encode()
		if err != nil {
			return err
		}
		_, err = s.out.Write(out)
		return err
	}
	t := newStatsText(report)
	if f.binary {
		t.asBinary()
	} else {
		t.verdicts()
		t.signs()
	}
	t.leftOut()
	t.breakdown(f.by)
	_, err = s.out.Write([]byte(t.String()))
	return err
}

func (f *statsFlags) question() (stats.Question, error) {
	q := stats.Question{Last: f.last}
	if f.by != "" {
		if err := oneOf("by", f.by, byValidator, byCriterion, byEvidence); err != nil {
			return q, err
		}
		if f.binary {
			return q, usagef("--by and --as-binary are two figures: ask for one of them")
		}
	}
	if f.since == "" {
		return q, nil
	}
	var err error
	for _, form := range []string{time.DateOnly, time.RFC3339} {
		if q.Since, err = time.Parse(form, f.since); err == nil {
			return q, nil
		}
	}
	return q, usagef("--since takes a day such as 2026-11-30, or a time such as 2026-11-30T19:15:30Z, not %q", f.since)
}

// readStats answers a question from the records of the repository that holds
// the current folder.
func readStats(ctx context.Context, q stats.Question) (report stats.Report, err error) {
	repo, err := workspace.Open(ctx, ".")
	if err != nil {
		return stats.Report{}, usagef("%v", err)
	}
	defer func() { err = errors.Join(err, repo.Close()) }()
	records, err := stats.Kept(repo.MainWorktree())
	if err != nil {
		return stats.Report{}, err
	}
	return stats.Read(ctx, records, q)
}

// A statsText words a report.
type statsText struct {
	strings.Builder
	report stats.Report
	shared map[string]bool // names that judges of several protocols have
}

func newStatsText(r stats.Report) *statsText {
	t := &statsText{report: r, shared: map[string]bool{}}
	protocol := map[string]string{}
	for _, f := range []stats.Figures{r.Asked.Panel, r.Asked.Observers} {
		for _, j := range f.Judges {
			if p, ok := protocol[j.Name]; ok && p != j.Protocol {
				t.shared[j.Name] = true
			}
			protocol[j.Name] = j.Protocol
		}
	}
	return t
}

// judge names a judge, with its protocol where the name is not enough.
func (t *statsText) judge(j stats.Judge) string {
	if t.shared[j.Name] {
		return j.Protocol + "/" + j.Name
	}
	return j.Name
}

func (t *statsText) line(format string, args ...any) {
	t.WriteString(strings.TrimRight(fmt.Sprintf(format, args...), " "))
	t.WriteByte('\n')
}

// since says from when on verdicts are counted, where not all are.
func (t *statsText) since() string {
	since := t.report.Question.Since
	if since.IsZero() {
		return ""
	}
	return " since " + strings.TrimSuffix(since.UTC().Format(time.RFC3339), "T00:00:00Z")
}

// title says which verdicts are counted.
func (t *statsText) title() string {
	n, last := t.report.Asked.Panel.Verdicts(), t.report.Question.Last
	switch {
	case last == 0:
		return fmt.Sprintf("verdicts, all %d%s", n, t.since())
	case n < last:
		return fmt.Sprintf("verdicts, last %d%s: there are no more", n, t.since())
	}
	return fmt.Sprintf("verdicts, last %d%s", n, t.since())
}

// leftOut says what was met and is not in the figures.
func (t *statsText) leftOut() {
	var parts []string
	for _, p := range []struct {
		n    int
		what string
	}{{t.report.Rehearsals, "rehearsal"}, {t.report.Replays, "replay"}, {len(t.report.Unread), "damaged record"}} {
		if p.n > 0 {
			parts = append(parts, counted(p.n, p.what))
		}
	}
	if len(parts) > 0 {
		t.line("left out: %s", strings.Join(parts, ", "))
	}
}
