package endpoint

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/sashabaranov/go-openai"

	"github.com/snodo-lang/snodo/runtime/verdict"
)

// A Spelling is how requests are written for one model: what its endpoint
// has refused so far is avoided.
type Spelling struct {
	Forcing   string `json:"forcing"`             // one of forcings
	MaxTokens string `json:"max_tokens"`          // one of tokenNames
	Parallel  bool   `json:"parallel_tool_calls"` // the parameter is understood
}

// forcings are the ways to say that the one tool offered must be called, the
// strongest first: as a named function, by one of two words, and not at all.
var forcings = []string{"function", "required", "any", "none"}

// Forcings returns the ways in which a call can be forced, the strongest
// first. The last, "none", is no forcing.
func Forcings() []string { return slices.Clone(forcings) }

// ChatForcing makes one turn as Chat does, but forces the call in one of the
// Forcings and moves on to no other. Of what it learns only the names of
// parameters are remembered.
func (c *Client) ChatForcing(ctx context.Context, r Request, forcing string) (Reply, error) {
	begin := c.spelling(r.Model)
	begin.Forcing = forcing
	reply, s, err := c.turn(ctx, r, begin, func(s Spelling, err *Error, r Request) (Spelling, bool) {
		other, ok := s.without(err, r)
		return other, ok && other.Forcing == forcing
	})
	if err != nil {
		return reply, err
	}
	s.Forcing = forcings[0]
	c.remember(r.Model, s)
	return reply, nil
}

// tokenNames are the names of the limit on a reply's tokens, in the order in
// which they are tried. The last means that it is left out.
var tokenNames = []string{"max_tokens", "max_completion_tokens", "none"}

// firstSpelling is the one to begin with. The client library itself refuses
// max_tokens for the models that are known not to take it.
func firstSpelling(model string) Spelling {
	s := Spelling{Forcing: forcings[0], MaxTokens: tokenNames[0], Parallel: true}
	//lint:ignore SA1019 the older name is the one that most endpoints know
	err := openai.NewReasoningValidator().Validate(openai.ChatCompletionRequest{Model: model, MaxTokens: 1})
	if errors.Is(err, openai.ErrReasoningModelMaxTokensDeprecated) {
		s.MaxTokens = tokenNames[1]
	}
	return s
}

// and is the spelling that avoids what either avoids.
func (s Spelling) and(t Spelling) Spelling {
	return Spelling{later(forcings, s.Forcing, t.Forcing), later(tokenNames, s.MaxTokens, t.MaxTokens), s.Parallel && t.Parallel}
}

func later(list []string, a, b string) string {
	return list[max(0, slices.Index(list, a), slices.Index(list, b))]
}

// next is what follows a word of a list.
func next(list []string, word string) string { return list[slices.Index(list, word)+1] }

// choice is tool_choice, or nil where it is left out.
func (s Spelling) choice(tool string) any {
	switch s.Forcing {
	case "function":
		return openai.ToolChoice{Type: openai.ToolTypeFunction, Function: openai.ToolFunction{Name: tool}}
	case "required", "any":
		return s.Forcing
	case "none":
		return nil
	}
	panic("endpoint: no such forcing: " + s.Forcing)
}

var (
	saysMaxTokens           = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\bmax_tokens\b`) })
	saysMaxCompletionTokens = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\bmax_completion_tokens\b`) })
	saysParallel            = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`(?i)parallel[_ ]tool[_ ]calls?`) })
	// The second half is what servers say of an object where they read a word.
	saysToolChoice = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`(?i)tool[_ ]choice|type must be string, but is object|invalid type: map`)
	})
)

// without is the spelling to try next, if err says that the endpoint does not
// know a parameter of r as it was written. A parameter named by the error
// itself decides; otherwise its message does.
func (s Spelling) without(err *Error, r Request) (Spelling, bool) {
	if err.Status != http.StatusBadRequest && err.Status != http.StatusUnprocessableEntity || err.Class != verdict.BadRequest {
		return s, false
	}
	about, forced := err.about, r.Force != ""
	switch {
	case s.MaxTokens == "max_tokens" && saysMaxTokens().MatchString(about):
		s.MaxTokens = next(tokenNames, s.MaxTokens)
	case s.MaxTokens == "max_completion_tokens" && firstSpelling(r.Model).MaxTokens == s.MaxTokens && saysMaxCompletionTokens().MatchString(about):
		s.MaxTokens = "none"
	case forced && s.Parallel && saysParallel().MatchString(about):
		s.Parallel = false
	case forced && s.Forcing != "none" && saysToolChoice().MatchString(about):
		s.Forcing = next(forcings, s.Forcing)
	default:
		return s, false
	}
	return s, true
}

// spelled writes a request for the client library.
func (r Request) spelled(s Spelling) openai.ChatCompletionRequest {
	out := openai.ChatCompletionRequest{Model: r.Model}
	switch s.MaxTokens {
	case "max_tokens":
		//lint:ignore SA1019 the older name is the one that most endpoints know
		out.MaxTokens = r.MaxTokens
	case "max_completion_tokens":
		out.MaxCompletionTokens = r.MaxTokens
	}
	for _, m := range r.Messages {
		out.Messages = append(out.Messages, m.spelled())
	}
	for _, t := range r.Tools {
		out.Tools = append(out.Tools, openai.Tool{Type: openai.ToolTypeFunction, Function: &openai.FunctionDefinition{
			Name: t.Name, Description: t.Description, Parameters: t.Parameters,
		}})
	}
	if r.Force != "" {
		out.ToolChoice = s.choice(r.Force)
		if s.Parallel {
			out.ParallelToolCalls = false
		}
	}
	return out
}

// spelled writes a message so that any endpoint takes it back: some parse
// the arguments of earlier calls and refuse a conversation that holds others
// than an object, some hold names to a pattern, and none takes a message with
// nothing in it. The same message is always written in the same way, since a
// conversation's beginning is cached by its bytes.
func (m Message) spelled() openai.ChatCompletionMessage {
	out := openai.ChatCompletionMessage{
		Role: m.Role, Content: m.Content, ReasoningContent: m.Reasoning, ToolCallID: m.CallID,
	}
	if m.Content == "" && len(m.Calls) == 0 {
		out.Content = "…"
	}
	for _, call := range m.Calls {
		arguments := call.Arguments
		var object map[string]json.RawMessage
		if json.Unmarshal([]byte(arguments), &object) != nil || object == nil {
			arguments = "{}"
		}
		out.ToolCalls = append(out.ToolCalls, openai.ToolCall{
			ID: call.ID, Type: openai.ToolTypeFunction,
			Function: openai.FunctionCall{Name: safeName(call.Name), Arguments: arguments},
		})
	}
	return out
}

// safeName makes a function name of what a model called.
func safeName(name string) string {
	name = strings.Map(func(r rune) rune {
		switch {
		case 'a' <= r && r <= 'z', 'A' <= r && r <= 'Z', '0' <= r && r <= '9', r == '_', r == '-':
			return r
		}
		return '_'
	}, name)
	if name == "" {
		return "_"
	}
	return name[:min(len(name), 64)]
}

// errUnsent is what a request meets that must not leave the machine.
var errUnsent = errors.New("not sent")

type unsent struct{}

func (unsent) Do(*http.Request) (*http.Response, error) { return nil, errUnsent }

// refusedByLibrary says whether the client library would send a request.
func refusedByLibrary(r openai.ChatCompletionRequest) error {
	config := openai.DefaultConfig("")
	config.HTTPClient = unsent{}
	_, err := openai.NewClientWithConfig(config).CreateChatCompletion(context.Background(), r)
	if errors.Is(err, errUnsent) {
		return nil
	}
	return err
}
