package compiler

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"path"
	"slices"

	"github.com/snodo-lang/snodo/compiler/plan"
	"github.com/snodo-lang/snodo/lang/diag"
)

// TrialStage is the name of the one stage of a trial's plan. It says nothing
// of controls: a judge that knew of them might judge otherwise.
const TrialStage = "review"

// trialRole is who is asked in a trial, where the package has no such role.
const trialRole = "author"

// A Trial is a validator with its known cases, and the plan by which they are
// run: a review whose only gate has the validator alone in its panel. The
// validator, and so its digest, is that of the package's own plan.
type Trial struct {
	Validator string // by its name in the plan
	Plan      *plan.Plan
	Cases     []Case
	Range     diag.Range // of its name, where it is declared
}

// A Case is one known case of a validator.
type Case struct {
	Folder   string       // as it is written in the package
	Path     string       // slash-separated, from the root of the source's file system
	Sum      string       // SHA-256 of what is in the folder, in hexadecimal
	Expect   plan.Verdict // pass, blocker or unclear
	Violates []string     // of a blocker: the criteria that must be the ones found
	Needs    string       // of an unclear verdict: the evidence that must be requested, by its name in the plan
}

// Trials checks the package and, where no error stands, returns what its own
// controls are for, in the order in which they are written. A library, which
// has no protocol, has trials like any package. The error is operational, as
// that of Check.
func Trials(src Source) ([]Trial, Report, error) {
	c := &compilation{source: src}
	if err := c.run(checking); err != nil || !c.result().OK() {
		return nil, c.result(), err
	}
	var out []Trial
	err := c.run([]stage{{"trials", func(c *compilation) error {
		var err error
		out, err = c.trials()
		return err
	}}})
	return out, c.result(), err
}

func (c *compilation) trials() ([]Trial, error) {
	var out []Trial
	for _, k := range c.forms[c.root].controls {
		subject := c.uses[k.subject.Range]
		p, err := c.trialPlan(subject)
		if err != nil {
			return nil, err
		}
		t := Trial{Validator: key(subject), Plan: p, Range: subject.declaration().Name.Range}
		for _, kase := range k.cases {
			one, err := c.trialCase(kase)
			if err != nil {
				return nil, err
			}
			t.Cases = append(t.Cases, one)
		}
		out = append(out, t)
	}
	return out, nil
}

func (c *compilation) trialCase(k *caseForm) (Case, error) {
	out := Case{Folder: k.folder.Value, Path: path.Join(c.root.place.dir, k.folder.Value), Violates: []string{}}
	switch word := k.node.Word.Text; word {
	case "good":
		out.Expect = plan.Pass
	case "bad":
		out.Expect = plan.Blocker
	case "undecidable":
		out.Expect = plan.Unclear
	default:
		panic("compiler: no such case: " + word)
	}
	for _, v := range k.violates {
		out.Violates = append(out.Violates, v.Text)
	}
	if k.needs != nil {
		out.Needs = key(c.uses[k.needs.Range])
	}
	sum, err := folderDigest(c.fileSystem(c.root.place), out.Path)
	if err != nil {
		return Case{}, &ReadError{Path: c.show(c.root.place, out.Path), Err: err}
	}
	out.Sum = hex.EncodeToString(sum[:])
	return out, nil
}

// trialPlan makes the plan in which a validator is alone.
func (c *compilation) trialPlan(subject form) (*plan.Plan, error) {
	f := c.forms[c.root]
	l := newLowerer(c)
	l.plan.Protocol.Name = "library"
	if f.protocol != nil {
		l.plan.Protocol = l.protocol(f)
	}
	l.plan.Protocol.Protects = []string{}
	l.plan.Protocol.Starts = TrialStage
	name := l.validator(subject)
	// No file: a recording of the trial fits whatever else the package says.
	sum := sha256.Sum256([]byte(name))
	l.plan.Sources = []plan.Source{{Path: "trial/" + name, SHA256: hex.EncodeToString(sum[:])}}
	if _, taken := l.plan.Roles[trialRole]; !taken {
		l.plan.Roles[trialRole] = plan.Role{Title: "Whoever wrote the change"}
	}
	title := "Review"
	start, steps := trialSteps(name, l.plan.Validators[name])
	l.plan.Stages[TrialStage] = plan.Stage{
		Kind: plan.Review, Title: &title, Grants: []plan.Grant{}, CoderTools: []plan.Tool{}, Powers: []string{}, HandsTo: []string{},
		Start: start, Steps: steps,
	}
	writePrompts(l.plan)
	if err := plan.Seal(l.plan); err != nil {
		return nil, err
	}
	if err := plan.Verify(l.plan); err != nil {
		panic(fmt.Sprintf("compiler: the trial of %s: %v", name, err))
	}
	return l.plan, nil
}

// trialSteps is one gate and the end. Each verdict that the validator may
// return ends the run as itself, so that what it found can be told apart.
func trialSteps(name string, v plan.Validator) (string, plan.Steps) {
	g := &plan.Gate{
		Op: plan.OpGate, Phase: v.InPhase(), Panel: []string{name}, Observe: []string{}, Need: 1,
		Next: plan.GateNext{Proceed: completeStep, Error: plan.Route{{Do: plan.DoHalt, As: plan.HaltValidatorError}}},
	}
	if slices.Contains(v.CanReturn(), plan.Warn) {
		g.Next.Warn = plan.Route{{Do: plan.DoHalt, As: plan.HaltWarn}}
	}
	if slices.Contains(v.CanReturn(), plan.Unclear) {
		g.Next.Unclear = plan.Route{{Do: plan.DoAsk, Role: trialRole}}
	}
	if slices.Contains(v.CanReturn(), plan.Blocker) {
		g.Next.Blocker = plan.Route{{Do: plan.DoHalt, As: plan.HaltBlocker}}
	}
	start := g.Phase + "-1"
	return start, plan.Steps{start: g, completeStep: complete(plan.EndComplete)}
}

// A Member is a validator of a panel with its own controls, for those who ask
// whether it is proven.
type Member struct {
	Validator string // by its name in the plan
	Of        plan.Validator
	Cases     []Case
}

// Proven compiles the package and, where no error stands, reports every
// member of a panel (SN802) that unproven gives a reason for. An observer
// decides nothing and needs no proof.
func Proven(src Source, unproven func(Member) string) (Report, error) {
	c := &compilation{source: src}
	if err := c.run(checking); err != nil || !c.result().OK() {
		return c.result(), err
	}
	if c.forms[c.root].protocol == nil {
		return c.result(), nil
	}
	if err := c.run(lowering); err != nil {
		return c.result(), err
	}
	trials, err := c.trials()
	if err != nil {
		return c.result(), err
	}
	cases := make(map[string][]Case)
	for _, t := range trials {
		cases[t.Validator] = append(cases[t.Validator], t.Cases...)
	}
	asked := make(map[form]bool)
	for _, s := range c.forms[c.root].stages {
		for _, g := range s.gates {
			v, _ := c.view(s, g)
			for _, m := range v.deciding {
				if asked[m.form] {
					continue
				}
				asked[m.form] = true
				name := key(m.form)
				of := Member{name, c.plan.Validators[name], cases[name]}
				if why := unproven(of); why != "" {
					c.report(notProven(m, of, why))
				}
			}
		}
	}
	return c.result(), nil
}

func notProven(m member, of Member, why string) diag.Diagnostic {
	help := fmt.Sprintf("run `snodo prove %s`", of.Validator)
	if len(of.Cases) == 0 {
		help = fmt.Sprintf("write `controls %s { … }` with a `good` and a `bad` case, and %s", m.ref, help)
	}
	return diag.Diagnostic{
		Code: diag.SN802, Range: m.ref.Range,
		Message: fmt.Sprintf("`%s` decides here and is not proven: %s", m.ref, why),
		Help:    help,
	}
}
