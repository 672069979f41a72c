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
	Cached *int64 `json:"cached"`
}

// A Class says what kind of error stands where no verdict came.
type Class string

// The classes of errors.
const (
	Transport        Class = "transport"
	RateLimited      Class = "rate_limited"
	Quota            Class = "quota"
	Auth             Class = "auth"
	BadRequest       Class = "bad_request"
	Protocol         Class = "protocol"
	NoVerdict        Class = "no_verdict"
	InvalidVerdict   Class = "invalid_verdict"
	ContextOverflow  Class = "context_overflow"
	ContextTruncated Class = "context_truncated"
	ContentFilter    Class = "content_filter"
	Refusal          Class = "refusal"
	Timeout          Class = "timeout"
	Budget           Class = "budget"
	Tool             Class = "tool"
	Replay           Class = "replay"
	Internal         Class = "internal"
)

// A Failure is an error in the place of a verdict. It cannot be routed: it
// halts the gate.
type Failure struct {
	Class   Class  `json:"class"`
	Message string `json:"message"`
	Turn    int    `json:"turn,omitempty"` // of a judge's conversation
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
