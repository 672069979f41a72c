package compiler

import (
	"fmt"
	"regexp"
	"slices"
	"sync"

	"github.com/snodo-lang/snodo/compiler/plan"
	"github.com/snodo-lang/snodo/internal/nearest"
	"github.com/snodo-lang/snodo/lang"
	"github.com/snodo-lang/snodo/lang/diag"
)

// placeholder is a name between braces; doubled braces around a name are
// literal, and every other brace is itself.
var placeholder = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`\{\{[A-Za-z_][A-Za-z0-9_]*(?:-[A-Za-z0-9_]+)*\}\}|\{([A-Za-z_][A-Za-z0-9_]*(?:-[A-Za-z0-9_]+)*)\}`)
})

// A slot is a placeholder in a text.
type slot struct {
	name string
	at   diag.Range
	// whole says that nothing else stands in the text.
	whole bool
}

func slots(t lang.Text) []slot {
	var out []slot
	for _, m := range placeholder().FindAllStringSubmatchIndex(t.Value, -1) {
		if m[2] < 0 {
			continue
		}
		out = append(out, slot{
			name:  t.Value[m[2]:m[3]],
			at:    within(t, m[0], m[1]),
			whole: m[0] == 0 && m[1] == len(t.Value),
		})
	}
	return out
}

// checkPlaceholders holds the texts of evidence to its parameters.
func checkPlaceholders(c *compilation) error {
	for _, u := range c.units {
		for _, e := range c.forms[u].evidence {
			c.evidenceSlots(e)
		}
		for _, r := range c.forms[u].rules {
			c.testSlots(r)
		}
	}
	return nil
}

// testSlots reports placeholders that the globs behind `tested by` do not have.
func (c *compilation) testSlots(r *ruleForm) {
	filled := []string{"stem", "dir"}
	for _, t := range r.testedBy {
		for _, s := range slots(t) {
			if !slices.Contains(filled, s.name) {
				c.report(notFilled(s, nearest.To(s.name, filled)))
			}
		}
	}
}

func (c *compilation) evidenceSlots(e *evidenceForm) {
	params := make(map[string]*lang.Param)
	var names []string
	used := make(map[string]bool)
	for _, p := range e.params {
		params[p.Name.Text] = p
		names = append(names, p.Name.Text)
		if typeFirst(p) {
			params[p.Type.Text] = p
			used[p.Name.Text] = true
		}
	}
	see := func(s slot) *lang.Param {
		p, ok := params[s.name]
		if ok {
			used[s.name] = true
			return p
		}
		if e.decl.Damaged {
			return nil
		}
		meant := c.near(s.name, names)
		for _, n := range meant {
			used[n] = true
		}
		c.report(noSuchParam(s, names, meant))
		return nil
	}
	if e.decl.Title != nil {
		for _, s := range slots(*e.decl.Title) {
			see(s)
		}
	}
	if e.obtain != nil {
		for i, arg := range e.obtain.argv {
			for _, s := range slots(arg) {
				if p := see(s); p != nil {
					c.obtainSlot(s, p, e.obtain.argv, i)
				}
			}
		}
	}
	for _, p := range e.params {
		if !used[p.Name.Text] && !e.decl.Damaged {
			c.report(paramUnused(p))
		}
	}
}

// obtainSlot reports a parameter that could turn what a judge says, or the
// name of a file, into a command.
func (c *compilation) obtainSlot(s slot, p *lang.Param, argv []lang.Text, i int) {
	script := i > 0 && slices.Contains([]string{"-c", "-e"}, argv[i-1].Value)
	switch p.Type.Text {
	case plan.TypeText:
		c.report(slotRefused(s, p, "a free text is never part of a command", "leave it out of `obtain`, or give the parameter the type `name` or `one of`"))
	case plan.TypePath:
		switch {
		case i == 0:
			c.report(slotRefused(s, p, "the name of a file is never the command itself", "write the program out, and the path as an argument of its own"))
		case !s.whole:
			c.report(slotRefused(s, p, "a path may only be an argument of its own", fmt.Sprintf("write `\"{%s}\"` as an argument of its own", s.name)))
		case script:
			c.report(slotRefused(s, p, fmt.Sprintf("behind `%s` the name of a file would be executed", argv[i-1].Value), "call a script of the repository, and give it the path as an argument"))
		}
	case plan.TypeName:
		if i == 0 {
			c.report(slotRefused(s, p, "what a judge says is never the command itself", "write the program out, or give the parameter the type `one of`"))
		}
	}
}

func noSuchParam(s slot, names, meant []string) diag.Diagnostic {
	d := diag.Diagnostic{
		Code: diag.SN603, Range: s.at,
		Message: fmt.Sprintf("`{%s}` names no parameter", s.name),
		Help:    fmt.Sprintf("declare it in the parentheses: `(%s text)`; for literal braces write `{{%s}}`", s.name, s.name),
	}
	switch {
	case len(meant) == 1:
		d.Help = fmt.Sprintf("did you mean `{%s}`?", meant[0])
		if d.Range.Valid() && s.at.End.Offset-s.at.Start.Offset == len(s.name)+2 {
			d.Edits = []diag.Edit{{Range: s.at, Text: "{" + meant[0] + "}"}}
		}
	case len(names) > 0:
		d.Help = fmt.Sprintf("the parameters are %s; for literal braces write `{{%s}}`", some(names), s.name)
	}
	return d
}

func notFilled(s slot, meant []string) diag.Diagnostic {
	d := diag.Diagnostic{
		Code: diag.SN603, Range: s.at,
		Message: fmt.Sprintf("`{%s}` names nothing that is known of the file to be tested", s.name),
		Help:    "write `{stem}` for what the last `*` matched and `{dir}` for the file's folder; a literal brace is written `[{]`",
	}
	if len(meant) == 1 {
		d.Help = fmt.Sprintf("did you mean `{%s}`?", meant[0])
		if s.at.End.Offset-s.at.Start.Offset == len(s.name)+2 {
			d.Edits = []diag.Edit{{Range: s.at, Text: "{" + meant[0] + "}"}}
		}
	}
	return d
}

func paramUnused(p *lang.Param) diag.Diagnostic {
	return diag.Diagnostic{
		Code: diag.SN603, Range: p.Name.Range,
		Message: fmt.Sprintf("the parameter `%s` is never used", p.Name.Text),
		Help:    fmt.Sprintf("put `{%s}` into the text, or leave the parameter out", p.Name.Text),
	}
}

func slotRefused(s slot, p *lang.Param, why, help string) diag.Diagnostic {
	return diag.Diagnostic{
		Code: diag.SN602, Range: s.at,
		Message: fmt.Sprintf("`{%s}`, which is of type %s, may not stand here: %s", s.name, p.Type.Text, why),
		Help:    help,
		Related: []diag.Related{{Range: p.Range, Message: "declared here"}},
	}
}
