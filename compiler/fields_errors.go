package compiler

import (
	"fmt"
	"regexp"
	"slices"
	"sync"

	"github.com/snodo-lang/snodo/internal/nearest"
	"github.com/snodo-lang/snodo/lang"
	"github.com/snodo-lang/snodo/lang/diag"
)

func fieldTwice(word, first lang.Name) diag.Diagnostic {
	return diag.Diagnostic{
		Code: diag.SN205, Range: word.Range,
		Message: fmt.Sprintf("`%s` is given twice", word.Text),
		Help:    "leave one of them out; what takes several values takes them on one line, with commas",
		Related: []diag.Related{{Range: first.Range, Message: "the first one"}},
	}
}

func itemTwice(field string, item, first lang.Name) diag.Diagnostic {
	return diag.Diagnostic{
		Code: diag.SN205, Range: item.Range,
		Message: fmt.Sprintf("`%s` names `%s` twice", field, item.Text),
		Help:    "leave one of them out",
		Related: []diag.Related{{Range: first.Range, Message: "the first one"}},
	}
}

func routeTwice(verdict, first lang.Name) diag.Diagnostic {
	return diag.Diagnostic{
		Code: diag.SN205, Range: verdict.Range,
		Message: fmt.Sprintf("`%s` is routed twice in this gate", verdict.Text),
		Help:    "write one route, with `then` between its steps",
		Related: []diag.Related{{Range: first.Range, Message: "the first route"}},
	}
}

// called says what a declaration is: judge `security`.
func called(d *lang.Declaration) string {
	if d.Subject != nil {
		return fmt.Sprintf("controls of `%s`", d.Subject)
	}
	return fmt.Sprintf("%s `%s`", d.Kind, d.Name.Text)
}

func fieldMissing(d *lang.Declaration, word, help string) diag.Diagnostic {
	return diag.Diagnostic{
		Code: diag.SN204, Range: d.Header,
		Message: fmt.Sprintf("%s has no %s", called(d), word),
		Help:    help,
	}
}

func gateFieldMissing(g *lang.Gate, word, help string) diag.Diagnostic {
	return diag.Diagnostic{
		Code: diag.SN204, Range: g.Header,
		Message: fmt.Sprintf("the gate has no `%s`", word),
		Help:    help,
	}
}

// wrongKind says that v is not of the kind that its field takes. A mend is
// offered where the value means the same without or with its quotes.
func wrongKind(field, want string, v lang.Value) diag.Diagnostic {
	d := diag.Diagnostic{
		Code: diag.SN206, Range: v.Span(),
		Message: fmt.Sprintf("`%s` takes %s, and this is %s", field, want, kindOf(v)),
		Help:    "write " + sample(want),
	}
	t, isText := v.(lang.Text)
	n, isNumber := v.(lang.Number)
	ref, isRef := v.(lang.Ref)
	switch {
	case isText && unquotes(want, t.Value):
		d.Help = fmt.Sprintf("write it without quotes: `%s`", t.Value)
		d.Edits = []diag.Edit{{Range: t.Range, Text: t.Value}}
	case isRef && want == aText:
		d.Help = fmt.Sprintf("write it in quotes: `\"%s\"`", ref)
		d.Edits = []diag.Edit{{Range: ref.Range, Text: `"` + ref.String() + `"`}}
	case isNumber && want == aDuration:
		d.Help = fmt.Sprintf("write it with a unit, such as `%ds` or `%dm`", n.Value, n.Value)
	}
	return d
}

// unquotes reports whether a text would be a value of a kind if it had no
// quotes.
func unquotes(kind, text string) bool {
	if text == "" {
		return false
	}
	switch kind {
	case aName:
		return nameForm().MatchString(text)
	case aNumber:
		return numberForm().MatchString(text)
	case aDuration:
		return durationForm().MatchString(text)
	}
	return false
}

// The forms of values that people put into quotes.
var (
	numberForm   = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[0-9]{1,9}$`) })
	durationForm = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`^([0-9]{1,6}h)?([0-9]{1,6}m)?([0-9]{1,6}s)?([0-9]{1,6}ms)?$`)
	})
)

func sample(kind string) string {
	switch kind {
	case aText:
		return "a text in quotes: `\"…\"`"
	case aNumber:
		return "a number in digits, such as `12`"
	case aDuration:
		return "a duration with its unit, such as `30s`, `10m` or `1h30m`"
	case aName:
		return "a name without quotes"
	}
	panic("compiler: no such kind of value: " + kind)
}

func stepTakes(s *lang.Step, what, sample string) diag.Diagnostic {
	at := s.Word.Range
	if s.Arg != nil {
		at = s.Arg.Span()
	}
	d := diag.Diagnostic{
		Code: diag.SN206, Range: at,
		Message: fmt.Sprintf("`%s` takes %s", s.Word.Text, what),
		Help:    fmt.Sprintf("write `%s`", sample),
	}
	kind := map[string]string{"ask": aName, "recover": aNumber}[s.Word.Text]
	if t, ok := s.Arg.(lang.Text); ok && unquotes(kind, t.Value) {
		d.Help = fmt.Sprintf("write it without quotes: `%s %s`", s.Word.Text, t.Value)
		d.Edits = []diag.Edit{{Range: at, Text: t.Value}}
	}
	return d
}

func blank(field string, t lang.Text) diag.Diagnostic {
	return diag.Diagnostic{
		Code: diag.SN207, Range: t.Range,
		Message: fmt.Sprintf("the text of `%s` is blank", field),
		Help:    blankHelp(field),
	}
}

func blankHelp(field string) string {
	switch field {
	case "role":
		return "say who it is: people who are asked read it"
	case "key":
		return "write the public key that the role signs with, or leave `key` out"
	case "evidence":
		return "say what is asked for: whoever is asked reads it"
	case "obtain":
		return "name the program to run: it comes first"
	case "import":
		return "name the package: `import \"std/solo\"`, or a folder of this repository as `import \"./judges\"`"
	case "one of":
		return "write something that a judge can choose, or leave it out"
	case "criterion":
		return "write a sentence that holds or does not: a blank one holds for everything"
	case "model":
		return "name the model"
	case "run", "prepare":
		return "write the command: a blank one does nothing and succeeds"
	}
	panic("compiler: no such text: " + field)
}

// wordUnknown says that n is none of the words that may stand where it does.
// The one that it may have been meant to be is offered as an edit, but for one
// that is taken: it stands beside n already.
func wordUnknown(n lang.Name, what string, words, taken []string) diag.Diagnostic {
	d := diag.Diagnostic{
		Code: diag.SN214, Range: n.Range,
		Message: fmt.Sprintf("`%s` is no %s", n.Text, what),
		Help:    fmt.Sprintf("write %s", choice(words)),
	}
	if meant := nearest.To(n.Text, words); len(meant) == 1 {
		d.Help = fmt.Sprintf("did you mean `%s`? (write %s)", meant[0], choice(words))
		if !slices.Contains(taken, meant[0]) {
			d.Edits = []diag.Edit{{Range: n.Range, Text: meant[0]}}
		}
	}
	return d
}

func notATool(n lang.Name) diag.Diagnostic {
	return diag.Diagnostic{
		Code: diag.SN214, Range: n.Range,
		Message: fmt.Sprintf("`%s` stands where a tool must stand", n.Text),
		Help:    "tools belong to the language and are written without an alias, such as `read_file`",
	}
}

func paramReversed(p *lang.Param) diag.Diagnostic {
	right := p.Type.Text + " " + p.Name.Text
	return diag.Diagnostic{
		Code: diag.SN214, Range: p.Type.Range,
		Message: fmt.Sprintf("`%s` is no type of a parameter", p.Type.Text),
		Help:    fmt.Sprintf("the name comes first, and then the type: `%s`", right),
		Edits:   []diag.Edit{{Range: p.Name.Range.To(p.Type.Range), Text: right}},
	}
}

func paramTwice(p, first *lang.Param) diag.Diagnostic {
	return diag.Diagnostic{
		Code: diag.SN201, Range: p.Name.Range,
		Message: fmt.Sprintf("two parameters are called `%s`", p.Name.Text),
		Help:    "give one of them another name",
		Related: []diag.Related{{Range: first.Name.Range, Message: "the first one"}},
	}
}

func coderRunAndModel(second, first lang.Name) diag.Diagnostic {
	return diag.Diagnostic{
		Code: diag.SN215, Range: second.Range,
		Message: "`run` and `model` exclude each other: a coder is a command or a model",
		Help:    "declare two coders, and name the one that is meant in each mode",
		Related: []diag.Related{{Range: first.Range, Message: "the other one"}},
	}
}

func coderBudgetOfCommand(field, run lang.Name) diag.Diagnostic {
	return diag.Diagnostic{
		Code: diag.SN215, Range: field.Range,
		Message: fmt.Sprintf("`%s` and `run` exclude each other: a command is bounded by its timeout alone", field.Text),
		Help:    fmt.Sprintf("leave `%s` out, and write `timeout 30m` behind the command", field.Text),
		Related: []diag.Related{{Range: run.Range, Message: "the coder is this command"}},
	}
}

func twoPredicates(second, first lang.Name) diag.Diagnostic {
	return diag.Diagnostic{
		Code: diag.SN215, Range: second.Range,
		Message: fmt.Sprintf("`%s` and `%s` exclude each other: a rule is one predicate", second.Text, first.Text),
		Help:    "declare a rule of its own for it, and list both in the gate's `panel`",
		Related: []diag.Related{{Range: first.Range, Message: "the other one"}},
	}
}

func taskJudges(word lang.Name) diag.Diagnostic {
	return diag.Diagnostic{
		Code: diag.SN516, Range: word.Range,
		Message: fmt.Sprintf("a task is not judged, and `%s` judges", word.Text),
		Help:    "make the task a `mode`, which has gates, or leave this out",
	}
}
