package importer

import (
	"slices"
	"strings"

	"github.com/goccy/go-yaml/token"
)

// comments returns the comments among the tokens of a file.
func comments(tokens token.Tokens) []comment {
	var out []comment
	last := 0 // the line of the last token that is no comment
	for _, t := range tokens {
		if t.Type != token.CommentType {
			last = t.Position.Line
			continue
		}
		out = append(out, comment{
			text: strings.TrimRight(t.Value, " \t\r\n"), line: t.Position.Line, column: t.Position.Column,
			behind: t.Position.Line == last,
		})
	}
	return out
}

// attach gives each comment to what it is about: one behind something to
// that; one on a line of its own to what follows, unless it is indented deeper
// than that, for then it ends what stands before it.
func (d *document) attach(found []comment) {
	var all []*entry
	var walk func(n *node)
	walk = func(n *node) {
		for _, e := range n.entries() {
			if e.column > 0 { // what an alias stands for is written elsewhere
				all = append(all, e)
				walk(e.value)
			}
		}
	}
	walk(d.root)
	slices.SortStableFunc(all, func(a, b *entry) int { return a.line - b.line })
	for _, c := range found {
		next, _ := slices.BinarySearchFunc(all, c.line+1, func(e *entry, line int) int { return e.line - line })
		before := all[:next]
		switch {
		case c.behind && len(before) > 0:
			e := before[len(before)-1]
			e.comments = append(e.comments, c)
		case next < len(all) && c.column <= all[next].column:
			all[next].comments = append(all[next].comments, c)
		default:
			if e := enclosing(before, c.column); e != nil {
				e.comments = append(e.comments, c)
			} else {
				d.loose = append(d.loose, c)
			}
		}
	}
}

// enclosing returns the last entry that begins at a column or left of it, and
// none for the first column, where nothing encloses anything.
func enclosing(before []*entry, column int) *entry {
	if column == 1 {
		return nil
	}
	for _, e := range slices.Backward(before) {
		if e.column <= column {
			return e
		}
	}
	return nil
}
