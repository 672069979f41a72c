package diag

import (
	"bytes"
	"encoding/json"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/santhosh-tekuri/jsonschema/v6"
)

// schema compiles the schema that the standard publishes (errata 01).
func schema(t *testing.T) *jsonschema.Schema {
	t.Helper()
	f, err := os.Open("testdata/sarif-2.1.0.schema.json")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	doc, err := jsonschema.UnmarshalJSON(f)
	if err != nil {
		t.Fatal(err)
	}
	c := jsonschema.NewCompiler()
	c.AssertFormat()
	if err := c.AddResource(sarifSchema, doc); err != nil {
		t.Fatal(err)
	}
	s, err := c.Compile(sarifSchema)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// sarif writes a log, holds it to the schema and returns its only run.
func sarif(t *testing.T, l List) map[string]any {
	t.Helper()
	var out bytes.Buffer
	page := func(c Code) string { return "# " + string(c) + "\n" }
	if err := WriteSARIF(&out, l, Driver{Version: "1.2.3", Page: page}); err != nil {
		t.Fatal(err)
	}
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(out.Bytes()))
	if err != nil {
		t.Fatal(err)
	}
	if err := schema(t).Validate(doc); err != nil {
		t.Errorf("%v in:\n%s", err, out.String())
	}
	var log struct {
		Version string
		Runs    []map[string]any
	}
	if err := json.Unmarshal(out.Bytes(), &log); err != nil {
		t.Fatal(err)
	}
	if log.Version != "2.1.0" || len(log.Runs) != 1 {
		t.Fatalf("version %q with %d runs", log.Version, len(log.Runs))
	}
	return log.Runs[0]
}

// where returns what stands behind a path of members and indices.
func where(t *testing.T, doc any, path ...any) any {
	t.Helper()
	for _, step := range path {
		switch step := step.(type) {
		case string:
			doc = doc.(map[string]any)[step]
		case int:
			doc = doc.([]any)[step]
		}
	}
	return doc
}

func TestSARIFLogsFitTheSchema(t *testing.T) {
	r := Range{"a.snodo", Position{1, 2, 1}, Position{1, 3, 2}}
	for _, tt := range []struct {
		name string
		list List
	}{
		{"nothing", nil},
		{"without a place", List{{Code: SN801, Range: Range{File: "p.json"}, Message: "m"}}},
		{"without a help, with an edit", List{{Code: SN202, Range: r, Message: "m", Edits: []Edit{{r, ""}}}}},
		{"each severity", List{
			{Code: SN202, Severity: Error, Range: r, Message: "m"}, {Code: SN210, Severity: Warning, Range: r, Message: "m"},
			{Code: SN520, Severity: Note, Range: r, Message: "m"},
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := len(sarif(t, tt.list)["results"].([]any)); got != len(tt.list) {
				t.Errorf("%d results", got)
			}
		})
	}
}

func TestSARIFSaysOfAResultAllThatTheDiagnosticDoes(t *testing.T) {
	r := Range{"dir/a b.snodo", Position{3, 2, 21}, Position{4, 7, 40}}
	other := Range{"../über#1.snodo", Position{1, 1, 0}, Position{1, 4, 3}}
	run := sarif(t, List{{
		Code: SN706, Severity: Error, Range: r, Message: "m\u200b", Help: "one\ntwo",
		Related: []Related{{other, "there"}}, Edits: []Edit{{r, "x"}, {other, ""}, {r, "y"}},
	}})
	region := map[string]any{"startLine": 3.0, "startColumn": 2.0, "endLine": 4.0, "endColumn": 7.0}
	first := map[string]any{"startLine": 1.0, "startColumn": 1.0, "endLine": 1.0, "endColumn": 4.0}
	a := map[string]any{"uri": "dir/a%20b.snodo"}
	b := map[string]any{"uri": "../%C3%BCber%231.snodo"}
	want := map[string]any{
		"ruleId": "SN706", "ruleIndex": 0.0, "level": "error",
		"message":   map[string]any{"text": "m<U+200B>\n\nhelp: one\ntwo"},
		"locations": []any{map[string]any{"physicalLocation": map[string]any{"artifactLocation": a, "region": region}}},
		"relatedLocations": []any{map[string]any{
			"id": 1.0, "message": map[string]any{"text": "there"},
			"physicalLocation": map[string]any{"artifactLocation": b, "region": first},
		}},
		"fixes": []any{map[string]any{
			"description": map[string]any{"text": "one\ntwo"},
			"artifactChanges": []any{
				map[string]any{"artifactLocation": a, "replacements": []any{
					map[string]any{"deletedRegion": region, "insertedContent": map[string]any{"text": "x"}},
					map[string]any{"deletedRegion": region, "insertedContent": map[string]any{"text": "y"}},
				}},
				map[string]any{"artifactLocation": b, "replacements": []any{
					map[string]any{"deletedRegion": first, "insertedContent": map[string]any{"text": ""}},
				}},
			},
		}},
	}
	if diff := cmp.Diff(want, where(t, run, "results", 0)); diff != "" {
		t.Error(diff)
	}
	if got := run["columnKind"]; got != "unicodeCodePoints" {
		t.Errorf("columns are counted in %v", got)
	}
}

func TestSARIFDescribesTheCodesThatOccur(t *testing.T) {
	run := sarif(t, List{
		{Code: SN706, Severity: Warning, Range: Range{File: "b"}, Message: "m"},
		{Code: SN202, Range: Range{File: "c"}, Message: "m"},
		{Code: SN706, Severity: Error, Range: Range{File: "a"}, Message: "m"},
	})
	rule := func(c Code) any {
		return map[string]any{
			"id": string(c), "shortDescription": map[string]any{"text": c.Title()}, "fullDescription": map[string]any{"text": c.Title()},
			"help":                 map[string]any{"text": "# " + string(c) + "\n", "markdown": "# " + string(c) + "\n"},
			"defaultConfiguration": map[string]any{"level": c.Severity().String()},
		}
	}
	want := map[string]any{
		"name": "snodo", "semanticVersion": "1.2.3", "informationUri": "https://github.com/snodo-lang/snodo",
		"rules": []any{rule(SN202), rule(SN706)},
	}
	if diff := cmp.Diff(want, where(t, run, "tool", "driver")); diff != "" {
		t.Error(diff)
	}
	for i, index := range []float64{1, 1, 0} {
		if got := where(t, run, "results", i, "ruleIndex"); got != index {
			t.Errorf("result %d has the rule %v, want %v", i, got, index)
		}
	}
}

// A reference whose first element holds a colon would be read as one with a
// scheme.
func TestSARIFNamesFilesByRelativeReferences(t *testing.T) {
	for file, want := range map[string]string{
		"protocol.snodo": "protocol.snodo", "a:b.snodo": "./a:b.snodo", "100%?.snodo": "100%25%3F.snodo", "a\nb": "a%0Ab",
	} {
		if got := sarifArtifactOf(file).URI; got != want {
			t.Errorf("%q is written %q, want %q", file, got, want)
		}
	}
}

func TestAFailureToWriteIsReported(t *testing.T) {
	for name, write := range map[string]func() error{
		"sarif":  func() error { return WriteSARIF(full{}, List{}, Driver{}) },
		"github": func() error { return WriteGitHub(full{}, List{{Code: SN202}}) },
	} {
		if err := write(); err == nil || !strings.Contains(err.Error(), "write diagnostics") {
			t.Errorf("%s: %v", name, err)
		}
	}
}
