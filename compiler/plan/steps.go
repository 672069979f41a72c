package plan

// A Stage is a mode, a review or a task.
type Stage struct {
	Kind   string  `json:"kind"`
	Title  *string `json:"title"`
	Goal   *string `json:"goal"`  // of a task; null elsewhere
	Coder  *string `json:"coder"` // null in a review
	Grants []Grant `json:"grants"`
	// CoderTools are the granted tools as a coder that is a model is offered
	// them. There are none where no coder of the plan is a model, and in a
	// review.
	CoderTools []Tool   `json:"coder_tools"`
	Powers     []string `json:"powers"` // in the order in which they are exercised
	HandsTo    []string `json:"hands_to"`
	Start      string   `json:"start"`
	Steps      Steps    `json:"steps"`
}

// The kinds of stages.
const (
	Mode   = "mode"
	Review = "review"
	Task   = "task"
)

// A Step is an *Execute, a *Gate, a *Keep or a *Complete.
type Step interface{ step() }

// The operations of steps.
const (
	OpExecute  = "execute"
	OpGate     = "gate"
	OpKeep     = "keep"
	OpComplete = "complete"
)

// Steps are the steps of a stage by name.
type Steps map[string]Step

// A Target is where a stage goes: the name of a step, "halt:" and a halt type, or
// EndComplete.
type Target string

// EndComplete ends a run as complete.
const EndComplete Target = "end:complete"

// HaltPrefix begins a target that stops the run.
const HaltPrefix = "halt:"

// An Execute step sends the coder and takes the change.
type Execute struct {
	Op   string      `json:"op"` // "execute"
	Next ExecuteNext `json:"next"`
}

// ExecuteNext has a target for every outcome of an Execute step. In a task
// nothing stalls, and Stalled is empty.
type ExecuteNext struct {
	Done          Target `json:"done"`
	NoChange      Target `json:"no_change"`
	ProtectedPath Target `json:"protected_path"`
	OutsideGrant  Target `json:"outside_grant"`
	CoderError    Target `json:"coder_error"`
	Stalled       Target `json:"stalled,omitempty"`
	Error         Target `json:"error"`
}

// A Gate step asks its panel and decides.
type Gate struct {
	Op      string   `json:"op"` // "gate"
	Title   *string  `json:"title"`
	Phase   string   `json:"phase"`
	Panel   []string `json:"panel"`
	Observe []string `json:"observe"`
	Need    int      `json:"need"` // passes needed to proceed
	Next    GateNext `json:"next"`
}

// GateNext has a target or a route for every decision of a gate. A verdict
// that its panel cannot return, or that the gate tolerates, has none.
type GateNext struct {
	Proceed Target `json:"proceed"`
	Warn    Route  `json:"warn,omitempty"`
	Unclear Route  `json:"unclear,omitempty"`
	Blocker Route  `json:"blocker,omitempty"`
	Error   Route  `json:"error"`
}

// A Route is what happens for a decision, step after step.
type Route []Action

// An Action is one step of a route. Do is "halt" (with As), "ask" (with
// Role), "recover" (with To, Times and Stalled) or "gather" (with Times).
type Action struct {
	Do      string `json:"do"`
	As      string `json:"as,omitempty"`
	Role    string `json:"role,omitempty"`
	To      string `json:"to,omitempty"`
	Times   int    `json:"times,omitempty"`
	Stalled Target `json:"stalled,omitempty"`
}

// The actions of a route.
const (
	DoHalt    = "halt"
	DoAsk     = "ask"
	DoRecover = "recover"
	DoGather  = "gather"
)

// A Keep step of a task keeps or discards what a turn left, and goes on until
// Times turns are done.
type Keep struct {
	Op    string   `json:"op"` // "keep"
	Times int      `json:"times"`
	Next  KeepNext `json:"next"`
}

// KeepNext has a target for every outcome of a Keep step.
type KeepNext struct {
	Again Target `json:"again"`
	Done  Target `json:"done"`
	Error Target `json:"error"`
}

// A Complete step exercises the powers.
type Complete struct {
	Op   string       `json:"op"` // "complete"
	Next CompleteNext `json:"next"`
}

// CompleteNext has a target for every outcome of a Complete step. NothingKept
// belongs to tasks and is empty elsewhere.
type CompleteNext struct {
	Done        Target `json:"done"`
	NothingKept Target `json:"nothing_kept,omitempty"`
	Refused     Target `json:"refused"`
	Error       Target `json:"error"`
}

func (*Execute) step()  {}
func (*Gate) step()     {}
func (*Keep) step()     {}
func (*Complete) step() {}

// The halt types that a target may name.
const (
	HaltBlocker           = "blocker"
	HaltWarn              = "warn"
	HaltRecoveryExhausted = "recovery_exhausted"
	HaltRecoveryStalled   = "recovery_stalled"
	HaltProtectedPath     = "protected_path"
	HaltOutsideGrant      = "outside_grant"
	HaltNoChange          = "no_change"
	HaltNothingKept       = "nothing_kept"
	HaltEscalate          = "escalate"
	HaltValidatorError    = "validator_error"
	HaltInternalError     = "internal_error"
	HaltEnvironmentError  = "environment_error"
	HaltCoderError        = "coder_error"
	HaltPowerRefused      = "power_refused"
	HaltInterrupted       = "interrupted"
)
