package paths

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/snodo-lang/snodo/compiler/plan"
)

// WriteText writes a table for a person.
func WriteText(w io.Writer, t *Table) error {
	b := &page{}
	b.line("protocol %s", titled(t.Protocol, t.Title))
	for _, s := range t.Stages {
		b.line("")
		b.stage(s, s.Name == t.Starts)
	}
	b.line("")
	b.line("anywhere")
	b.outcomes("  ", t.Anywhere)
	if _, err := io.WriteString(w, b.String()); err != nil {
		return fmt.Errorf("write paths: %w", err)
	}
	return nil
}

// A page is a text that is being written.
type page struct{ strings.Builder }

func (b *page) line(format string, args ...any) {
	b.WriteString(strings.TrimRight(fmt.Sprintf(format, args...), " "))
	b.WriteByte('\n')
}

// columns writes rows of cells so that the cells of a column begin at one
// place.
func (b *page) columns(indent string, rows [][]string) {
	var wide []int
	for _, row := range rows {
		for i, cell := range row {
			if i == len(wide) {
				wide = append(wide, 0)
			}
			if i < len(row)-1 {
				wide[i] = max(wide[i], utf8.RuneCountInString(cell))
			}
		}
	}
	for _, row := range rows {
		var out strings.Builder
		for i, cell := range row {
			fmt.Fprintf(&out, "%-*s", wide[i], cell)
			if i < len(row)-1 {
				out.WriteString("   ")
			}
		}
		b.line("%s%s", indent, out.String())
	}
}

func (b *page) stage(s Stage, starts bool) {
	begins := ""
	if starts {
		begins = ", where a run begins"
	}
	b.line("%s %s%s", s.Kind, titled(s.Name, s.Title), begins)
	if !s.Judged {
		b.line("  %s", taskWords(s))
	}
	for _, step := range s.Way {
		b.line("")
		switch step := step.(type) {
		case *Act:
			b.line("  %s: %s", visible(step.Label()), actWords(step))
			b.outcomes("    ", step.Outcomes)
		case *Gate:
			b.gate(step)
		default:
			panic(fmt.Sprintf("paths: no such step: %T", step))
		}
	}
	b.bounds(s)
	if len(s.HandsTo) > 0 {
		b.line("")
		b.line("  hands to %s", names(s.HandsTo))
	}
}

func (b *page) outcomes(indent string, list []Outcome) {
	var rows [][]string
	for _, o := range list {
		rows = append(rows, []string{o.Name, "-> " + targetWords(o.To)})
	}
	b.columns(indent, rows)
}

func (b *page) gate(g *Gate) {
	b.line("  %s: %s", titled(g.Name, g.Title), needWords(g))
	if words := observerWords(g); words != "" {
		b.line("    %s", words)
	}
	var rows [][]string
	for _, r := range g.Rows {
		rows = append(rows, []string{caseOf(g, r), r.Decision, "-> " + consequence(r)})
		if who := whoOf(g, r); who != "" {
			rows = append(rows, []string{"  (" + who + ")"})
		}
	}
	b.columns("    ", rows)
}

func (b *page) bounds(s Stage) {
	b.line("")
	b.line("  at most")
	var rows [][]string
	if s.Bounds.Dispatches > 0 {
		rows = append(rows, []string{"the coder is sent", count(s.Bounds.Dispatches, "time")})
	}
	for _, g := range s.Bounds.Gates {
		often := count(g.Times, "time")
		if g.Rounds > 0 {
			often += fmt.Sprintf(", with %s of gathering each time, %d in all", count(g.Rounds, "round"), g.RoundsInAll)
		}
		rows = append(rows, []string{visible(g.Step) + " is asked", often})
	}
	b.columns("    ", rows)
	if recovers(s) {
		b.line("  with --work no coder is sent, and every route goes on behind its recover")
	}
}

// recovers reports whether a gate of the stage sends the work back.
func recovers(s Stage) bool {
	return slices.ContainsFunc(s.Way, func(step Step) bool {
		g, gate := step.(*Gate)
		return gate && slices.ContainsFunc(g.Rows, func(r Row) bool { return times(r.Route, plan.DoRecover) > 0 })
	})
}
