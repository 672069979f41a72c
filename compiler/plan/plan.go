// Package plan is the contract between the compiler and the runtime: one JSON
// document that holds everything a run needs and everything a judge or a
// coder will be told.
//
// What goes in is a Plan that the compiler built, or the bytes of one; what
// comes out is its canonical form and digest, or a Plan that has been proved
// closed and total. The package holds no other logic and imports nothing of
// the project.
package plan

import "encoding/json"

// Schema names the format of the document.
const Schema = "snodo.plan.v1"

// Compiler is the version of the compiler that stands in a plan. It is a
// constant so that the same sources give the same bytes on every machine.
const Compiler = "0.1.0"

// Edition is the edition of the language that this package knows.
const Edition = 1

// A Plan is a compiled package. Every member is written out, null where it
// does not apply, so that a reader never has to know a default.
type Plan struct {
	Schema     string              `json:"schema"`
	Edition    int                 `json:"edition"`
	Compiler   string              `json:"compiler"`
	Protocol   Protocol            `json:"protocol"`
	Sources    []Source            `json:"sources"` // sorted by path
	Roles      map[string]Role     `json:"roles"`
	Evidence   map[string]Evidence `json:"evidence"`
	Coders     map[string]Coder    `json:"coders"`
	Wording    Wording             `json:"wording"`
	Validators Validators          `json:"validators"`
	Stages     map[string]Stage    `json:"stages"`
	Digest     string              `json:"digest"` // "sha256:" and hex, over the canonical form without this member
}

// Protocol is the entry of the package.
type Protocol struct {
	Name     string   `json:"name"`
	Title    *string  `json:"title"`
	Starts   string   `json:"starts"`   // a stage
	Protects []string `json:"protects"` // globs, relative to the repository's root
	Prepare  *Command `json:"prepare"`
}

// A Command is a shell command with its time limit.
type Command struct {
	Run       string `json:"run"`
	TimeoutMS int64  `json:"timeout_ms"`
}

// A Source is one file that went into the plan. Path is relative to the
// repository's root, or begins with std/ for the library in the binary.
type Source struct {
	Path   string `json:"path"`
	SHA256 string `json:"sha256"` // hex
}

// A Role is a person or team that owns requests and rulings.
type Role struct {
	Title string  `json:"title"`
	Key   *string `json:"key"` // an SSH public key, or null
}

// Evidence is an input that a judge may request when it cannot tell.
type Evidence struct {
	Owner   *string `json:"owner"` // a role; null: the role that the route asks
	Request string  `json:"request"`
	Params  []Param `json:"params"`
	Obtain  *Obtain `json:"obtain"`
}

// A Param is a typed parameter of an evidence. Type is text, name, path, line
// or one of; Of holds the choices of the last and is null for the others.
type Param struct {
	Name string   `json:"name"`
	Type string   `json:"type"`
	Of   []string `json:"of,omitempty"`
}

// The types of parameters.
const (
	TypeText  = "text"
	TypeName  = "name"
	TypePath  = "path"
	TypeLine  = "line"
	TypeOneOf = "one of"
)

// Obtain is an argument vector that the runtime may execute to get an
// evidence. {name} in an argument stands for the parameter; {{ and }} around
// a name are literal braces.
type Obtain struct {
	Argv      []string `json:"argv"`
	TimeoutMS int64    `json:"timeout_ms"`
}

// A Coder does the work. Kind is "command" or "model": a command has Run, a
// model has Model, Turns, Tokens and Prompt, which is its system message. The
// tools that it is offered are those of the stage that sends it.
type Coder struct {
	Kind      string `json:"kind"`
	Run       string `json:"run,omitempty"`
	Model     string `json:"model,omitempty"`
	Turns     int    `json:"turns,omitempty"`
	Tokens    int    `json:"tokens,omitempty"`
	Prompt    string `json:"prompt,omitempty"`
	TimeoutMS int64  `json:"timeout_ms"`
}

// The kinds of coders.
const (
	CoderCommand = "command"
	CoderModel   = "model"
)

// The phases.
const (
	PreExecute  = "pre_execute"
	PostExecute = "post_execute"
)

// A Verdict is what a validator says. An error is no verdict.
type Verdict string

// The verdicts, mildest first.
const (
	Pass    Verdict = "pass"
	Warn    Verdict = "warn"
	Unclear Verdict = "unclear"
	Blocker Verdict = "blocker"
)

// Verdicts lists the verdicts, mildest first: the order in which a judge's
// findings are folded.
var Verdicts = []Verdict{Pass, Warn, Unclear, Blocker}

// A Validator is a *Judge, a *Check or a *Rule.
type Validator interface {
	OfKind() string       // KindJudge, KindCheck or KindRule
	InPhase() string      // the phase it belongs to
	CanReturn() []Verdict // the verdicts it may return
	Sum() string          // its digest
	validator()
}

// The kinds of validators.
const (
	KindJudge = "judge"
	KindCheck = "check"
	KindRule  = "rule"
)

// Validators are the validators of a plan by name.
type Validators map[string]Validator

// A Judge is a language model that rules on every one of its criteria.
type Judge struct {
	Kind          string      `json:"kind"` // "judge"
	Title         *string     `json:"title"`
	Phase         string      `json:"phase"`
	Returns       []Verdict   `json:"returns"`
	Criteria      []Criterion `json:"criteria"`
	Grants        []Grant     `json:"grants"`
	Requests      []string    `json:"requests"` // kinds of evidence
	Budget        Budget      `json:"budget"`
	Model         *string     `json:"model"`  // null: the run's
	Prompt        string      `json:"prompt"` // the system message but for its last line
	Tools         []Tool      `json:"tools"`
	SubmitVerdict Tool        `json:"submit_verdict"`
	Digest        string      `json:"digest"`
}

// A Check is a shell command run in a fresh folder of the result.
type Check struct {
	Kind      string    `json:"kind"` // "check"
	Phase     string    `json:"phase"`
	Returns   []Verdict `json:"returns"`
	Run       string    `json:"run"`
	TimeoutMS int64     `json:"timeout_ms"`
	Digest    string    `json:"digest"`
}

// A Rule is a built-in predicate on the change set.
type Rule struct {
	Kind      string    `json:"kind"` // "rule"
	Phase     string    `json:"phase"`
	Returns   []Verdict `json:"returns"`
	Predicate string    `json:"predicate"`
	Args      RuleArgs  `json:"args"`
	Digest    string    `json:"digest"`
}

// SecretsRuleset names the patterns by which no_secrets_in_diff finds
// credentials. They live in the program and not in the plan, so their version
// stands there in their place: other patterns are another validator (ADR 11).
const SecretsRuleset = "gitleaks 8.30.1"

// RuleArgs are what a rule is applied with: the globs Paths of
// files_in_scope, Modified and TestedBy of tests_exist_for_modified, and the
// Ruleset of no_secrets_in_diff.
type RuleArgs struct {
	Paths    []string `json:"paths,omitempty"`
	Modified []string `json:"modified,omitempty"`
	TestedBy []string `json:"tested_by,omitempty"`
	Ruleset  string   `json:"ruleset,omitempty"`
}

// The predicates of rules.
const (
	FilesInScope          = "files_in_scope"
	TestsExistForModified = "tests_exist_for_modified"
	NoSecretsInDiff       = "no_secrets_in_diff"
)

func (j *Judge) OfKind() string       { return j.Kind }
func (c *Check) OfKind() string       { return c.Kind }
func (r *Rule) OfKind() string        { return r.Kind }
func (j *Judge) InPhase() string      { return j.Phase }
func (c *Check) InPhase() string      { return c.Phase }
func (r *Rule) InPhase() string       { return r.Phase }
func (j *Judge) CanReturn() []Verdict { return j.Returns }
func (c *Check) CanReturn() []Verdict { return c.Returns }
func (r *Rule) CanReturn() []Verdict  { return r.Returns }
func (j *Judge) Sum() string          { return j.Digest }
func (c *Check) Sum() string          { return c.Digest }
func (r *Rule) Sum() string           { return r.Digest }
func (*Judge) validator()             {}
func (*Check) validator()             {}
func (*Rule) validator()              {}

// A Criterion is a sentence that holds or does not.
type Criterion struct {
	Name string `json:"name"`
	Text string `json:"text"`
}

// A Grant is a tool and the globs it is confined to; none means everywhere.
type Grant struct {
	Tool string   `json:"tool"`
	In   []string `json:"in"`
}

// A Budget bounds a judge: turns, the most tokens of one reply, and time.
type Budget struct {
	Turns     int   `json:"turns"`
	Tokens    int   `json:"tokens"`
	TimeoutMS int64 `json:"timeout_ms"`
}

// A Tool is a function as it is offered to a model. Parameters is a JSON
// Schema.
type Tool struct {
	Name        string     `json:"name"`
	Description string     `json:"description"`
	Parameters  JSONSchema `json:"parameters"`
}

// JSONSchema is a JSON Schema in canonical form. Since that form sorts the
// members of objects, the order in which properties are to be sent is that
// of "required", and behind those the rest by name.
type JSONSchema = json.RawMessage
