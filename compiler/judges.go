package compiler

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/snodo-lang/snodo/lang"
	"github.com/snodo-lang/snodo/lang/diag"
)

// checkJudges looks at what a judge rules on and what it may say.
func checkJudges(c *compilation) error {
	for _, u := range c.units {
		f := c.forms[u]
		for _, s := range f.criteria {
			c.distinct(s.criteria)
			c.orders(s.criteria)
		}
		for _, j := range f.judges {
			c.rulings(j)
			c.returns(j)
		}
		for _, r := range f.rules {
			if r.phase != nil && r.phase.Text == "pre_execute" {
				c.report(ruleTooEarly(*r.phase, r.decl))
			}
		}
	}
	return nil
}

// A ruled criterion is one that a judge rules on: its own, or a copy.
type ruled struct {
	criterion
	at   diag.Range    // in the judge: the name, or the include that brought it
	from *criteriaForm // what it was copied from, nil for its own
}

// criteriaOf returns all criteria of a judge in their order. It is false
// where an include does not resolve, so that some are not known.
func (c *compilation) criteriaOf(j *judgeForm) ([]ruled, bool) {
	var out []ruled
	known := true
	for _, r := range j.rulings {
		if r.criterion != nil {
			out = append(out, ruled{*r.criterion, r.criterion.name.Range, nil})
			continue
		}
		set, ok := at[*criteriaForm](c.uses, *r.include)
		if !ok {
			known = false
			continue
		}
		for _, k := range set.criteria {
			out = append(out, ruled{k, r.include.Range, set})
		}
		known = known && !set.decl.Damaged
	}
	return out, known
}

func (c *compilation) rulings(j *judgeForm) {
	all, known := c.criteriaOf(j)
	first := make(map[string]ruled)
	reported := make(map[diag.Range]bool) // an include is reported once
	for _, k := range all {
		if before, ok := first[k.name.Text]; ok {
			// Two of one set were reported where the set stands.
			sameSet := k.from != nil && k.at == before.at
			if !sameSet && !reported[k.at] {
				c.report(criterionTwice(k, before))
				reported[k.at] = true
			}
			continue
		}
		first[k.name.Text] = k
	}
	if len(all) == 0 && known && j.present["include"] && !j.present["criterion"] && !j.decl.Damaged {
		c.report(fieldMissing(j.decl, "criterion", "the criteria that it includes are empty: write some, or write `criterion` in the judge"))
	}
	var own []criterion
	for _, r := range j.rulings {
		if r.criterion != nil {
			own = append(own, *r.criterion)
		}
	}
	c.orders(own)
}

// distinct reports criteria of one list that share a name.
func (c *compilation) distinct(list []criterion) {
	first := make(map[string]criterion)
	for _, k := range list {
		if before, ok := first[k.name.Text]; ok {
			c.report(criterionTwice(ruled{k, k.name.Range, nil}, ruled{before, before.name.Range, nil}))
			continue
		}
		first[k.name.Text] = k
	}
}

// order is a sentence that tells a judge what to return. The words of verdicts
// are words of the language too, so that in lower case it also has to be seen
// that a verdict is meant: by what stands behind it.
var order = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(strings.Join([]string{
		`(\b(?i:return|answer|give|submit|vote|output)s?\s+(?i:an?\s+|the\s+)?["'` + "`" + `]?(?i:pass|warn|unclear|blocker)["'` + "`" + `]?)` +
			`(?i:\s*$|\s*[.;:,!?)]|\s+(?:if|when|where|unless|verdict|on|for|here|only)\b)`,
		`\b(?i:return|answer|give|submit|vote|output)s?\s+(?:PASS|WARN|UNCLEAR|BLOCKER)\b`,
		`(?i:\b(?:mark|rate|treat|flag|count|classify|report)(?:s|ed)?\b[^.;!?]*\bas\s+(?:an?\s+)?(?:pass|warn|unclear|blocker)\b)`,
		`(?i:\b(?:is|are|be)\s+(?:an?\s+)?(?:blockers?|unclear\s+verdicts?)\b)`,
		`(?:^|[.;:,!?]\s+)(?i:(?:always|never)\s+(?:pass|warn|block|fail)\b)`,
		`(?:^|[.;:,!?]\s+)(?i:(?:pass|warn|unclear|blocker|block)\s+(?:if|when|unless|only)\b)`,
		`\b(?:PASS|WARN|UNCLEAR|BLOCKER|BLOCK)\s+(?i:if|when|unless|only|on)\b`,
		`(?:^|[.;:,!?]\s+)((?i:report|say|issue|raise|emit|choose|pick)\s+(?i:an?\s+|the\s+)?["'` + "`" + `]?(?i:pass|warn|unclear|blocker)["'` + "`" + `]?)` +
			`(?i:\s*$|\s*[.;:,!?)]|\s+(?:if|when|where|unless|on|for|here|only)\b)`,
		`((?i:\bverdict\s*(?:\bto\b|\bbe\b|:|=)\s*(?:an?\s+)?["'` + "`" + `]?(?:pass|warn|unclear|blocker)["'` + "`" + `]?))` +
			`(?i:\s*$|\s*[.;:,!?)]|\s+(?:if|when|where|unless|for|here|only)\b)`,
		`(?:^|[.;:,!?]\s+)(?i:let\s+(?:it|this|that|them|everything|anything)\s+pass\b)`,
	}, "|"))
})

// everyOrder holds the words of which one stands in each order.
var everyOrder = []string{"pass", "warn", "unclear", "block", "blocker", "blockers", "fail"}

// mayOrder reports whether a sentence of plain letters has such a word, which
// few have: it is told at a fraction of the cost of the whole form. There are
// other letters that count as plain ones where case does not.
func mayOrder(text string) bool {
	for at := 0; at < len(text); {
		start := at
		for at < len(text) && text[at] < utf8.RuneSelf && (text[at] == '_' || isAlphanumeric(text[at])) {
			at++
		}
		if at < len(text) && text[at] >= utf8.RuneSelf {
			return true
		}
		for _, word := range everyOrder {
			if len(word) == at-start && strings.EqualFold(text[start:at], word) {
				return true
			}
		}
		at++
	}
	return false
}

func isAlphanumeric(c byte) bool {
	return '0' <= c && c <= '9' || 'a' <= c|0x20 && c|0x20 <= 'z'
}

func (c *compilation) orders(list []criterion) {
	for _, k := range list {
		if !mayOrder(k.text.Value) {
			continue
		}
		m := order().FindStringSubmatchIndex(k.text.Value)
		// A group leaves out what shows that its words are an order.
		for len(m) > 2 && m[len(m)-2] < 0 {
			m = m[:len(m)-2]
		}
		if m != nil {
			c.report(ordersVerdict(k, m[len(m)-2:]))
		}
	}
}

// mustReturn are the verdicts without which a judge would have to guess.
var mustReturn = []string{"pass", "unclear", "blocker"}

func (c *compilation) returns(j *judgeForm) {
	if j.returns == nil || j.returns.vague || j.decl.Damaged {
		return
	}
	var lacking []string
	for _, v := range mustReturn {
		if !slices.ContainsFunc(j.returns.verdicts, func(n lang.Name) bool { return n.Text == v }) {
			lacking = append(lacking, v)
		}
	}
	if len(lacking) > 0 {
		c.report(returnsLacks(j, lacking))
	}
}

func returnsLacks(j *judgeForm, lacking []string) diag.Diagnostic {
	written := slices.Clone(mustReturn)
	if slices.ContainsFunc(j.returns.verdicts, func(n lang.Name) bool { return n.Text == "warn" }) {
		written = slices.Clone(returnable)
	}
	line := "returns " + joinComma(written)
	return diag.Diagnostic{
		Code: diag.SN506, Range: j.returns.field.Range,
		Message: fmt.Sprintf("%s cannot return %s, and every judge must be able to", called(j.decl), list(lacking)),
		Help:    fmt.Sprintf("write `%s`: an evaluator that lacks an answer picks another one", line),
		Edits:   []diag.Edit{{Range: j.returns.field.Range, Text: line}},
	}
}

func criterionTwice(k, first ruled) diag.Diagnostic {
	return diag.Diagnostic{
		Code: diag.SN701, Range: k.at,
		Message: fmt.Sprintf("two criteria are called `%s`", k.name.Text),
		Help:    "give one of them another name: findings and controls tell criteria apart by it",
		Related: []diag.Related{{Range: first.name.Range, Message: "the first one"}},
	}
}

func ordersVerdict(k criterion, m []int) diag.Diagnostic {
	return diag.Diagnostic{
		Code: diag.SN702, Range: within(k.text, m[0], m[1]),
		Message: fmt.Sprintf("criterion `%s` gives an order about verdicts instead of saying what holds", k.name.Text),
		Help:    "write a sentence that holds or does not; which verdict follows is the language's, and what happens then the gate's",
	}
}

func ruleTooEarly(phase lang.Name, d *lang.Declaration) diag.Diagnostic {
	return diag.Diagnostic{
		Code: diag.SN403, Range: phase.Range,
		Message: fmt.Sprintf("%s looks at the change, and before the work there is none", called(d)),
		Help:    "write `phase post_execute`",
		Edits:   []diag.Edit{{Range: phase.Range, Text: "post_execute"}},
	}
}
