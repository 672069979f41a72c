package compiler

import (
	"github.com/snodo-lang/snodo/lang"
)

// Forms are declarations whose bodies have been read: every field stands
// once, and every value has the kind and, where there is a closed set, the
// word that belongs there. What did not fit was reported and is missing from
// the form. Forms still hold what was written, so that later stages can point
// at it; defaults and meanings are not in them.

// A form is one declaration that others can refer to.
type form interface {
	declaration() *lang.Declaration
	home() *unit
}

// A base is what all forms have.
type base struct {
	decl *lang.Declaration
	unit *unit
	// present are the fields that stand in the body, those that are written
	// wrongly included: nothing that is present is reported as missing.
	present map[string]bool
}

func (b *base) declaration() *lang.Declaration { return b.decl }
func (b *base) home() *unit                    { return b.unit }

// forms are the declarations of a unit, each kind in source order.
type forms struct {
	protocol  *protocolForm // the first, nil in a library
	roles     []*roleForm
	evidence  []*evidenceForm
	criteria  []*criteriaForm
	judges    []*judgeForm
	checks    []*checkForm
	rules     []*ruleForm
	controls  []*controlsForm
	coders    []*coderForm
	stages    []*stageForm
	byDeclare map[*lang.Declaration]form
}

type protocolForm struct {
	base
	starts   *lang.Ref
	protects []lang.Text
	prepare  *command
}

// A command is a text that is executed, with the timeout behind it.
type command struct {
	text    lang.Text
	timeout *lang.Duration
}

type roleForm struct{ base }

type evidenceForm struct {
	base
	params []*lang.Param // those with a type that exists
	from   *lang.Ref
	obtain *obtainForm
}

type obtainForm struct {
	argv    []lang.Text
	timeout *lang.Duration
}

type criteriaForm struct {
	base
	criteria []criterion
}

// A criterion is a name and its sentence.
type criterion struct {
	name lang.Name
	text lang.Text
}

type judgeForm struct {
	base
	phase    *lang.Name
	grants   []*grantLine
	requests *requestsForm // nil where there are none
	returns  *returnsForm  // nil: the verdicts that every judge returns
	model    *lang.Text
	turns    *lang.Number
	tokens   *lang.Number
	timeout  *lang.Duration
	// rulings are its criteria and includes in the order in which they stand.
	rulings []ruling
}

// evidence returns what the judge may request, none where that is not known.
func (j *judgeForm) evidence() []lang.Ref {
	if j.requests == nil {
		return nil
	}
	return j.requests.evidence
}

// A ruling is a criterion written in a judge, or a reference to criteria that
// are copied into it.
type ruling struct {
	criterion *criterion
	include   *lang.Ref
}

type requestsForm struct {
	evidence []lang.Ref
	vague    bool // something in it is no reference
}

type returnsForm struct {
	field    *lang.Field
	verdicts []lang.Name
	vague    bool // something in it is no verdict
}

// A grantLine is one line of tools, with the globs that all of them share.
type grantLine struct {
	node  *lang.Grants
	tools []lang.Name
	in    []lang.Text
}

type checkForm struct {
	base
	phase *lang.Name
	run   *command
}

type ruleForm struct {
	base
	phase     *lang.Name
	predicate string // empty where there is none
	paths     []lang.Text
	modified  []lang.Text
	testedBy  []lang.Text
}

type controlsForm struct {
	base
	subject lang.Ref
	cases   []*caseForm
}

type caseForm struct {
	node     *lang.Case
	folder   lang.Text
	violates []lang.Name
	needs    *lang.Ref
}

type coderForm struct {
	base
	run     *command
	model   *lang.Text
	turns   *lang.Number
	tokens  *lang.Number
	timeout *lang.Duration // a line of its own
}

// A stageForm is a mode, a review or a task.
type stageForm struct {
	base
	goal   *lang.Text
	coder  *lang.Ref
	grants []*grantLine
	turns  *lang.Number
	hands  []lang.Ref
	gates  []*gateForm
	// vague says that a statement was not understood, so that it may have
	// been a gate.
	vague bool
}

func (s *stageForm) kind() lang.Kind { return s.decl.Kind }

type gateForm struct {
	base
	node    *lang.Gate
	phase   string
	panel   *membersForm
	observe *membersForm
	proceed *proceedForm
	routes  []*routeForm // each verdict once, those that are never routed included
	// blind says that something in the gate was not understood. Such a gate
	// is examined no further.
	blind bool
}

type membersForm struct {
	field   *lang.Field
	members []lang.Ref
}

// A proceedForm asks for all passes, or for need of of.
type proceedForm struct {
	node     *lang.Proceed
	need, of *lang.Number // nil for all
}

type routeForm struct {
	node  *lang.Route
	steps []stepForm
}

type stepForm struct {
	node  *lang.Step
	role  *lang.Ref    // of ask
	times *lang.Number // of recover
}

// The words of the language's closed sets, in the order in which they are
// listed to people.
var (
	phases     = []string{"pre_execute", "post_execute"}
	routed     = []string{"warn", "unclear", "blocker"}
	returnable = []string{"pass", "warn", "unclear", "blocker"}
	stepWords  = []string{"halt", "ask", "recover", "gather"}
	paramTypes = []string{"text", "name", "path", "line", "one of"}
)
