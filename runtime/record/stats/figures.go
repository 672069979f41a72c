package stats

import (
	"cmp"
	"fmt"
	"maps"
	"slices"

	"github.com/snodo-lang/snodo/compiler/plan"
)

// A Tally counts verdicts, and apart from them the errors that stand where a
// judge came to none.
type Tally struct {
	Pass, Warn, Unclear, Blocker int
	Errors                       int
}

// Verdicts is how many verdicts were counted. An error is none.
func (t Tally) Verdicts() int { return t.Pass + t.Warn + t.Unclear + t.Blocker }

// Asked is how often a judge was asked: verdicts and errors.
func (t Tally) Asked() int { return t.Verdicts() + t.Errors }

// add counts one verdict, or an error where there is none.
func (t *Tally) add(v *plan.Verdict) {
	if v == nil {
		t.Errors++
		return
	}
	switch *v {
	case plan.Pass:
		t.Pass++
	case plan.Warn:
		t.Warn++
	case plan.Unclear:
		t.Unclear++
	case plan.Blocker:
		t.Blocker++
	default:
		panic(fmt.Sprintf("stats: no such verdict: %s", *v))
	}
}

// Figures are the counts of some verdicts.
type Figures struct {
	Tally
	Judges   []JudgeTally     // by protocol and name
	Criteria []CriterionTally // by judge and criterion
	Evidence []EvidenceCount  // what is missing most first
	Settled  SettledTally
}

// A JudgeTally counts the verdicts of one judge.
type JudgeTally struct {
	Judge
	Tally
}

// A CriterionTally counts the findings of one judge about one criterion.
type CriterionTally struct {
	Judge
	Criterion string
	Tally     // without errors: there a judge had no findings
}

// An EvidenceCount counts the unclear verdicts that ask for a kind of evidence.
// One that asks for two kinds counts for both.
type EvidenceCount struct {
	Evidence string
	Unclear  int
	Judges   []AskedBy // who asks most first
}

// An AskedBy counts the unclear verdicts of one judge that ask for a kind of
// evidence.
type AskedBy struct {
	Judge
	Unclear int
}

// A SettledTally counts what unclear verdicts turned out to be, by the source
// that says so.
type SettledTally struct {
	ByRuling, ByLaterVerdict Tally // without unclear and errors
}

// Cases is on how many unclear verdicts a settled tally rests.
func (s SettledTally) Cases() int { return s.ByRuling.Verdicts() + s.ByLaterVerdict.Verdicts() }

// AsBinary counts every unclear verdict that was settled as what it turned out
// to be. The ones that stay unclear are those of which no record says more.
func (f Figures) AsBinary() Tally {
	t := f.Tally
	for _, s := range []Tally{f.Settled.ByRuling, f.Settled.ByLaterVerdict} {
		t.Pass += s.Pass
		t.Warn += s.Warn
		t.Blocker += s.Blocker
		t.Unclear -= s.Verdicts()
	}
	return t
}

// A criterion names one of a judge's.
type criterion struct {
	Judge
	name string
}

// A counter makes figures, one verdict after another.
type counter struct {
	tally    Tally
	judges   map[Judge]*Tally
	criteria map[criterion]*Tally
	evidence map[string]map[Judge]int
	settled  SettledTally
}

func newCounter() *counter {
	return &counter{judges: map[Judge]*Tally{}, criteria: map[criterion]*Tally{}, evidence: map[string]map[Judge]int{}}
}

// in returns the tally at a key, an empty one where there was none.
func in[K comparable](m map[K]*Tally, key K) *Tally {
	if m[key] == nil {
		m[key] = &Tally{}
	}
	return m[key]
}

func (c *counter) add(v Verdict) {
	c.tally.add(v.As)
	in(c.judges, v.Judge).add(v.As)
	missing := map[string]bool{}
	for _, f := range v.Findings {
		in(c.criteria, criterion{v.Judge, f.Criterion}).add(&f.Verdict)
		for _, m := range f.Missing {
			missing[m.Evidence] = true
		}
	}
	// What a blocker would have liked to see as well, nobody is asked for.
	if v.As == nil || *v.As != plan.Unclear {
		return
	}
	for evidence := range missing {
		if c.evidence[evidence] == nil {
			c.evidence[evidence] = map[Judge]int{}
		}
		c.evidence[evidence][v.Judge]++
	}
	if v.Settled == nil {
		return
	}
	switch v.Settled.By {
	case ByRuling:
		c.settled.ByRuling.add(&v.Settled.As)
	case ByLaterVerdict:
		c.settled.ByLaterVerdict.add(&v.Settled.As)
	default:
		panic(fmt.Sprintf("stats: no such source of a settlement: %d", v.Settled.By))
	}
}

func (c *counter) figures() Figures {
	f := Figures{Tally: c.tally, Settled: c.settled}
	for _, j := range slices.SortedFunc(maps.Keys(c.judges), compareJudges) {
		f.Judges = append(f.Judges, JudgeTally{j, *c.judges[j]})
	}
	byName := func(a, b criterion) int {
		return cmp.Or(compareJudges(a.Judge, b.Judge), cmp.Compare(a.name, b.name))
	}
	for _, k := range slices.SortedFunc(maps.Keys(c.criteria), byName) {
		f.Criteria = append(f.Criteria, CriterionTally{k.Judge, k.name, *c.criteria[k]})
	}
	for name, by := range c.evidence {
		e := EvidenceCount{Evidence: name}
		for j, n := range by {
			e.Unclear += n
			e.Judges = append(e.Judges, AskedBy{j, n})
		}
		slices.SortFunc(e.Judges, func(a, b AskedBy) int {
			return cmp.Or(cmp.Compare(b.Unclear, a.Unclear), compareJudges(a.Judge, b.Judge))
		})
		f.Evidence = append(f.Evidence, e)
	}
	slices.SortFunc(f.Evidence, func(a, b EvidenceCount) int {
		return cmp.Or(cmp.Compare(b.Unclear, a.Unclear), cmp.Compare(a.Evidence, b.Evidence))
	})
	return f
}

func compareJudges(a, b Judge) int {
	return cmp.Or(cmp.Compare(a.Protocol, b.Protocol), cmp.Compare(a.Name, b.Name))
}

// SignAfter is how many verdicts a judge must have given before its share of
// unclear says something about it.
const SignAfter = 30

// A Sign points at a judge whose share of unclear should be looked into.
type Sign struct {
	JudgeTally
	Of SignKind
}

// A SignKind says what is the matter with a share of unclear.
type SignKind string

// The signs. A judge that never finds the evidence wanting may not be weighing
// it; one that finds it wanting more often than not is not shown what it needs,
// or is asked what nobody can tell.
const (
	NeverUnclear  SignKind = "never_unclear"
	MostlyUnclear SignKind = "mostly_unclear"
)

// Signs points out judges that gave SignAfter verdicts or more and whose share
// of unclear is none, or above a half.
func (f Figures) Signs() []Sign {
	var signs []Sign
	for _, j := range f.Judges {
		switch n := j.Verdicts(); {
		case n < SignAfter:
		case j.Unclear == 0:
			signs = append(signs, Sign{j, NeverUnclear})
		case 2*j.Unclear > n:
			signs = append(signs, Sign{j, MostlyUnclear})
		}
	}
	return signs
}
