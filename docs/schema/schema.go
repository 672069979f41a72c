// Package schema holds the JSON Schemas of what snodo writes for programs, as
// they are read on the web. What goes in are the files of this folder; what
// comes out is their text. The package never reads the disk, and validates
// nothing: tests hold the schemas to what the programs really write.
package schema

import (
	"embed"
	"fmt"
	"maps"
	"slices"
)

//go:embed *.schema.json
var files embed.FS

// names are the schemas by the member schema of the documents that they
// describe. That of an event stands in the first line of its log.
var names = map[string]string{
	"snodo.plan.v1":   "plan",
	"snodo.run.v1":    "payload",
	"snodo.events.v1": "events",
	"snodo.check.v1":  "diagnostics",
	"snodo.paths.v1":  "paths",
	"snodo.stats.v1":  "stats",
	"snodo.prove.v1":  "prove",
}

// IDs returns what Text knows: the schema ids of the documents, in order.
func IDs() []string {
	return slices.Sorted(maps.Keys(names))
}

// Text returns the JSON Schema of documents with a schema id, such as
// snodo.run.v1. It is false where none is published.
func Text(id string) ([]byte, bool) {
	name, ok := names[id]
	if !ok {
		return nil, false
	}
	text, err := files.ReadFile(name + ".schema.json")
	if err != nil {
		panic(fmt.Sprintf("schema: %v", err))
	}
	return text, true
}
