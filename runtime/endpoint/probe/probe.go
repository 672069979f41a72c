// Package probe asks an endpoint what it supports, and says whether judges
// can work there.
//
// What goes in is a client and the name of a model; what comes out is a
// Report, a row for each question. A row says yes only where what came back
// shows it: a call that was forced came back as that call, a code from the
// beginning of a message came back from its end. Where an answer shows
// nothing, the row says so. The package asks a bounded number of questions,
// each with a time of its own, judges nothing, and changes nothing.
package probe

import (
	"context"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"

	"github.com/snodo-lang/snodo/runtime/endpoint"
	"github.com/snodo-lang/snodo/runtime/verdict"
)

// limit is the time of each question, retries included.
const limit = 2 * time.Minute

// A Found says what a question established.
type Found string

// What can be found.
const (
	Yes     Found = "yes"         // what came back shows it
	No      Found = "no"          // what came back shows the contrary
	Taken   Found = "taken"       // it was not refused; that it has an effect was not seen
	Unknown Found = "cannot tell" // nothing was shown, either way
	Untried Found = "not tried"
)

// A Row is one question and what was found.
type Row struct {
	What   string `json:"what"`
	Found  Found  `json:"found"`
	Detail string `json:"detail"` // a sentence's worth; empty for what was not tried
}

// A Report is everything that was found.
type Report struct {
	Schema   string `json:"schema"`
	Model    string `json:"model"`
	Endpoint string `json:"endpoint"`
	Rows     []Row  `json:"rows"`   // always all of Questions, in their order
	Judges   Found  `json:"judges"` // whether they can work: Yes, No or Unknown
	Because  string `json:"because"`
}

// Schema names the format of a Report.
const Schema = "snodo.doctor.v1"

// The questions.
const (
	List          = "model list"
	Tools         = "tools"
	Verdict       = "verdict turn"
	Parallel      = "parallel calls"
	ParallelParam = "parallel_tool_calls"
	TokenLimit    = "token limit"
	Context       = "context"
)

// forcingBy names the question about one way of forcing.
func forcingBy(forcing string) string { return "forcing: " + forcing }

// ways are the ways of forcing that there are to ask about.
func ways() []string { w := endpoint.Forcings(); return w[:len(w)-1] }

// Questions returns what a Report has rows for.
func Questions() []string {
	all := []string{List, Tools}
	for _, w := range ways() {
		all = append(all, forcingBy(w))
	}
	return append(all, Verdict, Parallel, ParallelParam, TokenLimit, Context)
}

// A doctor is one examination.
type doctor struct {
	client  *endpoint.Client
	model   string
	random  io.Reader
	observe func(string)

	rows    map[string]Row
	listed  int               // the context that the list of models says, or 0
	spelled endpoint.Spelling // of a forced call that was taken
}

// Ask examines a model. Random is where the codes come from that a model has
// to give back; observe is told each question before it is asked. The error is
// that ctx ended; whatever an endpoint does is part of the report.
func Ask(ctx context.Context, client *endpoint.Client, model string, random io.Reader, observe func(question string)) (Report, error) {
	d := &doctor{client: client, model: model, random: random, observe: observe, rows: map[string]Row{}}
	end, err := d.examine(ctx)
	if err != nil {
		return Report{}, err
	}
	r := Report{Schema: Schema, Model: model, Endpoint: client.Address(), Judges: end.judges, Because: end.because}
	for _, q := range Questions() {
		row, ok := d.rows[q]
		if !ok {
			row = Row{What: q, Found: Untried}
		}
		r.Rows = append(r.Rows, row)
	}
	return r, nil
}

// An end is where an examination ends: whether judges can work, and why.
type end struct {
	judges  Found
	because string
}

// examine asks one question after another, as long as the answers leave
// something to ask.
func (d *doctor) examine(ctx context.Context) (*end, error) {
	for _, ask := range []func(context.Context) (*end, error){
		d.list, d.tools, d.forcing, d.verdict, d.parallel, d.tokenLimit, d.context,
	} {
		e, err := ask(ctx)
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if err != nil || e != nil {
			return e, err
		}
	}
	return &end{Yes, d.conclude()}, nil
}

// shows says what an error shows of an endpoint: a refusal is a no, and so is
// what is no completion time and again; other errors may pass.
func shows(err *endpoint.Error) Found {
	switch err.Class {
	case verdict.BadRequest, verdict.Auth, verdict.Quota, verdict.Protocol, verdict.ContextOverflow:
		return No
	}
	return Unknown
}

// refused says what an error shows of what was asked for: a wrong key, say,
// shows nothing of that.
func refused(err *endpoint.Error) Found {
	if err.Class == verdict.BadRequest && (err.Status == http.StatusBadRequest || err.Status == http.StatusUnprocessableEntity) {
		return No
	}
	return Unknown
}

// conclude says how judges can work, once the verdict turn was seen to.
func (d *doctor) conclude() string {
	because := "a call came back as on the last turn of a judge, with the code that it had been given"
	if d.rows[Tools].Found == No {
		because += "; but the model calls nothing unless it is forced, so a judge that may read is likely to decide unread"
	}
	if d.rows[Context].Found == No {
		because += "; but its context is small, so a judge of more than a small change ends without a verdict"
	}
	return because
}

func (d *doctor) found(what string, found Found, format string, args ...any) {
	d.rows[what] = Row{What: what, Found: found, Detail: fmt.Sprintf(format, args...)}
}

// said is the message of an error without the names that stand above every
// report.
func (d *doctor) said(err *endpoint.Error) string {
	message := strings.TrimPrefix(err.Message, d.model+" at "+d.client.Address()+": ")
	return strings.TrimPrefix(message, d.client.Address()+"/models: ")
}

// report is the tool that models are to call.
const report = "report"

// A question is one request, and the code that its messages hold.
type question struct {
	endpoint.Request
	code string
}

// question words a request as a judge's are: half of a code ends the first
// message, and the other half the last.
func (d *doctor) question(instruction, filler string) (question, error) {
	halves := make([]byte, 6)
	if _, err := io.ReadFull(d.random, halves); err != nil {
		return question{}, fmt.Errorf("draw a code: %w", err)
	}
	first, second := hex.EncodeToString(halves[:3]), hex.EncodeToString(halves[3:])
	return question{endpoint.Request{
		Model: d.model,
		Messages: []endpoint.Message{
			{Role: endpoint.System, Content: "A program tests what you can do. Do what the last message asks, and nothing else.\n\nreceipt: " + first},
			{Role: endpoint.User, Content: filler + instruction + "\n\nreceipt: " + second},
		},
		Tools: []endpoint.Tool{{
			Name:        report,
			Description: "Takes the receipt: the word behind \"receipt:\" at the end of the first message, a hyphen, and the word behind \"receipt:\" at the end of the second message.",
			Parameters:  json.RawMessage(submission),
		}},
		MaxTokens: tokens,
	}, first + "-" + second}, nil
}

// tokens is what a judge asks for where its protocol says nothing: a model that
// thinks before it answers needs more than a call takes.
const tokens = 4096

// submission has the form of what a judge submits, so that an endpoint which
// does not take such a schema is found out.
const submission = `{"type":"object","properties":{` +
	`"findings":{"type":"array","maxItems":1,"items":{"type":"object","properties":{` +
	`"criterion":{"type":"string","enum":["holds"]},` +
	`"quotes":{"type":"array","items":{"type":"object","properties":{"path":{"type":"string"},"line":{"type":"integer","minimum":1},"text":{"type":"string"}},"required":["path","line","text"],"additionalProperties":false}},` +
	`"verdict":{"type":"string","enum":["pass","warn","unclear","blocker"]}},` +
	`"required":["criterion","verdict"],"additionalProperties":false}},` +
	`"receipt":{"type":"string"}},"required":["receipt"],"additionalProperties":false}`

// reading are as many tools as a judge may be granted.
func reading() []endpoint.Tool {
	var out []endpoint.Tool
	for _, name := range []string{"read_file", "read_file_lines", "list_files", "search_text", "git_log", "git_show", "read_diff"} {
		out = append(out, endpoint.Tool{
			Name: name, Description: "Reads. It is not needed here.",
			Parameters: json.RawMessage(`{"type":"object","properties":{"path":{"type":"string"}},"required":["path"],"additionalProperties":false}`),
		})
	}
	return out
}

// behindARead puts a call and its answer behind the messages of a question, and
// what is asked once more, as they stand before the verdict of a judge that has
// read.
func (q *question) behindARead() {
	q.Messages = append(q.Messages,
		endpoint.Message{Role: endpoint.Assistant, Calls: []endpoint.Call{{ID: "call00001", Name: "read_file", Arguments: `{"path":"a.txt"}`}}},
		endpoint.Message{Role: endpoint.ToolRole, CallID: "call00001", Content: "     1\tnothing"},
		endpoint.Message{Role: endpoint.User, Content: callOnce},
	)
}

// Instructions.
const (
	callOnce  = "Call the tool report, once, with the receipt."
	callTwice = "Call the tool report two times in this one reply, both times with the receipt."
	sayHello  = "Say hello."
	countUp   = "Write the numbers from one to two hundred in words. Call nothing."
)

// ask gives a question its time.
func ask[T any](ctx context.Context, do func(context.Context) (T, error)) (T, *endpoint.Error) {
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	out, err := do(ctx)
	if err == nil {
		return out, nil
	}
	var e *endpoint.Error
	if !errors.As(err, &e) {
		e = &endpoint.Error{Class: verdict.Internal, Message: err.Error()}
	}
	return out, e
}

// calls counts the calls of report in a reply, and says whether the arguments
// of each are an object, and whether each gave the code back.
func (q question) calls(r endpoint.Reply) (n int, objects, whole bool) {
	objects, whole = true, true
	for _, call := range r.Message.Calls {
		if call.Name != report {
			continue
		}
		n++
		var arguments map[string]any
		objects = objects && json.Unmarshal([]byte(call.Arguments), &arguments) == nil && arguments != nil
		whole = whole && arguments["receipt"] == q.code
	}
	return n, objects && n > 0, whole && n > 0
}

// instead says what came back where a call was to come.
func instead(r endpoint.Reply) string {
	switch {
	case len(r.Message.Calls) > 0:
		return "a call of another tool came back"
	case r.Message.Content != "":
		return "prose came back"
	}
	return "nothing came back"
}
