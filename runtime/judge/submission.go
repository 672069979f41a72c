package judge

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/snodo-lang/snodo/compiler/plan"
	"github.com/snodo-lang/snodo/runtime/verdict"
)

// maxSubmission is the most bytes of a submission. It bounds the work of
// looking up quotations.
const maxSubmission = 512 << 10

// A submission is a call of submit_verdict that was read.
type submission struct {
	findings []verdict.Finding // in the order of the judge's criteria
	reasons  []string          // why it is not valid, but for the receipt
	receipt  bool              // it is right
}

// An examiner reads submissions strictly and holds them against what the
// conversation was shown and given.
type examiner struct {
	judge    *plan.Judge
	words    *plan.JudgeWording
	evidence map[string]plan.Evidence
	given    map[string]bool // the evidence that was supplied, by kind and arguments
	receipt  string
	seen     shown
	tree     Tree
}

func newExaminer(r *Request, seen shown) *examiner {
	given := map[string]bool{}
	for _, s := range r.Supplied {
		given[s.Evidence+" "+canonicalArgs(s.Args)] = true
	}
	return &examiner{
		judge: r.Judge, words: r.Wording, evidence: r.Evidence, given: given,
		receipt: r.Receipt.First + "-" + r.Receipt.Second, seen: seen, tree: r.Tree,
	}
}

// examine reads a submission and finds all that is wrong with it. The error
// is a failure of the tree.
func (e *examiner) examine(ctx context.Context, arguments string) (submission, error) {
	var s submission
	c := &checker{words: &e.words.Arguments}
	if len(arguments) > maxSubmission {
		c.say(c.words.Long, "findings", "bytes", strconv.Itoa(maxSubmission))
		s.reasons = []string{e.malformed(c.wrong)}
		return s, nil
	}
	t, err := parse(arguments)
	if err != nil {
		s.reasons = []string{e.malformed([]string{c.words.NotJSON})}
		return s, nil
	}
	c.only(t, "", "findings", "receipt")
	list, _ := c.list(t, "", "findings")
	receipt, isText := c.text(t, "", "receipt")
	s.receipt = isText && strings.TrimSpace(receipt) == e.receipt
	found := map[string]int{}
	rulings := map[string]verdict.Finding{}
	for i, v := range list {
		d, ok := e.draft(c, v, fmt.Sprintf("findings[%d]", i))
		if !ok {
			continue
		}
		ruling, more, err := e.rule(ctx, d)
		if err != nil {
			return s, err
		}
		found[ruling.Criterion]++
		rulings[ruling.Criterion] = ruling
		s.reasons = append(s.reasons, more...)
	}
	for _, criterion := range e.judge.Criteria {
		switch found[criterion.Name] {
		case 0:
			s.reasons = append(s.reasons, plan.Fill(e.words.ReasonMissingFinding, "criterion", criterion.Name))
		case 1:
			s.findings = append(s.findings, rulings[criterion.Name])
		default:
			s.reasons = append(s.reasons, plan.Fill(e.words.ReasonTwoFindings, "criterion", criterion.Name))
		}
	}
	if len(c.wrong) > 0 {
		s.reasons = append([]string{e.malformed(c.wrong)}, s.reasons...)
	}
	return s, nil
}

func (e *examiner) malformed(reasons []string) string {
	return plan.Fill(e.words.ReasonJSON, "error", strings.Join(reasons, "; "))
}

// A draft is a finding as it was written. What has the wrong form is left
// out of it, and was complained of.
type draft struct {
	criterion        string
	verdict, because *string
	quotes           []verdict.Quote
	missing          []request
	asked            bool // its missing is not empty
}

// draft reads the form of one finding. It is not ok if there is no criterion
// to speak of.
func (e *examiner) draft(c *checker, v any, place string) (draft, bool) {
	t, ok := c.table(v, place)
	if !ok {
		return draft{}, false
	}
	c.only(t, place, "criterion", "quotes", "because", "verdict", "missing")
	var d draft
	criterion, ok := c.text(t, place, "criterion")
	d.criterion = criterion
	if because, ok := c.text(t, place, "because"); ok {
		d.because = &because
	}
	if verdict, ok := c.text(t, place, "verdict"); ok {
		d.verdict = &verdict
	}
	// A finding that rests on no words of a file may leave quotes out.
	if t.has("quotes") {
		quotes, _ := c.list(t, place, "quotes")
		for i, v := range quotes {
			c.quote(v, fmt.Sprintf("%s.quotes[%d]", place, i), &d)
		}
	}
	if t.has("missing") {
		missing, _ := c.list(t, place, "missing")
		d.asked = len(missing) > 0
		for i, v := range missing {
			c.request(v, fmt.Sprintf("%s.missing[%d]", place, i), &d)
		}
	}
	return d, ok
}

func (c *checker) quote(v any, place string, d *draft) {
	t, ok := c.table(v, place)
	if !ok {
		return
	}
	c.only(t, place, "path", "line", "text")
	file, isPath := c.text(t, place, "path")
	line, isLine := c.line(t, place, "line")
	text, isText := c.text(t, place, "text")
	if isPath && isLine && isText {
		d.quotes = append(d.quotes, verdict.Quote{Path: file, Line: int(line), Text: text})
	}
}

func (c *checker) request(v any, place string, d *draft) {
	t, ok := c.table(v, place)
	if !ok {
		return
	}
	c.only(t, place, "evidence", "args")
	kind, isText := c.text(t, place, "evidence")
	raw, isThere := c.member(t, place, "args")
	if !isText || !isThere {
		return
	}
	if args, ok := c.table(raw, at(place, "args")); ok {
		d.missing = append(d.missing, request{kind, args})
	}
}

// rule makes a finding of a draft and says what is wrong with it. Lines of
// quotations are corrected.
func (e *examiner) rule(ctx context.Context, d draft) (verdict.Finding, []string, error) {
	f := verdict.Finding{Criterion: d.criterion, Quotes: []verdict.Quote{}, Missing: []verdict.Missing{}}
	criterion := show(d.criterion)
	if !slices.ContainsFunc(e.judge.Criteria, func(c plan.Criterion) bool { return c.Name == d.criterion }) {
		return f, []string{plan.Fill(e.words.ReasonCriterion, "criterion", criterion)}, nil
	}
	var reasons []string
	say := func(sentence string, pairs ...string) {
		reasons = append(reasons, plan.Fill(sentence, append([]string{"criterion", criterion}, pairs...)...))
	}
	if d.because != nil {
		f.Because = *d.because
		if strings.TrimSpace(f.Because) == "" {
			say(e.words.ReasonBecause)
		}
	}
	for _, q := range d.quotes {
		corrected, ok := e.seen.find(q)
		if !ok {
			say(e.words.ReasonQuote, "path", show(q.Path), "text", show(q.Text))
		}
		f.Quotes = append(f.Quotes, corrected)
	}
	if d.verdict == nil {
		return f, reasons, nil
	}
	f.Verdict = plan.Verdict(*d.verdict)
	switch {
	case !slices.Contains(e.judge.Returns, f.Verdict):
		say(e.words.ReasonVerdict, "verdict", show(*d.verdict), "verdicts", joined(e.judge.Returns))
	case f.Verdict != plan.Unclear && d.asked:
		say(e.words.ReasonMissingUnasked)
	case f.Verdict == plan.Unclear && !d.asked:
		say(e.words.ReasonNoMissing)
	case f.Verdict == plan.Unclear:
		missing, more, err := e.requests(ctx, criterion, d.missing)
		if err != nil {
			return f, nil, err
		}
		f.Missing = missing
		reasons = append(reasons, more...)
	}
	return f, reasons, nil
}

func joined[T ~string](all []T) string {
	words := make([]string, len(all))
	for i, w := range all {
		words[i] = string(w)
	}
	return strings.Join(words, ", ")
}
