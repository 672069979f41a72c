package runtime

import (
	"context"
	"fmt"
	"sync"

	"github.com/snodo-lang/snodo/runtime/endpoint"
	"github.com/snodo-lang/snodo/runtime/judge"
	"github.com/snodo-lang/snodo/runtime/record"
	"github.com/snodo-lang/snodo/runtime/verdict"
)

// A spending counts the tokens of a run, and refuses turns when its limit is
// reached. Turns that are under way side by side are all let finish, so the
// limit may be passed by what they take.
type spending struct {
	mu    sync.Mutex
	limit int64 // 0: none
	total int64
	about bool // a part of total is an estimate
}

// spent adds tokens.
func (s *spending) spent(n int64, estimated bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.total += n
	s.about = s.about || estimated
}

// reached says why no turn may be begun any more, nil where one may.
func (s *spending) reached() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.limit == 0 || s.total < s.limit {
		return nil
	}
	about := ""
	if s.about {
		about = "about "
	}
	return &endpoint.Error{
		Class:   verdict.Budget,
		Message: fmt.Sprintf("the run may take %d tokens and has taken %s%d; begin a run with a higher --max-tokens", s.limit, about, s.total),
	}
}

// A meter is the way of one conversation to its model. It counts what the
// conversation takes for itself and for the run.
type meter struct {
	chat  judge.Chat
	run   *spending
	spent record.Spent
}

// Chat makes a turn, if the run may still begin one.
func (m *meter) Chat(ctx context.Context, q endpoint.Request) (endpoint.Reply, error) {
	if err := m.run.reached(); err != nil {
		return endpoint.Reply{}, err
	}
	reply, err := m.chat.Chat(ctx, q)
	taken, estimated := taken(q, reply)
	if err != nil && reply.Usage.Input == nil {
		// What failed has mostly cost nothing, and nothing is known of it.
		return reply, err
	}
	m.spent.Tokens += taken
	m.spent.Estimated = m.spent.Estimated || estimated
	m.run.spent(taken, estimated)
	return reply, err
}

// bytesAToken is about how many bytes of a text make a token, in English and
// in code. It serves only where an endpoint reports nothing.
const bytesAToken = 4

// taken returns the tokens of a turn, and whether they are an estimate.
func taken(q endpoint.Request, r endpoint.Reply) (tokens int64, estimated bool) {
	// Nothing in is not believed: something was asked.
	if u := r.Usage; u.Input != nil && u.Output != nil && *u.Input > 0 {
		return *u.Input + *u.Output, false
	}
	size := 0
	for _, m := range append(q.Messages[:len(q.Messages):len(q.Messages)], r.Message) {
		size += len(m.Content) + len(m.Reasoning)
		for _, call := range m.Calls {
			size += len(call.Name) + len(call.Arguments)
		}
	}
	for _, t := range q.Tools {
		size += len(t.Name) + len(t.Description) + len(t.Parameters)
	}
	return int64(size+bytesAToken-1) / bytesAToken, true
}
