package compiler

import (
	"bytes"
	"fmt"
	"regexp"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/snodo-lang/snodo/compiler/plan"
	"github.com/snodo-lang/snodo/internal/nearest"
	"github.com/snodo-lang/snodo/lang"
	"github.com/snodo-lang/snodo/lang/diag"
)

// checkEdition reports a file that does not begin with an edition that this
// compiler knows. Since it knows one, two files of a package that differ are
// one file with an unknown edition.
func (c *compilation) checkEdition(f, first *file) {
	switch e := f.tree.Edition; {
	case e == nil && len(f.text) > lang.MaxFile: // it may stand behind the limit
	case e == nil:
		if line, sound := c.firstLine(f); sound {
			c.report(editionMissing(line, f))
		}
	case e.Number.Value != plan.Edition:
		c.report(editionUnknown(e, first.tree.Edition))
	}
}

// firstLine returns the line on which the first statement of f begins, from
// its first character to its last. It is not sound where the parser found
// fault with its beginning: then nothing is known of what it was meant to be.
func (c *compilation) firstLine(f *file) (diag.Range, bool) {
	line := diag.Position{Line: 1, Column: 1}
	if bytes.HasPrefix(f.text, []byte("\ufeff")) {
		line.Offset = len("\ufeff")
	}
	for rest := string(f.text[line.Offset:]); ; {
		whole, after, more := strings.Cut(rest, "\n")
		code, _, _ := strings.Cut(whole, "//")
		if code = strings.TrimRight(code, " \t\r"); strings.TrimSpace(code) != "" || !more {
			return c.inLine(f, line, code)
		}
		rest = after
		line.Line++
		line.Offset += len(whole) + 1
	}
}

func (c *compilation) inLine(f *file, line diag.Position, code string) (diag.Range, bool) {
	bare := strings.TrimLeft(code, " \t")
	start := line
	start.Column += len(code) - len(bare)
	start.Offset += len(code) - len(bare)
	end := start
	end.Column += utf8.RuneCountInString(bare)
	end.Offset += len(bare)
	for _, d := range c.diagnostics {
		if d.Range.File == f.name && d.Range.Start.Offset == start.Offset {
			return diag.Range{}, false
		}
	}
	return diag.Range{File: f.name, Start: start, End: end}, true
}

func editionMissing(line diag.Range, f *file) diag.Diagnostic {
	d := diag.Diagnostic{
		Code: diag.SN103, Range: line,
		Message: "the file does not begin with its edition",
		Help:    fmt.Sprintf("write `snodo %d` as the first statement", plan.Edition),
	}
	edit := diag.Edit{Range: line, Text: fmt.Sprintf("snodo %d", plan.Edition)}
	if meantAsEdition(string(f.text[line.Start.Offset:line.End.Offset])) {
		d.Edits = []diag.Edit{edit}
		return d
	}
	edit.Range.End = line.Start
	edit.Text += "\n\n"
	d.Edits = []diag.Edit{edit}
	if late := f.tree.Late; late != nil {
		d.Help = fmt.Sprintf("move `snodo %d` up: it is the first statement", plan.Edition)
		d.Related = []diag.Related{{Range: late.Range, Message: "here it stands too late"}}
		d.Edits = append(d.Edits, diag.Edit{Range: late.Range})
	}
	return d
}

// numbered is a statement of a word and a number, or of one that lacks its word
// or has it behind.
var numbered = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^([A-Za-z_-]+[ \t]+[0-9]+|[0-9]+([ \t]+[A-Za-z_-]+)?)$`)
})

// meantAsEdition reports whether the first statement of a file is an edition
// written wrongly: its word, a misspelling of it, or another word and a
// number.
func meantAsEdition(statement string) bool {
	first := wordForm().FindString(statement)
	near := first == "snodo" || len(nearest.To(first, []string{"snodo"})) > 0
	return first != "" && strings.HasPrefix(statement, first) && near || numbered().MatchString(statement)
}

func editionUnknown(e, first *lang.Edition) diag.Diagnostic {
	d := diag.Diagnostic{
		Code: diag.SN103, Range: e.Number.Range,
		Message: fmt.Sprintf("edition %d is not known to this compiler", e.Number.Value),
		Help:    fmt.Sprintf("this compiler knows edition %d: write `snodo %d`", plan.Edition, plan.Edition),
	}
	if first != nil && first.Number.Value != e.Number.Value {
		d.Message = fmt.Sprintf("edition %d is not known, and the package is written in edition %d", e.Number.Value, first.Number.Value)
		d.Related = []diag.Related{{Range: first.Range, Message: "the edition of the package"}}
	}
	return d
}
