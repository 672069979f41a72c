package schema_test

import (
	"encoding/json"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/snodo-lang/snodo/compiler/plan"
	"github.com/snodo-lang/snodo/docs/schema"
	"github.com/snodo-lang/snodo/internal/schemas"
	"github.com/snodo-lang/snodo/lang/diag"
	"github.com/snodo-lang/snodo/runtime/record"
)

func object(t *testing.T, id string) map[string]any {
	t.Helper()
	text, ok := schema.Text(id)
	if !ok {
		t.Fatalf("there is no schema of %s", id)
	}
	var root map[string]any
	if err := json.Unmarshal(text, &root); err != nil {
		t.Fatal(err)
	}
	return root
}

// enum returns the words that may stand at a place in a schema.
func enum(t *testing.T, id string, path ...string) []string {
	t.Helper()
	var at any = object(t, id)
	for _, step := range append(path, "enum") {
		at = at.(map[string]any)[step]
	}
	var words []string
	for _, w := range at.([]any) {
		words = append(words, w.(string))
	}
	slices.Sort(words)
	return words
}

func TestEverySchemaFileIsKnownByAnID(t *testing.T) {
	entries, err := os.ReadDir(".")
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for _, e := range entries {
		if strings.HasSuffix(e.Name(), ".schema.json") {
			n++
		}
	}
	if n != len(schema.IDs()) {
		t.Errorf("%d files hold schemas, and %d ids are known", n, len(schema.IDs()))
	}
}

// An object that is not closed, or leaves a member out of its properties,
// would let anything through.
func TestEveryObjectIsClosed(t *testing.T) {
	// A JSON Schema inside of a plan is anybody's; what an event holds is said by kind.
	open := []string{".tool.properties.parameters", ".properties.data"}
	for _, id := range schema.IDs() {
		var walk func(at string, node any)
		walk = func(at string, node any) {
			switch node := node.(type) {
			case map[string]any:
				if properties, ok := node["properties"]; ok && node["type"] == "object" {
					if node["additionalProperties"] != false {
						t.Errorf("%s: %s is open", id, at)
					}
					for _, name := range node["required"].([]any) {
						if _, ok := properties.(map[string]any)[name.(string)]; !ok {
							t.Errorf("%s: %s requires %s, which it does not have", id, at, name)
						}
					}
				} else if node["type"] == "object" && node["additionalProperties"] == nil {
					if !slices.ContainsFunc(open, func(o string) bool { return strings.HasSuffix(at, o) }) {
						t.Errorf("%s: %s is open", id, at)
					}
				}
				for name, v := range node {
					walk(at+"."+name, v)
				}
			case []any:
				for _, v := range node {
					walk(at, v)
				}
			}
		}
		walk("", object(t, id))
	}
}

func TestClosedSetsAreThoseOfTheCode(t *testing.T) {
	var verdicts, codes []string
	for _, v := range plan.Verdicts {
		verdicts = append(verdicts, string(v))
	}
	for _, c := range diag.Codes() {
		codes = append(codes, string(c))
	}
	halts := words(t, "../../compiler/plan/steps.go", "Halt")
	halts = slices.DeleteFunc(halts, func(w string) bool { return w == "halt:" })
	kinds := words(t, "../../runtime/record/vocabulary.go", "Kind")
	classes := words(t, "../../runtime/verdict/verdict.go", "")
	outcomes := words(t, "../../runtime/outcome.go", "")
	grants := slices.DeleteFunc(slices.Clone(plan.Tools), func(tool string) bool { return slices.Contains(plan.Powers, tool) })
	for _, c := range []struct {
		what, id string
		path     []string
		want     []string
	}{
		{"verdicts", "snodo.plan.v1", []string{"$defs", "verdict"}, verdicts},
		{"halt types", "snodo.plan.v1", []string{"$defs", "halt_type"}, halts},
		{"halt types", record.PayloadSchema, []string{"$defs", "halt_type"}, halts},
		{"halt types", record.Schema, []string{"$defs", "halt_type"}, halts},
		{"halt types", "snodo.paths.v1", []string{"$defs", "halt_type"}, halts},
		{"outcomes", record.PayloadSchema, []string{"properties", "outcome"}, outcomes},
		{"outcomes", record.Schema, []string{"$defs", "run.ended", "properties", "outcome"}, outcomes},
		{"events", record.Schema, []string{"properties", "kind"}, kinds},
		{"error classes", record.PayloadSchema, []string{"$defs", "failure", "properties", "class"}, classes},
		{"error classes", record.Schema, []string{"$defs", "failure", "properties", "class"}, classes},
		{"codes", diag.CheckSchema, []string{"$defs", "diagnostic", "properties", "code"}, codes},
		{"granted tools", "snodo.plan.v1", []string{"$defs", "grant", "properties", "tool"}, grants},
		{"powers", "snodo.plan.v1", []string{"$defs", "stage", "properties", "powers", "items"}, plan.Powers},
	} {
		want := slices.Sorted(slices.Values(c.want))
		if d := cmp.Diff(want, enum(t, c.id, c.path...)); d != "" {
			t.Errorf("the %s of %s are not those of the code (-code +schema):\n%s", c.what, c.id, d)
		}
	}
}

// words returns the texts of the constants of a file whose names begin so.
func words(t *testing.T, file, prefix string) []string {
	t.Helper()
	found, err := schemas.Constants(file, prefix)
	if err != nil {
		t.Fatal(err)
	}
	if len(found) == 0 {
		t.Fatalf("%s has no constants %s…", file, prefix)
	}
	return found
}

func TestWhatDoesNotBelongIsRefused(t *testing.T) {
	set, err := schemas.Load()
	if err != nil {
		t.Fatal(err)
	}
	const good = `{"schema":"snodo.check.v1","ok":false,"diagnostics":[{"code":"SN101","severity":"error","message":"m","help":"h","file":"f",` +
		`"start":{"line":1,"column":1,"offset":0},"end":{"line":1,"column":2,"offset":1},"related":[],"edits":[]}]}`
	if err := set.Validate(diag.CheckSchema, []byte(good)); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ name, old, new string }{
		{"an unknown member", `"ok":false`, `"ok":false,"sure":true`},
		{"an unknown member inside", `"message":"m"`, `"message":"m","weight":1`},
		{"a word of no closed set", `"error"`, `"fatal"`},
		{"a code that does not exist", `SN101`, `SN100`},
		{"a member that is missing", `"help":"h",`, ``},
		{"another kind of value", `"line":1`, `"line":"1"`},
		{"a line before the first", `"line":1`, `"line":0`},
		{"another schema", `snodo.check.v1`, `snodo.check.v2`},
	} {
		if err := set.Validate(diag.CheckSchema, []byte(strings.Replace(good, c.old, c.new, 1))); err == nil {
			t.Errorf("%s is accepted", c.name)
		}
	}
}
