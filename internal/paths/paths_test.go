package paths

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/snodo-lang/snodo/compiler/plan"
)

var (
	ask     = plan.Route{{Do: plan.DoAsk, Role: "me"}}
	invalid = plan.Route{{Do: plan.DoHalt, As: plan.HaltValidatorError}}
)

func halting(as string) plan.Route { return plan.Route{{Do: plan.DoHalt, As: as}} }

func recovering(n int) plan.Route {
	return plan.Route{
		{Do: plan.DoRecover, To: "execute", Times: n, Stalled: "halt:recovery_stalled"},
		{Do: plan.DoHalt, As: plan.HaltRecoveryExhausted},
	}
}

func gathering(n int) plan.Route { return append(plan.Route{{Do: plan.DoGather, Times: n}}, ask...) }

// panelOf makes a plan with a judge for each list of verdicts, and a gate of
// all of them that routes what it can decide.
func panelOf(need int, returns ...[]plan.Verdict) (*plan.Plan, *plan.Gate) {
	p := &plan.Plan{Validators: plan.Validators{}}
	g := &plan.Gate{Op: plan.OpGate, Phase: plan.PostExecute, Need: need, Next: plan.GateNext{Proceed: "complete", Error: invalid}}
	for i, r := range returns {
		name := fmt.Sprintf("v%d", i+1)
		p.Validators[name] = &plan.Judge{Kind: plan.KindJudge, Phase: plan.PostExecute, Returns: r}
		g.Panel = append(g.Panel, name)
	}
	can := plan.Reachable(p, g)
	if can[plan.Warn] {
		g.Next.Warn = halting(plan.HaltWarn)
	}
	if can[plan.Unclear] {
		g.Next.Unclear = gathering(2)
	}
	if can[plan.Blocker] {
		g.Next.Blocker = recovering(3)
	}
	return p, g
}

var (
	two   = []plan.Verdict{plan.Pass, plan.Blocker}
	three = []plan.Verdict{plan.Pass, plan.Unclear, plan.Blocker}
	four  = []plan.Verdict{plan.Pass, plan.Warn, plan.Unclear, plan.Blocker}
)

// ruled is what a gate decides, spelled as the language does it: five rules,
// the first that fits.
func ruled(need int, results []string) string {
	count := func(result string) (n int) {
		for _, r := range results {
			if r == result {
				n++
			}
		}
		return n
	}
	if count("error") > 0 {
		return "error"
	}
	if count("blocker") > 0 {
		return "blocker"
	}
	if count("unclear") > 0 {
		return "unclear"
	}
	if count("pass") >= need {
		return "proceed"
	}
	return "warn"
}

// cases calls f with everything that the members of a gate can come to.
func cases(g *Gate, f func(results []string)) {
	results := make([]string, len(g.Panel))
	var choose func(i int)
	choose = func(i int) {
		if i == len(results) {
			f(results)
			return
		}
		results[i] = "error"
		choose(i + 1)
		for _, v := range g.Panel[i].Returns {
			results[i] = string(v)
			choose(i + 1)
		}
	}
	choose(0)
}

// Random panels, among them ones that no source gives: whatever they come to
// falls under one row, which says what the rules of the language say, and no
// row is there for nothing.
func TestEveryCaseOfAGateFallsUnderTheOneRowThatIsTrueOfIt(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 120 {
		var returns [][]plan.Verdict
		for range 1 + r.IntN(5) {
			can := []plan.Verdict{plan.Pass}
			for _, v := range plan.Verdicts[1:] {
				if r.IntN(2) == 0 {
					can = append(can, v)
				}
			}
			returns = append(returns, can)
		}
		p, step := panelOf(1+r.IntN(len(returns)), returns...)
		g := gateOf(p, "gate", step)
		used := make([]bool, len(g.Rows))
		routes := map[string]plan.Route{"error": step.Next.Error, "blocker": step.Next.Blocker, "unclear": step.Next.Unclear, "warn": step.Next.Warn}
		cases(g, func(results []string) {
			var under []int
			for i, row := range g.Rows {
				if row.Covers(results) {
					under = append(under, i)
				}
			}
			if len(under) != 1 {
				t.Fatalf("%v of %v with %d needed falls under %d rows", results, returns, g.Need, len(under))
			}
			row := g.Rows[under[0]]
			used[under[0]] = true
			want := ruled(g.Need, results)
			if row.Decision != want {
				t.Fatalf("%v of %v with %d needed: %s, want %s", results, returns, g.Need, row.Decision, want)
			}
			if want == "proceed" && (row.To != step.Next.Proceed || row.Route != nil) || want != "proceed" && (row.To != "" || len(row.Route) == 0 || !cmp.Equal(row.Route, routes[want])) {
				t.Fatalf("%v: %s leads to %q and %v", results, want, row.To, row.Route)
			}
			for i, result := range results {
				at := slices.IndexFunc(row.When, func(c Count) bool { return c.Result == result })
				if !slices.Contains(row.When[at].From, g.Panel[i].Name) {
					t.Fatalf("%v: %s says %s, and is not named for it in %+v", results, g.Panel[i].Name, result, row)
				}
			}
		})
		if i := slices.Index(used, false); i >= 0 {
			t.Fatalf("%v with %d needed: nothing falls under %+v", returns, g.Need, g.Rows[i])
		}
	}
}

func TestATableStaysReadableHoweverManyAreOnThePanel(t *testing.T) {
	for _, size := range []int{8, 40} {
		for need := 1; need <= size; need++ {
			p, step := panelOf(need, slices.Repeat([][]plan.Verdict{four}, size)...)
			if rows := len(gateOf(p, "gate", step).Rows); rows != 5 {
				t.Errorf("%d of %d: %d rows", need, size, rows)
			}
		}
	}
}

func TestARowSaysInWordsWhenAndWhat(t *testing.T) {
	type row [3]string
	for _, tc := range []struct {
		need    int
		returns [][]plan.Verdict
		want    []row
	}{
		{1, [][]plan.Verdict{two}, []row{
			{"error", "", "halt validator_error"},
			{"blocker", "", "recover up to 3 times, then halt recovery_exhausted; where it stalls, halt recovery_stalled"},
			{"pass", "", "go on to complete"},
		}},
		{2, [][]plan.Verdict{two, three}, []row{
			{"any error", "", "halt validator_error"},
			{"any blocker, no error", "", "recover up to 3 times, then halt recovery_exhausted; where it stalls, halt recovery_stalled"},
			{"any unclear, no error or blocker", "unclear from v2", "gather up to 2 rounds and decide anew, then ask me"},
			{"all 2 pass", "", "go on to complete"},
		}},
		{1, [][]plan.Verdict{four}, []row{{}, {}, {}, {"pass", "", "go on to complete"}, {"warn", "", "halt warn"}}},
		{2, [][]plan.Verdict{four, four, four}, []row{{}, {}, {},
			{"2 or more of 3 pass, the rest warn", "", "go on to complete"},
			{"fewer than 2 of 3 pass, the rest warn", "", "halt warn"},
		}},
		{1, [][]plan.Verdict{four, four}, []row{{}, {}, {},
			{"1 or more of 2 pass, the rest warn", "", "go on to complete"},
			{"all 2 warn", "", "halt warn"},
		}},
		{3, [][]plan.Verdict{two, four, four}, []row{{}, {}, {},
			{"all 3 pass", "", "go on to complete"},
			{"1 to 2 of 3 pass, the rest warn", "warn from v2, v3", "halt warn"},
		}},
		{2, [][]plan.Verdict{two, four}, []row{{}, {}, {},
			{"all 2 pass", "", "go on to complete"},
			{"1 of 2 passes, the rest warn", "warn from v2", "halt warn"},
		}},
		{1, [][]plan.Verdict{two, three, four}, []row{{}, {},
			{"any unclear, no error or blocker", "unclear from v2, v3", "gather up to 2 rounds and decide anew, then ask me"},
			{"2 or more of 3 pass, the rest warn", "warn from v3", "go on to complete"},
		}},
	} {
		p, step := panelOf(tc.need, tc.returns...)
		g := gateOf(p, "gate", step)
		if len(g.Rows) != len(tc.want) {
			t.Errorf("%d of %v: %d rows, want %d", tc.need, tc.returns, len(g.Rows), len(tc.want))
			continue
		}
		for i, r := range g.Rows {
			got := row{caseOf(g, r), whoOf(g, r), consequence(r)}
			if tc.want[i] != (row{}) && got != tc.want[i] {
				t.Errorf("%d of %v, row %d:\n%q, want\n%q", tc.need, tc.returns, i+1, got, tc.want[i])
			}
		}
	}
}

func TestWhatATerminalWouldObeyIsShown(t *testing.T) {
	title := "clear \x1b[2J\u202e"
	tab := &Table{Protocol: "a\x1b[0m", Title: &title}
	var out bytes.Buffer
	if err := WriteText(&out, tab); err != nil {
		t.Fatal(err)
	}
	if got, want := out.String(), "protocol \"a\\x1b[0m\" \"clear \\x1b[2J\\u202e\"\n\nanywhere\n"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}
