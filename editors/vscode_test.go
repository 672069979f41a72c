package editors_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// An extension is what a package.json says of the files beside it.
type extension struct {
	Name, Version, Publisher string
	Engines                  struct{ VSCode string }
	Contributes              struct {
		Languages []struct {
			ID, Configuration string
			Extensions        []string
		}
		Grammars []struct{ Language, ScopeName, Path string }
	}
}

func TestTheExtensionFitsTogether(t *testing.T) {
	var e extension
	read(t, "vscode/package.json", &e)
	if e.Name == "" || e.Version == "" || e.Publisher == "" || e.Engines.VSCode == "" {
		t.Errorf("package.json lacks what an extension must say of itself: %+v", e)
	}
	if len(e.Contributes.Languages) != 1 || len(e.Contributes.Grammars) != 1 {
		t.Fatalf("one language and one grammar, not %+v", e.Contributes)
	}
	language, coloured := e.Contributes.Languages[0], e.Contributes.Grammars[0]
	g := readGrammar(t, filepath.Join("vscode", coloured.Path))
	if language.ID != coloured.Language || coloured.ScopeName != g.ScopeName {
		t.Errorf("language %q with scope %q, grammar of %q with scope %q", language.ID, coloured.ScopeName, coloured.Language, g.ScopeName)
	}
	if diff := cmp.Diff([]string{".snodo"}, language.Extensions); diff != "" {
		t.Errorf("extensions (-want +got):\n%s", diff)
	}
	var configuration struct {
		Comments    struct{ LineComment string }
		WordPattern string
	}
	read(t, filepath.Join("vscode", language.Configuration), &configuration)
	if configuration.Comments.LineComment != "//" {
		t.Errorf("comments begin with %q", configuration.Comments.LineComment)
	}
	word := regexp.MustCompile(configuration.WordPattern)
	if got := word.FindString("test-run->halt"); got != "test-run" {
		t.Errorf("the word under a click is %q", got)
	}
}

func TestTheExtensionHoldsTheSameGrammar(t *testing.T) {
	want, err := os.ReadFile(grammarFile)
	if err != nil {
		t.Fatal(err)
	}
	got, err := os.ReadFile("vscode/" + grammarFile)
	if err != nil {
		t.Fatal(err)
	}
	if string(got) != string(want) {
		t.Errorf("vscode/%s differs: copy the one above it", grammarFile)
	}
}

func read(t *testing.T, path string, into any) {
	t.Helper()
	src, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(src, into); err != nil {
		t.Fatalf("%s: %v", path, err)
	}
}
