package compiler

import (
	"fmt"
	"slices"

	"github.com/snodo-lang/snodo/compiler/plan"
	"github.com/snodo-lang/snodo/internal/nearest"
	"github.com/snodo-lang/snodo/lang"
	"github.com/snodo-lang/snodo/lang/diag"
)

func toolUnknown(tool lang.Name, granted []string) diag.Diagnostic {
	d := diag.Diagnostic{
		Code: diag.SN401, Range: tool.Range,
		Message: fmt.Sprintf("there is no tool `%s`", tool.Text),
		Help:    "the tools are " + list(plan.Tools),
	}
	if meant := nearest.To(tool.Text, plan.Tools); len(meant) == 1 {
		d.Help = fmt.Sprintf("did you mean `%s`?", meant[0])
		if slices.Contains(granted, meant[0]) {
			d.Help = fmt.Sprintf("`%s` is granted already: leave this one out, or name another of the tools", meant[0])
		} else {
			d.Edits = []diag.Edit{{Range: tool.Range, Text: meant[0]}}
		}
	}
	return d
}

func judgeMayOnlyRead(tool lang.Name, d *lang.Declaration) diag.Diagnostic {
	does := "changes"
	if tool.Text == plan.RunCheck {
		does = "runs"
	}
	return diag.Diagnostic{
		Code: diag.SN402, Range: tool.Range,
		Message: fmt.Sprintf("a judge only reads, and `%s` %s something", tool.Text, does),
		Help:    fmt.Sprintf("leave it out of %s; what only running can show is evidence: declare it with `obtain` and list it under `requests`", called(d)),
	}
}

func noDiffYet(tool lang.Name, phase *lang.Name) diag.Diagnostic {
	return diag.Diagnostic{
		Code: diag.SN403, Range: tool.Range,
		Message: "before the work there is no diff to read",
		Help:    "leave `read_diff` out, or judge the result: `phase post_execute`",
		Related: []diag.Related{{Range: phase.Range, Message: "the judge rules on the proposal"}},
	}
}

func noTurnToRead(turns lang.Number, tools []granted) diag.Diagnostic {
	var names []string
	for _, t := range tools {
		names = append(names, t.tool.Text)
	}
	return diag.Diagnostic{
		Code: diag.SN404, Range: turns.Range,
		Message: fmt.Sprintf("the one turn of this judge is its verdict turn, so it can never use %s", list(names)),
		Help:    "give it at least `turns 2`, or grant it nothing",
		Related: []diag.Related{{Range: tools[0].line.node.Range, Message: "what it is granted"}},
	}
}

func readsNothing(d *lang.Declaration) diag.Diagnostic {
	return diag.Diagnostic{
		Code: diag.SN414, Range: d.Header,
		Message: fmt.Sprintf("%s has no tool to read with: it sees the names of the changed files and nothing else", called(d)),
		Help:    "grant it what it needs: `grants read_file, list_files, read_diff`",
	}
}

func heldTwice(power string, tools []lang.Name, stages []*stageForm) diag.Diagnostic {
	var names []string
	var related []diag.Related
	for i, s := range stages {
		names = append(names, called(s.decl))
		if i != 1 {
			related = append(related, diag.Related{Range: tools[i].Range, Message: fmt.Sprintf("%s holds it here", called(s.decl))})
		}
	}
	return diag.Diagnostic{
		Code: diag.SN405, Range: tools[1].Range,
		Message: fmt.Sprintf("only one stage may hold `%s`, and %d do: %s", power, len(stages), joined(names, "and")),
		Help:    fmt.Sprintf("leave it to the stage that comes last, and let the others write `hands to %s`", stages[len(stages)-1].decl.Name.Text),
		Related: related,
	}
}

func approvesItself(tool lang.Name, s *stageForm) diag.Diagnostic {
	return diag.Diagnostic{
		Code: diag.SN406, Range: tool.Range,
		Message: fmt.Sprintf("%s writes the work, and nobody approves what their own stage wrote", called(s.decl)),
		Help:    "declare a `review` that grants `approve`, and hand to it: `hands to REVIEW`",
	}
}

func takesNoPath(tool lang.Name, line *grantLine) diag.Diagnostic {
	return diag.Diagnostic{
		Code: diag.SN409, Range: tool.Range,
		Message: fmt.Sprintf("`%s` takes no path, so it cannot be confined with `in`", tool.Text),
		Help:    fmt.Sprintf("grant it on a line of its own: `grants %s`", tool.Text),
		Related: []diag.Related{{Range: line.node.InWord.Range, Message: "holds for every tool of its line"}},
	}
}

func noCheckToRun(tool lang.Name, why string) diag.Diagnostic {
	return diag.Diagnostic{
		Code: diag.SN411, Range: tool.Range,
		Message: "`run_check` can never be used: " + why,
		Help:    "grant it in a mode whose coder is a model, and list a `check` in one of its gates; otherwise leave it out",
	}
}

func powerless(tool lang.Name, why, help string) diag.Diagnostic {
	return diag.Diagnostic{
		Code: diag.SN412, Range: tool.Range,
		Message: fmt.Sprintf("`%s` can never be exercised: %s", tool.Text, why),
		Help:    help,
	}
}

func commandReads(tool lang.Name, coder *coderForm) diag.Diagnostic {
	return diag.Diagnostic{
		Code: diag.SN413, Range: tool.Range,
		Message: fmt.Sprintf("the coder is a command, and nothing can hold a command to `%s`", tool.Text),
		Help:    "leave it out: a command reads whatever it likes, and only what it writes is checked",
		Related: []diag.Related{{Range: coder.decl.Name.Range, Message: "the coder"}},
	}
}

func reviewExecutesNothing(tool lang.Name) diag.Diagnostic {
	return diag.Diagnostic{
		Code: diag.SN415, Range: tool.Range,
		Message: fmt.Sprintf("a review executes nothing, so it has no use for `%s`", tool.Text),
		Help:    "leave it out: judges bring their own grants, and a review holds only `approve`, `merge` and `publish`",
	}
}

func grantedTwice(later, first lang.Name) diag.Diagnostic {
	return diag.Diagnostic{
		Code: diag.SN408, Range: later.Range,
		Message: fmt.Sprintf("`%s` is granted for these paths already", later.Text),
		Help:    "leave it out of one of the lines",
		Related: []diag.Related{{Range: first.Range, Message: "granted here"}},
	}
}
