package compiler

import (
	"slices"

	"github.com/snodo-lang/snodo/lang"
)

// A roleGuess is a role to put into a help, and whether it is certain.
type roleGuess struct {
	name    string
	certain bool
}

// someRole returns the role that a route of the gate would ask: the one that
// the other routes of its stage ask, or else the owner of what the panel may
// request, or else the only one there is. It is certain where one of these
// is a single role.
func (c *compilation) someRole(v *gateView) roleGuess {
	for _, candidates := range []map[string]bool{c.asked(v), c.owners(v), c.declaredRoles(v)} {
		if len(candidates) > 1 {
			break
		}
		for name := range candidates {
			return roleGuess{name, true}
		}
	}
	return roleGuess{"ROLE", false}
}

// asked are the roles that the routes of the gate's stage ask, as they are
// written there.
func (c *compilation) asked(v *gateView) map[string]bool {
	out := make(map[string]bool)
	for _, g := range v.stage.gates {
		for _, r := range g.routes {
			for _, s := range r.steps {
				if s.role == nil {
					continue
				}
				if _, ok := at[*roleForm](c.uses, *s.role); ok {
					out[s.role.String()] = true
				}
			}
		}
	}
	return out
}

// owners are the roles that own what the panel may request, as the file of
// the gate can write them.
func (c *compilation) owners(v *gateView) map[string]bool {
	out := make(map[string]bool)
	for _, m := range v.deciding {
		j, ok := m.form.(*judgeForm)
		if !ok {
			continue
		}
		for _, ref := range j.evidence() {
			e, ok := at[*evidenceForm](c.uses, ref)
			if !ok || e.from == nil {
				continue
			}
			if role, ok := at[*roleForm](c.uses, *e.from); ok {
				if name, ok := c.written(role, v); ok {
					out[name] = true
				}
			}
		}
	}
	return out
}

func (c *compilation) declaredRoles(v *gateView) map[string]bool {
	out := make(map[string]bool)
	for _, r := range c.forms[v.unit].roles {
		out[r.decl.Name.Text] = true
	}
	return out
}

// written returns how the file of a gate refers to a declaration. It is false
// where the file does not import it.
func (c *compilation) written(f form, v *gateView) (string, bool) {
	ref := lang.Ref{Name: f.declaration().Name}
	if f.home() == v.unit {
		return ref.String(), true
	}
	var names []string
	for name, a := range c.aliases[v.node.Range.File] {
		if a.target == f.home() {
			names = append(names, name)
		}
	}
	if len(names) == 0 {
		return "", false
	}
	slices.Sort(names)
	ref.Alias = &lang.Name{Text: names[0]}
	return ref.String(), true
}
