// Package judge holds one conversation with a model and brings back its
// verdict.
//
// What goes in is a Request: the judge as the plan has it, the material, a
// tree to read from and a Chat to speak through. What comes out is a Result:
// a verdict with a finding for each criterion, or an error with a class, and
// in either case what was examined. The package never derives a verdict from
// anything but one valid call of submit_verdict, never executes a tool that
// is not offered, never touches the file system, and writes no sentence of
// its own to a model: all of them stand in the plan.
package judge

import (
	"context"
	"time"

	"github.com/snodo-lang/snodo/compiler/plan"
	"github.com/snodo-lang/snodo/runtime/endpoint"
	"github.com/snodo-lang/snodo/runtime/verdict"
)

// A Chat makes one turn of a conversation. *endpoint.Client is one. An error
// that is no *endpoint.Error counts as internal.
type Chat interface {
	Chat(context.Context, endpoint.Request) (endpoint.Reply, error)
}

// A Request is everything that one judge is given.
type Request struct {
	Name     string // of the validator, for messages to people
	Judge    *plan.Judge
	Wording  *plan.JudgeWording
	Evidence map[string]plan.Evidence // the plan's; must hold every kind in Judge.Requests
	Model    string

	Task     string     // the task, unchanged
	Stage    string     // the stage and its siblings, composed: names, titles, grants
	Changes  []Change   // every changed file, in order; nil before the work
	Diff     []FileDiff // the difference by file, in order; used only if read_diff is granted
	Governed []Governed // the checks that the change itself governs
	Supplied []Supplied // the evidence supplied to this judge

	Token   string  // random, of this run: part of every data marker
	Receipt Receipt // random, of this conversation

	Tree Tree // what the read tools see
	Chat Chat

	// Redact removes secrets from material before it is shown or recorded.
	// Nil removes nothing.
	Redact func(string) string
	// Observe is told of each turn before it is asked for. May be nil.
	Observe func(Progress)
	// Now is the clock by which the budget of time is kept. Nil: time.Now.
	Now func() time.Time
}

// A Change is a changed file with its numbers of lines. A binary file has no
// numbers.
type Change struct {
	Path           string
	Added, Removed int
	Binary         bool
}

// A FileDiff is the difference of one file in git's unified form. Its header
// is not shown; its hunks are, with line numbers.
type FileDiff struct {
	Path    string
	Text    string
	Binary  bool
	Omitted int64 // bytes that were left out at the end of Text
}

// Supplied is one piece of evidence, whole or as its head and tail. It is
// shown as it is given: whoever obtained it keeps it within 64 KiB.
type Supplied struct {
	Evidence string         // the kind
	Args     map[string]any // strings and, for lines, whole numbers
	Source   string         // where it comes from: a command, a role and file
	Head     string         // the content, or its beginning
	Tail     string         // its end, where Omitted bytes were left out between
	Omitted  int
}

// A Receipt is a short random code in two halves. A judge that cannot give
// it back did not get its messages whole.
type Receipt struct{ First, Second string }

// Progress is where a conversation stands.
type Progress struct {
	Turn    int  // of Turns; free turns are not counted
	Turns   int  // the budget
	Verdict bool // this is the verdict turn or its correction
	Usage   verdict.Usage
}

// A Result is what became of a conversation: either Verdict or Error is set.
type Result struct {
	Verdict  *plan.Verdict      `json:"verdict"`
	Error    *verdict.Failure   `json:"error"`
	Findings []verdict.Finding  `json:"findings"` // in the order of the judge's criteria; empty beside an error
	Examined []verdict.Examined `json:"examined"`
	Model    string             `json:"model"`
	Turns    int                `json:"turns"` // replies
	Usage    verdict.Usage      `json:"usage"`

	// Transcript holds the messages as they were sent and received. Each
	// request is the beginning of them, as far as its Turn says.
	Transcript []endpoint.Message `json:"-"`
	Turned     []Turn             `json:"-"`
	// Stack is where the defect behind an error of class internal was met;
	// empty where it is no panic.
	Stack string `json:"-"`
}

// A Turn is what a transcript says of one request and its reply besides their
// messages.
type Turn struct {
	Sent    int           `json:"sent"`    // how many messages of the transcript the request held
	Offered []string      `json:"offered"` // the tools
	Forced  bool          `json:"forced"`  // the one tool had to be called
	Finish  string        `json:"finish"`  // as the endpoint said it
	Usage   verdict.Usage `json:"usage"`
	Error   *string       `json:"error"` // what came in the place of a reply
}

// Governed is a check, and the changed files that say what it does.
type Governed struct {
	Check string
	Paths []string
}
