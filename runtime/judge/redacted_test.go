package judge

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/snodo-lang/snodo/runtime/endpoint"
)

// What a model says is sent back to it and kept, so a secret is taken out of it
// however it is written.
func TestASecretIsTakenOutOfWhatAModelSays(t *testing.T) {
	redact := strings.NewReplacer("hunter2x", "[redacted]").Replace
	said := endpoint.Message{
		Role: endpoint.Assistant, Content: "hunter2x!", Reasoning: "so hunter2x",
		Calls: []endpoint.Call{
			{ID: "a", Name: "read_file", Arguments: `{"path":"hunter2x.go"}`},
			{ID: "b", Name: "read_file", Arguments: `{ "path" : "\u0068unter2x.go", "n": 1.50, "hunter\u0032x": ["\u0068unter2x"] }`},
			{ID: "c", Name: "read_file", Arguments: `{ "path" : "a\nb" }`},
			{ID: "d", Name: "read_file", Arguments: `{oops \u0068`},
		},
	}
	want := []string{
		`{"path":"[redacted].go"}`,
		`{"[redacted]":["[redacted]"],"n":1.50,"path":"[redacted].go"}`,
		`{ "path" : "a\nb" }`,
		`{oops \u0068`,
	}
	got := redacted(said, redact)
	if got.Content != "[redacted]!" || got.Reasoning != "so [redacted]" {
		t.Errorf("got %q and %q", got.Content, got.Reasoning)
	}
	for i, call := range got.Calls {
		if diff := cmp.Diff(want[i], call.Arguments); diff != "" {
			t.Errorf("call %s: %s", call.ID, diff)
		}
	}
	if said.Calls[0].Arguments != `{"path":"hunter2x.go"}` {
		t.Error("the reply itself was changed")
	}
}
