package judge

import (
	"bytes"
	"encoding/json"
	"maps"
	"slices"

	"github.com/snodo-lang/snodo/compiler/plan"
)

// inOrder writes a schema with its properties in the order in which they are
// to be sent: that of "required", and behind those the rest by name. The
// order matters, since a model writes its arguments in it and so reasons
// before it rules. What is no object is left as it is.
func inOrder(schema plan.JSONSchema) plan.JSONSchema {
	var members map[string]json.RawMessage
	if json.Unmarshal(schema, &members) != nil || members == nil {
		return schema
	}
	return object(slices.Sorted(maps.Keys(members)), func(name string) json.RawMessage {
		switch name {
		case "properties":
			return properties(members[name], members["required"])
		case "items", "additionalProperties":
			return inOrder(members[name])
		case "anyOf", "oneOf", "allOf":
			return each(members[name])
		}
		return members[name]
	})
}

func properties(raw, required json.RawMessage) json.RawMessage {
	var schemas map[string]json.RawMessage
	if json.Unmarshal(raw, &schemas) != nil || schemas == nil {
		return raw
	}
	var first []string
	if json.Unmarshal(required, &first) != nil {
		first = nil
	}
	var names []string
	for _, name := range append(first, slices.Sorted(maps.Keys(schemas))...) {
		if _, known := schemas[name]; known && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return object(names, func(name string) json.RawMessage { return inOrder(schemas[name]) })
}

func each(raw json.RawMessage) json.RawMessage {
	var list []json.RawMessage
	if json.Unmarshal(raw, &list) != nil {
		return raw
	}
	for i := range list {
		list[i] = inOrder(list[i])
	}
	out, err := json.Marshal(list)
	if err != nil {
		return raw
	}
	return out
}

// object writes members in the order of their names.
func object(names []string, member func(string) json.RawMessage) json.RawMessage {
	var out bytes.Buffer
	out.WriteByte('{')
	for i, name := range names {
		if i > 0 {
			out.WriteByte(',')
		}
		key, err := json.Marshal(name)
		if err != nil {
			panic("judge: write a schema: " + err.Error())
		}
		out.Write(key)
		out.WriteByte(':')
		out.Write(member(name))
	}
	out.WriteByte('}')
	return out.Bytes()
}
