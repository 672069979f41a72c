package paths

import (
	"fmt"
	"io"
	"strings"
)

// WriteDOT draws a table in the language of Graphviz
// (https://graphviz.org/doc/info/lang.html).
func WriteDOT(w io.Writer, t *Table) error {
	p := draw(t)
	b := &page{}
	b.line("digraph snodo {")
	b.line("  graph [label=%s, labelloc=t];", dotText([]string{p.title}))
	for _, g := range p.groups {
		b.line("  subgraph cluster_%s {", g.id)
		b.line("    graph [label=%s];", dotText(g.lines))
		for _, n := range g.nodes {
			b.line("    %s [%s, label=%s];", n.id, dotShape(n.shape), dotText(n.lines))
		}
		for _, e := range g.edges {
			b.line("    %s", dotEdge(e))
		}
		b.line("  }")
	}
	for _, e := range p.edges {
		b.line("  %s", dotEdge(e))
	}
	b.line("}")
	if _, err := io.WriteString(w, b.String()); err != nil {
		return fmt.Errorf("write graph: %w", err)
	}
	return nil
}

func dotShape(s shape) string {
	switch s {
	case begins:
		return "shape=oval"
	case acts:
		return "shape=box"
	case judges:
		return "shape=hexagon"
	case stops:
		return "shape=octagon"
	case asks:
		return "shape=parallelogram"
	case finishes:
		return "shape=oval, peripheries=2"
	}
	panic(fmt.Sprintf("paths: no such shape: %d", s))
}

func dotEdge(e edge) string {
	style := ""
	switch e.manner {
	case onwards:
		style = "solid"
	case back:
		style = "bold"
	case aside:
		style = "dashed"
	default:
		panic(fmt.Sprintf("paths: no such manner: %d", e.manner))
	}
	return fmt.Sprintf("%s -> %s [style=%s, label=%s];", e.from, e.to, style, dotText([]string{e.label}))
}

// dotEscape keeps Graphviz from taking part of a name for the end of a text,
// an escape sequence or an entity of HTML.
var dotEscape = strings.NewReplacer(`\`, `\\`, `"`, `\"`, `&`, `&amp;`)

func dotText(lines []string) string {
	var out []string
	for _, line := range lines {
		out = append(out, dotEscape.Replace(line))
	}
	return `"` + strings.Join(out, `\n`) + `"`
}
