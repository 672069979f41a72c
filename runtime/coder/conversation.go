package coder

import (
	"context"
	"errors"
	"fmt"
	"os"
	"runtime/debug"
	"slices"
	"strings"
	"time"

	"github.com/snodo-lang/snodo/runtime/endpoint"
	"github.com/snodo-lang/snodo/runtime/judge"
)

// A conversation is one model at work. Its messages are only ever appended to.
type conversation struct {
	Request
	tools    *tools
	offered  []endpoint.Tool
	messages []endpoint.Message
	turned   []judge.Turn
	deadline time.Time
	size     int // bytes of the messages
	result   Result
}

// Run lets the model work in its folder. It returns when the model says that
// it is done, or when a budget is used up or ctx ends; it never panics.
func Run(ctx context.Context, r Request) (result Result) {
	c := &conversation{Request: r}
	defer func() {
		if v := recover(); v != nil {
			result = c.end(fmt.Sprintf("met a defect of snodo in turn %d: %v", c.result.Turns, v))
			result.Stack = string(debug.Stack())
		}
	}()
	root, err := os.OpenRoot(r.Dir)
	if err != nil {
		return c.end("could not be let into its folder: " + err.Error())
	}
	defer root.Close()
	c.begin(root)
	ctx, cancel := context.WithTimeout(ctx, c.limit())
	defer cancel()
	return c.end(c.work(ctx))
}

func (c *conversation) limit() time.Duration {
	return time.Duration(c.Coder.TimeoutMS) * time.Millisecond
}

func (c *conversation) begin(root *os.Root) {
	c.deadline = c.Now().Add(c.limit())
	c.tools = newTools(&c.Request, root)
	for _, t := range c.Tools {
		c.offered = append(c.offered, judge.Offered(t))
	}
	c.say(endpoint.System, strings.TrimSuffix(c.Coder.Prompt, "\n"))
	c.say(endpoint.User, c.tools.reading.Clean(c.Brief))
}

func (c *conversation) say(role, content string) {
	c.append(endpoint.Message{Role: role, Content: content})
}

func (c *conversation) append(m endpoint.Message) {
	c.messages = append(c.messages, m)
	c.size += len(m.Content) + len(m.Reasoning)
	for _, call := range m.Calls {
		c.size += len(call.ID) + len(call.Name) + len(call.Arguments)
	}
}

// work goes on turn by turn, and returns how it failed.
func (c *conversation) work(ctx context.Context) string {
	for turn := 1; turn <= c.Coder.Turns; turn++ {
		if turn > 1 && turn == c.Coder.Turns {
			c.say(endpoint.User, c.Wording.Coder.Model.LastTurn)
		}
		if c.size > maxConversation {
			return fmt.Sprintf("was ended in turn %d: its conversation holds more than %d MiB", turn, maxConversation>>20)
		}
		reply, failure := c.ask(ctx, turn)
		if failure != "" {
			return failure
		}
		if len(reply.Message.Calls) == 0 {
			return c.done(reply)
		}
		for n, call := range reply.Message.Calls {
			answer, err := c.tools.call(ctx, n, call)
			if err != nil {
				return c.failed(ctx, fmt.Sprintf("could not be served with %s in turn %d: %v", judge.Said(call.Name), turn, err))
			}
			c.append(endpoint.Message{Role: endpoint.ToolRole, CallID: call.ID, Content: answer})
		}
	}
	return fmt.Sprintf("used up its budget of %d turns", c.Coder.Turns)
}

// done is the end by a reply that calls nothing. One that was cut off has not
// said that the work is done.
func (c *conversation) done(reply endpoint.Reply) string {
	if reply.Finish == "length" {
		return fmt.Sprintf("was cut off in turn %d: its reply reached the most of %d tokens", c.result.Turns, c.Coder.Tokens)
	}
	return ""
}

// ask makes one turn: a request and its reply, or how it failed.
func (c *conversation) ask(ctx context.Context, turn int) (endpoint.Reply, string) {
	if !c.Now().Before(c.deadline) {
		return endpoint.Reply{}, c.late()
	}
	request := endpoint.Request{Model: c.Coder.Model, Messages: slices.Clone(c.messages), Tools: slices.Clone(c.offered), MaxTokens: c.Coder.Tokens}
	reply, err := c.Chat.Chat(ctx, request)
	c.turned = append(c.turned, turnOf(request, reply, err))
	if turn == 1 {
		c.result.Usage = reply.Usage
	} else if err == nil || reply.Usage.Input != nil {
		c.result.Usage = c.result.Usage.Plus(reply.Usage)
	}
	if err != nil {
		class, message := "internal", err.Error()
		if e := (*endpoint.Error)(nil); errors.As(err, &e) {
			class, message = string(e.Class), e.Message
		}
		return reply, c.failed(ctx, fmt.Sprintf("ended with an error of class %s in turn %d: %s", class, turn, message))
	}
	c.result.Turns = turn
	reply.Message.Role = endpoint.Assistant
	c.append(reply.Message)
	if text := strings.TrimSpace(reply.Message.Content); text != "" {
		c.result.Report = report(text)
	}
	if err := c.Replied(turn); err != nil {
		return reply, fmt.Sprintf("was ended in turn %d: %v", turn, err)
	}
	return reply, ""
}

// failed is how the work failed, unless that is because the time was over.
func (c *conversation) failed(ctx context.Context, otherwise string) string {
	if errors.Is(ctx.Err(), context.DeadlineExceeded) {
		return c.late()
	}
	return otherwise
}

func (c *conversation) late() string { return fmt.Sprintf("used up its time of %s", c.limit()) }

// report bounds the report, and says what is left out.
func report(text string) string {
	if len(text) <= maxReport {
		return text
	}
	kept := strings.ToValidUTF8(text[:maxReport], "")
	return fmt.Sprintf("%s\n[%d bytes left out here]", kept, len(text)-len(kept))
}

// turnOf is what a transcript says of a turn besides its messages.
func turnOf(q endpoint.Request, r endpoint.Reply, err error) judge.Turn {
	t := judge.Turn{Sent: len(q.Messages), Offered: []string{}, Finish: r.Finish, Usage: r.Usage}
	for _, tool := range q.Tools {
		t.Offered = append(t.Offered, tool.Name)
	}
	if err != nil {
		said := err.Error()
		t.Error = &said
	}
	return t
}

func (c *conversation) end(failure string) Result {
	r := c.result
	r.Failure, r.Transcript, r.Turned = failure, c.messages, c.turned
	return r
}
