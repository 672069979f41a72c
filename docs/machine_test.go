package docs

import (
	"encoding/json"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/snodo-lang/snodo/docs/schema"
	"github.com/snodo-lang/snodo/internal/schemas"
	"github.com/snodo-lang/snodo/runtime"
)

// section returns the lines of a page below a heading, up to the next.
func section(t *testing.T, file, heading string) []string {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	_, below, ok := strings.Cut(string(text), "\n"+heading+"\n")
	if !ok {
		t.Fatalf("%s has no %q", file, heading)
	}
	below, _, _ = strings.Cut(below, "\n#")
	return strings.Split(below, "\n")
}

// tableRows returns the cells of the rows of the first table in lines.
func tableRows(lines []string) [][]string {
	var rows [][]string
	for _, line := range lines {
		if strings.HasPrefix(line, "| ") {
			rows = append(rows, strings.Split(strings.Trim(line, "| "), " | "))
		}
	}
	return rows[min(1, len(rows)):] // without its head
}

var inCode = regexp.MustCompile("`([^`]+)`")

// quotedIn returns what stands in backquotes.
func quotedIn(cell string) []string {
	var words []string
	for _, m := range inCode.FindAllStringSubmatch(cell, -1) {
		words = append(words, m[1])
	}
	return words
}

// schemaAt returns an object inside a published schema.
func schemaAt(t *testing.T, id string, path ...string) map[string]any {
	t.Helper()
	text, _ := schema.Text(id)
	var at map[string]any
	if err := json.Unmarshal(text, &at); err != nil {
		t.Fatal(err)
	}
	for _, step := range path {
		at = at[step].(map[string]any)
	}
	return at
}

func haltTypes(t *testing.T) []string {
	t.Helper()
	halts, err := schemas.Constants("../compiler/plan/steps.go", "Halt")
	if err != nil {
		t.Fatal(err)
	}
	return slices.Sorted(slices.Values(slices.DeleteFunc(halts, func(w string) bool { return w == "halt:" })))
}

func TestThePageHasTheExitCodesAndAnAdviceForEveryHalt(t *testing.T) {
	const page = "machine-interface.md"
	var halts, outcomes []string
	for _, row := range tableRows(section(t, page, "## Exit codes")) {
		outcome := quotedIn(row[0])[0]
		outcomes = append(outcomes, outcome)
		if got := strconv.Itoa(runtime.ExitCode(outcome)); got != row[1] {
			t.Errorf("%s exits with %s, and the page says %s", outcome, got, row[1])
		}
		halts = append(halts, quotedIn(row[2])...)
	}
	slices.Sort(halts)
	if d := cmp.Diff(haltTypes(t), halts); d != "" {
		t.Errorf("the halt types of the table are others (-code +page):\n%s", d)
	}
	want, err := schemas.Constants("../runtime/outcome.go", "")
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(want, outcomes); d != "" {
		t.Errorf("the outcomes of the table are others (-code +page):\n%s", d)
	}
	var advised []string
	for _, row := range tableRows(section(t, page, "## How to react to a halt")) {
		advised = append(advised, quotedIn(row[0])...)
	}
	slices.Sort(advised)
	if d := cmp.Diff(haltTypes(t), advised); d != "" {
		t.Errorf("the advice is about other halt types (-code +page):\n%s", d)
	}
}

func TestThePageNamesEveryMemberOfThePayload(t *testing.T) {
	var named []string
	for _, row := range tableRows(section(t, "machine-interface.md", "## The payload")) {
		named = append(named, quotedIn(row[0])...)
	}
	var members []string
	for name := range schemaAt(t, "snodo.run.v1", "properties") {
		members = append(members, name)
	}
	slices.Sort(named)
	slices.Sort(members)
	if d := cmp.Diff(members, named); d != "" {
		t.Errorf("the page names other members (-schema +page):\n%s", d)
	}
}

func TestThePageNamesEverySchema(t *testing.T) {
	var named []string
	for _, row := range tableRows(section(t, "machine-interface.md", "## What prints what")) {
		named = append(named, quotedIn(row[2])...)
	}
	slices.Sort(named)
	if d := cmp.Diff(schema.IDs(), named); d != "" {
		t.Errorf("the page names other schemas (-published +page):\n%s", d)
	}
}
