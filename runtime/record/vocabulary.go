package record

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"

	"github.com/snodo-lang/snodo/compiler/plan"
	"github.com/snodo-lang/snodo/runtime/verdict"
)

// A Kind names what an event says.
type Kind string

// The vocabulary. docs/runtime.md lists what each holds.
const (
	KindStarted    Kind = "run.started"
	KindPrepared   Kind = "folder.prepared"
	KindDispatched Kind = "coder.dispatched"
	KindReplied    Kind = "coder.replied"
	KindChecked    Kind = "coder.checked"
	KindReturned   Kind = "coder.returned"
	KindTaken      Kind = "work.taken"
	KindRefused    Kind = "work.refused"
	KindJudged     Kind = "validator.judged"
	KindDecided    Kind = "gate.decided"
	KindRecovering Kind = "recovery.started"
	KindGathered   Kind = "evidence.gathered"
	KindAsked      Kind = "requests.opened"
	KindIntended   Kind = "power.intended"
	KindExercised  Kind = "power.done"
	KindAttached   Kind = "evidence.attached"
	KindRuled      Kind = "ruling.given"
	KindRowed      Kind = "turn.recorded"
	KindResumed    Kind = "run.resumed"
	KindEnded      Kind = "run.ended"
)

// An Entry is what one event holds.
type Entry interface{ kind() Kind }

// Started is the first event of every run: what it was started with.
type Started struct {
	Schema    string  `json:"schema"`
	Run       string  `json:"run"`
	Seed      string  `json:"seed"` // hex; markers and receipts come from it
	Plan      string  `json:"plan"` // digest
	Protocol  string  `json:"protocol"`
	Stage     string  `json:"stage"`
	Gate      string  `json:"gate"` // GateJudged or GateTask
	Task      string  `json:"task"`
	Base      string  `json:"base"`
	Branch    *string `json:"branch"` // the branch that the base stands on; null where there is none
	Remote    string  `json:"remote"` // what is published to
	Work      *string `json:"work"`   // the commit that is judged, where it exists already
	Phase     *string `json:"phase"`  // the only phase whose gates run
	Model     *string `json:"model"`
	Coder     *string `json:"coder"`         // the coder's name, where another than the stage's was asked for
	Command   *string `json:"coder_command"` // a command in the place of a coder
	Jobs      int     `json:"jobs"`
	MaxTokens *int64  `json:"max_tokens"` // the most that the judges and coders of the run may take
	Rehearsal *string `json:"rehearsal"`
	Replay    *string `json:"replay"` // the folder of the recording that answered in the place of an endpoint
	// PassEnv are the variables that children get besides the usual, Guarded
	// the protocol's own files, and Redacted says how many texts were to be
	// taken out of everything; they themselves are kept nowhere.
	// Writable are the folders that children were confined to besides their
	// own, Within is the command in which they ran; null where they were not.
	Writable []string `json:"writable"`
	Within   []string `json:"within"`
	PassEnv  []string `json:"pass_env"`
	Guarded  []string `json:"guarded"`
	Redacted int      `json:"redacted"`
}

// What stands in Started.Gate and in the payload.
const (
	GateJudged = "judged"
	GateTask   = "task"
)

// Prepared says that prepare ran in the coder's folder.
type Prepared struct {
	Folder string `json:"folder"`
	MS     int64  `json:"ms"`
}

// Dispatched announces that the coder is sent.
type Dispatched struct {
	Attempt int    `json:"attempt"`
	Folder  string `json:"folder"`
	Brief   string `json:"brief"` // digest
}

// Replied says that a coder which is a model has made a turn, and what that
// took: it counts against the tokens of the run, whatever becomes of the coder.
type Replied struct {
	Attempt int   `json:"attempt"`
	Turn    int   `json:"turn"` // from 1
	Turns   int   `json:"turns"`
	Spent   Spent `json:"spent"`
}

// Checked says that a coder which is a model had a check run on its work as it
// stood. It is no result of that check: no gate decides by it.
type Checked struct {
	Attempt int    `json:"attempt"`
	Check   string `json:"check"`
	Tree    string `json:"tree"`
	Came    string `json:"came"` // CheckPassed, CheckFailed or CheckBroken
	MS      int64  `json:"ms"`
}

// What a check that a coder had run came to.
const (
	CheckPassed = "passed"
	CheckFailed = "failed"
	CheckBroken = "no result"
)

// Returned says how the coder ended. Failure is null where it ended well. The
// other members are null where the coder is a command, but for Output, which a
// model has none of.
type Returned struct {
	Attempt int     `json:"attempt"`
	Failure *string `json:"failure"`
	Output  string  `json:"output"` // bounded, the last part of what it printed
	MS      int64   `json:"ms"`
	// Report is the last text of a model. It is for people, and shown to no judge.
	Report *string `json:"report"`
	// Transcript is the file of its conversation and its digest.
	Transcript       *string `json:"transcript"`
	TranscriptDigest *string `json:"transcript_digest"`
	// Spent is what the conversation took: the sum of its turns.
	Spent *Spent `json:"spent"`
}

// Taken says that a change became a commit. Attempt counts from 1.
type Taken struct {
	Attempt int    `json:"attempt"`
	Commit  string `json:"commit"`
	Tree    string `json:"tree"`
	Ref     string `json:"ref"` // empty where the work existed already
	Files   int    `json:"files"`
	Added   int    `json:"added"`
	Removed int    `json:"removed"`
}

// Refused says that a change was not taken to be judged, and why.
type Refused struct {
	Attempt int      `json:"attempt"`
	As      string   `json:"as"` // a halt type
	Paths   []string `json:"paths"`
}

// Judged holds one verdict, or the error in its place. Supplied are the digests
// of the evidence that it was given, by which it is known whether there is more
// since.
type Judged struct {
	Step     string   `json:"step"`
	Attempt  *int     `json:"attempt"` // null before the work
	Asked    int      `json:"asked"`   // which time in this attempt, from 1
	Round    int      `json:"round"`   // how often this gate had gathered evidence before
	Supplied []string `json:"supplied"`
	Result   Result   `json:"result"`
	// Transcript is the file of a judge's conversation and its digest.
	Transcript       *string `json:"transcript"`
	TranscriptDigest *string `json:"transcript_digest"`
	// Spent is what the conversation took, null where there was none.
	Spent *Spent `json:"spent"`
}

// Spent is what counts against the tokens of a run. Where the endpoint did not
// report a turn, it is an estimate.
type Spent struct {
	Tokens    int64 `json:"tokens"`
	Estimated bool  `json:"estimated"`
}

// plus is what two took together.
func (s Spent) plus(more Spent) Spent {
	return Spent{s.Tokens + more.Tokens, s.Estimated || more.Estimated}
}

// Decided says what a gate made of the newest verdicts of its members.
type Decided struct {
	Step     string   `json:"step"`
	Phase    string   `json:"phase"`
	Attempt  *int     `json:"attempt"`
	Need     int      `json:"need"`
	Counts   Counts   `json:"counts"`
	Decision string   `json:"decision"`
	Members  []string `json:"members"` // panel and observers, in the plan's order
}

// Recovering says that the findings go back to the coder.
type Recovering struct {
	Step    string       `json:"step"`
	Verdict plan.Verdict `json:"verdict"`
	Count   int          `json:"count"` // by this route in this run, this one included
	Times   int          `json:"times"`
	Attempt int          `json:"attempt"` // the attempt that was found wanting
}

// Gathered says that the command of an evidence ran for those who requested
// it. Where it could not start, Ending says why, File and Digest are null, and
// the request stays open.
type Gathered struct {
	Step     string         `json:"step"`
	Evidence string         `json:"evidence"`
	Args     map[string]any `json:"args"`
	Argv     []string       `json:"argv"`
	Judges   []string       `json:"judges"`
	Ending   string         `json:"ending"`
	Text
	MS int64 `json:"ms"`
}

// A Text is evidence as the record keeps it: a file, its digest, and how much
// of it stands before and behind what was left out of the output of a command
// or is not shown to a judge. File and Digest are null where there is none.
type Text struct {
	File    *string `json:"file"`
	Digest  *string `json:"digest"`
	Head    int     `json:"head"`    // bytes
	Tail    int     `json:"tail"`    // bytes; 0 where nothing was left out
	Omitted int64   `json:"omitted"` // bytes
}

// Asked opens requests to people.
type Asked struct {
	Step     string    `json:"step"`
	Role     string    `json:"role"`
	Commit   string    `json:"commit"` // what the verdicts are about
	Requests []Request `json:"requests"`
}

// Attached answers a request with a file.
type Attached struct {
	Request  string         `json:"request"` // its id
	Judge    string         `json:"judge"`
	Evidence string         `json:"evidence"`
	Args     map[string]any `json:"args"`
	Commit   string         `json:"commit"` // that the request was about
	Source   string         `json:"source"` // the name of the file, as it was given
	Text
	Signed
}

// Signed says who answers for an event. Signature is "pinned" where the role
// has a key and signed with it, "unpinned" where it has none; SSH is the
// signature.
type Signed struct {
	Role      string  `json:"role"`
	Signature string  `json:"signature"`
	SSH       *string `json:"ssh"`
}

// Ruled is a person's ruling on a verdict, by the hash of it. It holds for the
// commit on which the verdict was given, and for no other.
type Ruled struct {
	Validator string       `json:"validator"`
	Hash      string       `json:"verdict_hash"`
	Commit    string       `json:"commit"`
	Rule      plan.Verdict `json:"rule"`
	Because   string       `json:"because"`
	Signed
}

// Rowed makes a row of a turn of a task. Done says that the coder ended the task
// with it.
type Rowed struct {
	Turn     int     `json:"turn"`
	Decision string  `json:"decision"` // RowKeep or RowDiscard
	Commit   *string `json:"commit"`   // of a turn that was kept
	Reason   *string `json:"reason"`   // of one that was discarded
	Done     bool    `json:"done"`
}

// What becomes of a turn.
const (
	RowKeep    = "keep"
	RowDiscard = "discard"
)

// Resumed says that a run goes on that had stopped, or was killed.
type Resumed struct {
	From     *string `json:"from"`     // the halt type it had stopped with; null where it was killed
	Survived int     `json:"survived"` // children of before that were still running, and were ended
}

// Intended announces a power.
type Intended struct {
	Power  string `json:"power"`
	Target string `json:"target"`
}

// Exercised says that a power was exercised, or refused.
type Exercised struct {
	Power  string `json:"power"`
	State  string `json:"state"` // PowerDone or PowerRefused
	Target string `json:"target"`
}

// What becomes of a power.
const (
	PowerDone    = "done"
	PowerRefused = "refused"
)

// Ended is the last event of a run that came to an outcome, unless it is
// resumed.
type Ended struct {
	Outcome  string   `json:"outcome"`
	HaltType string   `json:"halt_type"` // empty where the run is complete
	Phase    *string  `json:"phase"`
	Reason   string   `json:"reason"`
	Detail   string   `json:"detail"` // for people: what happened and what to do
	Next     []string `json:"next"`
}

func (Started) kind() Kind    { return KindStarted }
func (Prepared) kind() Kind   { return KindPrepared }
func (Dispatched) kind() Kind { return KindDispatched }
func (Replied) kind() Kind    { return KindReplied }
func (Checked) kind() Kind    { return KindChecked }
func (Returned) kind() Kind   { return KindReturned }
func (Taken) kind() Kind      { return KindTaken }
func (Refused) kind() Kind    { return KindRefused }
func (Judged) kind() Kind     { return KindJudged }
func (Decided) kind() Kind    { return KindDecided }
func (Recovering) kind() Kind { return KindRecovering }
func (Gathered) kind() Kind   { return KindGathered }
func (Asked) kind() Kind      { return KindAsked }
func (Intended) kind() Kind   { return KindIntended }
func (Exercised) kind() Kind  { return KindExercised }
func (Attached) kind() Kind   { return KindAttached }
func (Ruled) kind() Kind      { return KindRuled }
func (Rowed) kind() Kind      { return KindRowed }
func (Resumed) kind() Kind    { return KindResumed }
func (Ended) kind() Kind      { return KindEnded }

// Entry returns what the event holds. It is not to be changed.
func (e Event) Entry() (Entry, error) {
	if e.entry != nil {
		return e.entry, nil
	}
	return decode(e)
}

// decode returns the entry of an event. An unknown kind or member is an
// error: what is not understood is not passed over.
func decode(e Event) (Entry, error) {
	switch e.Kind {
	case KindStarted:
		return as[Started](e)
	case KindPrepared:
		return as[Prepared](e)
	case KindDispatched:
		return as[Dispatched](e)
	case KindReplied:
		return as[Replied](e)
	case KindChecked:
		return as[Checked](e)
	case KindReturned:
		return as[Returned](e)
	case KindTaken:
		return as[Taken](e)
	case KindRefused:
		return as[Refused](e)
	case KindJudged:
		return as[Judged](e)
	case KindDecided:
		return as[Decided](e)
	case KindRecovering:
		return as[Recovering](e)
	case KindGathered:
		return as[Gathered](e)
	case KindAsked:
		return as[Asked](e)
	case KindIntended:
		return as[Intended](e)
	case KindExercised:
		return as[Exercised](e)
	case KindAttached:
		return as[Attached](e)
	case KindRuled:
		return as[Ruled](e)
	case KindRowed:
		return as[Rowed](e)
	case KindResumed:
		return as[Resumed](e)
	case KindEnded:
		return as[Ended](e)
	}
	return nil, fmt.Errorf("there is no kind of event %q", e.Kind)
}

func as[T Entry](e Event) (Entry, error) {
	var data T
	d := json.NewDecoder(bytes.NewReader(e.Data))
	d.DisallowUnknownFields()
	d.UseNumber()
	if err := d.Decode(&data); err != nil {
		return nil, fmt.Errorf("event of kind %s: %w", e.Kind, err)
	}
	return data, nil
}

// A Result is the verdict of one validator, or the error in its place.
type Result struct {
	Validator string           `json:"validator"`
	Kind      string           `json:"kind"` // plan.KindJudge, KindCheck or KindRule
	Observed  bool             `json:"observed"`
	Severity  string           `json:"severity"`
	Verdict   *plan.Verdict    `json:"verdict"`
	Error     *verdict.Failure `json:"error"`
	Ruling    *Ruling          `json:"ruling"`
	Hash      string           `json:"hash"`
	Proven    bool             `json:"proven"`
	// GovernedBy are the changed files that say what a check does: what it shows
	// is the author's word as well.
	GovernedBy []string           `json:"governed_by"`
	Findings   []verdict.Finding  `json:"findings"`
	Examined   []verdict.Examined `json:"examined"`
	Model      *string            `json:"model"`
	Turns      int                `json:"turns"`
	Usage      *verdict.Usage     `json:"usage"`
	MS         int64              `json:"ms"`
}

// Severity is how grave a result is (ADR 2). An error is as grave as a
// blocker, and is none.
func Severity(v *plan.Verdict) string {
	if v == nil {
		return "blocker"
	}
	switch *v {
	case plan.Pass:
		return "pass"
	case plan.Warn, plan.Unclear:
		return "warn"
	case plan.Blocker:
		return "blocker"
	}
	panic(fmt.Sprintf("record: no such verdict: %s", *v))
}

// Seal fills in what follows from the verdict: the severity, and the hash
// that a ruling is bound to. It covers what was found and not how long that
// took or what it cost.
func (r Result) Seal() (Result, error) {
	r.Severity = Severity(r.Verdict)
	var err error
	r.Hash, err = plan.Digest(struct {
		Validator string            `json:"validator"`
		Verdict   *plan.Verdict     `json:"verdict"`
		Error     *verdict.Failure  `json:"error"`
		Findings  []verdict.Finding `json:"findings"`
	}{r.Validator, r.Verdict, r.Error, r.Findings})
	return r, err
}

// A Ruling is a person's, beside the verdict that it rules on.
type Ruling struct {
	Rule      plan.Verdict `json:"rule"`
	Role      string       `json:"role"`
	Because   string       `json:"because"`
	Signature string       `json:"signature"` // "pinned" or "unpinned"
}

// Counts are those of a gate's panel.
type Counts struct {
	Expected int `json:"expected"`
	Pass     int `json:"pass"`
	Warn     int `json:"warn"`
	Unclear  int `json:"unclear"`
	Blocker  int `json:"blocker"`
	Error    int `json:"error"`
}

// A Request asks a person for evidence or for a ruling.
type Request struct {
	ID        string         `json:"id"`
	Validator string         `json:"validator"`
	Criterion string         `json:"criterion"`
	Evidence  *string        `json:"evidence"`
	Args      map[string]any `json:"args"`
	Owner     string         `json:"owner"`
	Request   string         `json:"request"`
	State     string         `json:"state"`

	Commit string `json:"-"` // what it is about
	Role   string `json:"-"` // whom the route asks, who may rule on the verdict
}

// Asks says whether r still asks for what q asks for.
func (q Request) Asks(r Request) bool {
	same := r.State == StateOpen && r.Validator == q.Validator && r.Criterion == q.Criterion && (r.Evidence == nil) == (q.Evidence == nil)
	return same && (q.Evidence == nil || *r.Evidence == *q.Evidence && maps.Equal(r.Args, q.Args))
}

// The states of a request.
const (
	StateOpen       = "open"
	StateAnswered   = "answered"   // a file was attached
	StateRuled      = "ruled"      // a person ruled on the verdict
	StateSuperseded = "superseded" // its judge was asked again
	StateOvertaken  = "overtaken"  // the work moved on
)
