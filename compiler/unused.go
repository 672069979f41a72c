package compiler

import (
	"fmt"

	"github.com/snodo-lang/snodo/lang"
	"github.com/snodo-lang/snodo/lang/diag"
)

// checkUnused reports what nothing refers to, in a package that is run. A
// library is there to be used by others.
func checkUnused(c *compilation) error {
	f := c.forms[c.root]
	if f.protocol == nil || c.unsettled() {
		return nil
	}
	used, requested := c.usedForms()
	for _, d := range f.byDeclare {
		switch d := d.(type) {
		case *evidenceForm:
			if !requested[d] {
				c.report(neverRequested(d))
			}
		case *roleForm, *criteriaForm, *judgeForm, *checkForm, *ruleForm, *coderForm:
			if !used[d] {
				c.report(neverUsed(d))
			}
		case *protocolForm, *stageForm:
		default:
			panic(fmt.Sprintf("compiler: no such form: %T", d))
		}
	}
	for _, file := range c.root.files {
		for _, imp := range file.tree.Imports {
			if a := c.aliases[file.name].of(imp); a != nil && !c.aliasUsed(file, a) {
				c.report(importUnused(a))
			}
		}
	}
	return nil
}

// usedForms returns what is referred to from somewhere that counts, and the
// evidence that some judge may request. Controls use nothing: they are about
// a validator and do not make it decide anything.
func (c *compilation) usedForms() (used, requested map[form]bool) {
	used, requested = make(map[form]bool), make(map[form]bool)
	about := make(map[diag.Range]bool)
	for _, k := range c.forms[c.root].controls {
		about[k.subject.Range] = true
		for _, kase := range k.cases {
			if kase.needs != nil {
				about[kase.needs.Range] = true
			}
		}
	}
	for at, f := range c.uses {
		if !about[at] {
			used[f] = true
		}
	}
	for _, u := range c.units {
		for _, j := range c.forms[u].judges {
			for _, ref := range j.evidence() {
				requested[c.uses[ref.Range]] = true
			}
		}
	}
	return used, requested
}

// of returns the alias that an import statement made.
func (a aliases) of(imp *lang.Import) *alias {
	for _, each := range a {
		if each.node == imp {
			return each
		}
	}
	return nil
}

// aliasUsed reports whether a reference of the file goes through a.
func (c *compilation) aliasUsed(f *file, a *alias) bool {
	for at, target := range c.uses {
		if at.File == f.name && target.home() == a.target {
			return true
		}
	}
	return false
}

func neverUsed(f form) diag.Diagnostic {
	d := f.declaration()
	help := "leave it out, or name it where it is meant to be used"
	switch d.Kind {
	case lang.KindJudge, lang.KindCheck, lang.KindRule:
		help = "it runs where a gate lists it: put it in a `panel`, or leave it out"
	case lang.KindCoder:
		help = fmt.Sprintf("write `coder %s` in the mode or task that it works in, or leave it out", d.Name.Text)
	case lang.KindCriteria:
		help = fmt.Sprintf("write `include %s` in a judge, or leave it out", d.Name.Text)
	case lang.KindRole:
		help = fmt.Sprintf("write `from %s` at an evidence or `ask %s` in a route, or leave it out", d.Name.Text, d.Name.Text)
	}
	return diag.Diagnostic{
		Code: diag.SN210, Range: d.Name.Range,
		Message: fmt.Sprintf("%s is never used", called(d)),
		Help:    help,
	}
}

func neverRequested(e *evidenceForm) diag.Diagnostic {
	return diag.Diagnostic{
		Code: diag.SN604, Range: e.decl.Name.Range,
		Message: fmt.Sprintf("no judge may request %s", called(e.decl)),
		Help:    fmt.Sprintf("write `requests %s` in a judge, or leave it out", e.decl.Name.Text),
	}
}

func importUnused(a *alias) diag.Diagnostic {
	return diag.Diagnostic{
		Code: diag.SN210, Range: a.node.Range,
		Message: fmt.Sprintf("the import `%s` is never used in this file", a.name),
		Help:    fmt.Sprintf("use something of it, as in `%s.NAME`, or leave it out", a.name),
	}
}
