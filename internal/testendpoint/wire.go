package testendpoint

import (
	"encoding/json"
	"strings"
)

// A wireRequest is the part of a request that a server looks at.
type wireRequest struct {
	Messages   []json.RawMessage `json:"messages"`
	Tools      []wireTool        `json:"tools"`
	Choice     json.RawMessage   `json:"tool_choice"`
	Parallel   json.RawMessage   `json:"parallel_tool_calls"`
	MaxTokens  json.RawMessage   `json:"max_tokens"`
	Completion json.RawMessage   `json:"max_completion_tokens"`
}

type wireTool struct {
	Function struct {
		Name       string          `json:"name"`
		Parameters json.RawMessage `json:"parameters"`
	} `json:"function"`
}

type wireMessage struct {
	Role    string          `json:"role"`
	Content json.RawMessage `json:"content"`
	Calls   []struct {
		ID string `json:"id"`
	} `json:"tool_calls"`
	CallID string `json:"tool_call_id"`
}

func (m wireMessage) text() string {
	var s string
	if json.Unmarshal(m.Content, &s) != nil {
		return string(m.Content)
	}
	return s
}

// read reads the messages; one that cannot be read is empty.
func (r *wireRequest) read() []wireMessage {
	out := make([]wireMessage, len(r.Messages))
	for i, raw := range r.Messages {
		if json.Unmarshal(raw, &out[i]) != nil {
			out[i] = wireMessage{}
		}
	}
	return out
}

func (r *wireRequest) offered() []string {
	var names []string
	for _, t := range r.Tools {
		names = append(names, t.Function.Name)
	}
	return names
}

func (r *wireRequest) choice() string {
	var word string
	if len(r.Choice) == 0 || json.Unmarshal(r.Choice, &word) == nil {
		return word
	}
	return "function"
}

// forces says whether the model must call a tool.
func (r *wireRequest) forces() bool {
	c := r.choice()
	return c != "" && c != "auto" && c != "none"
}

// uses says whether a request holds what an endpoint refuses.
func (r *wireRequest) uses(parameter string) bool {
	switch parameter {
	case RefuseNamed, RefuseRequired, RefuseAny:
		return r.choice() == strings.TrimPrefix(parameter, "tool_choice ")
	case RefuseToolChoice:
		return len(r.Choice) > 0
	case RefuseParallel:
		return len(r.Parallel) > 0
	case RefuseMaxTokens:
		return len(r.MaxTokens) > 0
	case RefuseCompletion:
		return len(r.Completion) > 0
	}
	panic("testendpoint: no such parameter can be refused: " + parameter)
}

// criteria are the names that the tool submit_verdict takes.
func (r *wireRequest) criteria() []string {
	var schema struct {
		Properties struct {
			Findings struct {
				Items struct {
					Properties struct {
						Criterion struct {
							Enum []string `json:"enum"`
						} `json:"criterion"`
					} `json:"properties"`
				} `json:"items"`
			} `json:"findings"`
		} `json:"properties"`
	}
	for _, t := range r.Tools {
		if t.Function.Name == submitVerdict && json.Unmarshal(t.Function.Parameters, &schema) == nil {
			return schema.Properties.Findings.Items.Properties.Criterion.Enum
		}
	}
	return nil
}

// receipt joins the last words of the first system and the first user
// message, as a judge does.
func receipt(messages []wireMessage) string {
	var halves []string
	for _, role := range []string{"system", "user"} {
		for _, m := range messages {
			if words := strings.Fields(m.text()); m.Role == role && len(words) > 0 {
				halves = append(halves, words[len(words)-1])
				break
			}
		}
	}
	return strings.Join(halves, "-")
}
