package compiler

import (
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/snodo-lang/snodo/compiler/plan"
	"github.com/snodo-lang/snodo/internal/nearest"
	"github.com/snodo-lang/snodo/lang"
	"github.com/snodo-lang/snodo/lang/diag"
)

// checkControls holds known cases to the validators that they are for and to
// their folders.
func checkControls(c *compilation) error {
	for _, u := range c.units {
		first := make(map[form]*controlsForm)
		for _, k := range c.forms[u].controls {
			subject, ok := c.uses[k.subject.Range]
			if !ok {
				continue
			}
			if before, ok := first[subject]; ok {
				c.report(controlsTwice(k, before))
			} else {
				first[subject] = k
			}
			for _, kase := range k.cases {
				c.controlCase(u, kase, subject)
			}
		}
		c.uncontrolled(u, first)
	}
	return nil
}

func (c *compilation) controlCase(u *unit, k *caseForm, subject form) {
	c.controlFolder(u, k, subject)
	judge, isJudge := subject.(*judgeForm)
	var criteria, requests []string
	known := true
	if isJudge {
		var all []ruled
		all, known = c.criteriaOf(judge)
		for _, r := range all {
			criteria = append(criteria, r.name.Text)
		}
		for _, ref := range judge.evidence() {
			requests = append(requests, ref.String())
		}
	}
	if subject.declaration().Damaged {
		return
	}
	for _, v := range k.violates {
		if known && !slices.Contains(criteria, v.Text) {
			c.report(notOfValidator(v, subject, "criterion", criteria, k.violates))
		}
	}
	if k.needs == nil {
		return
	}
	e, ok := at[*evidenceForm](c.uses, *k.needs)
	if !ok || isJudge && (!c.requestsKnown(judge) || c.mayRequest(judge, e)) || isJudge && judge.requests == nil {
		return
	}
	c.report(notOfValidator(nameOf(*k.needs), subject, "evidence", requests, nil))
}

func (c *compilation) mayRequest(j *judgeForm, e *evidenceForm) bool {
	return slices.ContainsFunc(j.evidence(), func(ref lang.Ref) bool { return c.uses[ref.Range] == form(e) })
}

// controlFolder reports a folder that is not there, or lacks what a case of
// its validator's phase is made of.
func (c *compilation) controlFolder(u *unit, k *caseForm, subject form) {
	dir := path.Join(u.place.dir, k.folder.Value)
	switch {
	case k.folder.Value == "":
		c.report(badPath(k.folder, "is blank", "name the folder of the case"))
		return
	case path.IsAbs(k.folder.Value):
		c.report(badPath(k.folder, "is absolute", "write it relative to the folder of the package"))
		return
	case !fs.ValidPath(dir):
		c.report(badPath(k.folder, "leaves the repository", "keep the cases in the repository"))
		return
	case strings.Contains(k.folder.Value, `\`):
		c.report(badPath(k.folder, "holds a backslash", "paths are written with `/`"))
		return
	case path.Clean(k.folder.Value) != k.folder.Value:
		c.report(notShortest(k.folder))
		return
	}
	need := []string{"task.md", "before/"}
	if p := phaseOf(subject); p != nil && p.Text == plan.PostExecute {
		need = append(need, "after/")
	}
	var lacking []string
	for _, n := range need {
		info, err := fs.Stat(c.fileSystem(u.place), path.Join(dir, n))
		if err != nil || info.IsDir() != (path.Ext(n) == "") {
			lacking = append(lacking, n)
		}
	}
	_, err := fs.Stat(c.fileSystem(u.place), dir)
	switch {
	case err != nil:
		c.report(caseMissing(k, c.show(u.place, dir), need))
	case len(lacking) > 0:
		c.report(caseIncomplete(k, lacking))
	}
}

// uncontrolled says once which judges of a unit have no good or no bad case.
func (c *compilation) uncontrolled(u *unit, controls map[form]*controlsForm) {
	var bare []*judgeForm
	for _, j := range c.forms[u].judges {
		k := controls[j]
		if k != nil && (k.decl.Damaged || k.has("good") && k.has("bad")) {
			continue
		}
		bare = append(bare, j)
	}
	if len(bare) > 0 {
		c.report(nothingShows(bare))
	}
}

func (k *controlsForm) has(word string) bool {
	return slices.ContainsFunc(k.cases, func(c *caseForm) bool { return c.node.Word.Text == word })
}

func controlsTwice(k, first *controlsForm) diag.Diagnostic {
	return diag.Diagnostic{
		Code: diag.SN215, Range: k.subject.Range,
		Message: fmt.Sprintf("`%s` has controls already", k.subject),
		Help:    "write all of its cases in one block",
		Related: []diag.Related{{Range: first.subject.Range, Message: "the first block"}},
	}
}

func notOfValidator(n lang.Name, subject form, what string, has []string, beside []lang.Name) diag.Diagnostic {
	d := diag.Diagnostic{
		Code: diag.SN705, Range: n.Range,
		Message: fmt.Sprintf("%s has no %s `%s`", called(subject.declaration()), what, n.Text),
		Help:    fmt.Sprintf("a %s has none: leave it out", subject.declaration().Kind),
		Related: []diag.Related{{Range: subject.declaration().Name.Range, Message: "what the controls are for"}},
	}
	if meant := nearest.To(n.Text, has); len(meant) == 1 {
		d.Help = fmt.Sprintf("did you mean `%s`?", meant[0])
		if !slices.ContainsFunc(beside, func(b lang.Name) bool { return b.Text == meant[0] }) {
			d.Edits = []diag.Edit{{Range: n.Range, Text: meant[0]}}
		}
	} else if len(has) > 0 {
		d.Help = fmt.Sprintf("it has %s", list(has))
	}
	return d
}

func caseMissing(k *caseForm, dir string, need []string) diag.Diagnostic {
	return diag.Diagnostic{
		Code: diag.SN703, Range: k.folder.Range,
		Message: fmt.Sprintf("the folder of this case is missing: %s", dir),
		Help:    fmt.Sprintf("make it, with %s in it", list(need)),
	}
}

func caseIncomplete(k *caseForm, lacking []string) diag.Diagnostic {
	return diag.Diagnostic{
		Code: diag.SN703, Range: k.folder.Range,
		Message: fmt.Sprintf("the folder of this case lacks %s", list(lacking)),
		Help:    "a case is a task (`task.md`), the tree before the work (`before/`) and, for what judges the result, the tree after it (`after/`)",
	}
}

func nothingShows(bare []*judgeForm) diag.Diagnostic {
	var names []string
	for _, j := range bare {
		names = append(names, j.decl.Name.Text)
	}
	has, it := "has", "it"
	if len(names) > 1 {
		has, it = "have", "they"
	}
	return diag.Diagnostic{
		Code: diag.SN704, Range: bare[0].decl.Name.Range,
		Message: fmt.Sprintf("%s %s no good and bad control: nothing shows that %s can fail", list(names), has, it),
		Help:    fmt.Sprintf("write `controls %s { … }` with a `good` and a `bad` case: a folder each, whose verdict is known", names[0]),
	}
}
