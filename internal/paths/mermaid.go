package paths

import (
	"fmt"
	"io"
	"strconv"
	"strings"
	"unicode"
)

// WriteMermaid draws a table as a flowchart of Mermaid
// (https://mermaid.js.org/syntax/flowchart.html).
func WriteMermaid(w io.Writer, t *Table) error {
	p := draw(t)
	b := &page{}
	b.line("---")
	b.line("title: %s", strconv.Quote(p.title)) // a text of YAML as well
	b.line("---")
	b.line("flowchart TD")
	for _, g := range p.groups {
		b.line("  subgraph %s[%s]", g.id, mermaidText(g.lines))
		for _, n := range g.nodes {
			left, right := mermaidShape(n.shape)
			b.line("    %s%s%s%s", n.id, left, mermaidText(n.lines), right)
		}
		for _, e := range g.edges {
			b.line("    %s", mermaidEdge(e))
		}
		b.line("  end")
	}
	for _, e := range p.edges {
		b.line("  %s", mermaidEdge(e))
	}
	if _, err := io.WriteString(w, b.String()); err != nil {
		return fmt.Errorf("write graph: %w", err)
	}
	return nil
}

func mermaidShape(s shape) (left, right string) {
	switch s {
	case begins:
		return "([", "])"
	case acts:
		return "[", "]"
	case judges:
		return "{{", "}}"
	case stops:
		return "(", ")"
	case asks:
		return "[/", "/]"
	case finishes:
		return "(((", ")))"
	}
	panic(fmt.Sprintf("paths: no such shape: %d", s))
}

func mermaidEdge(e edge) string {
	arrow := ""
	switch e.manner {
	case onwards:
		arrow = "-->"
	case back:
		arrow = "==>"
	case aside:
		arrow = "-.->"
	default:
		panic(fmt.Sprintf("paths: no such manner: %d", e.manner))
	}
	if e.label != "" {
		arrow += "|" + mermaidText([]string{e.label}) + "|"
	}
	return e.from + " " + arrow + " " + e.to
}

func mermaidText(lines []string) string {
	var out []string
	for _, line := range lines {
		out = append(out, mermaidEscape(line))
	}
	return `"` + strings.Join(out, "<br/>") + `"`
}

// mermaidEscape writes everything that could mean something to Mermaid, to the
// Markdown in its labels or to HTML by its number. What joins two parts of a
// word means nothing to any of them.
func mermaidEscape(s string) string {
	var b strings.Builder
	runes := []rune(s)
	word := func(i int) bool {
		return i >= 0 && i < len(runes) && (unicode.IsLetter(runes[i]) || unicode.IsDigit(runes[i]))
	}
	for i, c := range runes {
		switch {
		case word(i), strings.ContainsRune(" ,:", c), strings.ContainsRune("-_.", c) && word(i-1) && word(i+1):
			b.WriteRune(c)
		default:
			fmt.Fprintf(&b, "#%d;", c)
		}
	}
	return b.String()
}
