package endpoint

import (
	"encoding/json"

	"github.com/snodo-lang/snodo/runtime/verdict"
)

// The roles of messages.
const (
	System    = "system"
	User      = "user"
	Assistant = "assistant"
	ToolRole  = "tool"
)

// A Message is one message of a conversation.
type Message struct {
	Role    string `json:"role"`
	Content string `json:"content"`
	// Reasoning is what an endpoint reported of a model's thinking. It is
	// sent back as it came, since some endpoints insist on it, and nothing is
	// ever derived from it.
	Reasoning string `json:"reasoning_content,omitempty"`
	Calls     []Call `json:"tool_calls,omitempty"`   // of an assistant
	CallID    string `json:"tool_call_id,omitempty"` // of a tool: the call that this answers
}

// A Call is a model's call of a tool. Arguments is the text that the model
// wrote, which need not be JSON.
type Call struct {
	ID        string `json:"id"`
	Name      string `json:"name"`
	Arguments string `json:"arguments"`
}

// A Tool is a function as it is offered to a model. Parameters is a JSON
// Schema; it is sent as it stands, in the order in which it stands.
type Tool struct {
	Name        string
	Description string
	Parameters  json.RawMessage
}

// A Request is what one turn asks of a model.
type Request struct {
	Model     string
	Messages  []Message
	Tools     []Tool
	Force     string // the tool that must be called, the only one in Tools; empty: the model is free
	MaxTokens int    // the most tokens of the reply
}

// A Reply is what came back. The ids of its calls are unique within the
// conversation and never empty, whatever the endpoint sent.
type Reply struct {
	Message Message
	Finish  string // finish_reason as it came; it may disagree with Message
	Usage   verdict.Usage
}
