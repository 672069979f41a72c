package schemas_test

import (
	"slices"
	"testing"

	"github.com/snodo-lang/snodo/internal/schemas"
)

func load(t *testing.T) *schemas.Set {
	t.Helper()
	set, err := schemas.Load()
	if err != nil {
		t.Fatal(err)
	}
	return set
}

func TestAMemberIsSeenOnceADocumentHasIt(t *testing.T) {
	set := load(t)
	const member = "snodo.check.v1 ok"
	if !slices.Contains(set.Unseen(), member) {
		t.Errorf("%s is seen before any document", member)
	}
	if err := set.Validate("snodo.check.v1", []byte(`{"schema":"snodo.check.v1","ok":true,"diagnostics":[]}`)); err != nil {
		t.Fatal(err)
	}
	if slices.Contains(set.Unseen(), member) {
		t.Errorf("%s is unseen behind a document that has it", member)
	}
	if !slices.Contains(set.Unseen(), "snodo.check.v1 diagnostic.code") {
		t.Error("a member is seen that no document had")
	}
}

// An event is held to the schema of its own kind.
func TestTheKindOfAnEventDecidesWhatItHolds(t *testing.T) {
	set := load(t)
	event := func(kind, content string) []byte {
		hash := "sha256:0000000000000000000000000000000000000000000000000000000000000000"
		return []byte(`{"seq":1,"time":"2026-11-30T19:15:30Z","kind":"` + kind + `","data":` + content + `,"prev":"","hash":"` + hash + `"}`)
	}
	if err := set.Validate("snodo.events.v1", event("folder.prepared", `{"folder":"f","ms":1}`)); err != nil {
		t.Error(err)
	}
	for kind, content := range map[string]string{
		"power.intended":  `{"folder":"f","ms":1}`,
		"folder.prepared": `{"folder":"f","ms":1,"more":true}`,
		"folder.made":     `{"folder":"f","ms":1}`,
	} {
		if err := set.Validate("snodo.events.v1", event(kind, content)); err == nil {
			t.Errorf("%s with %s is accepted", kind, content)
		}
	}
}

func TestADocumentNamesItsSchema(t *testing.T) {
	for document, want := range map[string]string{
		`{"schema":"snodo.run.v1"}`:    "snodo.run.v1",
		"  {\n \"schema\": \"x\"\n}\n": "x",
		`[1]`:                          "",
		`ok`:                           "",
		`{`:                            "",
	} {
		if got := schemas.IDOf([]byte(document)); got != want {
			t.Errorf("%s names %q, want %q", document, got, want)
		}
	}
}
