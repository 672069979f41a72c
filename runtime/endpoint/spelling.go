package endpoint

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"regexp"
	"strings"

	"github.com/sashabaranov/go-openai"
)

// A spelling is how a request is written for one model. The zero value is the
// one that most endpoints take; each member only ever grows, as the endpoint
// refuses what is written.
type spelling struct {
	force    int  // how a call is forced: an index of forcings
	tokens   int  // how the most tokens are named: an index of tokenNames
	parallel bool // parallel_tool_calls is refused
}

// forcings are the ways to say that the one tool offered must be called, the
// strongest first. The last says nothing.
var forcings = []func(tool string) any{
	func(tool string) any {
		return openai.ToolChoice{Type: openai.ToolTypeFunction, Function: openai.ToolFunction{Name: tool}}
	},
	func(string) any { return "required" },
	func(string) any { return "any" },
	func(string) any { return nil },
}

// The names of the limit on a reply's tokens, in the order in which they are
// tried.
const (
	maxTokens = iota
	maxCompletionTokens
	noMaxTokens
)

// firstSpelling is the one to begin with. The client library itself refuses
// max_tokens for the models that are known not to take it.
func firstSpelling(model string) spelling {
	//lint:ignore SA1019 the older name is the one that most endpoints know
	err := openai.NewReasoningValidator().Validate(openai.ChatCompletionRequest{Model: model, MaxTokens: 1})
	if errors.Is(err, openai.ErrReasoningModelMaxTokensDeprecated) {
		return spelling{tokens: maxCompletionTokens}
	}
	return spelling{}
}

// and is the spelling that avoids what either avoids.
func (s spelling) and(t spelling) spelling {
	return spelling{max(s.force, t.force), max(s.tokens, t.tokens), s.parallel || t.parallel}
}

var (
	saysMaxTokens           = regexp.MustCompile(`\bmax_tokens\b`)
	saysMaxCompletionTokens = regexp.MustCompile(`\bmax_completion_tokens\b`)
	saysParallel            = regexp.MustCompile(`(?i)parallel[_ ]tool[_ ]calls?`)
	saysToolChoice          = regexp.MustCompile(`(?i)tool[_ ]choice`)
)

// without is the spelling to try next, if err says that the endpoint does not
// know a parameter of r as it was written. A parameter named by the error
// itself decides; otherwise its message does.
func (s spelling) without(err *Error, r Request) (spelling, bool) {
	if err.Status != http.StatusBadRequest && err.Status != http.StatusUnprocessableEntity || err.Class != BadRequest {
		return s, false
	}
	about := err.about
	switch {
	case s.tokens == maxTokens && saysMaxTokens.MatchString(about):
		s.tokens = maxCompletionTokens
	case s.tokens == maxCompletionTokens && saysMaxCompletionTokens.MatchString(about) && firstSpelling(r.Model).tokens == maxCompletionTokens:
		s.tokens = noMaxTokens
	case r.Force != "" && !s.parallel && saysParallel.MatchString(about):
		s.parallel = true
	case r.Force != "" && s.force < len(forcings)-1 && saysToolChoice.MatchString(about):
		s.force++
	default:
		return s, false
	}
	return s, true
}

// spelled writes a request for the client library.
func (r Request) spelled(s spelling) openai.ChatCompletionRequest {
	out := openai.ChatCompletionRequest{Model: r.Model}
	switch s.tokens {
	case maxTokens:
		//lint:ignore SA1019 the older name is the one that most endpoints know
		out.MaxTokens = r.MaxTokens
	case maxCompletionTokens:
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
		out.ToolChoice = forcings[s.force](r.Force)
		if !s.parallel {
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
