// Package schemas holds what snodo writes to the JSON Schemas that are
// published for it. Documents of real runs go in; what comes out is an error
// where one does not fit, and which members of a schema no document had. It is
// for tests: no program validates its own output, and none is changed here.
package schemas

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/snodo-lang/snodo/docs/schema"
)

// A Set is the published schemas and what they were held to. Its methods may
// be called side by side.
type Set struct {
	schemas map[string]*published // by schema id

	mu   sync.Mutex
	seen map[string]bool // by the name that Unseen gives a member
}

// A published schema, ready to validate, and as the object that it is.
type published struct {
	compiled *jsonschema.Schema
	root     map[string]any
}

// Load compiles all published schemas.
func Load() (*Set, error) {
	set := &Set{schemas: map[string]*published{}, seen: map[string]bool{}}
	for _, id := range schema.IDs() {
		text, _ := schema.Text(id)
		root, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
		if err != nil {
			return nil, fmt.Errorf("load schema %s: %w", id, err)
		}
		c := jsonschema.NewCompiler()
		c.DefaultDraft(jsonschema.Draft2020)
		if err := c.AddResource(id+".json", root); err != nil {
			return nil, fmt.Errorf("load schema %s: %w", id, err)
		}
		compiled, err := c.Compile(id + ".json")
		if err != nil {
			return nil, fmt.Errorf("load schema %s: %w", id, err)
		}
		set.schemas[id] = &published{compiled, root.(map[string]any)}
	}
	return set, nil
}

// Validate holds one document to the schema with this id, and notes which
// members it has.
func (s *Set) Validate(id string, document []byte) error {
	p, ok := s.schemas[id]
	if !ok {
		return fmt.Errorf("validate: no schema is published for %q", id)
	}
	value, err := jsonschema.UnmarshalJSON(bytes.NewReader(document))
	if err != nil {
		return fmt.Errorf("validate %s: %w", id, err)
	}
	if err := p.compiled.Validate(value); err != nil {
		return fmt.Errorf("validate %s: %w", id, err)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.note(p, id, p.root, value)
	return nil
}

// IDOf returns the schema id that a document names, empty where it is no JSON
// object or names none.
func IDOf(document []byte) string {
	if !bytes.HasPrefix(bytes.TrimSpace(document), []byte("{")) {
		return ""
	}
	var head struct {
		Schema string `json:"schema"`
	}
	if json.Unmarshal(document, &head) != nil {
		return ""
	}
	return head.Schema
}

// Unseen names the members of all schemas that no valid document had with
// another value than null, as in "snodo.run.v1 row.commit". They are in order.
func (s *Set) Unseen() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	var unseen []string
	for id, p := range s.schemas {
		for _, member := range members(id, p.root) {
			if !s.seen[member] {
				unseen = append(unseen, member)
			}
		}
	}
	slices.Sort(unseen)
	return unseen
}

// members names the members of the objects that a schema describes.
func members(id string, root map[string]any) []string {
	var names []string
	of := func(at string, node any) {
		properties, _ := node.(map[string]any)["properties"].(map[string]any)
		for name := range properties {
			names = append(names, at+name)
		}
	}
	of(id+" ", root)
	definitions, _ := root["$defs"].(map[string]any)
	for name, node := range definitions {
		of(id+" "+name+".", node)
	}
	return names
}

// note goes through a valid value along the schema that describes it.
func (s *Set) note(p *published, at string, node map[string]any, value any) {
	if to, ok := node["$ref"].(string); ok {
		name := strings.TrimPrefix(to, "#/$defs/")
		id, _, _ := strings.Cut(at, " ")
		s.note(p, id+" "+name+".", p.definition(name), value)
		return
	}
	for _, branch := range list(node["oneOf"]) {
		if p.isAbout(branch, value) {
			s.note(p, at, branch, value)
		}
	}
	for _, branch := range list(node["allOf"]) {
		if p.isAbout(branch["if"].(map[string]any), value) {
			s.note(p, at, branch["then"].(map[string]any), value)
		}
	}
	if !strings.Contains(at, " ") {
		at += " "
	}
	switch value := value.(type) {
	case map[string]any:
		properties, _ := node["properties"].(map[string]any)
		for name, v := range value {
			if of, ok := properties[name].(map[string]any); ok {
				if v != nil || of["type"] == "null" {
					s.seen[at+name] = true
				}
				s.note(p, at, of, v)
			} else if of, ok := node["additionalProperties"].(map[string]any); ok {
				s.note(p, at, of, v)
			}
		}
	case []any:
		if of, ok := node["items"].(map[string]any); ok {
			for _, v := range value {
				s.note(p, at, of, v)
			}
		}
	}
}

func (p *published) definition(name string) map[string]any {
	return p.root["$defs"].(map[string]any)[name].(map[string]any)
}

// isAbout says whether a branch of a schema is the one for a value: null for
// null, and of objects the one whose fixed members it has.
func (p *published) isAbout(branch map[string]any, value any) bool {
	if to, ok := branch["$ref"].(string); ok {
		return p.isAbout(p.definition(strings.TrimPrefix(to, "#/$defs/")), value)
	}
	if branch["type"] == "null" || value == nil {
		return branch["type"] == "null" && value == nil
	}
	if several := list(branch["oneOf"]); several != nil {
		return slices.ContainsFunc(several, func(b map[string]any) bool { return p.isAbout(b, value) })
	}
	object, ok := value.(map[string]any)
	properties, fixed := branch["properties"].(map[string]any)
	if !ok || !fixed {
		return true
	}
	for name, of := range properties {
		of := of.(map[string]any)
		if want, ok := of["const"]; ok && object[name] != want {
			return false
		}
		if words, ok := of["enum"].([]any); ok && !slices.Contains(words, object[name]) {
			return false
		}
	}
	return true
}

func list(node any) []map[string]any {
	items, _ := node.([]any)
	var out []map[string]any
	for _, item := range items {
		out = append(out, item.(map[string]any))
	}
	return out
}
