package judge

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"unicode"

	"github.com/snodo-lang/snodo/compiler/plan"
	"github.com/snodo-lang/snodo/runtime/verdict"
)

// maxArg is the most bytes of an argument of evidence.
const maxArg = 256

// A request is a request for evidence as it was written.
type request struct {
	evidence string
	args     table
}

// requests reads what a finding is missing. Every request must be for one of
// the judge's kinds, with arguments of their types, and for nothing that it
// was given. The error is a failure of the tree.
func (e *examiner) requests(ctx context.Context, criterion string, all []request) ([]verdict.Missing, []string, error) {
	out := []verdict.Missing{}
	var reasons []string
	for _, r := range all {
		say := func(sentence string, pairs ...string) {
			pairs = append([]string{"criterion", criterion, "evidence", show(r.evidence)}, pairs...)
			reasons = append(reasons, plan.Fill(sentence, pairs...))
		}
		if !slices.Contains(e.judge.Requests, r.evidence) {
			say(e.words.ReasonEvidence, "requests", joined(e.judge.Requests))
			continue
		}
		c := &checker{words: &e.words.Arguments}
		args, err := e.args(ctx, c, e.evidence[r.evidence].Params, r.args)
		switch {
		case err != nil:
			return nil, nil, err
		case len(c.wrong) > 0:
			say(e.words.ReasonArgs, "reason", strings.Join(c.wrong, "; "))
		case e.given[r.evidence+" "+canonicalArgs(args)]:
			say(e.words.ReasonGiven)
		default:
			out = append(out, verdict.Missing{Evidence: r.evidence, Args: args})
		}
	}
	return out, reasons, nil
}

// args reads the arguments of an evidence by the types of its parameters.
func (e *examiner) args(ctx context.Context, c *checker, params []plan.Param, t table) (map[string]any, error) {
	names := make([]string, len(params))
	for i, p := range params {
		names[i] = p.Name
	}
	c.only(t, "", names...)
	args := map[string]any{}
	for _, p := range params {
		if p.Type == plan.TypeLine {
			if n, ok := c.line(t, "", p.Name); ok {
				args[p.Name] = n
			}
			continue
		}
		s, ok := c.text(t, "", p.Name)
		if !ok {
			continue
		}
		args[p.Name] = s
		if len(s) > maxArg {
			c.say(c.words.Long, p.Name, "bytes", strconv.Itoa(maxArg))
			continue
		}
		if err := e.arg(ctx, c, p, s); err != nil {
			return nil, err
		}
	}
	return args, nil
}

var nameForm = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[A-Za-z0-9_./:@+][A-Za-z0-9_./:@+-]*$`) })

// arg checks one text by the type of its parameter (language, section 3).
func (e *examiner) arg(ctx context.Context, c *checker, p plan.Param, s string) error {
	switch p.Type {
	case plan.TypeText:
		if strings.TrimSpace(s) == "" {
			c.say(c.words.Blank, p.Name)
		} else if strings.ContainsFunc(s, hidden) {
			c.say(c.words.Control, p.Name)
		}
	case plan.TypeName:
		if !nameForm().MatchString(s) || slices.Contains(strings.Split(s, "/"), "..") {
			c.say(c.words.BadName, p.Name)
		}
	case plan.TypePath:
		return e.pathArg(ctx, c, p, s)
	case plan.TypeOneOf:
		if !slices.Contains(p.Of, s) {
			c.say(c.words.OneOf, p.Name, "choices", strings.Join(p.Of, ", "))
		}
	default:
		panic("judge: no such parameter type: " + p.Type)
	}
	return nil
}

func (e *examiner) pathArg(ctx context.Context, c *checker, p plan.Param, s string) error {
	clean, ok := confine(s)
	if !ok || clean != s {
		c.say(c.words.BadPath, p.Name)
		return nil
	}
	_, err := e.tree.Entry(ctx, s)
	if errors.Is(err, fs.ErrNotExist) {
		c.say(c.words.NoPath, p.Name, "path", show(s))
		return nil
	}
	if err != nil {
		return fmt.Errorf("look for the path of an evidence: %w", err)
	}
	return nil
}

// hidden says whether a character hides what a person reads: controls,
// formats and separators of lines.
func hidden(r rune) bool {
	if r < 0x7f { // most of what is read
		return r < ' '
	}
	return unicode.In(r, unicode.Cc, unicode.Cf, unicode.Zl, unicode.Zp)
}
