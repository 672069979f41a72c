package importer

import (
	"slices"
	"strings"
)

// A kind is what a node of the YAML is.
type kind int

const (
	scalar kind = iota
	list
	mapping
)

// A node is a value of the YAML, with its anchors resolved.
type node struct {
	kind   kind
	text   string   // of a scalar
	null   bool     // a scalar that says nothing
	items  []*entry // of a list
	fields []*entry // of a mapping, in the order in which they are written
	line   int
	anchor bool // something may refer to it
}

// An entry is one item of a list or one key of a mapping, with its value.
type entry struct {
	key          string // of a mapping
	value        *node
	line, column int
	taken        bool
	comments     []comment
}

// A comment is one line behind a #.
type comment struct {
	text         string
	line, column int
	behind       bool // something else stands before it on its line
}

// entries returns what stands in a list or a mapping.
func (n *node) entries() []*entry {
	if n.kind == mapping {
		return n.fields
	}
	return n.items
}

// blank reports whether a node says nothing.
func (n *node) blank() bool {
	return n.kind == scalar && strings.TrimSpace(n.text) == "" || n.kind != scalar && len(n.entries()) == 0
}

// fold brings spellings of a key together: case, dashes and blanks.
func fold(key string) string {
	return strings.NewReplacer("-", "_", " ", "_").Replace(strings.ToLower(strings.TrimSpace(key)))
}

// has reports whether a mapping has one of the keys.
func (n *node) has(keys ...string) bool { return n.find(keys) != nil }

func (n *node) find(keys []string) *entry {
	if n.kind != mapping {
		return nil
	}
	for _, key := range keys {
		for _, e := range n.fields {
			if !e.taken && fold(e.key) == key {
				return e
			}
		}
	}
	return nil
}

// take returns the first of the keys that a mapping has and nobody took, in
// the order of keys, or nil. What is left of a mapping in the end has no
// equivalent.
func (n *node) take(keys ...string) *entry {
	e := n.find(keys)
	if e != nil {
		e.taken = true
	}
	return e
}

// takeScalar is take for a key whose value must be a scalar; others are left.
func (n *node) takeScalar(keys ...string) *entry {
	if e := n.find(keys); e == nil || e.value.kind != scalar {
		return nil
	}
	return n.take(keys...)
}

// left returns the entries of a mapping that nobody took.
func (n *node) left() []*entry {
	var out []*entry
	for _, e := range n.fields {
		if !e.taken {
			out = append(out, e)
		}
	}
	return out
}

// named are the things that a list or a mapping holds: a mapping names them by
// its keys.
func (n *node) named() []*entry {
	if n.kind == scalar {
		if n.blank() {
			return nil
		}
		return []*entry{{value: n, line: n.line}}
	}
	return n.entries()
}

// scalars are the texts of a scalar, or of a list of them, where the node is
// nothing else.
func (n *node) scalars() ([]*node, bool) {
	switch {
	case n.kind == scalar && n.blank():
		return nil, true
	case n.kind == scalar:
		return []*node{n}, true
	case n.kind == mapping:
		return nil, len(n.fields) == 0
	}
	var out []*node
	for _, e := range n.items {
		if e.value.kind != scalar {
			return nil, false
		}
		out = append(out, e.value)
	}
	return out, true
}

// comments takes the comments of an entry and of all that stands in it, in
// their order.
func (e *entry) takeComments() []comment {
	out := e.comments
	e.comments = nil
	for _, inner := range e.value.entries() {
		out = append(out, inner.takeComments()...)
	}
	slices.SortStableFunc(out, func(a, b comment) int { return a.line - b.line })
	return out
}

// above takes the comments that stand on lines before an entry.
func (e *entry) above() []comment {
	var out, rest []comment
	for _, c := range e.comments {
		if c.line < e.line {
			out = append(out, c)
		} else {
			rest = append(rest, c)
		}
	}
	e.comments = rest
	return out
}

// lines writes a node as YAML would, for a comment.
func (n *node) lines(indent string) []string {
	var out []string
	for _, e := range n.entries() {
		head := indent + "-"
		if n.kind == mapping {
			head = indent + e.key + ":"
		}
		out = append(out, entryLines(head, indent, e.value)...)
	}
	return out
}

// entryLines writes what stands behind the head of an entry.
func entryLines(head, indent string, n *node) []string {
	if n.kind != scalar {
		if n.blank() {
			return []string{head + map[kind]string{list: " []", mapping: " {}"}[n.kind]}
		}
		if words, ok := n.scalars(); ok && n.kind == list && short(words) {
			return []string{head + " [" + joined(words) + "]"}
		}
		return append([]string{head}, n.lines(indent+"  ")...)
	}
	parts := strings.Split(strings.TrimRight(n.text, "\n"), "\n")
	if len(parts) == 1 {
		return []string{strings.TrimRight(head+" "+parts[0], " ")}
	}
	out := []string{head}
	for _, p := range parts {
		out = append(out, strings.TrimRight(indent+"  "+p, " "))
	}
	return out
}

// short says whether words fit on a line of a comment.
func short(words []*node) bool {
	const limit = 80
	return len(joined(words)) <= limit && !slices.ContainsFunc(words, func(n *node) bool { return strings.Contains(n.text, "\n") })
}

func joined(words []*node) string {
	var out []string
	for _, w := range words {
		out = append(out, w.text)
	}
	return strings.Join(out, ", ")
}
