package coder

import (
	"context"
	"errors"
	"time"

	"github.com/snodo-lang/snodo/compiler/plan"
	"github.com/snodo-lang/snodo/runtime/endpoint"
	"github.com/snodo-lang/snodo/runtime/judge"
	"github.com/snodo-lang/snodo/runtime/verdict"
)

// The bounds of a model's conversation. Those of its turns, its tokens and its
// time stand in the plan.
const (
	maxFile         = 1 << 20   // bytes of a file that is written or edited
	maxWritten      = 64 << 20  // bytes of all that is written
	maxCalls        = 32        // calls of one reply that are carried out
	maxAnswers      = 256 << 10 // bytes of the answers to one reply, from which on none is carried out
	maxConversation = 32 << 20  // bytes of all messages
	maxReport       = 64 << 10  // bytes of the report
)

// ErrTooLarge is what a Work's Take returns where the work is more than a
// change may be.
var ErrTooLarge = errors.New("too large")

// A Request is everything that a coder which is a model is given.
type Request struct {
	Name    string     // for messages to people
	Coder   plan.Coder // a model
	Tools   []plan.Tool
	Grants  []plan.Grant
	Checks  []string // those that run_check runs
	Wording *plan.Wording
	Brief   string

	// Dir is the coder's folder, in which nobody else works meanwhile. It is a
	// checkout: temporary files are made in its git directory.
	Dir string
	// Work shows what stands in the folder.
	Work Work
	// Protected says of a clean path whether only people change it.
	Protected func(path string) (bool, error)

	Token string // random, of this conversation: part of every data marker
	Chat  judge.Chat

	// Redact removes secrets from material before it is shown.
	Redact func(string) string
	// Replied is told of each reply before its calls are carried out. Its
	// error ends the work.
	Replied func(turn int) error
	Now     func() time.Time
}

// A Work is the folder of a coder as others will see it.
type Work interface {
	// Take returns what stands in the folder now. The error matches
	// ErrTooLarge where it is more than a change may be; any other ends the
	// work as a failure.
	Take(context.Context) (State, error)
}

// A State is the work at one time. Its Tree is read as a judge reads one.
type State interface {
	judge.Tree
	// Diff is the difference to the base, by file and in order.
	Diff(context.Context) ([]judge.FileDiff, error)
	// Check runs one of the request's checks on it.
	Check(ctx context.Context, name string) (Checked, error)
}

// Checked is what came of a check. It informs the coder and decides nothing.
type Checked struct {
	Verdict plan.Verdict // plan.Pass or plan.Blocker; empty where it came to no result
	Output  string
}

// A Result is what became of the conversation. What became of the work stands
// in the folder.
type Result struct {
	// Failure says how it ended if not by a reply that calls nothing, as what
	// follows "the coder"; empty where it ended well.
	Failure string
	// Report is the last text of the model. It is for people, and no evidence.
	Report string
	Turns  int // replies
	Usage  verdict.Usage

	Transcript []endpoint.Message
	Turned     []judge.Turn
	Stack      string // where a defect of snodo was met; empty where none was
}
