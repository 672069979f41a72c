package plan

import (
	"cmp"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"sync"
)

// Verify proves that p is closed: its digests fit, every name that it uses is
// declared in it, every word belongs to its set, every budget is in range,
// and every stage is total. The error is an *InvalidError.
func Verify(p *Plan) error {
	for _, check := range []func(*Plan) error{
		verifyHead, verifyNames, verifyDigests, verifyDeclarations, verifyValidators, verifyStages,
	} {
		if err := check(p); err != nil {
			return err
		}
	}
	return nil
}

func verifyHead(p *Plan) error {
	if p.Schema != Schema {
		return invalid("its schema is %q, and this program reads %s", p.Schema, Schema)
	}
	if p.Edition != Edition {
		return invalid("its edition is %d, and this program knows %d", p.Edition, Edition)
	}
	if _, ok := p.Stages[p.Protocol.Starts]; !ok {
		return invalid("it starts in %q, which is no stage of it", p.Protocol.Starts)
	}
	if c := p.Protocol.Prepare; c != nil && (c.Run == "" || !timeLimit(c.TimeoutMS)) {
		return invalid("prepare has no command or no time limit")
	}
	if len(p.Sources) == 0 {
		return invalid("it names no sources")
	}
	return nil
}

func verifyDigests(p *Plan) error {
	s, err := sums(p)
	if err != nil {
		return invalid("%v", err)
	}
	if p.Wording.Revision != s.wording {
		return invalid("the revision of its wording does not fit the wording")
	}
	for _, name := range sorted(p.Validators) {
		if p.Validators[name].Sum() != s.validators[name] {
			return invalid("the digest of validator %q does not fit it", name)
		}
	}
	digest, err := whole(p)
	if err != nil {
		return invalid("%v", err)
	}
	if p.Digest != digest {
		return invalid("its digest does not fit its contents: it was changed after it was compiled")
	}
	return nil
}

// planName is a name as it stands in a plan: behind the path of its package
// where it was imported.
var planName = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^((\./)?[A-Za-z0-9_.+@-]+(/[A-Za-z0-9_.+@ -]+)*\.|\.\.)?[A-Za-z_][A-Za-z0-9_]*(-[A-Za-z0-9_]+)*$`)
})

// verifyNames refuses what is no name: names reach terminals, files and
// models.
func verifyNames(p *Plan) error {
	names := slices.Concat([]string{p.Protocol.Name}, sorted(p.Roles), sorted(p.Evidence), sorted(p.Coders), sorted(p.Validators), sorted(p.Stages))
	for _, s := range p.Stages {
		names = append(names, sorted(s.Steps)...)
	}
	for _, name := range names {
		if !planName().MatchString(name) {
			return invalid("%q is no name", name)
		}
	}
	return nil
}

// maxTimeoutMS is the longest time limit there is, a day.
const maxTimeoutMS = 24 * 60 * 60 * 1000

func timeLimit(ms int64) bool { return ms > 0 && ms <= maxTimeoutMS }

// paramName is what the language lets a parameter be called.
var paramName = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*(-[A-Za-z0-9_]+)*$`) })

func verifyDeclarations(p *Plan) error {
	for _, name := range sorted(p.Evidence) {
		e := p.Evidence[name]
		if e.Owner != nil {
			if _, ok := p.Roles[*e.Owner]; !ok {
				return invalid("evidence %q belongs to %q, which is no role of it", name, *e.Owner)
			}
		}
		for _, param := range e.Params {
			if !slices.Contains([]string{TypeText, TypeName, TypePath, TypeLine, TypeOneOf}, param.Type) || !paramName().MatchString(param.Name) {
				return invalid("evidence %q has a parameter %q of type %q", name, param.Name, param.Type)
			}
			if (param.Type == TypeOneOf) != (len(param.Of) > 0) {
				return invalid("parameter %q of evidence %q: choices belong to the type %q and to no other", param.Name, name, TypeOneOf)
			}
		}
		if o := e.Obtain; o != nil && (len(o.Argv) == 0 || !timeLimit(o.TimeoutMS)) {
			return invalid("evidence %q is obtained without a command or a time limit", name)
		}
	}
	for _, name := range sorted(p.Coders) {
		c := p.Coders[name]
		if !timeLimit(c.TimeoutMS) || isCommand(c) == isModel(c) {
			return invalid("coder %q is neither a command nor a model with a prompt and a budget", name)
		}
	}
	return nil
}

func verifyValidators(p *Plan) error {
	for _, name := range sorted(p.Validators) {
		var err error
		switch v := p.Validators[name].(type) {
		case *Judge:
			err = verifyJudge(p, v)
		case *Check:
			if v.Kind != KindCheck || v.Run == "" || !timeLimit(v.TimeoutMS) || !decides(v.Returns) {
				err = fmt.Errorf("a check has a command and a time limit, and returns pass or blocker")
			}
		case *Rule:
			err = verifyRule(v)
		default:
			panic(fmt.Sprintf("plan: no such validator: %T", v))
		}
		if err == nil && !phase(p.Validators[name].InPhase()) {
			err = fmt.Errorf("there is no phase %q", p.Validators[name].InPhase())
		}
		if err != nil {
			return invalid("validator %q: %v", name, err)
		}
	}
	return nil
}

func phase(name string) bool { return name == PreExecute || name == PostExecute }

func decides(returns []Verdict) bool { return slices.Equal(returns, []Verdict{Pass, Blocker}) }

func verifyRule(r *Rule) error {
	a := r.Args
	fits := false
	switch r.Predicate {
	case FilesInScope:
		fits = len(a.Paths) > 0 && a.Modified == nil && a.TestedBy == nil && a.Ruleset == ""
	case TestsExistForModified:
		fits = a.Paths == nil && len(a.Modified) > 0 && len(a.TestedBy) > 0 && a.Ruleset == ""
	case NoSecretsInDiff:
		fits = a.Paths == nil && a.Modified == nil && a.TestedBy == nil && a.Ruleset != ""
	}
	if r.Kind != KindRule || !fits || !decides(r.Returns) || r.Phase != PostExecute {
		return fmt.Errorf("a rule is one of the predicates with its globs, after the work, and returns pass or blocker")
	}
	return nil
}

func verifyJudge(p *Plan, j *Judge) error {
	if j.Kind != KindJudge || j.Prompt == "" {
		return fmt.Errorf("a judge has a prompt")
	}
	for _, must := range []Verdict{Pass, Unclear, Blocker} {
		if !slices.Contains(j.Returns, must) {
			return fmt.Errorf("a judge can return %s", must)
		}
	}
	if !slices.IsSortedFunc(j.Returns, byGravity) || len(slices.Compact(slices.Clone(j.Returns))) != len(j.Returns) {
		return fmt.Errorf("what a judge returns is written once each, the mildest first")
	}
	names := make(map[string]bool)
	for _, c := range j.Criteria {
		if c.Name == "" || c.Text == "" || names[c.Name] {
			return fmt.Errorf("criterion %q is blank or stands twice", c.Name)
		}
		names[c.Name] = true
	}
	if len(j.Criteria) == 0 || len(j.Requests) == 0 {
		return fmt.Errorf("a judge has criteria and may request evidence")
	}
	for _, kind := range j.Requests {
		if _, ok := p.Evidence[kind]; !ok {
			return fmt.Errorf("it may request %q, which is no evidence of the plan", kind)
		}
	}
	if err := verifyGrants(j.Grants); err != nil {
		return err
	}
	var offered []string
	for _, t := range j.Tools {
		offered = append(offered, t.Name)
	}
	for _, g := range j.Grants {
		if !slices.Contains(ReadTools, g.Tool) || !slices.Contains(offered, g.Tool) {
			return fmt.Errorf("it is granted %q, which is no read tool that it is offered", g.Tool)
		}
	}
	for _, name := range offered {
		if !slices.ContainsFunc(j.Grants, func(g Grant) bool { return g.Tool == name }) {
			return fmt.Errorf("it is offered %q, which it is not granted", name)
		}
	}
	if j.SubmitVerdict.Name != SubmitVerdict {
		return fmt.Errorf("its verdict tool is %q", j.SubmitVerdict.Name)
	}
	b := j.Budget
	if b.Turns < 1 || b.Turns > 200 || b.Tokens < 1 || b.Tokens > 200000 || !timeLimit(b.TimeoutMS) {
		return fmt.Errorf("its budget is out of range")
	}
	return nil
}

func byGravity(a, b Verdict) int {
	return cmp.Compare(slices.Index(Verdicts, a), slices.Index(Verdicts, b))
}

func verifyGrants(grants []Grant) error {
	for _, g := range grants {
		if !slices.Contains(Tools, g.Tool) || slices.Contains(Powers, g.Tool) {
			return fmt.Errorf("there is no tool %q", g.Tool)
		}
	}
	return nil
}

// sorted returns the keys of m in order, so that the first fault that is
// found is the same every time.
func sorted[V any](m map[string]V) []string {
	return slices.Sorted(maps.Keys(m))
}
