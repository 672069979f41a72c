package runtime

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/snodo-lang/snodo/compiler/plan"
	"github.com/snodo-lang/snodo/runtime/record"
	"github.com/snodo-lang/snodo/runtime/verdict"
)

// A Rehearsal plays the judges of a run. Checks and rules are real in it.
type Rehearsal struct {
	Spec   string // as it was typed
	all    plan.Verdict
	byName map[string]plan.Verdict
}

// ParseRehearsal reads a spec: one verdict for every judge, or NAME=VERDICT
// pairs behind commas, where a judge that is not named passes. The names and
// verdicts must be those of judges of the plan.
func ParseRehearsal(spec string, p *plan.Plan) (*Rehearsal, error) {
	r := &Rehearsal{Spec: spec, all: plan.Pass, byName: map[string]plan.Verdict{}}
	if !strings.Contains(spec, "=") {
		r.all = plan.Verdict(spec)
		if !slices.Contains(plan.Verdicts, r.all) {
			return nil, fmt.Errorf("%q is no verdict: rehearse pass, warn, unclear or blocker, or NAME=VERDICT pairs", spec)
		}
		return r, r.fits(p)
	}
	for pair := range strings.SplitSeq(spec, ",") {
		name, word, ok := strings.Cut(strings.TrimSpace(pair), "=")
		if !ok {
			return nil, fmt.Errorf("%q is no NAME=VERDICT pair", pair)
		}
		if _, judge := p.Validators[name].(*plan.Judge); !judge {
			return nil, fmt.Errorf("there is no judge %q%s", name, known(judges(p)))
		}
		if _, twice := r.byName[name]; twice {
			return nil, fmt.Errorf("judge %q is named twice", name)
		}
		r.byName[name] = plan.Verdict(word)
	}
	return r, r.fits(p)
}

// fits refuses a verdict that its judge cannot return: what is rehearsed must
// be able to happen.
func (r *Rehearsal) fits(p *plan.Plan) error {
	for _, name := range judges(p) {
		j := p.Validators[name].(*plan.Judge)
		if v := r.verdict(name); !slices.Contains(j.Returns, v) {
			return fmt.Errorf("judge %q cannot return %q; it returns %s", name, v, words(j.Returns))
		}
	}
	return nil
}

func judges(p *plan.Plan) []string {
	var names []string
	for _, name := range slices.Sorted(maps.Keys(p.Validators)) {
		if _, ok := p.Validators[name].(*plan.Judge); ok {
			names = append(names, name)
		}
	}
	return names
}

// known says which names there are.
func known(names []string) string {
	if len(names) == 0 {
		return ": the protocol has none"
	}
	return "; there are " + strings.Join(names, ", ")
}

func words(verdicts []plan.Verdict) string {
	var out []string
	for _, v := range verdicts {
		out = append(out, string(v))
	}
	return strings.Join(out, ", ")
}

func (r *Rehearsal) verdict(name string) plan.Verdict {
	if v, ok := r.byName[name]; ok {
		return v
	}
	return r.all
}

// play returns the result that the rehearsal has for a judge.
func (r *Rehearsal) play(name string, j *plan.Judge) record.Result {
	v := r.verdict(name)
	res := record.Result{Verdict: &v, Findings: []verdict.Finding{}}
	for _, c := range j.Criteria {
		f := verdict.Finding{Criterion: c.Name, Verdict: v, Because: "rehearsed", Quotes: []verdict.Quote{}}
		if v == plan.Unclear {
			f.Missing = []verdict.Missing{{Evidence: j.Requests[0]}}
		}
		res.Findings = append(res.Findings, f)
	}
	return res
}
