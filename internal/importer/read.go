package importer

import (
	"bytes"
	"fmt"
	"strings"

	"github.com/goccy/go-yaml/ast"
)

// MaxFile is the most bytes of a protocol that is read.
const MaxFile = 4 << 20

// The other bounds of what is read. A protocol as people write it is far inside
// each of them; what is outside is meant to cost time or memory.
const (
	maxMarks  = 100_000 // characters that may begin a value, and lines
	maxDepth  = 64      // collections in one another
	maxNodes  = 20_000  // values, aliases written out
	maxPrefix = 8       // anchors and tags before one value
	maxHeads  = 16      // documents that begin
)

// A SyntaxError is why a file cannot be read as a protocol of the older engine
// at all. Line counts from 1; it is 0 where no line is to blame.
type SyntaxError struct {
	File   string
	Line   int
	Reason string
}

func (e *SyntaxError) Error() string {
	if e.Line == 0 {
		return fmt.Sprintf("%s: %s", e.File, e.Reason)
	}
	return fmt.Sprintf("%s:%d: %s", e.File, e.Line, e.Reason)
}

// A document is what was read of a file.
type document struct {
	root    *node
	oddness []Line    // what the reader had to settle
	loose   []comment // comments behind everything
}

// read turns YAML into nodes: anchors resolved, keys merged, comments with what
// they belong to.
func read(file string, src []byte) (*document, error) {
	fail := func(line int, format string, args ...any) error {
		return &SyntaxError{file, line, fmt.Sprintf(format, args...)}
	}
	src = bytes.TrimPrefix(src, []byte("\xef\xbb\xbf"))
	if len(src) > MaxFile {
		return nil, fail(0, "it is larger than 4 MiB, which no protocol is")
	}
	if line := firstInvalid(src); line > 0 {
		return nil, fail(line, "the file is not UTF-8 from here on; save it as UTF-8 and import it again")
	}
	marks := 0
	for _, mark := range []string{"[", "{", ",", "\n", "- ", "? ", "&", "*", "!"} {
		marks += bytes.Count(src, []byte(mark))
	}
	if marks > maxMarks {
		return nil, fail(0, "it has more than %d lines and values, which no protocol has", maxMarks)
	}
	tokens, tree, err := parse(bytes.ReplaceAll(src, []byte("\r\n"), []byte("\n")))
	if err != nil {
		line, reason := located(err)
		return nil, fail(line, "it cannot be read as YAML: %s", reason)
	}
	var body ast.Node
	for _, d := range tree.Docs {
		if d.Body == nil || d.Body.Type() == ast.CommentType || d.Body.Type() == ast.DirectiveType || d.Body.Type() == ast.NullType && d.Body.GetToken().Value == "" {
			continue
		}
		if body != nil {
			return nil, fail(lineOf(d.Body), "a second document begins; a protocol is one, so put each into a file of its own")
		}
		body = d.Body
	}
	if body == nil {
		return nil, fail(0, "it is empty: a protocol is a mapping with modes and validators in it")
	}
	r := &reader{anchors: map[string]*node{}, open: map[string]bool{}, file: file}
	root := r.node(body, 0)
	if r.err != nil {
		return nil, r.err
	}
	if root.kind != mapping {
		return nil, fail(root.line, "it is no mapping: a protocol has keys such as modes and validators at its top")
	}
	doc := &document{root: root, oddness: r.oddness}
	doc.attach(comments(tokens))
	return doc, nil
}

// A reader turns the library's tree into nodes.
type reader struct {
	file    string
	anchors map[string]*node
	open    map[string]bool // anchors whose value is being read
	nodes   int
	oddness []Line
	err     error
}

func (r *reader) fail(line int, format string, args ...any) *node {
	if r.err == nil {
		r.err = &SyntaxError{r.file, line, fmt.Sprintf(format, args...)}
	}
	return &node{line: line}
}

// count keeps the number of values within bounds, aliases written out.
func (r *reader) count(line, n int) bool {
	if r.nodes += n; r.nodes > maxNodes {
		r.fail(line, "with its aliases written out it has more than %d values, which no protocol has", maxNodes)
	}
	return r.err == nil
}

func (r *reader) node(n ast.Node, depth int) *node {
	if n == nil {
		return &node{null: true}
	}
	line := lineOf(n)
	if depth > 2*maxDepth {
		return r.fail(line, "%v", tooDeep(line))
	}
	if !r.count(line, 1) {
		return &node{line: line}
	}
	switch n := n.(type) {
	case *ast.MappingNode:
		return r.mapping(n.Values, line, depth)
	case *ast.MappingValueNode:
		return r.mapping([]*ast.MappingValueNode{n}, line, depth)
	case *ast.SequenceNode:
		out := &node{kind: list, line: line}
		for i, v := range n.Values {
			e := &entry{value: r.node(v, depth+1), line: lineOf(v)}
			if t := v.GetToken(); t != nil {
				e.column = t.Position.Column
			}
			if i < len(n.Entries) && n.Entries[i].Start != nil {
				e.line, e.column = n.Entries[i].Start.Position.Line, n.Entries[i].Start.Position.Column
			}
			out.items = append(out.items, e)
		}
		return out
	case *ast.AnchorNode:
		name := n.Name.GetToken().Value
		before := r.open[name]
		r.open[name] = true
		out := r.node(n.Value, depth+1)
		r.open[name] = before
		out.anchor = true
		r.anchors[name] = out
		return out
	case *ast.AliasNode:
		return r.alias(n.Value.GetToken().Value, line)
	case *ast.TagNode:
		out := r.node(n.Value, depth+1)
		if tag := n.Start.Value; !strings.HasPrefix(tag, "!!") {
			r.oddness = append(r.oddness, Line{Line: line, What: "tag " + tag, Became: "no equivalent; the value behind it is taken as it stands"})
		}
		return out
	case *ast.LiteralNode:
		return &node{text: n.Value.Value, line: lineOfLiteral(n)}
	case *ast.StringNode:
		return &node{text: n.Value, line: line}
	case *ast.NullNode:
		return &node{null: true, line: line}
	case ast.ScalarNode:
		return &node{text: n.GetToken().Value, line: line}
	}
	return r.fail(line, "a %s stands where a value is needed", strings.ToLower(n.Type().String()))
}

func lineOfLiteral(n *ast.LiteralNode) int {
	if n.Start != nil {
		return n.Start.Position.Line
	}
	return lineOf(n)
}

// alias returns a copy of what an anchor stands for.
func (r *reader) alias(name string, line int) *node {
	if r.open[name] {
		return r.fail(line, "the alias *%s stands in what it stands for, so it has no end", name)
	}
	n, ok := r.anchors[name]
	if !ok {
		return r.fail(line, "the alias *%s has no anchor &%s before it", name, name)
	}
	return r.copy(n, line)
}

// copy copies a node to the line that refers to it.
func (r *reader) copy(n *node, line int) *node {
	out := &node{kind: n.kind, text: n.text, null: n.null, line: line}
	if !r.count(line, 1) {
		return out
	}
	for _, e := range n.items {
		out.items = append(out.items, &entry{value: r.copy(e.value, line), line: line})
	}
	for _, e := range n.fields {
		out.fields = append(out.fields, &entry{key: e.key, value: r.copy(e.value, line), line: line})
	}
	return out
}

// mapping reads keys and values. A key that is given twice counts as the
// older engine counted it: the last one. Merged keys never replace written ones.
func (r *reader) mapping(values []*ast.MappingValueNode, line, depth int) *node {
	out := &node{kind: mapping, line: line}
	at := map[string]int{}
	var merged []*node
	for _, v := range values {
		key := v.Key.GetToken()
		if v.Key.IsMergeKey() {
			merged = append(merged, r.merged(r.node(v.Value, depth+1))...)
			continue
		}
		name := r.key(v.Key)
		e := &entry{key: name, value: r.node(v.Value, depth+1), line: key.Position.Line, column: key.Position.Column}
		if r.err != nil {
			return out
		}
		if first, twice := at[name]; twice {
			old := out.fields[first]
			r.oddness = append(r.oddness, Line{Line: e.line, What: fmt.Sprintf("%s is given twice", name),
				Became: fmt.Sprintf("the last one counts, as in the older engine; line %d reads: %s", old.line, oneLine(strings.Join(entryLines(name+":", "", old.value), " ")))})
			out.fields[first] = e
			continue
		}
		at[name] = len(out.fields)
		out.fields = append(out.fields, e)
	}
	for _, m := range merged {
		for _, e := range m.fields {
			_, there := at[e.key]
			switch {
			case !there:
				at[e.key] = len(out.fields)
				out.fields = append(out.fields, e)
			case e.column > 0: // no alias brought it, so it stands here alone
				r.oddness = append(r.oddness, Line{Line: e.line, What: "merged " + e.key,
					Became: "what is written beside it counts; it reads: " + oneLine(strings.Join(entryLines(e.key+":", "", e.value), " "))})
			}
		}
	}
	return out
}

// key returns the text of a key.
func (r *reader) key(n ast.MapKeyNode) string {
	if k, ok := n.(*ast.MappingKeyNode); ok {
		inner := r.node(k.Value, 0)
		if inner.kind != scalar {
			r.fail(lineOf(n), "a key is a list or a mapping; keys are words")
		}
		return inner.text
	}
	if s, ok := n.(*ast.StringNode); ok {
		return s.Value
	}
	return n.GetToken().Value
}

// merged returns the mappings that a merge key brings.
func (r *reader) merged(n *node) []*node {
	if n.kind == mapping {
		return []*node{n}
	}
	var out []*node
	for _, e := range n.items {
		if e.value.kind != mapping {
			r.fail(n.line, "a merge key (<<) brings something that is no mapping")
			return nil
		}
		out = append(out, e.value)
	}
	if n.kind == scalar {
		r.fail(n.line, "a merge key (<<) brings something that is no mapping")
	}
	return out
}
