package judge_test

import (
	"context"
	"strings"
	"testing"

	"github.com/snodo-lang/snodo/runtime/endpoint"
	"github.com/snodo-lang/snodo/runtime/judge"
)

// Whatever a run is about, a judge's system message is the same but for its
// last line, so that a provider's cache has it.
func TestTheSystemMessageIsTheSameInEveryRun(t *testing.T) {
	said := func(change func(*judge.Request)) (body, last string) {
		r := ask(subject(3, all()...))
		change(&r)
		r.Chat = chat(func(_ context.Context, q endpoint.Request) (endpoint.Reply, error) {
			return endpoint.Reply{Message: endpoint.Message{Role: endpoint.Assistant, Content: "prose"}}, nil
		})
		first := judge.Run(t.Context(), r).Transcript[0]
		if first.Role != endpoint.System {
			t.Fatalf("the first message is of %s", first.Role)
		}
		at := strings.LastIndexByte(first.Content, '\n')
		return first.Content[:at], first.Content[at+1:]
	}
	body, last := said(func(*judge.Request) {})
	other, otherLast := said(func(r *judge.Request) {
		r.Task, r.Stage, r.Token, r.Model = "Another task.", "another stage", "0123456789ab", "another"
		r.Changes, r.Diff, r.Governed = nil, nil, nil
		r.Receipt = judge.Receipt{First: "ffff", Second: "eeee"}
	})
	if body != other {
		t.Errorf("two runs were told\n%s\nand\n%s", body, other)
	}
	if last == otherLast || !strings.Contains(last, "ab12") {
		t.Errorf("the last lines are %q and %q", last, otherLast)
	}
}
