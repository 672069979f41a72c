package compiler

import (
	"fmt"
	"slices"

	"github.com/snodo-lang/snodo/lang"
	"github.com/snodo-lang/snodo/lang/diag"
)

// uses says what every reference that resolves refers to, by the place where
// it stands.
type uses map[diag.Range]form

// at returns what ref refers to, as a T. It is false where ref does not
// resolve, which was reported.
func at[T form](u uses, ref lang.Ref) (T, bool) {
	f, ok := u[ref.Range].(T)
	return f, ok
}

// The kinds that a reference may ask for.
var (
	roleKind      = kinds{"role", "a role", []lang.Kind{lang.KindRole}}
	evidenceKind  = kinds{"evidence", "an evidence", []lang.Kind{lang.KindEvidence}}
	criteriaKind  = kinds{"criteria", "criteria", []lang.Kind{lang.KindCriteria}}
	coderKind     = kinds{"coder", "a coder", []lang.Kind{lang.KindCoder}}
	validatorKind = kinds{"judge, check or rule", "a judge, check or rule", []lang.Kind{lang.KindJudge, lang.KindCheck, lang.KindRule}}
	stageKind     = kinds{"mode, review or task", "a mode, review or task", []lang.Kind{lang.KindMode, lang.KindReview, lang.KindTask}}
)

// kinds are the kinds of declarations that fit a place, and what they are
// called together, without and with their article.
type kinds struct {
	name, one string
	of        []lang.Kind
}

func (k kinds) fit(d *lang.Declaration) bool { return slices.Contains(k.of, d.Kind) }

// staysBehind are the kinds that an import does not bring.
var staysBehind = map[lang.Kind]string{
	lang.KindProtocol: "protocols", lang.KindMode: "modes", lang.KindReview: "reviews", lang.KindTask: "tasks",
}

// A resolver resolves the references of one unit.
type resolver struct {
	*compilation
	unit   *unit
	scope  *scope
	forms  *forms
	known  map[string][]string // what names returned, by folder and kinds
	held   map[string]*missing // what may have been declared where a name was lost
	beside []lang.Ref          // what stands in the list at hand, and must not stand in it twice
}

// missing are the references to names of some kinds that are not declared.
type missing struct {
	names map[string]bool
	lost  int // how many declarations of these kinds have lost their names
	said  diag.List
}

// resolveReferences finds what every reference refers to.
func resolveReferences(c *compilation) error {
	c.uses = make(uses)
	for _, u := range c.units {
		r := &resolver{compilation: c, unit: u, scope: c.scopes[u], forms: c.forms[u], known: map[string][]string{}, held: map[string]*missing{}}
		r.all()
		r.release()
	}
	return nil
}

func (r *resolver) all() {
	f := r.forms
	for _, e := range f.evidence {
		if e.from != nil {
			r.resolve(*e.from, roleKind)
		}
	}
	for _, j := range f.judges {
		r.each(j.evidence(), evidenceKind)
		var includes []lang.Ref
		for _, ruling := range j.rulings {
			if ruling.include != nil {
				includes = append(includes, *ruling.include)
			}
		}
		r.each(includes, criteriaKind)
	}
	for _, c := range f.controls {
		r.resolve(c.subject, validatorKind)
		for _, k := range c.cases {
			if k.needs != nil {
				r.resolve(*k.needs, evidenceKind)
			}
		}
	}
	for _, s := range f.stages {
		r.stage(s)
	}
	if f.protocol != nil {
		r.start(f.protocol)
	}
}

func (r *resolver) stage(s *stageForm) {
	if s.coder != nil {
		r.resolve(*s.coder, coderKind)
	}
	r.each(s.hands, stageKind)
	listed := make(map[string][]lang.Ref) // by phase
	for _, g := range s.gates {
		listed[g.phase] = append(listed[g.phase], g.listed()...)
	}
	for _, g := range s.gates {
		r.beside = listed[g.phase]
		for _, ref := range g.listed() {
			r.resolve(ref, validatorKind)
		}
		r.beside = nil
		for _, route := range g.routes {
			for _, step := range route.steps {
				if step.role != nil {
					r.resolve(*step.role, roleKind)
				}
			}
		}
	}
}

// each resolves the items of a list.
func (r *resolver) each(refs []lang.Ref, want kinds) {
	r.beside = refs
	defer func() { r.beside = nil }()
	for _, ref := range refs {
		r.resolve(ref, want)
	}
}

// resolve notes what ref refers to, or reports that it is nothing that fits.
func (r *resolver) resolve(ref lang.Ref, want kinds) {
	scope, forms, contested := r.scope, r.forms, false
	if ref.Alias != nil {
		a, ok := r.aliases[ref.Range.File][ref.Alias.Text]
		if !ok {
			if d := r.aliasUnknown(ref); !r.scope.ghosts[ref.Alias.Text] && (len(d.Edits) > 0 || !r.aliases[ref.Range.File].unnamed()) {
				r.report(d)
			}
			return
		}
		if a.target == nil {
			return // the import failed, and that was reported
		}
		scope, forms, contested = r.scopes[a.target], r.compilation.forms[a.target], a.contested
	}
	found := scope.decls[ref.Name.Text]
	for _, d := range found {
		_, behind := staysBehind[d.Kind]
		if want.fit(d) && (ref.Alias == nil || !behind) {
			r.uses[ref.Range] = forms.byDeclare[d]
			return
		}
	}
	switch {
	case contested: // the other import may have been meant
	case len(found) > 0:
		r.report(otherKind(ref, found[0], want))
	case !scope.ghosts[ref.Name.Text]:
		d := r.notDeclared(ref, scope, want)
		lost := 0
		for _, k := range want.of {
			lost += scope.lost[k]
		}
		switch {
		case len(d.Edits) > 0 || lost == 0 && !scope.cut:
			r.report(d)
			return
		case scope.cut:
			return
		}
		r.hold(fmt.Sprintf("%p %s", scope, want.name), ref.Name.Text, lost, d)
	}
}

// hold keeps a report back that may be the consequence of a lost name.
func (r *resolver) hold(key, name string, lost int, d diag.Diagnostic) {
	m := r.held[key]
	if m == nil {
		m = &missing{names: map[string]bool{}, lost: lost}
		r.held[key] = m
	}
	m.names[name] = true
	m.said.Add(d)
}

// release reports what was held back where more names are missing than were
// lost: then some of them were never declared.
func (r *resolver) release() {
	for _, m := range r.held {
		if len(m.names) > m.lost {
			for _, d := range m.said {
				r.report(d)
			}
		}
	}
}

// unnamed reports whether an import of the file still needs a name.
func (a aliases) unnamed() bool {
	for _, each := range a {
		if each.unnamed {
			return true
		}
	}
	return false
}

// start checks in which stage a run begins. What a protocol's starts names
// is noted like every reference.
func (r *resolver) start(p *protocolForm) {
	if p.starts == nil {
		missing := !p.present["starts"] && !p.decl.Damaged
		switch n := len(r.forms.stages); {
		case n == 0 && missing && !r.scope.vague:
			r.report(noStage(p.decl.Header))
		case n > 1 && missing:
			r.report(startsMissing(p.decl, r.forms.stages))
		}
		return
	}
	if p.starts.Alias == nil {
		for _, d := range r.scope.decls[p.starts.Name.Text] {
			if stageKind.fit(d) {
				r.uses[p.starts.Range] = r.forms.byDeclare[d]
				return
			}
		}
		if r.scope.ghosts[p.starts.Name.Text] {
			return
		}
	}
	known := r.names(r.scope, stageKind)
	r.report(startsNoStage(*p.starts, known, r.near(p.starts.Name.Text, known)))
}

// names returns the names of a scope that fit, in order. Many references may
// ask for the same ones, so they are gathered once.
func (r *resolver) names(s *scope, want kinds) []string {
	key := fmt.Sprintf("%p %s", s, want.name)
	if names, done := r.known[key]; done {
		return names
	}
	var out []string
	for n, decls := range s.decls {
		if slices.ContainsFunc(decls, func(d *lang.Declaration) bool { return want.fit(d) && !d.Guessed }) {
			out = append(out, n)
		}
	}
	slices.Sort(out)
	r.known[key] = out
	return out
}

// imported returns the aliases under which name can be had in a file.
func (r *resolver) imported(file, name string, want kinds) []string {
	var out []string
	for alias, a := range r.aliases[file] {
		if a.target != nil && slices.ContainsFunc(r.scopes[a.target].decls[name], want.fit) {
			out = append(out, alias+"."+name)
		}
	}
	slices.Sort(out)
	return out
}

func (r *resolver) aliasUnknown(ref lang.Ref) diag.Diagnostic {
	d := diag.Diagnostic{
		Code: diag.SN202, Range: ref.Alias.Range,
		Message: fmt.Sprintf("nothing is imported as `%s` in this file", ref.Alias.Text),
		Help:    fmt.Sprintf("import it at the head of this file: `import \"PATH\" as %s`", ref.Alias.Text),
	}
	var known []string
	for alias, a := range r.aliases[ref.Range.File] {
		if !a.unnamed {
			known = append(known, alias)
		}
	}
	slices.Sort(known)
	if meant := r.near(ref.Alias.Text, known); len(meant) == 1 {
		d.Help = fmt.Sprintf("did you mean `%s`?", meant[0])
		d.Edits = []diag.Edit{{Range: ref.Alias.Range, Text: meant[0]}}
	}
	return d
}

func (r *resolver) notDeclared(ref lang.Ref, s *scope, want kinds) diag.Diagnostic {
	d := diag.Diagnostic{
		Code: diag.SN202, Range: ref.Range,
		Message: fmt.Sprintf("no %s is called `%s`", want.name, ref),
	}
	if want.name == criteriaKind.name {
		d.Message = fmt.Sprintf("no criteria are called `%s`", ref)
	}
	known := r.names(s, want)
	prefix := ""
	if ref.Alias != nil {
		prefix = ref.Alias.Text + "."
	}
	meant := r.near(ref.Name.Text, known)
	elsewhere := []string(nil)
	if ref.Alias == nil {
		elsewhere = r.imported(ref.Range.File, ref.Name.Text, want)
	}
	switch {
	case len(elsewhere) == 1:
		d.Help = fmt.Sprintf("did you mean `%s`?", elsewhere[0])
		d.Edits = []diag.Edit{{Range: ref.Range, Text: elsewhere[0]}}
	case len(meant) == 1 && slices.ContainsFunc(r.beside, func(b lang.Ref) bool { return b.String() == prefix+meant[0] }):
		d.Help = fmt.Sprintf("declare it; `%s` is declared, and stands here already", prefix+meant[0])
	case len(meant) == 1:
		d.Help = fmt.Sprintf("did you mean `%s`?", prefix+meant[0])
		d.Edits = []diag.Edit{{Range: ref.Name.Range, Text: meant[0]}}
	case len(meant) > 1:
		d.Help = fmt.Sprintf("did you mean %s?", choice(prefixed(prefix, meant)))
	case len(known) > 0:
		d.Help = fmt.Sprintf("declare it, or name one that is declared: %s", some(prefixed(prefix, known)))
	default:
		d.Help = fmt.Sprintf("declare it: `%s %s …`", want.of[0], ref.Name.Text)
	}
	return d
}

func otherKind(ref lang.Ref, d *lang.Declaration, want kinds) diag.Diagnostic {
	out := diag.Diagnostic{
		Code: diag.SN202, Range: ref.Range,
		Message: fmt.Sprintf("`%s` is declared as %s, and the name of %s belongs here", ref, d.Kind, want.one),
		Help:    fmt.Sprintf("name %s", want.one),
		Related: []diag.Related{{Range: d.Name.Range, Message: fmt.Sprintf("declared here as %s", d.Kind)}},
	}
	if behind, ok := staysBehind[d.Kind]; ok && ref.Alias != nil {
		out.Message = fmt.Sprintf("`%s` cannot be used from here: %s stay behind when a package is imported", ref, behind)
		out.Help = "an import brings roles, evidence, criteria, judges, checks, rules and coders; declare the rest in this package"
	}
	return out
}

func noStage(at diag.Range) diag.Diagnostic {
	return diag.Diagnostic{
		Code: diag.SN213, Range: at,
		Message: "the package has a protocol and no stage that a run could begin in",
		Help:    "declare a `mode`, a `review` or a `task`",
	}
}

func startsMissing(p *lang.Declaration, stages []*stageForm) diag.Diagnostic {
	var names []string
	var related []diag.Related
	for _, s := range stages {
		names = append(names, s.decl.Name.Text)
		related = append(related, diag.Related{Range: s.decl.Name.Range, Message: "a stage"})
	}
	return diag.Diagnostic{
		Code: diag.SN213, Range: p.Header,
		Message: fmt.Sprintf("the package has %d stages, and the protocol does not say which one a run begins in", len(stages)),
		Help:    "say which: " + choice(prefixed("starts ", names[:min(len(names), maxNamed)])),
		Related: related,
	}
}

func startsNoStage(ref lang.Ref, known, meant []string) diag.Diagnostic {
	d := diag.Diagnostic{
		Code: diag.SN213, Range: ref.Range,
		Message: fmt.Sprintf("`%s` is no stage of this package", ref),
		Help:    "declare a `mode`, a `review` or a `task` of that name",
	}
	if ref.Alias == nil && len(meant) == 1 {
		d.Help = fmt.Sprintf("did you mean `%s`?", meant[0])
		d.Edits = []diag.Edit{{Range: ref.Range, Text: meant[0]}}
	} else if len(known) > 0 {
		d.Help = fmt.Sprintf("name one of its stages: %s", some(known))
	}
	return d
}
