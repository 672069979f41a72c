package bench_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/sashabaranov/go-openai"
	"golang.org/x/sync/errgroup"

	"github.com/snodo-lang/snodo/compiler/plan"
	"github.com/snodo-lang/snodo/runtime/endpoint"
	"github.com/snodo-lang/snodo/runtime/judge"
)

// A server answers every request at once or after a latency: the first turns
// of a conversation with a read, the last with a verdict.
type server struct {
	url     string
	turns   int           // of a conversation
	latency time.Duration // before an answer
	most    atomic.Int64  // requests at the same time
	now     atomic.Int64
}

func serve(b *testing.B, turns int, latency time.Duration) *server {
	b.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		b.Fatal(err)
	}
	s := &server{url: "http://" + l.Addr().String() + "/v1", turns: turns, latency: latency}
	h := &http.Server{Handler: s}
	go h.Serve(l) // its error is that it was closed
	b.Cleanup(func() { h.Close() })
	return s
}

func (s *server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	now := s.now.Add(1)
	defer s.now.Add(-1)
	for most := s.most.Load(); now > most && !s.most.CompareAndSwap(most, now); most = s.most.Load() {
	}
	var asked struct {
		Messages []json.RawMessage `json:"messages"`
	}
	if err := json.NewDecoder(r.Body).Decode(&asked); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	if s.latency > 0 {
		select {
		case <-time.After(s.latency):
		case <-r.Context().Done():
			return
		}
	}
	w.Header().Set("Content-Type", "application/json")
	io.WriteString(w, reply(len(asked.Messages)/2, s.turns)) // a client that has gone does not matter
}

// reply is the answer of the given turn, from 1.
func reply(turn, turns int) string {
	name, arguments := "read_file", fmt.Sprintf(`{"path":"file%d.go"}`, turn)
	if turn >= turns {
		name = plan.SubmitVerdict
		arguments = `{"findings":[{"criterion":"safe","quotes":[],"because":"as scripted","verdict":"pass"}],"receipt":"ab12-cd34"}`
	}
	out, err := json.Marshal(map[string]any{
		"object": "chat.completion",
		"choices": []any{map[string]any{"index": 0, "finish_reason": "tool_calls", "message": map[string]any{
			"role": "assistant", "content": nil,
			"tool_calls": []any{map[string]any{
				"id": fmt.Sprintf("call%05d", turn), "type": "function", "function": map[string]any{"name": name, "arguments": arguments},
			}},
		}}},
		"usage": map[string]any{"prompt_tokens": 1000, "completion_tokens": 40, "total_tokens": 1040},
	})
	if err != nil {
		panic(err)
	}
	return string(out)
}

// A library is a tree of files of some size.
type library struct{ file []byte }

func (l library) Entry(_ context.Context, path string) (judge.Entry, error) {
	return judge.Entry{Path: path, Kind: judge.File, Size: int64(len(l.file))}, nil
}
func (l library) Walk(context.Context, string) ([]judge.Entry, error) { return nil, nil }
func (l library) Read(context.Context, string) ([]byte, error)        { return l.file, nil }
func (l library) Log(context.Context, string, int) ([]judge.Commit, error) {
	return nil, nil
}
func (l library) Show(context.Context, string, string) (judge.Entry, []byte, error) {
	return judge.Entry{}, nil, fs.ErrNotExist
}

const schema = `{"type":"object","properties":{"path":{"type":"string"}},"required":["path"],"additionalProperties":false}`

// request is what a judge of the given number of turns is asked. Its prompt,
// its diff and its files have the sizes that such things have.
func request(chat judge.Chat, turns int) judge.Request {
	return judge.Request{
		Name: "security", Model: "scripted", Chat: chat, Token: "7f3a09c1d2",
		Judge: &plan.Judge{
			Kind: plan.KindJudge, Phase: plan.PostExecute, Returns: []plan.Verdict{plan.Pass, plan.Unclear, plan.Blocker},
			Criteria:      []plan.Criterion{{Name: "safe", Text: "Nothing unsafe."}},
			Grants:        []plan.Grant{{Tool: "read_file"}},
			Budget:        plan.Budget{Turns: turns + 1, Tokens: 4096, TimeoutMS: 300_000},
			Prompt:        strings.Repeat("You judge one criterion by what you are shown.\n", 100),
			Tools:         []plan.Tool{{Name: "read_file", Description: "Reads a file.", Parameters: json.RawMessage(schema)}},
			SubmitVerdict: plan.Tool{Name: plan.SubmitVerdict, Description: "Decides.", Parameters: json.RawMessage(schema)},
		},
		Wording: &plan.JudgeWording{ReceiptLine: "receipt: {half}", MarkerOpen: "<<<{what} {token}", MarkerClose: "{token} {what}>>>"},
		Task:    strings.Repeat("Escape what comes from outside. ", 30),
		Receipt: judge.Receipt{First: "ab12", Second: "cd34"},
		Tree:    library{[]byte(strings.Repeat("func Query(in string) error { return run(escape(in)) }\n", 100))},
	}
}

func client(b *testing.B, s *server) *endpoint.Client {
	b.Helper()
	c, err := endpoint.New(endpoint.Config{BaseURL: s.url})
	if err != nil {
		b.Fatal(err)
	}
	return c
}

func mustPass(b *testing.B, r judge.Result, turns int) {
	b.Helper()
	if r.Verdict == nil || *r.Verdict != plan.Pass || r.Turns != turns {
		b.Fatalf("%v after %d turns", r.Error, r.Turns)
	}
}

// BenchmarkRoundTrip is the measure for BenchmarkTurn: the same messages to
// the same server by the client library alone.
func BenchmarkRoundTrip(b *testing.B) {
	s := serve(b, 1, 0)
	config := openai.DefaultConfig("")
	config.BaseURL = s.url
	c := openai.NewClientWithConfig(config)
	r := request(nil, 1)
	tool := func(t plan.Tool) openai.Tool {
		return openai.Tool{Type: openai.ToolTypeFunction, Function: &openai.FunctionDefinition{Name: t.Name, Description: t.Description, Parameters: t.Parameters}}
	}
	body := openai.ChatCompletionRequest{
		Model: r.Model, MaxCompletionTokens: r.Judge.Budget.Tokens,
		Messages: []openai.ChatCompletionMessage{
			{Role: openai.ChatMessageRoleSystem, Content: r.Judge.Prompt},
			{Role: openai.ChatMessageRoleUser, Content: r.Task},
		},
		Tools: []openai.Tool{tool(r.Judge.Tools[0]), tool(r.Judge.SubmitVerdict)},
	}
	b.ReportAllocs()
	for b.Loop() {
		out, err := c.CreateChatCompletion(b.Context(), body)
		if err != nil || len(out.Choices[0].Message.ToolCalls) != 1 {
			b.Fatalf("%+v, %v", out, err)
		}
	}
}

// BenchmarkTurn is a judge that decides in its first turn: one exchange, and
// all that snodo does around it.
func BenchmarkTurn(b *testing.B) {
	s := serve(b, 1, 0)
	r := request(client(b, s), 1)
	b.ReportAllocs()
	for b.Loop() {
		mustPass(b, judge.Run(b.Context(), r), 1)
	}
}

// BenchmarkConversation is a judge that reads four files and decides.
func BenchmarkConversation(b *testing.B) {
	s := serve(b, 5, 0)
	r := request(client(b, s), 5)
	b.ReportAllocs()
	for b.Loop() {
		mustPass(b, judge.Run(b.Context(), r), 5)
	}
}

// BenchmarkPanel is 64 judges of five turns, side by side, where each answer
// takes 50 ms. The least that it can take is 250 ms.
func BenchmarkPanel(b *testing.B) {
	const judges, turns, latency = 64, 5, 50 * time.Millisecond
	s := serve(b, turns, latency)
	c := client(b, s)
	start := time.Now()
	for b.Loop() {
		var g errgroup.Group
		for range judges {
			g.Go(func() error {
				r := judge.Run(b.Context(), request(c, turns))
				if r.Error != nil {
					return r.Error
				}
				return nil
			})
		}
		if err := g.Wait(); err != nil {
			b.Fatal(err)
		}
	}
	each := time.Since(start) / time.Duration(b.N)
	b.ReportMetric(float64(each)/float64(turns*latency), "times-least")
	b.ReportMetric(float64(s.most.Load()), "most-at-once")
}

// BenchmarkTokens is what a judge of twelve turns is sent, estimated at four
// bytes a token: all requests together, the part of them that repeats the
// request before from its first byte, which a provider's cache has, and the
// rest.
func BenchmarkTokens(b *testing.B) {
	const turns, bytesPerToken = 12, 4
	s := serve(b, turns, 0)
	c := client(b, s)
	var sent, cached int
	for b.Loop() {
		sent, cached = 0, 0
		before := ""
		r := request(nil, turns)
		r.Chat = counted(func(ctx context.Context, q endpoint.Request) (endpoint.Reply, error) {
			messages, err := json.Marshal(q.Messages)
			if err != nil {
				return endpoint.Reply{}, err
			}
			text := strings.TrimSuffix(string(messages), "]")
			if !strings.HasPrefix(text, before) {
				return endpoint.Reply{}, errors.New("a request does not begin with the one before")
			}
			sent, cached, before = sent+len(text), cached+len(before), text
			return c.Chat(ctx, q)
		})
		mustPass(b, judge.Run(b.Context(), r), turns)
	}
	b.ReportMetric(float64(sent)/bytesPerToken, "tokens")
	b.ReportMetric(float64(cached)/bytesPerToken, "tokens-repeated")
	b.ReportMetric(float64(sent-cached)/bytesPerToken, "tokens-new")
}

type counted func(context.Context, endpoint.Request) (endpoint.Reply, error)

func (c counted) Chat(ctx context.Context, r endpoint.Request) (endpoint.Reply, error) {
	return c(ctx, r)
}
