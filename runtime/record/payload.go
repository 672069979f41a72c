package record

import (
	"bytes"
	"encoding/json"
	"fmt"

	"github.com/snodo-lang/snodo/runtime/verdict"
)

// PayloadSchema names the format of the payload.
const PayloadSchema = "snodo.run.v1"

// A Payload is what a run amounts to, for programs: one JSON object on
// standard output with --json, and run.json in the record. Every member is
// always there.
type Payload struct {
	Schema    string       `json:"schema"`
	Run       string       `json:"run"`
	Plan      string       `json:"plan"`
	Protocol  string       `json:"protocol"`
	Stage     string       `json:"stage"`
	Gate      string       `json:"gate"`
	Rehearsal bool         `json:"rehearsal"`
	Replay    bool         `json:"replay"`
	Partial   bool         `json:"partial"`
	Outcome   string       `json:"outcome"`
	HaltType  *string      `json:"halt_type"`
	Phase     *string      `json:"phase"`
	Reason    string       `json:"reason"`
	Task      string       `json:"task"`
	Base      string       `json:"base"`
	Head      *string      `json:"head"`
	Attempts  Summary      `json:"attempts"`
	Gates     []GateRecord `json:"gates"`
	Requests  []Request    `json:"requests"`
	Rows      []Row        `json:"rows"`
	Powers    []Exercised  `json:"powers"`
	// Confinement is by what children were kept to their folders: "landlock",
	// "within" a command of the user's, or null.
	Confinement *string `json:"confinement"`
	// Usage is that of the whole run, null where no judge spoke.
	Usage  *verdict.Usage `json:"usage"`
	Tokens Allowance      `json:"tokens"`
	Next   []string       `json:"next"`
	Record Position       `json:"record"`
}

// A Summary counts attempts. History keeps the latest; Omitted counts the
// others.
type Summary struct {
	Total      int           `json:"total"`
	Dispatches int           `json:"coder_dispatches"`
	Omitted    int           `json:"omitted"`
	History    []PastAttempt `json:"history"`
}

// A PastAttempt is an attempt and its outcome: passed, warned, blocked or
// error.
type PastAttempt struct {
	Attempt int    `json:"attempt"`
	Outcome string `json:"outcome"`
}

// An Allowance is what a run may take and has taken, in tokens. Limit is null
// where there is none.
type Allowance struct {
	Limit     *int64 `json:"limit"`
	Taken     int64  `json:"taken"`
	Estimated bool   `json:"estimated"` // a part was not reported, and is estimated by size
}

// A Row is a turn of a task.
type Row struct {
	Turn     int     `json:"turn"`
	Decision string  `json:"decision"`
	Score    *int    `json:"score"`
	Commit   *string `json:"commit,omitempty"`
	Reason   *string `json:"reason,omitempty"`
}

// A Position is a place in the event log: how many events, and the hash of
// the last of them.
type Position struct {
	Events int    `json:"events"`
	Head   string `json:"head"`
}

// historyKept is how many attempts the payload names.
const historyKept = 20

// Payload returns what the state amounts to. It panics before the run has
// ended: an outcome is never assumed.
func (s State) Payload() Payload {
	if s.Ended == nil {
		panic("record: the run has no outcome yet")
	}
	p := Payload{
		Schema: PayloadSchema, Run: s.Started.Run, Plan: s.Started.Plan, Protocol: s.Started.Protocol, Stage: s.Started.Stage,
		Gate: s.Started.Gate, Rehearsal: s.Started.Rehearsal != nil, Replay: s.Started.Replay != nil, Partial: s.Started.Phase != nil,
		Outcome: s.Ended.Outcome, Phase: s.Ended.Phase, Reason: s.Ended.Reason,
		Task: s.Started.Task, Base: s.Started.Base, Attempts: s.summary(), Gates: s.Gates(),
		Requests: s.Requests, Rows: nonNil(s.Rows), Powers: s.Powers, Usage: s.Usage, Next: s.Ended.Next,
		Tokens: Allowance{Limit: s.Started.MaxTokens, Taken: s.Spent.Tokens, Estimated: s.Spent.Estimated},
		Record: Position{Events: s.Events, Head: s.LastHash},
	}
	if s.Ended.HaltType != "" {
		p.HaltType = &s.Ended.HaltType
	}
	if s.Head != "" {
		p.Head = &s.Head
	}
	p.Confinement = s.Started.confinement()
	p.Requests = nonNil(p.Requests)
	p.Powers = nonNil(p.Powers)
	p.Next = nonNil(p.Next)
	return p
}

func nonNil[T any](list []T) []T {
	if list == nil {
		return []T{}
	}
	return list
}

// confinement says by what children were kept to their folders.
func (s Started) confinement() *string {
	word := ""
	switch {
	case s.Writable != nil:
		word = "landlock"
	case s.Within != nil:
		word = "within"
	default:
		return nil
	}
	return &word
}

// summary counts the attempts that were judged. One whose gates never decided
// is no attempt.
func (s State) summary() Summary {
	sum := Summary{Dispatches: s.Dispatches, History: []PastAttempt{}}
	for _, a := range s.Attempts {
		if a.Outcome != "" {
			sum.History = append(sum.History, PastAttempt{a.Number, a.Outcome})
		}
	}
	sum.Total = len(sum.History)
	sum.Omitted = max(0, sum.Total-historyKept)
	sum.History = sum.History[sum.Omitted:]
	return sum
}

// Encode returns the payload as one JSON object and a newline.
func (p Payload) Encode() ([]byte, error) {
	var out bytes.Buffer
	e := json.NewEncoder(&out)
	e.SetEscapeHTML(false)
	if err := e.Encode(p); err != nil {
		return nil, fmt.Errorf("encode payload: %w", err)
	}
	return out.Bytes(), nil
}
