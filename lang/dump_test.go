package lang

import (
	"fmt"
	"strings"
)

// dump writes a tree as an S-expression, one statement a line. Positions are
// left out; TestRanges holds them.
func dump(f *File) string {
	var d dumper
	if f.Edition != nil {
		d.line("(snodo %d)", f.Edition.Number.Value)
	}
	for _, i := range f.Imports {
		d.imported(i)
	}
	for _, decl := range f.Decls {
		switch decl := decl.(type) {
		case *Declaration:
			d.declaration(decl)
		case *Unknown:
			d.unknown(decl)
		default:
			panic(fmt.Sprintf("no such declaration: %T", decl))
		}
	}
	for _, c := range f.Comments {
		d.line("; %s", c.Text)
	}
	if f.Damaged {
		d.line("damaged")
	}
	return d.String()
}

func (d *dumper) imported(i *Import) {
	alias := ""
	if i.Alias != nil {
		alias = " as " + i.Alias.Text
	}
	d.line("(import %q%s)", i.Path.Value, alias)
}

type dumper struct {
	strings.Builder
	depth int
}

func (d *dumper) line(format string, args ...any) {
	d.WriteString(strings.Repeat("  ", d.depth))
	fmt.Fprintf(d, format, args...)
	d.WriteByte('\n')
}

func (d *dumper) declaration(n *Declaration) {
	head := []string{string(n.Kind)}
	if n.Name.Text != "" {
		head = append(head, n.Name.Text)
	}
	if n.Subject != nil {
		head = append(head, n.Subject.String())
	}
	for _, p := range n.Params {
		param := p.Name.Text + " " + p.Type.Text
		for _, t := range p.OneOf {
			param += fmt.Sprintf(" %q", t.Value)
		}
		head = append(head, "("+param+")")
	}
	if n.From != nil {
		head = append(head, "from "+n.From.String())
	}
	if n.Title != nil {
		head = append(head, fmt.Sprintf("%q", n.Title.Value))
	}
	if n.Key != nil {
		head = append(head, fmt.Sprintf("key %q", n.Key.Value))
	}
	if n.Damaged {
		head = append(head, "damaged")
	}
	d.block(strings.Join(head, " "), n.Body)
}

func (d *dumper) block(head string, body []Stmt) {
	if body == nil {
		d.line("(%s)", head)
		return
	}
	d.line("(%s {", head)
	d.depth++
	for _, s := range body {
		d.statement(s)
	}
	d.depth--
	d.line("})")
}

func (d *dumper) statement(s Stmt) {
	switch s := s.(type) {
	case *Field:
		timeout := ""
		if s.Timeout != nil {
			timeout = " timeout" + values(s.Timeout.Value)
		}
		d.line("(field %s%s%s)", s.Word.Text, values(s.Values...), timeout)
	case *Grants:
		in := ""
		if s.InWord != nil {
			in = " in" + values(s.In...)
		}
		d.line("(grants%s%s)", values(s.Tools...), in)
	case *Criterion:
		d.line("(criterion %s%s)", s.Name.Text, values(s.Text))
	case *TestsExist:
		d.line("(tests_exist%s by%s)", values(s.Modified...), values(s.TestedBy...))
	case *Case:
		d.line("(%s%s violates%s needs%s)", s.Word.Text, values(s.Folder), values(s.Violates...), values(s.Needs))
	case *Gate:
		head := "gate " + s.Phase.Text
		if s.Title != nil {
			head += fmt.Sprintf(" %q", s.Title.Value)
		}
		if s.Damaged {
			head += " damaged"
		}
		d.block(head, s.Body)
	case *Proceed:
		if s.All != nil {
			d.line("(proceed %s)", s.All.Text)
		} else {
			d.line("(proceed%s of%s)", values(s.Need), values(s.Of))
		}
	case *Route:
		steps := ""
		for _, step := range s.Steps {
			steps += " (" + step.Word.Text + values(step.Arg) + ")"
		}
		d.line("(route %s%s)", s.Verdict.Text, steps)
	case *Unknown:
		d.unknown(s)
	default:
		panic(fmt.Sprintf("no such statement: %T", s))
	}
}

func (d *dumper) unknown(s *Unknown) {
	head := "unknown " + s.Word.Text
	for _, t := range s.Tokens {
		head += fmt.Sprintf(" %d:%s", t.Kind, t.Text)
	}
	d.block(head, s.Body)
	if s.Meant == nil {
		return
	}
	d.line("(meant %q", s.MeantWords)
	d.depth++
	switch m := s.Meant.(type) {
	case *Declaration:
		d.declaration(m)
	case *Import:
		d.imported(m)
	case Stmt:
		d.statement(m)
	default:
		panic(fmt.Sprintf("no such meaning: %T", m))
	}
	d.depth--
	d.line(")")
}

func values(vs ...Value) string {
	out := ""
	for _, v := range vs {
		switch v := v.(type) {
		case nil:
		case Text:
			out += fmt.Sprintf(" %q", v.Value)
		case Number:
			out += fmt.Sprintf(" %d", v.Value)
		case Duration:
			out += fmt.Sprintf(" %dms", v.Milliseconds)
		case Ref:
			out += " " + v.String()
		default:
			panic(fmt.Sprintf("no such value: %T", v))
		}
	}
	return out
}
