package runtime

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/snodo-lang/snodo/runtime/endpoint"
	"github.com/snodo-lang/snodo/runtime/record"
	"github.com/snodo-lang/snodo/runtime/verdict"
)

// A talker answers every turn with the same reply.
type talker struct {
	reply endpoint.Reply
	err   error
	asked int
}

func (t *talker) Chat(context.Context, endpoint.Request) (endpoint.Reply, error) {
	t.asked++
	return t.reply, t.err
}

func tokens(n int64) *int64 { return &n }

func TestTokensAreCountedAcrossConversations(t *testing.T) {
	run := &spending{limit: 100}
	chat := &talker{reply: endpoint.Reply{Usage: verdict.Usage{Input: tokens(30), Output: tokens(10)}}}
	one, other := &meter{chat: chat, run: run}, &meter{chat: chat, run: run}
	for i, m := range []*meter{one, other, one} {
		if _, err := m.Chat(t.Context(), endpoint.Request{}); err != nil {
			t.Fatalf("turn %d: %v", i, err)
		}
	}
	_, err := other.Chat(t.Context(), endpoint.Request{})
	var refused *endpoint.Error
	if !errors.As(err, &refused) || refused.Class != verdict.Budget || !strings.Contains(refused.Message, "may take 100 tokens and has taken 120") {
		t.Errorf("got %v", err)
	}
	if chat.asked != 3 {
		t.Errorf("%d turns were made", chat.asked)
	}
	if one.spent != (record.Spent{Tokens: 80}) || other.spent != (record.Spent{Tokens: 40}) {
		t.Errorf("%+v and %+v", one.spent, other.spent)
	}
}

func TestWhatIsNotReportedIsEstimatedAndSaid(t *testing.T) {
	m := &meter{chat: &talker{reply: endpoint.Reply{Message: endpoint.Message{Content: "abcd"}}}, run: &spending{}}
	q := endpoint.Request{Messages: []endpoint.Message{{Content: strings.Repeat("x", 36)}}, Tools: []endpoint.Tool{{Name: "ab", Description: "cd"}}}
	if _, err := m.Chat(t.Context(), q); err != nil {
		t.Fatal(err)
	}
	if m.spent != (record.Spent{Tokens: 11, Estimated: true}) {
		t.Errorf("got %+v", m.spent)
	}
}

func TestAFailedTurnOfWhichNothingIsKnownCostsNothing(t *testing.T) {
	m := &meter{chat: &talker{err: errors.New("lost")}, run: &spending{limit: 1}}
	if _, err := m.Chat(t.Context(), endpoint.Request{Messages: []endpoint.Message{{Content: "long enough to cost"}}}); err == nil {
		t.Fatal("no error")
	}
	if m.spent.Tokens != 0 {
		t.Errorf("got %+v", m.spent)
	}
}

// An endpoint that counts nothing has counted nothing.
func TestNothingInIsNoCount(t *testing.T) {
	m := &meter{chat: &talker{reply: endpoint.Reply{Usage: verdict.Usage{Input: tokens(0), Output: tokens(0)}}}, run: &spending{limit: 3}}
	q := endpoint.Request{Messages: []endpoint.Message{{Content: strings.Repeat("x", 16)}}}
	if _, err := m.Chat(t.Context(), q); err != nil {
		t.Fatal(err)
	}
	if _, err := m.Chat(t.Context(), q); err == nil || !strings.Contains(err.Error(), "has taken about 4") {
		t.Errorf("got %v", err)
	}
}
