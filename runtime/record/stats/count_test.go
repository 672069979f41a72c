package stats

import (
	"context"
	"encoding/json"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/snodo-lang/snodo/compiler/plan"
	"github.com/snodo-lang/snodo/runtime/record"
)

// generated makes runs with many verdicts, oldest first, and tells apart for
// each run what its verdicts are.
func generated(t *testing.T, random *rand.Rand, verdicts int) (runs [][]record.Event, flat [][]record.Judged) {
	judges, kinds := []string{"security", "style", "docs"}, []string{"run", "read", "capture"}
	for n := 0; n < verdicts; {
		entries := []record.Entry{started(), taken(1, "c1")}
		var given []record.Judged
		start := entries[0].(record.Started)
		start.Protocol = []string{"p", "q"}[random.IntN(2)]
		if random.IntN(10) == 0 {
			start.Rehearsal = ptr("pass")
		}
		entries[0] = start
		for range random.IntN(12) {
			judge, v := judges[random.IntN(3)], plan.Verdicts[random.IntN(4)]
			e := judged(1, judge, v)
			if v == plan.Unclear {
				e = judged(1, judge, v, kinds[random.IntN(3)], kinds[random.IntN(3)])
			}
			switch random.IntN(8) {
			case 0:
				e = failed(judge)
			case 1:
				e = observed(e)
			case 2:
				e = ofKind(plan.KindCheck, e)
			}
			n++
			entries, given = append(entries, e), append(given, e)
		}
		runs = append(runs, events(t, entries...))
		if start.Rehearsal != nil {
			given = nil
		}
		flat = append(flat, given)
	}
	return runs, flat
}

// counted is the independent count: over a plain list of results, newest first,
// of those behind the first skip verdicts and up to want more.
func counted(flat [][]record.Judged, skip, want int) (tally Tally, evidence map[string]int) {
	evidence = map[string]int{}
	words := map[string]int{}
	seen := 0
	for i := len(flat) - 1; i >= 0; i-- {
		for k := len(flat[i]) - 1; k >= 0; k-- {
			res := flat[i][k].Result
			if res.Kind != "judge" || res.Observed || seen == skip+want {
				continue
			}
			skipped := seen < skip
			word := "error"
			if res.Verdict != nil {
				word = string(*res.Verdict)
				seen++
			}
			if skipped {
				continue
			}
			words[word]++
			if word != "unclear" {
				continue
			}
			missing := res.Findings[0].Missing
			evidence[missing[0].Evidence]++
			if missing[1].Evidence != missing[0].Evidence {
				evidence[missing[1].Evidence]++
			}
		}
	}
	return Tally{Pass: words["pass"], Warn: words["warn"], Unclear: words["unclear"], Blocker: words["blocker"], Errors: words["error"]}, evidence
}

func TestTheFiguresOfTenThousandVerdictsEqualAnIndependentCount(t *testing.T) {
	runs, flat := generated(t, rand.New(rand.NewPCG(1, 2)), 10_000)
	var records []Record
	for i := len(runs) - 1; i >= 0; i-- {
		records = append(records, memory(runName(i), runs[i]))
	}
	for _, last := range []int{0, 1, 7, 200, 2999, 4000, 50_000} {
		r, err := Read(context.Background(), slices.Values(records), Question{Last: last})
		if err != nil {
			t.Fatal(err)
		}
		limit := last
		if last == 0 {
			limit = 1 << 30
		}
		check := func(what string, f Figures, skip int) {
			tally, evidence := counted(flat, skip, limit)
			if diff := cmp.Diff(tally, f.Tally); diff != "" {
				t.Errorf("last %d, %s (-counted +figures)\n%s", last, what, diff)
			}
			got := map[string]int{}
			for _, e := range f.Evidence {
				got[e.Evidence] = e.Unclear
			}
			if diff := cmp.Diff(evidence, got, cmpopts.EquateEmpty()); diff != "" {
				t.Errorf("last %d, %s (-counted +figures)\n%s", last, what, diff)
			}
			sums(t, f)
		}
		check("asked", r.Asked.Panel, 0)
		sums(t, r.Asked.Observers)
		if r.Before != nil {
			check("before", r.Before.Panel, last)
		} else if last > 0 && last < 4000 {
			t.Errorf("last %d: there is nothing before", last)
		}
	}
}

// sums holds the parts of figures to their whole.
func sums(t *testing.T, f Figures) {
	t.Helper()
	var judges, findings Tally
	plus := func(sum *Tally, t Tally) {
		*sum = Tally{sum.Pass + t.Pass, sum.Warn + t.Warn, sum.Unclear + t.Unclear, sum.Blocker + t.Blocker, sum.Errors + t.Errors}
	}
	for _, j := range f.Judges {
		plus(&judges, j.Tally)
	}
	for _, c := range f.Criteria {
		plus(&findings, c.Tally)
	}
	if judges != f.Tally {
		t.Errorf("the judges sum to %+v, the whole is %+v", judges, f.Tally)
	}
	if findings.Errors = f.Errors; findings != f.Tally { // each judge has one criterion
		t.Errorf("the criteria sum to %+v, the whole is %+v", findings, f.Tally)
	}
	for _, e := range f.Evidence {
		n := 0
		for _, by := range e.Judges {
			n += by.Unclear
		}
		if n != e.Unclear || n > f.Unclear {
			t.Errorf("%s: %d of %d by judges, %d unclear in all", e.Evidence, n, e.Unclear, f.Unclear)
		}
	}
}

func TestTheEncodingHasEveryMemberAndNoShareOfNothing(t *testing.T) {
	r := answered(t, Question{}, started())
	out, err := r.Encode()
	if err != nil {
		t.Fatal(err)
	}
	var doc struct {
		Schema   string
		Last     *int
		Verdicts *int
		Before   any
		Unclear  *struct{ Share any }
		Judges   []any
		Unread   []any
	}
	if err := json.Unmarshal(out, &doc); err != nil {
		t.Fatal(err)
	}
	if doc.Schema != Schema || doc.Last != nil || doc.Verdicts == nil || doc.Unclear == nil || doc.Unclear.Share != nil || doc.Judges == nil || doc.Unread == nil {
		t.Errorf("%s", out)
	}
}

func TestTheEncodingHasTheSharesOfEachWhole(t *testing.T) {
	r := answered(t, Question{Last: 4}, started(), taken(1, "c1"),
		judged(1, "a", plan.Blocker), judged(1, "a", plan.Unclear, "run"), judged(1, "a", plan.Pass), failed("a"), judged(1, "b", plan.Unclear, "read"))
	out, err := r.Encode()
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		`"schema":"snodo.stats.v1","last":4,"since":null,"runs":1,"verdicts":4,"pass":{"count":1,"share":0.25},"warn":{"count":0,"share":0},"unclear":{"count":2,"share":0.5},"blocker":{"count":1,"share":0.25},"error":{"count":1,"share":0.2}`,
		`{"evidence":"read","count":1,"share":0.5,"judges":[{"protocol":"p","judge":"b","count":1}]}`,
		`"as_binary":{"pass":{"count":2,"share":0.5},"warn":{"count":0,"share":0},"blocker":{"count":1,"share":0.25},"unknown":{"count":1,"share":0.25},"cases":1,"by_ruling":{"pass":0,"warn":0,"blocker":0},"by_later_verdict":{"pass":1,"warn":0,"blocker":0}}`,
	} {
		if !strings.Contains(string(out), want) {
			t.Errorf("%s is not in\n%s", want, out)
		}
	}
}
