package command

import (
	"fmt"
	"strings"

	"github.com/snodo-lang/snodo/runtime/record/stats"
)

// percent is a part in hundredths of its whole, rounded; there is none of
// nothing.
func percent(part, whole int) (n int, ok bool) {
	if whole == 0 {
		return 0, false
	}
	return (200*part + whole) / (2 * whole), true
}

// share writes a part of a whole in four places.
func share(part, whole int) string {
	n, ok := percent(part, whole)
	if !ok {
		return "   -"
	}
	return fmt.Sprintf("%3d%%", n)
}

// change says where a share came from. It goes by what is printed, so that no
// two equal numbers are said to differ.
func change(part, whole, partBefore, wholeBefore int) string {
	now, ok := percent(part, whole)
	then, was := percent(partBefore, wholeBefore)
	switch {
	case !ok || !was:
		return ""
	case now > then:
		return fmt.Sprintf("   up from %d%%", then)
	case now < then:
		return fmt.Sprintf("   down from %d%%", then)
	}
	return "   as before"
}

// verdicts prints how verdicts fell, those of observers apart.
func (t *statsText) verdicts() {
	asked, before := t.report.Asked, stats.Stretch{}
	if t.report.Before != nil {
		before = *t.report.Before
	}
	if asked.Panel.Asked() == 0 {
		t.none()
	} else {
		t.line("%s", t.title())
		t.figures(asked.Panel, before.Panel)
	}
	if asked.Observers.Asked() > 0 {
		t.line("observers, which gate nothing: %s", counted(asked.Observers.Verdicts(), "verdict"))
		t.figures(asked.Observers, before.Observers)
	}
	if n := before.Panel.Verdicts(); n > 0 {
		t.line("the change is against the %s right before", counted(n, "verdict"))
	}
}

func (t *statsText) none() {
	t.line("no judge has given a verdict here%s; checks and rules are not counted", t.since())
}

// figures prints one row for each verdict, and below unclear one for each kind
// of evidence that was missing. A warn has a row where there is one.
func (t *statsText) figures(now, before stats.Figures) {
	all, then := now.Verdicts(), before.Verdicts()
	wide := max(3, len(fmt.Sprint(now.Asked())))
	row := func(word string, n, whole, was, wholeBefore int) {
		t.line("%-7s  %*d  %s%s", word, wide, n, share(n, whole), change(n, whole, was, wholeBefore))
	}
	row("pass", now.Pass, all, before.Pass, then)
	if now.Warn+before.Warn > 0 {
		row("warn", now.Warn, all, before.Warn, then)
	}
	row("blocker", now.Blocker, all, before.Blocker, then)
	row("unclear", now.Unclear, all, before.Unclear, then)
	t.missing(now, before, 12+wide)
	row("error", now.Errors, now.Asked(), before.Errors, before.Asked())
}

func (t *statsText) missing(now, before stats.Figures, indent int) {
	was := map[string]int{}
	for _, e := range before.Evidence {
		was[e.Evidence] = e.Unclear
	}
	name, number := 0, 0
	for _, e := range now.Evidence {
		name, number = max(name, len(e.Evidence)), max(number, len(fmt.Sprint(e.Unclear)))
	}
	for _, e := range now.Evidence {
		t.line("%*s%-*s  %*d  %s%s", indent, "", name, e.Evidence, number, e.Unclear, share(e.Unclear, now.Unclear),
			change(e.Unclear, now.Unclear, was[e.Evidence], before.Unclear))
	}
}

// breakdown prints the counts by something, where that was asked for.
func (t *statsText) breakdown(by string) {
	for _, part := range []struct {
		of stats.Figures
		as string
	}{{t.report.Asked.Panel, ""}, {t.report.Asked.Observers, ", observers"}} {
		heading := "by " + by + part.as
		switch {
		case by == "" || part.of.Asked() == 0:
		case by == byValidator:
			t.byValidator(heading, part.of)
		case by == byCriterion:
			t.byCriterion(heading, part.of)
		case by == byEvidence:
			t.byEvidence(heading, part.of)
		default:
			panic(fmt.Sprintf("command: statistics are not broken down by %s", by))
		}
	}
}

// longest is the width of a column that begins with its heading.
func longest(heading string, names []string) int {
	wide := len(heading)
	for _, n := range names {
		wide = max(wide, len(n))
	}
	return wide
}

func cell(part, whole int) string { return fmt.Sprintf("%6d %s", part, share(part, whole)) }

func (t *statsText) byValidator(heading string, f stats.Figures) {
	var names []string
	for _, j := range f.Judges {
		names = append(names, t.judge(j.Judge))
	}
	wide := longest(heading, names)
	t.line("\n%-*s  %8s%11s%11s%11s%11s%11s", wide, heading, "verdicts", "pass", "warn", "blocker", "unclear", "error")
	for i, j := range f.Judges {
		n := j.Verdicts()
		t.line("%-*s  %8d%s%s%s%s%s", wide, names[i], n, cell(j.Pass, n), cell(j.Warn, n), cell(j.Blocker, n), cell(j.Unclear, n), cell(j.Errors, j.Asked()))
	}
}

func (t *statsText) byCriterion(heading string, f stats.Figures) {
	var names []string
	for _, c := range f.Criteria {
		names = append(names, t.judge(c.Judge)+": "+c.Criterion)
	}
	wide := longest(heading, names)
	t.line("\n%-*s  %8s%11s%11s%11s%11s", wide, heading, "findings", "pass", "warn", "blocker", "unclear")
	for i, c := range f.Criteria {
		n := c.Verdicts()
		t.line("%-*s  %8d%s%s%s%s", wide, names[i], n, cell(c.Pass, n), cell(c.Warn, n), cell(c.Blocker, n), cell(c.Unclear, n))
	}
}

func (t *statsText) byEvidence(heading string, f stats.Figures) {
	var names []string
	for _, e := range f.Evidence {
		names = append(names, e.Evidence)
	}
	wide := longest(heading, names)
	t.line("\n%-*s%11s   %s", wide, heading, "unclear", "asked for by")
	for _, e := range f.Evidence {
		var by []string
		for _, a := range e.Judges {
			by = append(by, fmt.Sprintf("%s %d", t.judge(a.Judge), a.Unclear))
		}
		t.line("%-*s%s   %s", wide, e.Evidence, cell(e.Unclear, f.Unclear), strings.Join(by, ", "))
	}
}

// signs points out judges whose share of unclear should be looked into.
func (t *statsText) signs() {
	for _, part := range []struct {
		of stats.Figures
		as string
	}{{t.report.Asked.Panel, ""}, {t.report.Asked.Observers, " (observer)"}} {
		for _, s := range part.of.Signs() {
			name := t.judge(s.Judge) + part.as
			switch s.Of {
			case stats.NeverUnclear:
				t.line("look at %s: none of its %d verdicts is unclear; a third verdict that is never used is a warning sign", name, s.Verdicts())
			case stats.MostlyUnclear:
				t.line("look at %s: %d of its %d verdicts are unclear, more than half; it lacks what it needs, or is asked what nobody can tell", name, s.Unclear, s.Verdicts())
			default:
				panic(fmt.Sprintf("command: no such sign: %s", s.Of))
			}
		}
	}
}

// asBinary prints what two values would have made of the same verdicts, as far
// as that is recorded, and on how many cases it rests.
func (t *statsText) asBinary() {
	f := t.report.Asked.Panel
	if f.Asked() == 0 {
		t.none()
		return
	}
	two, all := f.AsBinary(), f.Verdicts()
	wide := max(3, len(fmt.Sprint(f.Asked())))
	t.line("%s, as two values would have put them", t.title())
	row := func(word string, n, given int) {
		from := fmt.Sprintf("%d given, %d instead of unclear", given, n-given)
		t.line("%-7s  %*d  %s   %s", word, wide, n, share(n, all), from)
	}
	row("pass", two.Pass, f.Pass)
	if two.Warn > 0 {
		row("warn", two.Warn, f.Warn)
	}
	row("blocker", two.Blocker, f.Blocker)
	t.line("%-7s  %*d  %s   unclear, and no record says what else", "unknown", wide, two.Unclear, share(two.Unclear, all))
	t.line("%-7s  %*d  %s", "error", wide, f.Errors, share(f.Errors, f.Asked()))
	if f.Unclear == 0 {
		t.line("none of these verdicts is unclear")
		return
	}
	t.line("this rests on %d of %d unclear: %d settled by a ruling, %d by a later verdict on the same commit", f.Settled.Cases(), f.Unclear,
		f.Settled.ByRuling.Verdicts(), f.Settled.ByLaterVerdict.Verdicts())
}
