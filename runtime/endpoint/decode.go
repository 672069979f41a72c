package endpoint

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strings"

	"github.com/sashabaranov/go-openai"

	"github.com/snodo-lang/snodo/runtime/verdict"
)

// A completion is an answer with its deviations evened out.
type completion struct {
	failed  bool // the answer holds an error instead of a choice
	message openai.ChatCompletionMessage
	finish  string
	usage   verdict.Usage
}

// What an endpoint sends, with the members that differ left unread.
type (
	wireCompletion struct {
		Choices []wireChoice    `json:"choices"`
		Error   json.RawMessage `json:"error"`
		Usage   json.RawMessage `json:"usage"`
	}
	wireChoice struct {
		Message *wireMessage    `json:"message"`
		Finish  json.RawMessage `json:"finish_reason"`
		Error   json.RawMessage `json:"error"`
	}
	wireMessage struct {
		Content   json.RawMessage `json:"content"`
		Refusal   json.RawMessage `json:"refusal"`
		Reasoning json.RawMessage `json:"reasoning_content"`
		ToolCalls json.RawMessage `json:"tool_calls"`
	}
	wireCall struct {
		ID       json.RawMessage `json:"id"`
		Function *struct {
			Name      json.RawMessage `json:"name"`
			Arguments json.RawMessage `json:"arguments"`
		} `json:"function"`
	}
	wirePart struct {
		Text json.RawMessage `json:"text"`
	}
)

// decode reads an answer. What follows it is left unread, unless it is another
// answer. The error says what makes it no completion.
func decode(body []byte) (completion, error) {
	var wire wireCompletion
	d := json.NewDecoder(bytes.NewReader(body))
	if err := d.Decode(&wire); err != nil {
		return completion{}, unlike(body, err)
	}
	if err := single(body, d.InputOffset()); err != nil {
		return completion{}, err
	}
	switch {
	case says(wire.Error):
		return completion{failed: true}, nil
	case len(wire.Choices) == 0:
		return completion{}, errors.New("the answer holds no choices")
	case len(wire.Choices) > 1:
		return completion{}, fmt.Errorf("the answer holds %d choices, and one was asked for", len(wire.Choices))
	case says(wire.Choices[0].Error), text(wire.Choices[0].Finish) == "error":
		return completion{}, errors.New("the answer says that it failed")
	case wire.Choices[0].Message == nil:
		return completion{}, errors.New("the answer holds no message")
	}
	choice := wire.Choices[0]
	c := completion{finish: text(choice.Finish), usage: usage(wire.Usage)}
	c.message = openai.ChatCompletionMessage{
		Role:             Assistant,
		Content:          content(choice.Message.Content),
		Refusal:          text(choice.Message.Refusal),
		ReasoningContent: text(choice.Message.Reasoning),
	}
	var calls []wireCall
	if present(choice.Message.ToolCalls) {
		if err := json.Unmarshal(choice.Message.ToolCalls, &calls); err != nil {
			return completion{}, fmt.Errorf("the answer's tool calls cannot be read: %w", err)
		}
	}
	for _, call := range calls {
		c.message.ToolCalls = append(c.message.ToolCalls, call.canonical())
	}
	return c, nil
}

// unlike says what an answer is that could not be read: some of what is met
// tells at once what to change.
func unlike(body []byte, err error) error {
	body = bytes.TrimSpace(body)
	switch {
	case len(body) == 0:
		return errors.New("the answer is empty")
	case body[0] == '<':
		return errors.New("the answer is a page for a browser; is this the address of an API? Most end in /v1")
	case bytes.HasPrefix(body, []byte("data:")), bytes.HasPrefix(body, []byte("event:")):
		return errors.New("the answer is a stream, and none was asked for")
	}
	return fmt.Errorf("the answer is not the JSON of a completion: %w", err)
}

// canonical writes a completion as the client library reads it.
func (c completion) canonical() []byte {
	out, err := json.Marshal(openai.ChatCompletionResponse{Choices: []openai.ChatCompletionChoice{{Message: c.message}}})
	if err != nil {
		panic(fmt.Sprintf("endpoint: write a completion: %v", err))
	}
	return out
}

func (w wireCall) canonical() openai.ToolCall {
	call := openai.ToolCall{ID: scalar(w.ID), Type: openai.ToolTypeFunction}
	if w.Function != nil {
		call.Function.Name = text(w.Function.Name)
		call.Function.Arguments = arguments(w.Function.Arguments)
	}
	return call
}

// arguments is the text that a model wrote as arguments. Some endpoints send
// it as the object that it means, and some encode it twice.
func arguments(raw json.RawMessage) string {
	s := text(raw)
	if s == "" && present(raw) && raw[0] != '"' {
		return string(raw)
	}
	var object map[string]json.RawMessage
	if inner := text(json.RawMessage(s)); json.Unmarshal([]byte(inner), &object) == nil && object != nil {
		return inner
	}
	return s
}

func present(raw json.RawMessage) bool { return len(raw) > 0 && string(raw) != "null" }

// text is the text that raw holds; anything else is empty.
func text(raw json.RawMessage) string {
	var s string
	if json.Unmarshal(raw, &s) != nil {
		return ""
	}
	return s
}

// scalar is the text or the number that raw holds, as text.
func scalar(raw json.RawMessage) string {
	var n json.Number
	if s := text(raw); s != "" || json.Unmarshal(raw, &n) != nil {
		return s
	}
	return n.String()
}

// content is a text, or the texts of a list of parts.
func content(raw json.RawMessage) string {
	if s := text(raw); s != "" {
		return s
	}
	var parts []wirePart
	if json.Unmarshal(raw, &parts) != nil {
		return ""
	}
	var all strings.Builder
	for _, p := range parts {
		all.WriteString(text(p.Text))
	}
	return all.String()
}

// usage reads what an endpoint reports. The cached part has two names.
func usage(raw json.RawMessage) verdict.Usage {
	var wire struct {
		Prompt     json.RawMessage `json:"prompt_tokens"`
		Completion json.RawMessage `json:"completion_tokens"`
		Hit        json.RawMessage `json:"prompt_cache_hit_tokens"`
		Details    json.RawMessage `json:"prompt_tokens_details"`
	}
	if json.Unmarshal(raw, &wire) != nil {
		return verdict.Usage{}
	}
	var details struct {
		Cached json.RawMessage `json:"cached_tokens"`
	}
	// Details that cannot be read are details that were not reported.
	_ = json.Unmarshal(wire.Details, &details)
	u := verdict.Usage{Input: count(wire.Prompt), Output: count(wire.Completion), Cached: count(details.Cached)}
	if u.Cached == nil {
		u.Cached = count(wire.Hit)
	}
	return u
}

// count is the whole number that raw holds, or nil. Some endpoints write it
// with a fraction of nothing; a fraction of something counts no tokens.
func count(raw json.RawMessage) *int64 {
	var f *float64
	if json.Unmarshal(raw, &f) != nil || f == nil || *f < 0 || *f > maxCount || *f != math.Trunc(*f) {
		return nil
	}
	n := int64(*f)
	return &n
}

// maxCount is the largest number up to which a float64 counts every one.
const maxCount = 1 << 53
