// Package verdict holds what a validator gives back: findings, and the errors
// that stand where no verdict came. Judges, checks and rules make these
// values, gates count them, and the record keeps them; so they belong to none
// of those. The package decides nothing but the fold of findings into one
// verdict.
package verdict

import (
	"fmt"
	"slices"

	"github.com/snodo-lang/snodo/compiler/plan"
)

// A Finding is what a validator found about one criterion. Checks and rules
// have no criteria: there Criterion is empty.
type Finding struct {
	Criterion string       `json:"criterion"`
	Verdict   plan.Verdict `json:"verdict"`
	Because   string       `json:"because"`
	Quotes    []Quote      `json:"quotes"`
	Missing   []Missing    `json:"missing,omitempty"` // of an unclear finding
}

// A Quote is a place that a finding rests on, and its exact words.
type Quote struct {
	Path string `json:"path"`
	Line int    `json:"line"`
	Text string `json:"text"`
}

// Missing is a request for evidence. An argument is a string, or a
// json.Number where the parameter is a line; Args is nil in a rehearsal.
type Missing struct {
	Evidence string         `json:"evidence"`
	Args     map[string]any `json:"args"`
}

// Examined is one thing that a judge read.
type Examined struct {
	Tool string `json:"tool"`
	Path string `json:"path"`
	Turn int    `json:"turn"`
}

// Usage counts the tokens of a conversation. What the endpoint did not report
// is nil, never 0.
type Usage struct {
	Input  *int64 `json:"input"`
	Output *int64 `json:"output"`
	Cached *int64 `json:"cached"` // the part of Input that was served from a cache
}

// Plus is the sum of two usages. A sum of which a part is not known is not
// known.
func (u Usage) Plus(v Usage) Usage {
	return Usage{plus(u.Input, v.Input), plus(u.Output, v.Output), plus(u.Cached, v.Cached)}
}

func plus(a, b *int64) *int64 {
	if a == nil || b == nil {
		return nil
	}
	sum := *a + *b
	return &sum
}

// A Class says what kind of error stands where no verdict came.
type Class string

// The classes of errors.
const (
	Transport        Class = "transport"         // no answer was had: the connection, a 5xx
	RateLimited      Class = "rate_limited"      // too many requests, for longer than could be waited
	Quota            Class = "quota"             // the account has nothing left to spend
	Auth             Class = "auth"              // the key is missing, wrong or not allowed
	BadRequest       Class = "bad_request"       // the endpoint refuses the request, the model or the address
	Protocol         Class = "protocol"          // an answer that is no Chat Completion
	NoVerdict        Class = "no_verdict"        // the verdict turn brought no submission
	InvalidVerdict   Class = "invalid_verdict"   // the corrected submission was invalid too
	ContextOverflow  Class = "context_overflow"  // the conversation is longer than the model can read
	ContextTruncated Class = "context_truncated" // the endpoint cut the messages without saying so
	ContentFilter    Class = "content_filter"    // the provider withheld the answer
	Refusal          Class = "refusal"           // the model declined
	Timeout          Class = "timeout"           // the time was used up
	Budget           Class = "budget"            // the tokens of the run are spent
	Tool             Class = "tool"              // a tool, a check or a rule could not do its work
	Replay           Class = "replay"            // a recorded run has no such exchange
	Internal         Class = "internal"          // a defect of snodo
)

// A Failure is an error in the place of a verdict. It cannot be routed: it
// halts the gate.
type Failure struct {
	Class   Class  `json:"class"`
	Message string `json:"message"`
	Turn    int    `json:"turn,omitempty"` // the reply of a judge's conversation, from 1
}

func (f *Failure) Error() string { return fmt.Sprintf("%s: %s", f.Class, f.Message) }

// Fold returns the gravest verdict of the findings. It panics without any:
// nothing was established, so there is no verdict to give.
func Fold(findings []Finding) plan.Verdict {
	if len(findings) == 0 {
		panic("verdict: no findings to fold")
	}
	gravest := 0
	for _, f := range findings {
		gravest = max(gravest, slices.Index(plan.Verdicts, f.Verdict))
	}
	return plan.Verdicts[gravest]
}
