package testendpoint

import (
	"encoding/json"
	"fmt"
	"io"
	"slices"
)

// A Script is what one model answers, reply after reply, over all of its
// conversations. In JSON:
//
//	[{"judge": "injection", "replies": [
//	   {"calls": [{"tool": "read_file", "args": {"path": "a.go"}}]},
//	   {"submit": {"injection": "pass"}}]}]
type Script struct {
	// Judge is a text that the system message of this model holds and that
	// of no other; the first script that fits is taken. Where a conversation
	// has no system message, its first message is looked at.
	Judge   string  `json:"judge"`
	Replies []Reply `json:"replies"`
	// Refuses names what this model's endpoint answers with status 400 and
	// an error that names the parameter; such a request costs no reply. One
	// of the Refuse constants each.
	Refuses []string `json:"refuses,omitempty"`
	// Listed is how this model stands in the endpoint's list of models. Where
	// no script has it, there is no list.
	Listed json.RawMessage `json:"listed,omitempty"`
}

// What an endpoint may refuse.
const (
	RefuseNamed      = "tool_choice function"
	RefuseRequired   = "tool_choice required"
	RefuseAny        = "tool_choice any"
	RefuseToolChoice = "tool_choice" // however it is spelled
	RefuseMaxTokens  = "max_tokens"
	RefuseCompletion = "max_completion_tokens"
	RefuseParallel   = "parallel_tool_calls"
)

// A Reply is one answer. Say, Calls and Submit make it a completion, and may
// stand together; Status makes it a bare HTTP answer; Drop closes the
// connection instead.
type Reply struct {
	Say   string `json:"say,omitempty"`
	Calls []Call `json:"calls,omitempty"`
	// Call and Args are short for Calls with one element.
	Call string          `json:"call,omitempty"`
	Args json.RawMessage `json:"args,omitempty"`
	// Submit decides. It maps criteria to verdicts or to whole findings; a
	// criterion that is not named passes. A verdict alone ("pass") is that of
	// every criterion.
	Submit json.RawMessage `json:"submit,omitempty"`
	// Receipt stands in for the right one, which is taken from the messages.
	Receipt string `json:"receipt,omitempty"`

	Status int               `json:"status,omitempty"`
	Header map[string]string `json:"header,omitempty"`
	// Body may hold $RECEIPT, too. Pad appends so many blanks to it.
	Body string `json:"body,omitempty"`
	Pad  int    `json:"pad,omitempty"`
	Drop bool   `json:"drop,omitempty"`

	Finish string   `json:"finish,omitempty"` // finish_reason, instead of the one that fits
	Quirks []string `json:"quirks,omitempty"` // the Quirk constants
	Times  int      `json:"times,omitempty"`  // the reply is given so many times; 0 is once

	// Hold keeps the answer back until it is closed or the client has gone;
	// Arrived is closed when the request is there, so Times may not repeat
	// it. Both may be nil.
	Hold    <-chan struct{} `json:"-"`
	Arrived chan<- struct{} `json:"-"`
}

// A Call is a call of a tool. Raw stands in for Args where the arguments are
// to be no JSON. In both, $RECEIPT is the right receipt.
type Call struct {
	Tool string          `json:"tool"`
	Args json.RawMessage `json:"args,omitempty"`
	Raw  string          `json:"raw,omitempty"`
}

// The ways in which a completion may misbehave.
const (
	QuirkNoIDs        = "no ids"           // tool calls have none
	QuirkSameIDs      = "same ids"         // all tool calls, in all replies, have the same
	QuirkIntegerIDs   = "integer ids"      // numbers instead of texts
	QuirkObjects      = "object arguments" // arguments are an object instead of a text
	QuirkNullContent  = "null content"     // content is null
	QuirkArrayContent = "array content"    // content is a list of parts
	QuirkNoUsage      = "no usage"         // nothing is reported
	QuirkNullMessage  = "null message"     // the choice has no message
	QuirkNoChoices    = "no choices"       // the list is empty
	QuirkTrailing     = "trailing bytes"   // something follows the JSON
	QuirkRefusal      = "refusal"          // Say is in the refusal member
	QuirkReasoning    = "reasoning"        // Say is in reasoning_content
)

var (
	refusals = []string{RefuseNamed, RefuseRequired, RefuseAny, RefuseToolChoice, RefuseMaxTokens, RefuseCompletion, RefuseParallel}
	quirks   = []string{QuirkNoIDs, QuirkSameIDs, QuirkIntegerIDs, QuirkObjects, QuirkNullContent, QuirkArrayContent,
		QuirkNoUsage, QuirkNullMessage, QuirkNoChoices, QuirkTrailing, QuirkRefusal, QuirkReasoning}
)

// known says whether scripts ask only for what there is.
func known(scripts []Script) error {
	for _, script := range scripts {
		for _, r := range script.Refuses {
			if !slices.Contains(refusals, r) {
				return fmt.Errorf("judge %q: %q cannot be refused; these can: %q", script.Judge, r, refusals)
			}
		}
		for _, reply := range script.Replies {
			for _, q := range reply.Quirks {
				if !slices.Contains(quirks, q) {
					return fmt.Errorf("judge %q: there is no quirk %q; there are: %q", script.Judge, q, quirks)
				}
			}
		}
	}
	return nil
}

// LoadScripts reads a list of scripts. Unknown members are errors.
func LoadScripts(r io.Reader) ([]Script, error) {
	d := json.NewDecoder(r)
	d.DisallowUnknownFields()
	var scripts []Script
	if err := d.Decode(&scripts); err != nil {
		return nil, fmt.Errorf("load scripts: %w", err)
	}
	if err := known(scripts); err != nil {
		return nil, fmt.Errorf("load scripts: %w", err)
	}
	return scripts, nil
}
