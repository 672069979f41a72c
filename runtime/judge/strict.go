package judge

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"regexp"
	"strings"
	"sync"

	"github.com/snodo-lang/snodo/compiler/plan"
)

// maxDepth is how deep arguments may be nested. Nothing that a tool takes is
// half as deep.
const maxDepth = 16

// A table is a JSON object with its members as they were written.
type table struct {
	members map[string]any // string, json.Number, bool, nil, []any or table
	order   []string       // the names, each once
	twice   []string       // the names that were repeated
}

// parse reads one JSON object and nothing else. Members are distinguished by
// case, and repeated ones are kept track of, which encoding/json does not do.
func parse(arguments string) (table, error) {
	d := json.NewDecoder(strings.NewReader(arguments))
	d.UseNumber()
	v, err := parseValue(d, 0)
	if err != nil {
		return table{}, fmt.Errorf("read arguments: %w", err)
	}
	t, ok := v.(table)
	if _, more := d.Token(); !ok || more != io.EOF {
		return table{}, fmt.Errorf("read arguments: not one object")
	}
	return t, nil
}

func parseValue(d *json.Decoder, depth int) (any, error) {
	token, err := d.Token()
	if err != nil {
		return nil, err
	}
	delim, ok := token.(json.Delim)
	if !ok {
		return token, nil
	}
	if depth == maxDepth {
		return nil, fmt.Errorf("nested deeper than %d levels", maxDepth)
	}
	if delim == '[' {
		list := []any{}
		for d.More() {
			v, err := parseValue(d, depth+1)
			if err != nil {
				return nil, err
			}
			list = append(list, v)
		}
		_, err = d.Token()
		return list, err
	}
	t := table{members: map[string]any{}}
	for d.More() {
		name, err := d.Token()
		if err != nil {
			return nil, err
		}
		v, err := parseValue(d, depth+1)
		if err != nil {
			return nil, err
		}
		key := name.(string) // the decoder lets nothing else stand here
		if _, known := t.members[key]; known {
			t.twice = append(t.twice, key)
		} else {
			t.order = append(t.order, key)
		}
		t.members[key] = v
	}
	_, err = d.Token()
	return t, err
}

// canonical writes a value so that equal values are equal texts: members
// sorted, no blanks.
func canonical(v any) string {
	var out bytes.Buffer
	e := json.NewEncoder(&out)
	e.SetEscapeHTML(false)
	if err := e.Encode(plain(v)); err != nil {
		panic(fmt.Sprintf("judge: write arguments: %v", err))
	}
	return strings.TrimSuffix(out.String(), "\n")
}

// plain replaces tables by maps.
func plain(v any) any {
	switch v := v.(type) {
	case table:
		m := map[string]any{}
		for name, member := range v.members {
			m[name] = plain(member)
		}
		return m
	case []any:
		list := make([]any, len(v))
		for i, member := range v {
			list[i] = plain(member)
		}
		return list
	}
	return v
}

// A checker reads the members of tables and collects what is wrong with
// them, in the words of the plan.
type checker struct {
	words *plan.ArgumentWording
	wrong []string
}

// say adds a reason about the member at a place such as findings[0].
func (c *checker) say(sentence, place string, pairs ...string) {
	c.wrong = append(c.wrong, plan.Fill(sentence, append([]string{"name", show(place)}, pairs...)...))
}

// A place is the way to a member.
func at(place, name string) string {
	if place == "" {
		return name
	}
	return place + "." + name
}

// only says which members of t are repeated, or are none of those named.
func (c *checker) only(t table, place string, names ...string) {
	for _, name := range t.twice {
		c.say(c.words.Repeated, at(place, name))
	}
	for _, name := range t.order {
		known := false
		for _, n := range names {
			known = known || n == name
		}
		if !known {
			c.say(c.words.Unknown, at(place, name))
		}
	}
}

// text reads a member that must be a string.
func (c *checker) text(t table, place, name string) (string, bool) {
	v, ok := c.member(t, place, name)
	if !ok {
		return "", false
	}
	s, ok := v.(string)
	if !ok {
		c.say(c.words.NotText, at(place, name))
	}
	return s, ok
}

// wholeNumber is a number from 1 as it is written without a sign, a point or
// an exponent, and such that it fits 32 bits.
var wholeNumber = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[1-9][0-9]{0,8}$`) })

// line reads a member that must be a whole number from 1.
func (c *checker) line(t table, place, name string) (int64, bool) {
	v, ok := c.member(t, place, name)
	if !ok {
		return 0, false
	}
	n, ok := v.(json.Number)
	if !ok || !wholeNumber().MatchString(n.String()) {
		c.say(c.words.NotLine, at(place, name))
		return 0, false
	}
	line, err := n.Int64()
	return line, err == nil
}

// list reads a member that must be a list.
func (c *checker) list(t table, place, name string) ([]any, bool) {
	v, ok := c.member(t, place, name)
	if !ok {
		return nil, false
	}
	l, ok := v.([]any)
	if !ok {
		c.say(c.words.NotList, at(place, name))
	}
	return l, ok
}

// table reads a value that must be an object.
func (c *checker) table(v any, place string) (table, bool) {
	t, ok := v.(table)
	if !ok {
		c.say(c.words.NotTable, place)
	}
	return t, ok
}

func (c *checker) member(t table, place, name string) (any, bool) {
	v, ok := t.members[name]
	if !ok {
		c.say(c.words.Required, at(place, name))
	}
	return v, ok
}

func (t table) has(name string) bool {
	_, ok := t.members[name]
	return ok
}
