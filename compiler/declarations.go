package compiler

import (
	"fmt"
	"slices"
	"strings"

	"github.com/snodo-lang/snodo/compiler/plan"
	"github.com/snodo-lang/snodo/lang"
)

// declaration reads one declaration into its form.
func (r *fieldReader) declaration(d *lang.Declaration) {
	b := r.open(d)
	switch d.Kind {
	case lang.KindProtocol:
		r.protocol(b)
	case lang.KindRole:
		r.role(b)
	case lang.KindEvidence:
		r.evidence(b)
	case lang.KindCriteria:
		r.criteria(b)
	case lang.KindJudge:
		r.judge(b)
	case lang.KindCheck:
		r.check(b)
	case lang.KindRule:
		r.rule(b)
	case lang.KindControls:
		r.controls(b)
	case lang.KindCoder:
		r.coder(b)
	case lang.KindMode, lang.KindReview, lang.KindTask:
		r.stage(b)
	default:
		panic("compiler: no such kind of declaration: " + string(d.Kind))
	}
}

// keep makes a form known under its declaration.
func (r *fieldReader) keep(f form) { r.out.byDeclare[f.declaration()] = f }

func (r *fieldReader) protocol(b *block) {
	f := &protocolForm{base: b.base(), starts: b.ref("starts"), protects: b.texts("protects"), prepare: b.command("prepare")}
	if r.out.protocol == nil {
		r.out.protocol = f
	}
	r.keep(f)
}

func (r *fieldReader) role(b *block) {
	f := &roleForm{base: b.base()}
	if b.decl.Title != nil {
		r.says("role", *b.decl.Title)
	}
	if b.decl.Key != nil {
		r.says("key", *b.decl.Key)
	}
	r.out.roles = append(r.out.roles, f)
	r.keep(f)
}

func (r *fieldReader) evidence(b *block) {
	f := &evidenceForm{base: b.base(), from: b.decl.From}
	if b.decl.Title != nil {
		r.says("evidence", *b.decl.Title)
	}
	first := make(map[string]*lang.Param)
	for _, p := range b.decl.Params {
		r.param(p)
		if before, ok := first[p.Name.Text]; ok {
			r.report(paramTwice(p, before))
			continue
		}
		first[p.Name.Text] = p
		f.params = append(f.params, p)
	}
	argv, timeout := b.texts("obtain"), b.clause("obtain")
	if len(argv) > 0 {
		r.says("obtain", argv[0])
		f.obtain = &obtainForm{argv: argv, timeout: timeout}
	}
	r.out.evidence = append(r.out.evidence, f)
	r.keep(f)
}

func (r *fieldReader) param(p *lang.Param) {
	if lang.Reserved(p.Name.Text) {
		r.report(reservedName(p.Name))
	}
	switch {
	case slices.Contains(paramTypes, p.Type.Text):
	case typeFirst(p):
		r.report(paramReversed(p))
	default:
		r.report(wordUnknown(p.Type, "type of a parameter", paramTypes, nil))
	}
	var choices []lang.Name
	for _, t := range p.OneOf {
		if r.says("one of", t) {
			choices = append(choices, lang.Name{Text: t.Value, Range: t.Range})
		}
	}
	r.distinctNames("one of", choices)
}

// typeFirst reports whether a parameter is written the other way round, with
// its type before its name.
func typeFirst(p *lang.Param) bool {
	return slices.Contains(paramTypes, p.Name.Text) && !slices.Contains(paramTypes, p.Type.Text)
}

func (r *fieldReader) criteria(b *block) {
	f := &criteriaForm{base: b.base()}
	for _, s := range b.rulings {
		if c, ok := s.(*lang.Criterion); ok {
			f.criteria = append(f.criteria, r.criterion(c)...)
		}
	}
	r.out.criteria = append(r.out.criteria, f)
	r.keep(f)
}

// criterion reads one criterion; none where its text is no text.
func (r *fieldReader) criterion(c *lang.Criterion) []criterion {
	if lang.Reserved(c.Name.Text) {
		r.report(reservedName(c.Name))
	}
	t, ok := r.asText("criterion", c.Text)
	if !ok {
		return nil
	}
	r.says("criterion", t)
	return []criterion{{name: c.Name, text: t}}
}

func (r *fieldReader) judge(b *block) {
	f := &judgeForm{
		base: b.base(), grants: b.grants,
		phase: b.word("phase", "phase", phases), requests: r.requests(b), returns: r.returns(b),
		model: b.text("model"), turns: b.number("turns"), tokens: b.number("tokens"), timeout: b.duration("timeout"),
	}
	for _, s := range b.rulings {
		switch s := s.(type) {
		case *lang.Criterion:
			for _, c := range r.criterion(s) {
				f.rulings = append(f.rulings, ruling{criterion: &c})
			}
		case *lang.Field:
			for _, ref := range r.asRefs("include", s.Values) {
				f.rulings = append(f.rulings, ruling{include: &ref})
			}
		default:
			panic(fmt.Sprintf("compiler: no such ruling: %T", s))
		}
	}
	b.missing("phase", "say when it judges: `phase pre_execute` for the proposal, `phase post_execute` for the result")
	b.missing("requests", "say what it may ask for when it cannot tell: `requests EVIDENCE`; a judge without it would have to guess")
	if !b.present["include"] {
		b.missing("criterion", "write what must hold: `criterion NAME \"A sentence that holds or does not.\"`")
	}
	r.out.judges = append(r.out.judges, f)
	r.keep(f)
}

func (r *fieldReader) requests(b *block) *requestsForm {
	field, ok := b.fields["requests"]
	if !ok {
		return nil
	}
	refs := r.asRefs("requests", field.Values)
	r.distinctNames("requests", namesOf(refs))
	return &requestsForm{evidence: refs, vague: len(refs) < len(field.Values)}
}

// returns reads the verdicts of a judge, in the order in which they stand.
func (r *fieldReader) returns(b *block) *returnsForm {
	field, ok := b.fields["returns"]
	if !ok {
		return nil
	}
	f := &returnsForm{field: field}
	for _, v := range field.Values {
		ref := r.asRef("returns", v)
		if ref == nil {
			f.vague = true
			continue
		}
		n := nameOf(*ref)
		if !slices.Contains(returnable, n.Text) {
			r.report(wordUnknown(n, "verdict that a judge returns", returnable, namedIn(field.Values)))
			f.vague = true
			continue
		}
		f.verdicts = append(f.verdicts, n)
	}
	r.distinctNames("returns", f.verdicts)
	return f
}

// namedIn returns the names among some values.
func namedIn(values []lang.Value) []string {
	var out []string
	for _, v := range values {
		if ref, ok := v.(lang.Ref); ok {
			out = append(out, ref.String())
		}
	}
	return out
}

// distinctNames reports the names of a list that stand in it already.
func (r *fieldReader) distinctNames(field string, names []lang.Name) {
	first := make(map[string]lang.Name)
	for _, n := range names {
		if before, ok := first[n.Text]; ok {
			r.report(itemTwice(field, n, before))
			continue
		}
		first[n.Text] = n
	}
}

// namesOf returns references as the names that they are written as.
func namesOf(refs []lang.Ref) []lang.Name {
	var out []lang.Name
	for _, ref := range refs {
		out = append(out, nameOf(ref))
	}
	return out
}

func (r *fieldReader) check(b *block) {
	f := &checkForm{base: b.base(), phase: b.word("phase", "phase", phases), run: b.command("run")}
	b.missing("phase", "say when it runs: `phase post_execute` for the result, `phase pre_execute` for the tree before the work")
	b.missing("run", "say what is executed: `run \"go test ./...\"`")
	r.out.checks = append(r.out.checks, f)
	r.keep(f)
}

func (r *fieldReader) rule(b *block) {
	f := &ruleForm{base: b.base(), phase: b.word("phase", "phase", phases)}
	var words []lang.Name
	for _, p := range []string{plan.FilesInScope, plan.NoSecretsInDiff} {
		if field, ok := b.fields[p]; ok {
			words = append(words, field.Word)
		}
	}
	if b.tests != nil {
		words = append(words, b.tests.Word)
	}
	slices.SortFunc(words, func(x, y lang.Name) int { return x.Range.Start.Offset - y.Range.Start.Offset })
	for _, second := range words[min(1, len(words)):] {
		r.report(twoPredicates(second, words[0]))
	}
	if len(words) > 0 {
		f.predicate = words[0].Text
	}
	f.paths = b.texts(plan.FilesInScope)
	if b.tests != nil {
		f.modified = r.asTexts(plan.TestsExistForModified, b.tests.Modified)
		f.testedBy = r.asTexts("tested by", b.tests.TestedBy)
	}
	b.missing("phase", "rules look at the change: write `phase post_execute`")
	if !slices.ContainsFunc(places[lang.KindRule].words[1:], func(p string) bool { return b.present[p] }) {
		b.missing("predicate", "write one of "+list(places[lang.KindRule].words[1:]))
	}
	r.out.rules = append(r.out.rules, f)
	r.keep(f)
}

func (r *fieldReader) controls(b *block) {
	if b.decl.Subject == nil {
		return
	}
	f := &controlsForm{base: b.base(), subject: *b.decl.Subject}
	for _, s := range b.cases {
		t, ok := r.asText(s.Word.Text, s.Folder)
		if !ok {
			continue
		}
		c := &caseForm{node: s, folder: t}
		c.violates = namesOf(r.asRefs("violates", s.Violates))
		r.distinctNames("violates", c.violates)
		if s.Needs != nil {
			c.needs = r.asRef("needs", s.Needs)
		}
		f.cases = append(f.cases, c)
	}
	r.out.controls = append(r.out.controls, f)
}

func (r *fieldReader) coder(b *block) {
	f := &coderForm{
		base: b.base(), run: b.command("run"), model: b.text("model"),
		turns: b.number("turns"), tokens: b.number("tokens"), timeout: b.duration("timeout"),
	}
	run, isCommand := b.fields["run"]
	model, isModel := b.fields["model"]
	switch {
	case isCommand && isModel:
		first, second := run.Word, model.Word
		if second.Range.Start.Offset < first.Range.Start.Offset {
			first, second = second, first
		}
		r.report(coderRunAndModel(second, first))
	case isCommand:
		for _, word := range []string{"turns", "tokens"} {
			if field, ok := b.fields[word]; ok {
				r.report(coderBudgetOfCommand(field.Word, run.Word))
			}
		}
		if field, ok := b.fields["timeout"]; ok && run.Timeout != nil {
			r.report(fieldTwice(field.Word, run.Timeout.Word))
		}
	case !b.present["run"] && !b.present["model"]:
		b.missing("run or model", "say who does the work: `run \"claude -p\"` for a command, `model \"NAME\"` for a model")
	}
	r.out.coders = append(r.out.coders, f)
	r.keep(f)
}

func (r *fieldReader) grantLine(s *lang.Grants) *grantLine {
	line := &grantLine{node: s, in: r.asTexts("in", s.In)}
	for _, ref := range r.asRefs("grants", s.Tools) {
		n := nameOf(ref)
		if strings.Contains(n.Text, ".") {
			r.report(notATool(n))
			continue
		}
		line.tools = append(line.tools, n)
	}
	return line
}
