package command

import (
	"fmt"
	"os"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/snodo-lang/snodo/runtime/record/stats"
)

// worded is the text of a report, from its first line on.
func worded(r stats.Report, print func(*statsText)) string {
	t := newStatsText(r)
	print(t)
	return "\n" + t.String()
}

func TestStatisticsLookAsDesigned(t *testing.T) {
	asked := stats.Figures{Tally: stats.Tally{Pass: 118, Blocker: 24, Unclear: 58}, Evidence: []stats.EvidenceCount{
		{Evidence: "runtime-capture", Unclear: 41}, {Evidence: "test-execution", Unclear: 13}, {Evidence: "human-read", Unclear: 4},
	}}
	r := stats.Report{Question: stats.Question{Last: 200}, Asked: stats.Stretch{Panel: asked}}
	want := `
verdicts, last 200
pass     118   59%
blocker   24   12%
unclear   58   29%
               runtime-capture  41   71%
               test-execution   13   22%
               human-read        4    7%
error      0    0%
`
	if diff := cmp.Diff(want, worded(r, (*statsText).verdicts)); diff != "" {
		t.Error(diff)
	}

	r.Before = &stats.Stretch{Panel: stats.Figures{Tally: stats.Tally{Pass: 11, Warn: 1, Blocker: 3, Unclear: 10}, Evidence: []stats.EvidenceCount{
		{Evidence: "runtime-capture", Unclear: 8}, {Evidence: "gone", Unclear: 2},
	}}}
	want = `
verdicts, last 200
pass     118   59%   up from 44%
warn       0    0%   down from 4%
blocker   24   12%   as before
unclear   58   29%   down from 40%
               runtime-capture  41   71%   down from 80%
               test-execution   13   22%   up from 0%
               human-read        4    7%   up from 0%
error      0    0%   as before
the change is against the 25 verdicts right before
`
	if diff := cmp.Diff(want, worded(r, (*statsText).verdicts)); diff != "" {
		t.Error(diff)
	}
}

func TestObserversStandApartAndNamesAreTold(t *testing.T) {
	panel := stats.Figures{
		Tally: stats.Tally{Pass: 40, Errors: 10},
		Judges: []stats.JudgeTally{
			{Judge: stats.Judge{Protocol: "a", Name: "security"}, Tally: stats.Tally{Pass: 31, Errors: 10}},
			{Judge: stats.Judge{Protocol: "b", Name: "security"}, Tally: stats.Tally{Pass: 9}},
		},
	}
	trial := stats.JudgeTally{Judge: stats.Judge{Protocol: "a", Name: "trial"}, Tally: stats.Tally{Pass: 1, Unclear: 40}}
	observers := stats.Figures{Tally: trial.Tally, Judges: []stats.JudgeTally{trial}}
	r := stats.Report{Asked: stats.Stretch{Panel: panel, Observers: observers}, Rehearsals: 2, Unread: []stats.Unread{{}}}
	want := `
verdicts, all 40
pass      40  100%
blocker    0    0%
unclear    0    0%
error     10   20%
observers, which gate nothing: 41 verdicts
pass       1    2%
blocker    0    0%
unclear   40   98%
error      0    0%
look at a/security: none of its 31 verdicts is unclear; a third verdict that is never used is a warning sign
look at trial (observer): 40 of its 41 verdicts are unclear, more than half; it lacks what it needs, or is asked what nobody can tell
left out: 2 rehearsals, 1 damaged record

by validator  verdicts       pass       warn    blocker    unclear      error
a/security          31    31 100%     0   0%     0   0%     0   0%    10  24%
b/security           9     9 100%     0   0%     0   0%     0   0%     0   0%

by validator, observers  verdicts       pass       warn    blocker    unclear      error
trial                          41     1   2%     0   0%     0   0%    40  98%     0   0%
`
	got := worded(r, func(t *statsText) { t.verdicts(); t.signs(); t.leftOut(); t.breakdown(byValidator) })
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestTwoValuesAreNeverInvented(t *testing.T) {
	f := stats.Figures{Tally: stats.Tally{Pass: 118, Blocker: 24, Unclear: 58}, Settled: stats.SettledTally{
		ByRuling: stats.Tally{Pass: 4, Blocker: 5}, ByLaterVerdict: stats.Tally{Pass: 9, Blocker: 4},
	}}
	want := `
verdicts, all 200, as two values would have put them
pass     131   66%   118 given, 13 instead of unclear
blocker   33   17%   24 given, 9 instead of unclear
unknown   36   18%   unclear, and no record says what else
error      0    0%
this rests on 22 of 58 unclear: 9 settled by a ruling, 13 by a later verdict on the same commit
`
	if diff := cmp.Diff(want, worded(stats.Report{Asked: stats.Stretch{Panel: f}}, (*statsText).asBinary)); diff != "" {
		t.Error(diff)
	}
	f.Settled = stats.SettledTally{}
	got := worded(stats.Report{Asked: stats.Stretch{Panel: f}}, (*statsText).asBinary)
	for _, want := range []string{"pass     118   59%", "unknown   58   29%", "this rests on 0 of 58 unclear"} {
		if !strings.Contains(got, want) {
			t.Errorf("%q is missing:%s", want, got)
		}
	}
}

func TestTitlesSayWhatIsCounted(t *testing.T) {
	day := time.Date(2026, 11, 30, 0, 0, 0, 0, time.UTC)
	for want, q := range map[string]stats.Question{
		"verdicts, all 3":                                            {},
		"verdicts, last 3":                                           {Last: 3},
		"verdicts, last 3: there are no more":                        {Last: 4},
		"verdicts, all 3 since 2026-11-30":                           {Since: day},
		"verdicts, last 3 since 2026-11-30T00:00:01Z":                {Last: 3, Since: day.Add(time.Second)},
		"no judge has given a verdict here since 2026-11-30; checks": {Since: day},
	} {
		r := stats.Report{Question: q}
		if strings.HasPrefix(want, "verdicts") {
			r.Asked.Panel.Pass = 3
		}
		got := worded(r, (*statsText).verdicts)
		if line, _, _ := strings.Cut(got[1:], "\n"); line != want && !strings.HasPrefix(line, want+" ") {
			t.Errorf("%q, want %q", line, want)
		}
	}
}

func TestPercentsAreRounded(t *testing.T) {
	var got []string
	for _, c := range [][2]int{{0, 0}, {0, 5}, {5, 5}, {1, 200}, {1, 201}, {2, 3}, {99999, 100000}} {
		got = append(got, share(c[0], c[1]))
	}
	want := []string{"   -", "  0%", "100%", "  1%", "  0%", " 67%", "100%"}
	if diff := cmp.Diff(fmt.Sprint(want), fmt.Sprint(got)); diff != "" {
		t.Error(diff)
	}
}

// A command that the page on unclear shows is one that its scenario types.
func TestThePageOnUnclearShowsCommandsThatRun(t *testing.T) {
	page, err := os.ReadFile("../../docs/unclear.md")
	if err != nil {
		t.Fatal(err)
	}
	scenario, err := os.ReadFile("../../testdata/script/stats_page.txtar")
	if err != nil {
		t.Fatal(err)
	}
	shown := regexp.MustCompile(`(?m)^snodo .*$`).FindAllString(string(page), -1)
	if len(shown) == 0 {
		t.Error("the page shows no command")
	}
	typed := strings.NewReplacer(" RUN", " $RUN", " FILE", " ../FILE", `"`, "'")
	for _, line := range shown {
		if !regexp.MustCompile(`(?m)^exit 0 ` + regexp.QuoteMeta(typed.Replace(line)) + `$`).Match(scenario) {
			t.Errorf("nothing types: %s", line)
		}
	}
}
