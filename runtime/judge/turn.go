package judge

import (
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/snodo-lang/snodo/compiler/plan"
	"github.com/snodo-lang/snodo/runtime/endpoint"
	"github.com/snodo-lang/snodo/runtime/verdict"
)

// split tells the submissions of a reply from its other calls.
func split(calls []endpoint.Call) (submissions, others []endpoint.Call) {
	for _, call := range calls {
		if call.Name == plan.SubmitVerdict {
			submissions = append(submissions, call)
		} else {
			others = append(others, call)
		}
	}
	return submissions, others
}

// differ says whether submissions are not all the same.
func differ(submissions []endpoint.Call) bool {
	return slices.ContainsFunc(submissions, func(call endpoint.Call) bool {
		return normal(call.Arguments) != normal(submissions[0].Arguments)
	})
}

// normal is the same for arguments that say the same. Those with repeated
// members say nothing definite, and are only equal to themselves.
func normal(arguments string) string {
	t, err := parse(arguments)
	if err != nil || ambiguous(t) {
		return arguments
	}
	return canonical(t)
}

func ambiguous(v any) bool {
	switch v := v.(type) {
	case table:
		if len(v.twice) > 0 {
			return true
		}
		for _, member := range v.members {
			if ambiguous(member) {
				return true
			}
		}
	case []any:
		return slices.ContainsFunc(v, ambiguous)
	}
	return false
}

// take deals with a reply before the verdict turn. It is done when a
// submission was accepted.
func (c *conversation) take(ctx context.Context, calls []endpoint.Call) (bool, *verdict.Failure) {
	submissions, others := split(calls)
	c.prose = len(calls) == 0
	alone := len(others) == 0
	if alone && len(submissions) > 0 && !differ(submissions) {
		c.spend()
		valid, refusal, failure := c.examine(ctx, submissions[0])
		if valid || failure != nil {
			return valid, failure
		}
		for _, call := range submissions {
			c.answer(call, refusal)
		}
		return false, nil
	}
	repeated := len(calls) > 0
	for _, call := range calls {
		if call.Name != plan.SubmitVerdict {
			o, failure := c.use(ctx, call)
			if failure != nil {
				return false, failure
			}
			c.answer(call, o.content)
			repeated = repeated && o.repeated
			continue
		}
		repeated = false
		if alone {
			c.answer(call, c.Wording.SubmitDiffer)
		} else {
			c.answer(call, c.Wording.SubmitAlone)
		}
	}
	if repeated {
		c.repeats++
	} else {
		c.spend()
	}
	return false, nil
}

// spend counts a turn against the budget.
func (c *conversation) spend() {
	c.paid++
	c.repeats = 0
}

// use carries out a call of a read tool, or refuses it.
func (c *conversation) use(ctx context.Context, call endpoint.Call) (outcome, *verdict.Failure) {
	names := make([]string, len(c.tools))
	for i, t := range c.tools {
		names[i] = t.Name
	}
	if !slices.Contains(names, call.Name) {
		tools := strings.Join(append(names, c.submit.Name), ", ")
		return outcome{content: plan.Fill(c.Wording.UndeclaredTool, "tool", show(call.Name), "tools", tools)}, nil
	}
	o, err := c.reader.call(ctx, call.Name, call.Arguments, c.turns)
	if err != nil {
		return o, c.broken(ctx, err)
	}
	return o, nil
}

// broken is the error of a tool that could not do its work.
func (c *conversation) broken(ctx context.Context, err error) *verdict.Failure {
	if ctx.Err() != nil || errors.Is(err, context.DeadlineExceeded) || errors.Is(err, context.Canceled) {
		return &verdict.Failure{Class: verdict.Timeout, Message: "the time was used up while reading: " + err.Error(), Turn: c.turns}
	}
	return &verdict.Failure{Class: verdict.Tool, Message: err.Error(), Turn: c.turns}
}

// rule deals with the reply of the verdict turn, or of its one correction.
func (c *conversation) rule(ctx context.Context, calls []endpoint.Call) (bool, *verdict.Failure) {
	submissions, others := split(calls)
	if len(submissions) == 0 {
		return false, &verdict.Failure{Class: verdict.NoVerdict, Message: "the verdict turn brought no submission", Turn: c.turns}
	}
	different := differ(submissions)
	var refusals []string
	for _, call := range submissions {
		refusal := ""
		if !different && len(others) == 0 {
			valid, why, failure := c.examine(ctx, call)
			if valid || failure != nil {
				return valid, failure
			}
			refusal = why
		} else {
			why, failure := c.refuse(ctx, call, different)
			if failure != nil {
				return false, failure
			}
			refusal = why
		}
		refusals = append(refusals, refusal)
	}
	if c.mended {
		return false, &verdict.Failure{Class: verdict.InvalidVerdict, Message: "the corrected submission is not valid either: " + oneLine(refusals[0]), Turn: c.turns}
	}
	c.mended = true
	for _, call := range calls {
		if call.Name != plan.SubmitVerdict {
			c.answer(call, plan.Fill(c.Wording.Withdrawn, "tool", show(call.Name)))
			continue
		}
		c.answer(call, refusals[0])
		refusals = refusals[1:]
	}
	return false, nil
}

// examine accepts a submission, or words why not. A submission that would be
// accepted but for its receipt comes from a judge that did not get its
// messages whole: that is an error at once.
func (c *conversation) examine(ctx context.Context, call endpoint.Call) (valid bool, refusal string, failure *verdict.Failure) {
	s, err := c.examiner.examine(ctx, call.Arguments)
	switch {
	case err != nil:
		return false, "", c.broken(ctx, err)
	case len(s.reasons) > 0:
		return false, c.invalid(s), nil
	case !s.receipt:
		return false, "", &verdict.Failure{Class: verdict.ContextTruncated, Message: "the judge could not give back its receipt: the endpoint cut its messages", Turn: c.turns}
	}
	c.findings = s.findings
	return true, "", nil
}

// refuse words all the reasons against a submission that is not the only
// call of its reply.
func (c *conversation) refuse(ctx context.Context, call endpoint.Call, different bool) (string, *verdict.Failure) {
	refusal := c.Wording.SubmitAlone
	if different {
		refusal = c.Wording.SubmitDiffer
	}
	s, err := c.examiner.examine(ctx, call.Arguments)
	if err != nil {
		return "", c.broken(ctx, err)
	}
	if len(s.reasons) > 0 || !s.receipt {
		refusal += "\n" + c.invalid(s)
	}
	return refusal, nil
}

// invalid words every reason against a submission at once.
func (c *conversation) invalid(s submission) string {
	reasons := s.reasons
	if !s.receipt {
		reasons = append(slices.Clone(reasons), c.Wording.ReasonReceipt)
	}
	return plan.Fill(c.Wording.Invalid, "reasons", "- "+strings.Join(reasons, "\n- "))
}
