package paths

import (
	"fmt"
	"slices"

	"github.com/snodo-lang/snodo/compiler/plan"
)

// What a gate can decide besides the verdicts that it routes.
const (
	Proceed = "proceed"
	Error   = "error"
)

// Results are what a member of a panel can come to, gravest first: an error,
// which is no verdict, and the verdicts.
var Results = []string{Error, string(plan.Blocker), string(plan.Unclear), string(plan.Warn), string(plan.Pass)}

// A Row is one group of cases of a gate and what happens in them. The rows of
// a gate share no case, and together they hold every case that can occur.
type Row struct {
	When     []Count     `json:"when"` // one for each of Results, in that order
	Decision string      `json:"decision"`
	To       plan.Target `json:"to,omitempty"`    // where the gate proceeds to
	Route    plan.Route  `json:"route,omitempty"` // what happens otherwise, step after step
}

// A Count says how many members of the panel come to a result.
type Count struct {
	Result string   `json:"result"`
	Least  int      `json:"least"`
	Most   int      `json:"most"`
	From   []string `json:"from"` // the members that can come to it here
}

// Covers reports whether a case falls under the row. The results are those of
// the members of the panel, each one of Results.
func (r Row) Covers(results []string) bool {
	return !slices.ContainsFunc(r.When, func(c Count) bool {
		n := 0
		for _, result := range results {
			if result == c.Result {
				n++
			}
		}
		return n < c.Least || n > c.Most
	})
}

// rowsOf groups the cases of a gate by what it decides, in the order in which
// it does: an error before everything, then a blocker, then an unclear, and
// only then the passes. Each row excludes what the rows above it are about, so
// that none overlap; one that no case falls under is left out.
func rowsOf(panel []Member, g *plan.Gate) []Row {
	var rows []Row
	for i, gravest := range Results[:3] {
		when := noneAbove(panel, i)
		when[i].Least = 1
		if when[i].Most > 0 {
			rows = append(rows, Row{When: when, Decision: gravest, Route: routeOf(g, gravest)})
		}
	}
	// Where nobody has said anything graver, those who cannot warn pass.
	fewest := len(panel) - len(able(panel, string(plan.Warn)))
	rows = append(rows, Row{When: passing(panel, max(g.Need, fewest), len(panel)), Decision: Proceed, To: g.Next.Proceed})
	if fewest < g.Need {
		warn := string(plan.Warn)
		rows = append(rows, Row{When: passing(panel, fewest, g.Need-1), Decision: warn, Route: routeOf(g, warn)})
	}
	return rows
}

// able returns the members that can come to a result.
func able(panel []Member, result string) []string {
	names := []string{}
	for _, m := range panel {
		if result == Error || slices.Contains(m.Returns, plan.Verdict(result)) {
			names = append(names, m.Name)
		}
	}
	return names
}

// noneAbove counts any number of members for each result from a gravity on,
// and none for the results that are graver.
func noneAbove(panel []Member, gravity int) []Count {
	when := make([]Count, len(Results))
	for i, result := range Results {
		when[i] = Count{Result: result, From: []string{}}
		if i >= gravity {
			when[i].From = able(panel, result)
			when[i].Most = len(when[i].From)
		}
	}
	return when
}

// passing counts a number of passes from least to most, and a warn of everyone
// else.
func passing(panel []Member, least, most int) []Count {
	when := noneAbove(panel, slices.Index(Results, string(plan.Warn)))
	warn, pass := &when[len(when)-2], &when[len(when)-1]
	pass.Least, pass.Most = least, most
	warn.Least, warn.Most = len(panel)-most, len(panel)-least
	for _, c := range []*Count{warn, pass} {
		if c.Most == 0 {
			c.From = []string{}
		}
	}
	return when
}

func routeOf(g *plan.Gate, decision string) plan.Route {
	switch decision {
	case Error:
		return g.Next.Error
	case string(plan.Blocker):
		return g.Next.Blocker
	case string(plan.Unclear):
		return g.Next.Unclear
	case string(plan.Warn):
		return g.Next.Warn
	}
	panic(fmt.Sprintf("paths: %q has no route", decision))
}
