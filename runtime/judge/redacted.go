package judge

import (
	"encoding/json"
	"strings"

	"github.com/snodo-lang/snodo/runtime/endpoint"
)

// redacted is a reply without what may be neither shown, sent nor kept. A model
// that was never told a secret may know it all the same, from an answer of
// before or from whoever answers in its place; and what it says is sent back to
// it in the next turn.
func redacted(m endpoint.Message, redact func(string) string) endpoint.Message {
	if redact == nil {
		return m
	}
	m.Content, m.Reasoning = redact(m.Content), redact(m.Reasoning)
	calls := make([]endpoint.Call, len(m.Calls))
	for i, call := range m.Calls {
		calls[i] = endpoint.Call{ID: call.ID, Name: redact(call.Name), Arguments: redactedJSON(redact(call.Arguments), redact)}
	}
	if m.Calls != nil {
		m.Calls = calls
	}
	return m
}

// redactedJSON takes out of the texts of a JSON value what stands there with
// escapes. What needs none taken out, or is no JSON, stays as it was written.
func redactedJSON(text string, redact func(string) string) string {
	if !strings.Contains(text, `\`) {
		return text
	}
	d := json.NewDecoder(strings.NewReader(text))
	d.UseNumber()
	for {
		token, err := d.Token()
		if err != nil {
			return text
		}
		if s, ok := token.(string); ok && redact(s) != s {
			break
		}
	}
	// A member that stands twice would be lost on the way, and refused before
	// anything comes of it: then nothing of the text is kept.
	var value any
	again := json.NewDecoder(strings.NewReader(text))
	again.UseNumber()
	if again.Decode(&value) != nil {
		return ""
	}
	out, err := json.Marshal(walk(value, redact))
	if err != nil {
		return ""
	}
	return string(out)
}

func walk(v any, redact func(string) string) any {
	switch v := v.(type) {
	case string:
		return redact(v)
	case []any:
		for i := range v {
			v[i] = walk(v[i], redact)
		}
	case map[string]any:
		out := make(map[string]any, len(v))
		for name, inner := range v {
			out[redact(name)] = walk(inner, redact)
		}
		return out
	}
	return v
}
