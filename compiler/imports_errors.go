package compiler

import (
	"bytes"
	"fmt"
	"io/fs"
	"path"
	"strings"

	"github.com/snodo-lang/snodo/internal/nearest"
	"github.com/snodo-lang/snodo/lang"
	"github.com/snodo-lang/snodo/lang/diag"
)

func aliasTaken(imp, first *lang.Import, alias string) diag.Diagnostic {
	at := imp.Path.Range
	if imp.Alias != nil {
		at = imp.Alias.Range
	}
	d := diag.Diagnostic{
		Code: diag.SN201, Range: at,
		Message: fmt.Sprintf("two imports of this file are called `%s`", alias),
		Help:    fmt.Sprintf("give one of them a name of its own: `import \"%s\" as NAME`", imp.Path.Value),
		Related: []diag.Related{{Range: first.Range, Message: "the first one"}},
	}
	if first.Path.Value == imp.Path.Value {
		d.Message = fmt.Sprintf("`%s` is imported twice", imp.Path.Value)
		d.Help = "leave this import out: the first one holds for the whole file"
	}
	return d
}

func importedTwice(imp, first *lang.Import) diag.Diagnostic {
	return diag.Diagnostic{
		Code: diag.SN201, Range: imp.Range,
		Message: fmt.Sprintf("`%s` is imported under two names in one package", imp.Path.Value),
		Help:    "use one name for it in all files of the package",
		Related: []diag.Related{{Range: first.Range, Message: "it has another name here"}},
	}
}

func reservedName(n lang.Name) diag.Diagnostic {
	return diag.Diagnostic{
		Code: diag.SN211, Range: n.Range,
		Message: fmt.Sprintf("`%s` is a word of the language and cannot be a name", n.Text),
		Help:    fmt.Sprintf("choose another name, such as `the-%s`", n.Text),
	}
}

func needsAlias(imp *lang.Import, last string) diag.Diagnostic {
	d := diag.Diagnostic{
		Code: diag.SN211, Range: imp.Path.Range,
		Message: fmt.Sprintf("this import needs a name: `%s` cannot be one", last),
		Help:    fmt.Sprintf("say how it is called here: `import \"%s\" as NAME`", imp.Path.Value),
	}
	if lang.Reserved(last) {
		d.Message = fmt.Sprintf("this import needs a name: `%s` is a word of the language", last)
	}
	return d
}

func importLeaves(imp *lang.Import) diag.Diagnostic {
	d := diag.Diagnostic{
		Code: diag.SN208, Range: imp.Path.Range,
		Message: fmt.Sprintf("the import `%s` leaves the repository", imp.Path.Value),
		Help:    "import a folder of this repository (`./…`, `../…`) or of the library (`std/…`)",
	}
	p := imp.Path.Value
	if !strings.HasPrefix(p, ".") && !strings.HasPrefix(p, libraryPrefix) {
		d.Message = fmt.Sprintf("the import `%s` cannot be found: it names neither the library nor a folder of this repository", p)
		d.Help = "write `std/…` for the library, or `./…` for a folder of this repository; there are no remote imports"
	}
	return d
}

func importEmpty(imp *lang.Import) diag.Diagnostic {
	return diag.Diagnostic{
		Code: diag.SN208, Range: imp.Path.Range,
		Message: fmt.Sprintf("the import `%s` cannot be found: the folder holds no .snodo file", imp.Path.Value),
		Help:    "import the folder that holds the files themselves",
	}
}

// importNotFound says that there is no package at place, and which folder
// beside it may have been meant.
func (l *linker) importNotFound(imp *lang.Import, place folder) diag.Diagnostic {
	d := diag.Diagnostic{
		Code: diag.SN208, Range: imp.Path.Range,
		Message: fmt.Sprintf("the import `%s` cannot be found", imp.Path.Value),
		Help:    fmt.Sprintf("there is no folder %s", l.show(place, place.dir)),
	}
	var beside []string
	if fsys := l.fileSystem(place); fsys != nil {
		entries, _ := fs.ReadDir(fsys, path.Dir(place.dir)) // unreadable is no neighbour
		for _, e := range entries {
			if e.IsDir() {
				beside = append(beside, e.Name())
			}
		}
	}
	if meant := nearest.To(path.Base(place.dir), beside); len(meant) == 1 {
		fixed := strings.TrimSuffix(imp.Path.Value, path.Base(imp.Path.Value)) + meant[0]
		d.Help = fmt.Sprintf("did you mean `%s`?", fixed)
		text := `"` + fixed + `"`
		// Uses of the name that the wrong path gave it go on to mean it.
		if last := path.Base(imp.Path.Value); imp.Alias == nil && bytes.Contains(l.textOf(imp.Range.File), []byte(last+".")) {
			text += " as " + last
		}
		d.Edits = []diag.Edit{{Range: imp.Path.Range, Text: text}}
	} else if place.library && len(beside) > 0 {
		d.Help = "the library holds " + list(prefixed(libraryPrefix, beside))
	}
	return d
}

func importCycle(first *lang.Import, keys []string, related []diag.Related) diag.Diagnostic {
	return diag.Diagnostic{
		Code: diag.SN209, Range: first.Path.Range,
		Message: "imports form a cycle: " + strings.Join(quoted(keys), " -> "),
		Help:    "move what both sides need into a package that imports neither",
		Related: related,
	}
}
