package compiler

import (
	"fmt"
	"slices"
	"time"

	"github.com/snodo-lang/snodo/compiler/plan"
	"github.com/snodo-lang/snodo/lang"
	"github.com/snodo-lang/snodo/lang/diag"
)

// lost reports what a library no longer declares. In a package with a protocol
// a validator that no gate holds decides nothing, and nothing is lost with it.
func (c *comparison) lost() {
	if c.was.protocol() != nil {
		return
	}
	for name := range c.was.plan.Validators {
		if _, ok := c.validators[name]; !ok {
			c.found.Add(weaker(diag.SN901, c.is.head(), "declare it again", "%s is gone", c.calledThen(name)))
		}
	}
	c.lists()
}

// lists compares the criteria that others may include with what they were.
func (c *comparison) lists() {
	then, now := c.was.forms[c.was.root].criteria, c.is.forms[c.is.root].criteria
	heirs := heirs(likeliesOf(then), likeliesOf(now))
	for _, old := range then {
		at := slices.IndexFunc(now, func(f *criteriaForm) bool { return key(f) == heirs[key(old)] })
		if at < 0 {
			c.found.Add(weaker(diag.SN903, c.is.head(), "declare it again", "%s is gone", called(old.decl)))
			continue
		}
		c.sentences(ruledBy(old), ruledBy(now[at]), func(ruled) *lang.Declaration { return now[at].decl })
	}
}

func likeliesOf(lists []*criteriaForm) []likely {
	var out []likely
	for _, f := range lists {
		var texts []string
		for _, k := range f.criteria {
			texts = append(texts, k.text.Value)
		}
		slices.Sort(texts)
		out = append(out, likely{key(f), canonical(texts), string(lang.KindCriteria)})
	}
	return out
}

func ruledBy(f *criteriaForm) []ruled {
	var out []ruled
	for _, k := range f.criteria {
		out = append(out, ruled{k, k.name.Range, f})
	}
	return out
}

// validator compares what a validator asks with what it asked.
func (c *comparison) validator(old, now string) {
	switch is := c.is.declared[now].(type) {
	case *judgeForm:
		was := c.was.declared[old].(*judgeForm)
		c.criteria(was, is)
		before, after := c.was.plan.Validators[old].(*plan.Judge), c.is.plan.Validators[now].(*plan.Judge)
		c.returned(before, after, is)
		c.budget(before, after, was, is)
		c.reads(was, is)
		c.requested(before, after, is)
		c.model(before, after, is)
	case *checkForm:
		was, after := c.was.declared[old].(*checkForm).run.text, is.run.text
		if was.Value != after.Value {
			c.found.Add(weaker(diag.SN904, after.Range, "it was: "+quote(was.Value), "%s runs another command", called(is.decl)))
		}
	case *ruleForm:
		c.rule(c.was.declared[old].(*ruleForm), is)
	default:
		panic(fmt.Sprintf("compiler: no such validator: %T", is))
	}
}

// criteria reports criteria that a judge no longer rules on, and those whose
// sentence changed.
func (c *comparison) criteria(was, is *judgeForm) {
	before, _ := c.was.criteriaOf(was)
	after, _ := c.is.criteriaOf(is)
	c.sentences(before, after, func(old ruled) *lang.Declaration { return c.criterionHolder(old, is) })
}

// sentences compares criteria. One that only has another name is the same;
// holder is what lost one.
func (c *comparison) sentences(before, after []ruled, holder func(ruled) *lang.Declaration) {
	for _, old := range before {
		if slices.ContainsFunc(after, func(k ruled) bool { return k.text.Value == old.text.Value }) {
			continue
		}
		at := slices.IndexFunc(after, func(k ruled) bool { return k.name.Text == old.name.Text })
		if at >= 0 {
			c.found.Add(weaker(diag.SN903, after[at].text.Range, "it was: "+quote(old.text.Value), "the criterion `%s` says something else", old.name.Text))
			continue
		}
		d := holder(old)
		c.found.Add(weaker(diag.SN903, d.Header, fmt.Sprintf("write it again: `criterion %s %s`", old.name.Text, old.text.Raw),
			"%s lost the criterion `%s`", called(d), old.name.Text))
	}
}

// criterionHolder returns what lost a criterion: the criteria that still
// are included and held it, or else the judge.
func (c *comparison) criterionHolder(old ruled, is *judgeForm) *lang.Declaration {
	if old.from == nil {
		return is.decl
	}
	for _, r := range is.rulings {
		if r.include == nil {
			continue
		}
		set := must[*criteriaForm](&lowerer{compilation: c.is.compilation}, *r.include)
		if set.decl.Name.Text == old.from.decl.Name.Text {
			return set.decl
		}
	}
	return is.decl
}

func (c *comparison) returned(was, is *plan.Judge, f *judgeForm) {
	for _, v := range was.Returns {
		if slices.Contains(is.Returns, v) {
			continue
		}
		at := f.decl.Header
		if f.returns != nil {
			at = f.returns.field.Range
		}
		c.found.Add(weaker(diag.SN906, at, fmt.Sprintf("let it return `%s` again, and route it", v),
			"%s can no longer return `%s`", called(f.decl), v))
	}
}

// budget reports every part of a judge's budget that is smaller. The default
// of its turns follows its grants, whose loss is reported as that.
func (c *comparison) budget(was, is *plan.Judge, f, g *judgeForm) {
	for _, part := range []struct {
		what      string
		before    int64
		after     int64
		shown     func(int64) string
		at        diag.Range
		byDefault bool
	}{
		{"turns", int64(was.Budget.Turns), int64(is.Budget.Turns), shownNumber, orElse(g.turns, ofNumber, g.decl.Header), f.turns == nil && g.turns == nil},
		{"tokens", int64(was.Budget.Tokens), int64(is.Budget.Tokens), shownNumber, orElse(g.tokens, ofNumber, g.decl.Header), false},
		{"timeout", was.Budget.TimeoutMS, is.Budget.TimeoutMS, shownTime, orElse(g.timeout, ofDuration, g.decl.Header), false},
	} {
		if part.after < part.before && !part.byDefault {
			c.found.Add(weaker(diag.SN907, part.at, fmt.Sprintf("write `%s %s` again", part.what, part.shown(part.before)),
				"%s has less to judge with: `%s` is %s and was %s", called(g.decl), part.what, part.shown(part.after), part.shown(part.before)))
		}
	}
}

func shownNumber(n int64) string { return fmt.Sprint(n) }

// shownTime writes a time limit as the language does.
func shownTime(ms int64) string {
	d := time.Duration(ms) * time.Millisecond
	out := ""
	for _, unit := range []struct {
		size time.Duration
		name string
	}{{time.Hour, "h"}, {time.Minute, "m"}, {time.Second, "s"}, {time.Millisecond, "ms"}} {
		if n := d / unit.size; n > 0 {
			out += fmt.Sprint(int64(n), unit.name)
			d -= n * unit.size
		}
	}
	return out
}

// reads reports tools that a judge lost, and paths that they no longer reach.
func (c *comparison) reads(was, is *judgeForm) {
	before, after := reachOf(was.grants), reachOf(is.grants)
	for _, tool := range plan.ReadTools {
		old, had := before[tool]
		now, has := after[tool]
		switch {
		case !had:
		case !has:
			c.found.Add(weaker(diag.SN908, is.decl.Header, fmt.Sprintf("grant it again: `grants %s`", tool),
				"%s can no longer use `%s`", called(is.decl), tool))
		case len(now.beyond(old)) > 0:
			c.found.Add(weaker(diag.SN908, now.line.node.Range, "let it reach "+list(now.beyond(old))+" again",
				"%s reaches fewer paths with `%s`", called(is.decl), tool))
		}
	}
}

func (c *comparison) requested(was, is *plan.Judge, f *judgeForm) {
	for _, kind := range was.Requests {
		if slices.Contains(is.Requests, c.evidence[kind]) {
			continue
		}
		at := f.decl.Header
		if refs := f.evidence(); len(refs) > 0 {
			at = refs[0].Range
		}
		c.found.Add(weaker(diag.SN908, at, fmt.Sprintf("let it request `%s` again", word(kind)),
			"%s may no longer request `%s`", called(f.decl), word(kind)))
	}
}

func (c *comparison) model(was, is *plan.Judge, f *judgeForm) {
	if was.Model == nil || is.Model != nil && *is.Model == *was.Model {
		return
	}
	by := "the model of the run"
	if is.Model != nil {
		by = quote(*is.Model)
	}
	c.found.Add(weaker(diag.SN909, orElse(f.model, ofText, f.decl.Header), fmt.Sprintf("write `model \"%s\"` again", *was.Model),
		"%s is played by %s and was by %s", called(f.decl), by, quote(*was.Model)))
}

// rule reports a predicate that more changes satisfy.
func (c *comparison) rule(was, is *ruleForm) {
	report := func(at diag.Range, help, format string, args ...any) {
		c.found.Add(weaker(diag.SN905, at, help, "%s demands less: %s", called(is.decl), fmt.Sprintf(format, args...)))
	}
	switch {
	case was.predicate != is.predicate:
		report(is.decl.Header, fmt.Sprintf("write `%s` again, and the other predicate in a rule of its own", was.predicate),
			"it was `%s` and is `%s`", was.predicate, is.predicate)
	case is.predicate == plan.FilesInScope:
		before := indexGlobs(values(was.paths))
		for _, g := range is.paths {
			if !before.covers(g.Value) {
				report(g.Range, "leave it out", "`%s` may change too", g.Value)
			}
		}
	case is.predicate == plan.TestsExistForModified:
		now := indexGlobs(values(is.modified))
		for _, g := range was.modified {
			if !now.covers(g.Value) {
				report(is.decl.Header, fmt.Sprintf("write `%s` again", g.Value), "files that match `%s` need no test any more", g.Value)
			}
		}
		for _, g := range is.testedBy {
			if !slices.Contains(values(was.testedBy), g.Value) {
				report(g.Range, "leave it out", "a file that matches `%s` counts as a test too", g.Value)
			}
		}
	}
}

// A reach is what the lines that grant a tool let it touch.
type reach struct {
	line  *grantLine // the first
	globs []string   // none is everything
	all   bool
}

func reachOf(lines []*grantLine) map[string]reach {
	out := make(map[string]reach)
	for _, line := range lines {
		for _, t := range line.tools {
			r, ok := out[t.Text]
			if !ok {
				r.line = line
			}
			r.all = r.all || len(line.in) == 0
			r.globs = append(r.globs, values(line.in)...)
			out[t.Text] = r
		}
	}
	return out
}

// beyond returns what other reaches and r does not.
func (r reach) beyond(other reach) []string {
	switch {
	case r.all:
		return nil
	case other.all:
		return []string{"**"}
	}
	var out []string
	reached := indexGlobs(r.globs)
	for _, g := range other.globs {
		if !reached.covers(g) {
			out = append(out, g)
		}
	}
	return out
}
