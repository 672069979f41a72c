package compiler

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"time"

	"github.com/snodo-lang/snodo/compiler/plan"
	"github.com/snodo-lang/snodo/lang"
)

// The defaults of the language, written out in every plan.
const (
	turnsWithGrants    = 20
	turnsWithoutGrants = 3
	judgeTokens        = 4096
	judgeTimeout       = 5 * time.Minute
	checkTimeout       = 10 * time.Minute
	commandTimeout     = 60 * time.Minute
	modelTurns         = 60
	modelTokens        = 8192
	modelTimeout       = 60 * time.Minute
	taskTurns          = 1
	prepareTimeout     = 10 * time.Minute
	obtainTimeout      = 5 * time.Minute
)

// A lowerer makes the plan of a package that has no error, so that every
// reference resolves and every required field is there.
type lowerer struct {
	*compilation
	plan *plan.Plan
}

// lower writes the plan. It holds everything that the package declares, and
// what that uses of its imports, directly or not; the sources of all packages
// that were read, since every one of them was checked. That of a library has
// no protocol: it is for comparing, and never sealed.
func lower(c *compilation) error {
	f := c.forms[c.root]
	l := newLowerer(c)
	if f.protocol != nil {
		l.plan.Protocol = l.protocol(f)
	}
	l.plan.Sources = l.sources()
	for _, r := range f.roles {
		l.role(r)
	}
	for _, e := range f.evidence {
		l.evidence(e)
	}
	for _, k := range f.coders {
		l.coder(k)
	}
	for _, j := range f.judges {
		l.validator(j)
	}
	for _, k := range f.checks {
		l.validator(k)
	}
	for _, r := range f.rules {
		l.validator(r)
	}
	for _, s := range f.stages {
		l.plan.Stages[key(s)] = l.stage(s)
	}
	c.plan = l.plan
	return nil
}

// newLowerer begins a plan that holds nothing of the package yet.
func newLowerer(c *compilation) *lowerer {
	return &lowerer{compilation: c, plan: &plan.Plan{
		Schema: plan.Schema, Edition: plan.Edition, Compiler: plan.Compiler,
		Roles: make(map[string]plan.Role), Evidence: make(map[string]plan.Evidence), Coders: make(map[string]plan.Coder),
		Wording: wording(), Validators: make(plan.Validators), Stages: make(map[string]plan.Stage),
	}}
}

// key returns the name of a declaration in the plan.
func key(f form) string { return f.home().prefix + f.declaration().Name.Text }

// must returns what ref refers to. The package has no error, so it resolves.
func must[T form](l *lowerer, ref lang.Ref) T {
	f, ok := at[T](l.uses, ref)
	if !ok {
		panic(fmt.Sprintf("compiler: %s at %s:%d does not resolve", ref, ref.Range.File, ref.Range.Start.Line))
	}
	return f
}

func (l *lowerer) protocol(f *forms) plan.Protocol {
	p := f.protocol
	out := plan.Protocol{Name: p.decl.Name.Text, Title: title(p.decl), Protects: values(p.protects)}
	if p.starts != nil {
		out.Starts = key(must[*stageForm](l, *p.starts))
	} else {
		out.Starts = key(f.stages[0])
	}
	if p.prepare != nil {
		out.Prepare = &plan.Command{Run: p.prepare.text.Value, TimeoutMS: milliseconds(p.prepare.timeout, prepareTimeout)}
	}
	return out
}

func (l *lowerer) sources() []plan.Source {
	var out []plan.Source
	for _, u := range l.units {
		for _, f := range u.files {
			sum := sha256.Sum256(f.text)
			out = append(out, plan.Source{Path: f.path, SHA256: hex.EncodeToString(sum[:])})
		}
	}
	slices.SortFunc(out, func(a, b plan.Source) int { return cmp.Compare(a.Path, b.Path) })
	return out
}

// The following write one declaration and what it needs into the plan, and
// return its name there.

func (l *lowerer) role(f *roleForm) string {
	k := key(f)
	r := plan.Role{Title: f.decl.Title.Value}
	if f.decl.Key != nil {
		r.Key = &f.decl.Key.Value
	}
	l.plan.Roles[k] = r
	return k
}

func (l *lowerer) evidence(f *evidenceForm) string {
	k := key(f)
	e := plan.Evidence{Request: f.decl.Title.Value, Params: []plan.Param{}}
	if f.from != nil {
		owner := l.role(must[*roleForm](l, *f.from))
		e.Owner = &owner
	}
	for _, p := range f.params {
		param := plan.Param{Name: p.Name.Text, Type: p.Type.Text}
		if param.Type == plan.TypeOneOf {
			param.Of = values(p.OneOf)
		}
		e.Params = append(e.Params, param)
	}
	if f.obtain != nil {
		e.Obtain = &plan.Obtain{Argv: values(f.obtain.argv), TimeoutMS: milliseconds(f.obtain.timeout, obtainTimeout)}
	}
	l.plan.Evidence[k] = e
	return k
}

func (l *lowerer) coder(f *coderForm) string {
	k := key(f)
	if f.run != nil {
		timeout := f.run.timeout
		if timeout == nil {
			timeout = f.timeout
		}
		l.plan.Coders[k] = plan.Coder{Kind: plan.CoderCommand, Run: f.run.text.Value, TimeoutMS: milliseconds(timeout, commandTimeout)}
		return k
	}
	l.plan.Coders[k] = plan.Coder{
		Kind: plan.CoderModel, Model: f.model.Value,
		Turns: numberOr(f.turns, modelTurns), Tokens: numberOr(f.tokens, modelTokens), TimeoutMS: milliseconds(f.timeout, modelTimeout),
	}
	return k
}

func (l *lowerer) validator(f form) string {
	k := key(f)
	if _, done := l.plan.Validators[k]; done {
		return k
	}
	switch f := f.(type) {
	case *judgeForm:
		l.plan.Validators[k] = l.judge(f)
	case *checkForm:
		l.plan.Validators[k] = &plan.Check{
			Kind: plan.KindCheck, Phase: f.phase.Text, Returns: returnsOf(f),
			Run: f.run.text.Value, TimeoutMS: milliseconds(f.run.timeout, checkTimeout),
		}
	case *ruleForm:
		r := &plan.Rule{Kind: plan.KindRule, Phase: f.phase.Text, Returns: returnsOf(f), Predicate: f.predicate}
		switch f.predicate {
		case plan.FilesInScope:
			r.Args.Paths = values(f.paths)
		case plan.TestsExistForModified:
			r.Args.Modified, r.Args.TestedBy = values(f.modified), values(f.testedBy)
		case plan.NoSecretsInDiff:
			r.Args.Ruleset = plan.SecretsRuleset
		default:
			panic("compiler: no such predicate: " + f.predicate)
		}
		l.plan.Validators[k] = r
	default:
		panic(fmt.Sprintf("compiler: no such validator: %T", f))
	}
	return k
}

func (l *lowerer) judge(f *judgeForm) *plan.Judge {
	j := &plan.Judge{
		Kind: plan.KindJudge, Title: title(f.decl), Phase: f.phase.Text, Returns: returnsOf(f),
		Criteria: []plan.Criterion{}, Grants: grants(f.grants), Requests: []string{}, Tools: []plan.Tool{},
	}
	all, _ := l.criteriaOf(f)
	for _, k := range all {
		j.Criteria = append(j.Criteria, plan.Criterion{Name: k.name.Text, Text: k.text.Value})
	}
	for _, ref := range f.evidence() {
		k := l.evidence(must[*evidenceForm](l, ref))
		if !slices.Contains(j.Requests, k) {
			j.Requests = append(j.Requests, k)
		}
	}
	turns := turnsWithoutGrants
	if len(j.Grants) > 0 {
		turns = turnsWithGrants
	}
	j.Budget = plan.Budget{Turns: numberOr(f.turns, turns), Tokens: numberOr(f.tokens, judgeTokens), TimeoutMS: milliseconds(f.timeout, judgeTimeout)}
	if f.model != nil {
		j.Model = &f.model.Value
	}
	return j
}

// grants flattens lines of tools, powers left out.
func grants(lines []*grantLine) []plan.Grant {
	out := []plan.Grant{}
	for _, line := range lines {
		for _, t := range line.tools {
			if !isPower(t.Text) {
				out = append(out, plan.Grant{Tool: t.Text, In: values(line.in)})
			}
		}
	}
	return out
}

// title returns the text behind a name, nil where there is none.
func title(d *lang.Declaration) *string {
	if d.Title == nil {
		return nil
	}
	return &d.Title.Value
}

func values(texts []lang.Text) []string {
	out := []string{}
	for _, t := range texts {
		out = append(out, t.Value)
	}
	return out
}

func numberOr(n *lang.Number, otherwise int) int {
	if n == nil {
		return otherwise
	}
	return n.Value
}

func milliseconds(d *lang.Duration, otherwise time.Duration) int64 {
	if d == nil {
		return otherwise.Milliseconds()
	}
	return d.Milliseconds
}
