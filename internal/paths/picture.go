package paths

import (
	"fmt"
	"slices"
	"strings"

	"github.com/snodo-lang/snodo/compiler/plan"
)

// A picture is a drawing that no format has been chosen for. Identifiers are
// made up of the place of a thing and never of its name, so that no name has
// to fit what a format lets an identifier be.
type picture struct {
	title  string
	groups []group
	edges  []edge // between groups
}

// A group is a stage.
type group struct {
	id    string
	lines []string
	nodes []node
	edges []edge
}

// A shape says what a node stands for.
type shape int

// The shapes.
const (
	begins   shape = iota // where a stage begins
	acts                  // a step that does something
	judges                // a gate
	stops                 // an end that is not completion
	asks                  // an end that waits for a person
	finishes              // completion
)

type node struct {
	id    string
	shape shape
	lines []string
}

// A manner is how an edge is drawn.
type manner int

// The manners.
const (
	onwards manner = iota
	back           // a loop
	aside          // from stage to stage, for a person to go
)

type edge struct {
	from, to string
	label    string // may be empty
	manner   manner
}

// draw lays out a table.
func draw(t *Table) picture {
	p := picture{title: "protocol " + titled(t.Protocol, t.Title)}
	ids := map[string]string{}
	for i, s := range t.Stages {
		ids[s.Name] = fmt.Sprintf("s%d", i)
	}
	for _, s := range t.Stages {
		d := &drawing{group: group{id: ids[s.Name]}, steps: map[string]string{}, ends: map[string]string{}}
		d.stage(s, s.Name == t.Starts)
		p.groups = append(p.groups, d.group)
		for _, next := range s.HandsTo {
			p.edges = append(p.edges, edge{d.ends[string(plan.EndComplete)], ids[next] + "begin", "hands to", aside})
		}
	}
	return p
}

// A drawing is a stage that is being drawn. Its ends are drawn when something
// leads to them.
type drawing struct {
	group
	steps map[string]string // the node at which a step is entered
	ends  map[string]string // the node of an end
}

func (d *drawing) stage(s Stage, starts bool) {
	d.lines = []string{s.Kind + " " + titled(s.Name, s.Title)}
	if !s.Judged {
		d.lines = append(d.lines, taskWords(s))
	}
	begin := "begin"
	if starts {
		begin = "a run begins"
	}
	d.nodes = append(d.nodes, node{d.id + "begin", begins, []string{begin}})
	node := func(i int) string { return fmt.Sprintf("%sn%d", d.id, i) }
	for i, step := range s.Way {
		d.nodes = append(d.nodes, nodeOf(node(i), step))
		d.steps[step.Label()] = node(i)
	}
	// Whatever leads to the gate behind it comes by what is no step of the plan.
	for i, step := range s.Way {
		if a, act := step.(*Act); act && a.Name == nil {
			d.steps[s.Way[i+1].Label()] = node(i)
		}
	}
	d.edges = append(d.edges, edge{d.id + "begin", node(0), "", onwards})
	for i, step := range s.Way {
		switch step := step.(type) {
		case *Act:
			d.act(node(i), node(i+1), step, s)
		case *Gate:
			d.gate(node(i), step)
		default:
			panic(fmt.Sprintf("paths: no such step: %T", step))
		}
	}
}

func nodeOf(id string, step Step) node {
	switch step := step.(type) {
	case *Act:
		return node{id, acts, []string{visible(step.Label()), actWords(step)}}
	case *Gate:
		lines := []string{titled(step.Name, step.Title), needWords(step)}
		if words := observerWords(step); words != "" {
			lines = append(lines, words)
		}
		return node{id, judges, lines}
	}
	panic(fmt.Sprintf("paths: no such step: %T", step))
}

// act draws the outcomes of a step, those that lead to one place together.
func (d *drawing) act(from, behind string, a *Act, s Stage) {
	var targets []plan.Target
	names := map[plan.Target][]string{}
	for _, o := range a.Outcomes {
		if !slices.Contains(targets, o.To) {
			targets = append(targets, o.To)
		}
		names[o.To] = append(names[o.To], o.Name)
	}
	for _, t := range targets {
		label := strings.Join(names[t], ", ")
		switch {
		case a.Op == plan.OpKeep && slices.Contains(names[t], "again"):
			label += ": " + count(s.Bounds.Dispatches, "turn") + " in all"
			d.edges = append(d.edges, edge{from, d.steps[string(t)], label, back})
		case a.Name == nil && slices.Contains(names[t], "done"):
			d.edges = append(d.edges, edge{from, behind, label, onwards})
		default:
			d.to(from, t, label)
		}
	}
}

// gate draws each row, and each step of its route as an edge of its own.
func (d *drawing) gate(from string, g *Gate) {
	for _, r := range g.Rows {
		label := caseOf(g, r)
		if r.Decision == Proceed {
			d.to(from, r.To, label)
			continue
		}
		for i, a := range r.Route {
			if i > 0 {
				label = "still " + r.Decision
			}
			d.action(from, label, r, a)
		}
	}
}

func (d *drawing) action(from, label string, r Row, a plan.Action) {
	switch a.Do {
	case plan.DoHalt:
		d.to(from, halt(a.As), label)
	case plan.DoAsk:
		end := d.end("ask "+a.Role, asks, "ask "+visible(a.Role))
		d.edges = append(d.edges, edge{from, end, label, onwards})
	case plan.DoGather:
		d.edges = append(d.edges, edge{from, from, label + ": " + actionWords(a), back})
	case plan.DoRecover:
		d.edges = append(d.edges, edge{from, d.steps[a.To], label + ": " + actionWords(a), back})
		d.to(from, a.Stalled, r.Decision+" where it stalls")
	default:
		panic("paths: no such action: " + a.Do)
	}
}

// to draws an edge to a step or to an end.
func (d *drawing) to(from string, t plan.Target, label string) {
	id, step := d.steps[string(t)]
	if as, halts := strings.CutPrefix(string(t), plan.HaltPrefix); halts {
		id = d.end(string(t), stops, "halt "+as)
	} else if !step {
		id = d.end(string(t), finishes, "complete")
	}
	d.edges = append(d.edges, edge{from, id, label, onwards})
}

// end returns the node of an end of the stage.
func (d *drawing) end(key string, s shape, line string) string {
	id, ok := d.ends[key]
	if !ok {
		id = fmt.Sprintf("%se%d", d.id, len(d.ends))
		d.ends[key] = id
		d.nodes = append(d.nodes, node{id, s, []string{line}})
	}
	return id
}
