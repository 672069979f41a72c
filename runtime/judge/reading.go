package judge

import (
	"context"
	"strings"

	"github.com/snodo-lang/snodo/compiler/plan"
	"github.com/snodo-lang/snodo/runtime/endpoint"
)

// A Reading carries out the read tools for somebody who is no judge, as it is
// done for judges: within the grants, between markers, in the sentences of the
// plan. It remembers nothing. What was shown before is shown again, and only
// one answer is bounded, not all of them.
type Reading struct {
	Words  *plan.JudgeWording
	Grants []plan.Grant
	Token  string              // part of every data marker
	Redact func(string) string // removes secrets from what is shown; nil removes nothing
}

func (r Reading) marking() marking { return marking{r.Words, r.Token, r.Redact} }

// Call carries out a call of a read tool that is granted. diff is looked at by
// read_diff alone. The error is a failure of the tree, not of the call.
func (r Reading) Call(ctx context.Context, tree Tree, diff []FileDiff, tool, arguments string) (string, error) {
	once := &reader{
		material: &material{marking: r.marking(), seen: shown{}}, words: r.Words, tree: tree, diff: diff,
		scopes: scopes(r.Grants), turnOf: map[string]int{},
	}
	o, err := once.call(ctx, tool, arguments, 0)
	return o.content, err
}

// Show puts text between markers that say what it is. What does not fit an
// answer is left out, and that is said.
func (r Reading) Show(what, text string) string {
	m := r.marking()
	p := &page{words: r.Words, room: maxReply}
	for _, line := range linesOf(m.clean(text)) {
		whole, rest := shorten(r.Words, line)
		p.line(whole + rest)
	}
	return m.between(what, p.end())
}

// Clean is text as it may be shown: without secrets, with what hides in it
// written out, and with the tokens of chat templates broken.
func (r Reading) Clean(text string) string {
	m := r.marking()
	return m.clean(text)
}

// Name writes a name so that it cannot be taken for anything else.
func (r Reading) Name(s string) string {
	m := r.marking()
	return m.name(s)
}

// Texts reads the arguments of a tool that takes texts, all of them required,
// or says all that is wrong with them.
func Texts(words *plan.ArgumentWording, arguments string, names ...string) (map[string]string, []string) {
	if strings.TrimSpace(arguments) == "" {
		arguments = "{}"
	}
	t, err := parse(arguments)
	if err != nil {
		return nil, []string{words.NotJSON}
	}
	c := &checker{words: words}
	c.only(t, "", names...)
	texts := make(map[string]string, len(names))
	for _, name := range names {
		texts[name], _ = c.text(t, "", name)
	}
	return texts, c.wrong
}

// Confine makes the path of something in a tree of what a model wrote, or says
// that it is none. An empty path is the root.
func Confine(path string) (string, bool) { return confine(path) }

// Offered is a tool as it is sent, with its arguments in their order.
func Offered(t plan.Tool) endpoint.Tool { return offered(t) }

// Said makes one line of limited length of a model's own words, to be sent
// back to it in a refusal.
func Said(s string) string { return show(s) }
