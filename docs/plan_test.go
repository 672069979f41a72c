package docs

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// The members of the wording are sentences, and stand in the schema only.
func TestThePageNamesEveryMemberOfThePlan(t *testing.T) {
	rows := map[string]string{}
	for _, row := range tableRows(section(t, "plan.md", "## The members")) {
		rows[strings.Trim(row[0], "`")] = row[1]
	}
	objects := map[string]map[string]any{"the plan": schemaAt(t, "snodo.plan.v1", "properties")}
	for name, d := range schemaAt(t, "snodo.plan.v1", "$defs") {
		if properties, ok := d.(map[string]any)["properties"].(map[string]any); ok && !strings.HasSuffix(name, "wording") {
			objects[name] = properties
		}
	}
	// Words in backquotes that are values or types, and no members.
	values := []string{"command", "model", "one of"}
	for object, properties := range objects {
		var members []string
		for name := range properties {
			members = append(members, name)
		}
		named := slices.DeleteFunc(quotedIn(rows[object]), func(w string) bool {
			return slices.Contains(values, w) && properties[w] == nil || w == "std/…"
		})
		slices.Sort(members)
		slices.Sort(named)
		if d := cmp.Diff(members, slices.Compact(named)); d != "" {
			t.Errorf("the page says other members of %s (-schema +page):\n%s", object, d)
		}
		delete(rows, object)
	}
	for object := range rows {
		t.Errorf("the page has %s, and the plan has not", object)
	}
}
