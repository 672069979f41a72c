package judge

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"slices"
	"strconv"
	"time"

	"github.com/snodo-lang/snodo/compiler/plan"
	"github.com/snodo-lang/snodo/runtime/endpoint"
	"github.com/snodo-lang/snodo/runtime/verdict"
)

// maxRepeats is how many turns in a row may be made of repeated reads alone.
const maxRepeats = 3

// A conversation is one judge at work. Its messages are only ever appended
// to.
type conversation struct {
	Request
	reader   *reader
	examiner *examiner
	tools    []endpoint.Tool
	submit   endpoint.Tool
	messages []endpoint.Message
	deadline time.Time

	turns   int    // replies so far
	paid    int    // those that count against the budget
	repeats int    // turns in a row, up to now, made of repeated reads alone
	prose   bool   // the last reply called nothing
	verdict bool   // the verdict turn has been reached
	nudge   string // what is to be said before it
	mended  bool   // the one correction has been asked for

	usage    verdict.Usage
	findings []verdict.Finding
	turned   []Turn
}

// Run holds the conversation. It returns when there is a verdict or an
// error, at the latest when the judge's time or ctx ends; it never panics.
func Run(ctx context.Context, r Request) (result Result) {
	c := &conversation{Request: r}
	defer func() {
		if v := recover(); v != nil {
			result = c.result(&verdict.Failure{Class: verdict.Internal, Message: fmt.Sprintf("a defect of snodo, met by judge %s: %v", r.Name, v), Turn: c.turns})
			result.Stack = string(debug.Stack())
		}
	}()
	c.begin()
	ctx, cancel := context.WithTimeout(ctx, c.limit())
	defer cancel()
	return c.result(c.hold(ctx))
}

func (c *conversation) limit() time.Duration {
	return time.Duration(c.Judge.Budget.TimeoutMS) * time.Millisecond
}

func (c *conversation) begin() {
	if c.Now == nil {
		c.Now = time.Now
	}
	c.deadline = c.Now().Add(c.limit())
	m := &material{marking: marking{c.Wording, c.Token, c.Redact}, seen: shown{}}
	c.reader = &reader{
		material: m, words: c.Wording, tree: c.Tree, diff: c.Diff,
		scopes: scopes(c.Judge.Grants), turnOf: map[string]int{},
	}
	c.examiner = newExaminer(&c.Request, m.seen)
	for _, t := range c.Judge.Tools {
		c.tools = append(c.tools, offered(t))
	}
	c.submit = offered(c.Judge.SubmitVerdict)
	c.messages = m.firstMessages(&c.Request)
}

func offered(t plan.Tool) endpoint.Tool {
	return endpoint.Tool{Name: t.Name, Description: t.Description, Parameters: inOrder(t.Parameters)}
}

// hold talks until there are findings, or an error.
func (c *conversation) hold(ctx context.Context) *verdict.Failure {
	for {
		if !c.verdict {
			c.verdict, c.nudge = c.due()
		}
		reply, err := c.ask(ctx)
		if err != nil {
			return err
		}
		var done bool
		var failure *verdict.Failure
		if c.verdict {
			done, failure = c.rule(ctx, reply.Message.Calls)
		} else {
			done, failure = c.take(ctx, reply.Message.Calls)
		}
		if done || failure != nil {
			return failure
		}
	}
}

// due says whether the next turn is the verdict turn, and what is to be said
// of it. Where the judge could never read, its first message has said it.
func (c *conversation) due() (bool, string) {
	turns := c.Judge.Budget.Turns
	switch {
	case !reads(c.Judge):
		return true, ""
	case c.prose:
		return true, c.Wording.VerdictTurnProse
	case c.repeats == maxRepeats, c.turns >= 3*turns-1:
		return true, c.Wording.VerdictTurnRepeats
	case c.paid == turns-1:
		return true, plan.Fill(c.Wording.VerdictTurnBudget, "turns", strconv.Itoa(turns))
	case c.left() <= c.limit()/5:
		return true, c.Wording.VerdictTurnTime
	}
	return false, ""
}

func (c *conversation) left() time.Duration { return c.deadline.Sub(c.Now()) }

// ask makes one turn: a request and its reply.
func (c *conversation) ask(ctx context.Context) (endpoint.Reply, *verdict.Failure) {
	turn := c.turns + 1
	if c.left() <= 0 {
		return endpoint.Reply{}, &verdict.Failure{Class: verdict.Timeout, Message: "the judge's time was used up", Turn: turn}
	}
	if c.nudge != "" {
		c.messages = append(c.messages, endpoint.Message{Role: endpoint.User, Content: c.nudge})
		c.nudge = ""
	}
	if c.Observe != nil {
		c.Observe(Progress{Turn: min(c.paid+1, c.Judge.Budget.Turns), Turns: c.Judge.Budget.Turns, Verdict: c.verdict, Usage: c.usage})
	}
	request := endpoint.Request{
		Model: c.Model, Messages: slices.Clone(c.messages), MaxTokens: c.Judge.Budget.Tokens,
		Tools: append(slices.Clone(c.tools), c.submit),
	}
	if c.verdict {
		request.Tools, request.Force = []endpoint.Tool{c.submit}, c.submit.Name
	}
	reply, err := c.Chat.Chat(ctx, request)
	c.turned = append(c.turned, turnOf(request, reply, err))
	// A turn that failed has mostly cost nothing, or nothing that is known.
	switch {
	case turn == 1:
		c.usage = reply.Usage
	case err == nil, reply.Usage.Input != nil:
		c.usage = c.usage.Plus(reply.Usage)
	}
	if err != nil {
		return reply, failed(err, turn)
	}
	c.turns = turn
	reply.Message = redacted(reply.Message, c.Redact)
	reply.Message.Role = endpoint.Assistant
	c.messages = append(c.messages, reply.Message)
	return reply, nil
}

// turnOf is what the transcript says of a turn besides its messages.
func turnOf(q endpoint.Request, r endpoint.Reply, err error) Turn {
	t := Turn{Sent: len(q.Messages), Offered: []string{}, Forced: q.Force != "", Finish: r.Finish, Usage: r.Usage}
	for _, tool := range q.Tools {
		t.Offered = append(t.Offered, tool.Name)
	}
	if err != nil {
		said := err.Error()
		t.Error = &said
	}
	return t
}

// failed is the error of a turn that brought no reply.
func failed(err error, turn int) *verdict.Failure {
	var e *endpoint.Error
	if errors.As(err, &e) {
		return &verdict.Failure{Class: e.Class, Message: e.Message, Turn: turn}
	}
	return &verdict.Failure{Class: verdict.Internal, Message: err.Error(), Turn: turn}
}

// answer answers a call.
func (c *conversation) answer(call endpoint.Call, content string) {
	c.messages = append(c.messages, endpoint.Message{Role: endpoint.ToolRole, CallID: call.ID, Content: content})
}

// result says what became of the conversation.
func (c *conversation) result(failure *verdict.Failure) Result {
	r := Result{
		Error: failure, Findings: []verdict.Finding{}, Examined: []verdict.Examined{}, Model: c.Model,
		Turns: c.turns, Usage: c.usage, Transcript: c.messages, Turned: c.turned,
	}
	if c.reader != nil {
		r.Examined = append(r.Examined, c.reader.examined...)
	}
	if failure == nil {
		gravest := verdict.Fold(c.findings)
		r.Verdict, r.Findings = &gravest, c.findings
	}
	return r
}
