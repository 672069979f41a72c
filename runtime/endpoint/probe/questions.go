package probe

import (
	"context"
	"fmt"
	"net/http"
	"strings"

	"github.com/snodo-lang/snodo/runtime/endpoint"
	"github.com/snodo-lang/snodo/runtime/verdict"
)

// list asks for the list of models. Without a server there is nothing else to
// ask.
func (d *doctor) list(ctx context.Context) (*end, error) {
	d.observe("the list of models")
	models, err := ask(ctx, d.client.Models)
	switch {
	case err == nil:
	case err.Class == verdict.Transport && err.Status == 0, err.Class == verdict.Timeout:
		d.found(List, Unknown, "%s", d.said(err))
		return &end{No, "nothing answers at the address: " + d.said(err)}, nil
	case err.Status == http.StatusNotFound, err.Status == http.StatusMethodNotAllowed:
		d.found(List, Unknown, "there is none at %s/models (status %d)", d.client.Address(), err.Status)
		return nil, nil
	default:
		d.found(List, Unknown, "%s", d.said(err))
		return nil, nil
	}
	for _, m := range models {
		if m.ID != d.model {
			continue
		}
		d.listed = m.Context
		if m.Context > 0 {
			d.found(List, Yes, "%s is listed, with a context of %d tokens", d.model, m.Context)
		} else {
			d.found(List, Yes, "%s is listed", d.model)
		}
		return nil, nil
	}
	d.found(List, No, "%s is not among the %d models listed%s", d.model, len(models), examples(models))
	return nil, nil
}

// examples names a few of the models that there are.
func examples(models []endpoint.Model) string {
	var names []string
	for _, m := range models[:min(len(models), 5)] {
		names = append(names, m.ID)
	}
	switch {
	case len(names) == 0:
		return ""
	case len(names) < len(models):
		names = append(names, "…")
	}
	return ": " + strings.Join(names, ", ")
}

// tools asks for a call, freely. A model that answers in prose may still call
// when it is forced, and a server that failed at what its model wrote may not
// fail again; any other error ends it all.
func (d *doctor) tools(ctx context.Context) (*end, error) {
	d.observe("a call of a tool")
	q, err := d.question(callOnce, "")
	if err != nil {
		return nil, err
	}
	q.Tools = append(reading(), q.Tools...)
	reply, failed := ask(ctx, func(ctx context.Context) (endpoint.Reply, error) { return d.client.Chat(ctx, q.Request) })
	if failed != nil {
		d.found(Tools, refused(failed), "%s", d.said(failed))
		if failed.Class == verdict.Transport && failed.Status != 0 {
			return nil, nil
		}
		return &end{shows(failed), "the first question was answered with an error: " + d.said(failed)}, nil
	}
	n, objects, whole := q.calls(reply)
	switch {
	case whole:
		d.found(Tools, Yes, "a call came back, with the code that it was asked for")
	case objects:
		d.found(Tools, Yes, "a call came back, though not with the code that it was asked for")
	case n > 0:
		d.found(Tools, No, "a call came back, but its arguments are no object in JSON")
	default:
		d.found(Tools, No, "%s where a call was asked for", instead(reply))
	}
	return nil, nil
}

// forcing asks for a greeting and forces a call, in each of the ways.
func (d *doctor) forcing(ctx context.Context) (*end, error) {
	for _, way := range ways() {
		d.observe("a call forced by " + way)
		q, err := d.question(sayHello, "")
		if err != nil {
			return nil, err
		}
		q.Force = report
		reply, failed := ask(ctx, func(ctx context.Context) (endpoint.Reply, error) {
			return d.client.ChatForcing(ctx, q.Request, way)
		})
		switch n, objects, _ := q.calls(reply); {
		case failed != nil:
			d.found(forcingBy(way), refused(failed), "%s", d.said(failed))
		case objects:
			d.found(forcingBy(way), Yes, "the call came back, though a greeting was asked for")
		case n > 0:
			d.found(forcingBy(way), No, "the call came back, but its arguments are no object in JSON")
		default:
			d.found(forcingBy(way), No, "it was not refused, and %s", instead(reply))
		}
	}
	return nil, nil
}

// verdict asks for a call as the last turn of a judge does: behind a read and
// its answer, in words, and forced in the first way that the endpoint does not
// refuse.
func (d *doctor) verdict(ctx context.Context) (*end, error) {
	d.observe("a call as on the last turn of a judge")
	q, err := d.question(callOnce, "")
	if err != nil {
		return nil, err
	}
	q.Force = report
	q.behindARead()
	reply, failed := ask(ctx, func(ctx context.Context) (endpoint.Reply, error) { return d.client.Chat(ctx, q.Request) })
	if failed != nil && failed.Status == http.StatusNotFound {
		// The model was there before: what was not found is not known.
		d.found(Verdict, Unknown, "%s", d.said(failed))
		return &end{Unknown, "what a judge asks for on its last turn was not found: " + d.said(failed)}, nil
	}
	if failed != nil {
		d.found(Verdict, refused(failed), "%s", d.said(failed))
		return &end{shows(failed), "the last turn of a judge would end in an error: " + d.said(failed)}, nil
	}
	d.spelled = d.client.Spellings()[d.model]
	how := "forced by " + d.spelled.Forcing
	if d.spelled.Forcing == "none" {
		how = "offered alone, as no forcing is taken"
	}
	switch n, objects, whole := q.calls(reply); {
	case whole:
		d.found(Verdict, Yes, "%s: the call came back, with the code that it was asked for", how)
		return nil, nil
	case objects:
		d.found(Verdict, No, "%s: the call came back without the code that it was asked for", how)
		return &end{No, "a judge has to give back a code that stands in its messages, and this model did not: its verdicts would end in context_truncated"}, nil
	case n > 0:
		d.found(Verdict, No, "%s: the call came back, but its arguments are no object in JSON", how)
		return &end{No, "a verdict is a call with arguments in JSON, and what came back had none that can be read"}, nil
	case reply.Finish == "length":
		d.found(Verdict, Unknown, "%s: the reply was cut off at %d tokens", how, tokens)
		return &end{Unknown, fmt.Sprintf("the model used up %d tokens and had not called yet: give judges more, with `tokens`, and see", tokens)}, nil
	default:
		d.found(Verdict, No, "%s: %s", how, instead(reply))
		return &end{No, "a verdict is a call of a tool, and " + instead(reply) + " where it was to come: judges would end in no_verdict"}, nil
	}
}

// parallel asks for two calls in one reply.
func (d *doctor) parallel(ctx context.Context) (*end, error) {
	if d.spelled.Parallel {
		d.found(ParallelParam, Taken, "sent as false with a forced call, and not refused")
	} else {
		d.found(ParallelParam, No, "refused, and left out from then on")
	}
	d.observe("two calls in one reply")
	q, err := d.question(callTwice, "")
	if err != nil {
		return nil, err
	}
	reply, failed := ask(ctx, func(ctx context.Context) (endpoint.Reply, error) { return d.client.Chat(ctx, q.Request) })
	n, _, _ := q.calls(reply)
	switch {
	case failed != nil:
		d.found(Parallel, Unknown, "%s", d.said(failed))
	case n > 1:
		d.found(Parallel, Yes, "%d calls came back in one reply", n)
	case n == 1:
		d.found(Parallel, No, "one call came back where two were asked for")
	default:
		d.found(Parallel, Unknown, "%s where two calls were asked for", instead(reply))
	}
	return nil, nil
}

// shortReply is a limit that no answer to countUp can keep to by itself.
const shortReply = 16

// tokenLimit asks for a long answer with a small limit.
func (d *doctor) tokenLimit(ctx context.Context) (*end, error) {
	name := d.spelled.MaxTokens
	if name == "none" {
		d.found(TokenLimit, No, "max_tokens and max_completion_tokens are refused, and left out")
		return nil, nil
	}
	d.observe("a reply that is cut off")
	q, err := d.question(countUp, "")
	if err != nil {
		return nil, err
	}
	q.MaxTokens, q.Tools = shortReply, nil
	reply, failed := ask(ctx, func(ctx context.Context) (endpoint.Reply, error) { return d.client.Chat(ctx, q.Request) })
	out := reply.Usage.Output
	switch {
	case failed != nil:
		d.found(TokenLimit, Unknown, "%s: %s", name, d.said(failed))
	case out != nil && *out > shortReply:
		d.found(TokenLimit, No, "%s: %d tokens came back where %d were allowed", name, *out, shortReply)
	case reply.Finish == "length":
		d.found(TokenLimit, Yes, "%s: the reply was cut off, as it was to be", name)
	default:
		d.found(TokenLimit, Taken, "%s: not refused, and nothing shows that it cuts a reply off", name)
	}
	return nil, nil
}

// The messages by which the context is measured, in characters. A token is
// taken for charsPerToken of them where the endpoint does not count.
var contextSizes = []int{32_000, 128_000}

const charsPerToken = 4

// context asks for the codes around a long message that says nothing.
func (d *doctor) context(ctx context.Context) (*end, error) {
	whole := ""
	for _, size := range contextSizes {
		if d.listed > 0 && size/charsPerToken >= d.listed {
			break
		}
		d.observe(fmt.Sprintf("a message of %d characters", size))
		q, err := d.question(callOnce, filler(size))
		if err != nil {
			return nil, err
		}
		q.Force = report
		reply, failed := ask(ctx, func(ctx context.Context) (endpoint.Reply, error) { return d.client.Chat(ctx, q.Request) })
		if failed != nil || !d.cameBack(q, reply) {
			before := whole
			if whole != "" {
				before += "; "
			}
			d.found(Context, contextFound(whole, failed), "%s%s", before, d.lostAt(size, reply, failed))
			return nil, nil
		}
		whole = fmt.Sprintf("both ends of a message of %d characters arrived", size)
		if in := reply.Usage.Input; in != nil {
			whole += fmt.Sprintf(", %d tokens as the endpoint counts", *in)
		}
	}
	switch {
	case whole == "":
		d.found(Context, No, "the list of models says %d tokens, fewer than the smallest message that is tried", d.listed)
	case d.listed > 0:
		d.found(Context, Yes, "%s; the list of models says %d tokens", whole, d.listed)
	default:
		d.found(Context, Yes, "%s", whole)
	}
	return nil, nil
}

func (d *doctor) cameBack(q question, r endpoint.Reply) bool {
	_, _, whole := q.calls(r)
	return whole
}

// contextFound is what a size that failed leaves: a smaller one may have come
// back, and an error of another kind says nothing about sizes.
func contextFound(whole string, failed *endpoint.Error) Found {
	switch {
	case whole != "":
		return Yes
	case failed != nil && failed.Class != verdict.ContextOverflow:
		return Unknown
	}
	return No
}

// lostAt says what became of a size that did not come back.
func (d *doctor) lostAt(size int, r endpoint.Reply, failed *endpoint.Error) string {
	what := fmt.Sprintf("of a message of %d characters, ", size)
	switch {
	case failed != nil:
		what += d.said(failed)
	case len(r.Message.Calls) > 0:
		what += "the code at its ends did not come back: it is cut, or the model loses it"
	default:
		what += instead(r)
	}
	return what
}

// filler is a text of about so many characters.
func filler(size int) string {
	var b strings.Builder
	for n := 1; b.Len() < size; n++ {
		fmt.Fprintf(&b, "Line %d of a text that fills the room and means nothing.\n", n)
	}
	return b.String()
}
