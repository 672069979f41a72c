// Package borders holds the packages of the project to the directions in
// which they may import one another. It has no code but its test.
package borders

import (
	"encoding/json"
	"errors"
	"io"
	"os/exec"
	"slices"
	"strings"
	"testing"
)

const module = "github.com/snodo-lang/snodo/"

// A listed is one package as go list describes it.
type listed struct {
	ImportPath   string
	Imports      []string
	TestImports  []string
	XTestImports []string
	Deps         []string
}

func packages(t *testing.T) map[string]listed {
	t.Helper()
	cmd := exec.Command("go", "list", "-deps", "-json=ImportPath,Imports,TestImports,XTestImports,Deps", "./...")
	cmd.Dir = "../.."
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	ours := map[string]listed{}
	for d := json.NewDecoder(out); ; {
		var p listed
		err := d.Decode(&p)
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		if name, ok := strings.CutPrefix(p.ImportPath, module); ok {
			ours[name] = p
		}
	}
	if err := cmd.Wait(); err != nil {
		t.Fatalf("go list: %v", err)
	}
	return ours
}

// ownDeps returns the packages of the project that p needs, at any depth.
func (p listed) ownDeps() []string {
	var out []string
	for _, d := range p.Deps {
		if name, ok := strings.CutPrefix(d, module); ok {
			out = append(out, name)
		}
	}
	return out
}

// within says whether a package is one of the roots or lies below one.
func within(name string, roots []string) bool {
	return slices.ContainsFunc(roots, func(r string) bool { return name == r || strings.HasPrefix(name, r+"/") })
}

// Imports point one way: from the commands to the compiler and the runtime,
// and from both to the plan alone.
func TestImportsPointOneWay(t *testing.T) {
	may := map[string][]string{
		"lang/diag":             {},
		"lang":                  {"lang/diag", "internal/abreast", "internal/nearest"},
		"compiler/plan":         {},
		"compiler":              {"compiler/plan", "lang", "lang/diag", "internal/abreast", "internal/nearest", "internal/glob"},
		"runtime":               {"compiler/plan", "internal/abreast", "internal/glob", "runtime"},
		"stdlib":                {},
		"internal/abreast":      {},
		"internal/nearest":      {},
		"internal/glob":         {},
		"internal/paths":        {"compiler/plan"},
		"internal/testendpoint": {},
	}
	for name, p := range packages(t) {
		allowed, ok := may[name]
		if !ok && strings.HasPrefix(name, "runtime/") {
			allowed, ok = may["runtime"], true
		}
		if !ok {
			continue
		}
		for _, dep := range p.ownDeps() {
			if !slices.Contains(allowed, dep) && !(within(dep, allowed) && !slices.Contains([]string{"compiler", "lang"}, dep)) {
				t.Errorf("%s reaches %s", name, dep)
			}
		}
	}
}

func TestProgramsAreOneLineAboveTheCommands(t *testing.T) {
	all := packages(t)
	for _, program := range []string{"cmd/snodo", "cmd/snodoc"} {
		p, ok := all[program]
		if !ok {
			t.Fatalf("there is no %s", program)
		}
		if want := []string{module + "internal/command", "os"}; !slices.Equal(p.Imports, want) {
			t.Errorf("%s imports %v, want %v", program, p.Imports, want)
		}
	}
}

// A library that could be exchanged is known to one package alone.
func TestLibrariesStaySealedIn(t *testing.T) {
	sealed := map[string]string{
		"github.com/alecthomas/participle/": "lang",
		"github.com/sashabaranov/go-openai": "runtime/endpoint",
		"github.com/zricethezav/gitleaks/":  "runtime/rules",
		"github.com/gowebpki/jcs":           "compiler/plan",
		"github.com/bmatcuk/doublestar/":    "internal/glob",
		"github.com/gofrs/flock":            "runtime/record",
		"github.com/spf13/pflag":            "internal/command",
		"github.com/goccy/go-yaml":          "internal/importer",
	}
	// The cost of a turn is measured against the client library alone, and the
	// workflows of the pages are read as forges read them: by tests.
	tested := map[string]string{"github.com/sashabaranov/go-openai": "bench", "github.com/goccy/go-yaml": "docs"}
	found := map[string]bool{}
	for name, p := range packages(t) {
		for _, imp := range slices.Concat(p.Imports, p.TestImports, p.XTestImports) {
			for library, home := range sealed {
				if !strings.HasPrefix(imp, library) {
					continue
				}
				found[library] = true
				if name != home && !(name == tested[library] && len(p.Imports) == 0) {
					t.Errorf("%s imports %s, which belongs to %s", name, imp, home)
				}
			}
		}
	}
	for library := range sealed {
		if !found[library] {
			t.Errorf("nothing imports %s: the border guards nothing", library)
		}
	}
}
