// Package starter writes the first protocol of a repository: a package of the
// library with what was found in the repository written out in it.
//
// A package of the library, and a folder as a file system, go in; the text of
// a protocol comes out, in the one layout. Nothing is guessed at run time: what
// was found stands in the text, where everybody sees it. The package writes no
// file and runs nothing.
package starter

import (
	"cmp"
	"fmt"
	"io/fs"
	"regexp"
	"slices"
	"strings"

	"github.com/snodo-lang/snodo/lang"
)

// A Setting is what a protocol has to know of its repository.
type Setting struct {
	Name    string   // of the protocol
	Kit     *Kit     // how tests run; nil where there are none
	Test    string   // the test command, in the place of the kit's; may be empty
	Coder   string   // the command that does the work
	Prepare string   // what fills a fresh folder; may be empty
	Scope   []string // the globs of what may change
}

// Write fills a protocol of the library in with a setting.
func Write(source []byte, s Setting) ([]byte, error) {
	file, found := lang.Parse("protocol.snodo", source)
	if len(found) > 0 {
		return nil, fmt.Errorf("read the library: %s", found[0].Message)
	}
	e := &editor{source: string(source)}
	test, obtain := s.Test, []string(nil)
	if s.Kit != nil {
		if test == "" {
			test = s.Kit.Test
		}
		if s.Test == "" {
			obtain = s.Kit.Obtain
		}
	}
	for _, d := range file.Decls {
		if d, ok := d.(*lang.Declaration); ok && d.Kind != lang.KindProtocol && d.Name.Text == s.Name {
			s.Name = "project-" + s.Name // all names of a package are one set
		}
	}
	if s.Kit == nil || s.Kit.Name != "Go" {
		e.replaceAll(regexp.MustCompile(`\btested, `), "")
	}
	for _, d := range file.Decls {
		if d, ok := d.(*lang.Declaration); ok {
			e.declaration(d, s, test, obtain)
		}
	}
	if test == "" {
		e.replaceAll(regexp.MustCompile(`\bpanel tests, `), "panel ")
	}
	if len(obtain) == 0 {
		// What no command can obtain is asked for at once.
		e.replaceAll(regexp.MustCompile(`\bgather then ask\b`), "ask")
	}
	out, found, err := lang.Format("protocol.snodo", []byte(e.text()))
	if err != nil || len(found) > 0 {
		return nil, fmt.Errorf("write the protocol: %v %v", err, found)
	}
	return out, nil
}

// An editor collects changes of a text.
type editor struct {
	source  string
	changes []change
}

type change struct {
	from, to int
	text     string
}

func (e *editor) declaration(d *lang.Declaration, s Setting, test string, obtain []string) {
	switch {
	case d.Kind == lang.KindProtocol:
		e.put(d.Name.Range.Start.Offset, d.Name.Range.End.Offset, s.Name)
		if d.Title != nil {
			e.put(d.Title.Range.Start.Offset, d.Title.Range.End.Offset, text("How changes to "+s.Name+" are judged"))
		}
		if s.Prepare != "" {
			last := d.Body[len(d.Body)-1].Span()
			e.put(last.End.Offset, last.End.Offset, "\n  prepare "+text(s.Prepare))
		}
	case d.Kind == lang.KindCoder:
		e.value(d, "run", text(s.Coder))
	case d.Kind == lang.KindCheck && d.Name.Text == "tests":
		if test == "" {
			e.remove(d)
			return
		}
		e.value(d, "run", text(test))
	case d.Kind == lang.KindEvidence && d.Name.Text == "test-run":
		e.obtain(d, obtain)
	case d.Kind == lang.KindRule && d.Name.Text == "tested" && (s.Kit == nil || s.Kit.Name != "Go"):
		// The library names tests as Go does.
		e.remove(d)
	case d.Kind == lang.KindRule && d.Name.Text == "scope":
		e.value(d, "files_in_scope", texts(s.Scope))
	}
}

// value replaces the values of a field.
func (e *editor) value(d *lang.Declaration, field, text string) {
	for _, stmt := range d.Body {
		if f, ok := stmt.(*lang.Field); ok && f.Word.Text == field && len(f.Values) > 0 {
			e.put(f.Values[0].Span().Start.Offset, f.Values[len(f.Values)-1].Span().End.Offset, text)
		}
	}
}

// obtain replaces the argument vector of an evidence, or leaves it to a person.
func (e *editor) obtain(d *lang.Declaration, argv []string) {
	if len(argv) > 0 {
		e.value(d, "obtain", texts(argv))
		return
	}
	e.put(d.Title.Range.End.Offset, d.Range.End.Offset, "")
}

// remove takes a declaration out, with the blank line behind it.
func (e *editor) remove(d *lang.Declaration) {
	end := d.Range.End.Offset
	for end < len(e.source) && e.source[end] == '\n' {
		end++
	}
	e.put(d.Range.Start.Offset, end, "")
}

func (e *editor) replaceAll(what *regexp.Regexp, text string) {
	for _, m := range what.FindAllStringIndex(e.source, -1) {
		e.put(m[0], m[1], text)
	}
}

func (e *editor) put(from, to int, text string) {
	e.changes = append(e.changes, change{from, to, text})
}

// text returns the source with all changes made.
func (e *editor) text() string {
	slices.SortFunc(e.changes, func(a, b change) int { return cmp.Compare(b.from, a.from) })
	out := e.source
	for _, c := range e.changes {
		out = out[:c.from] + c.text + out[c.to:]
	}
	return out
}

// text writes a text of the language.
func text(s string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`, "\t", `\t`).Replace(s) + `"`
}

func texts(list []string) string {
	var out []string
	for _, s := range list {
		out = append(out, text(s))
	}
	return strings.Join(out, ", ")
}

// A Kit is what a kind of project is known by, and how its tests run.
type Kit struct {
	Name    string
	Marks   []string // a file of one of these names is in the folder
	Test    string
	Obtain  []string // runs the tests of {target}
	Prepare string   // fills a fresh folder; may be empty
	Scope   []string
}

// docs may change in every project.
var docs = []string{"docs/**", "**/*.md"}

// Kits are the kinds of projects, in the order in which they are looked for.
var Kits = []Kit{
	{"Go", []string{"go.mod"}, "go test ./...", []string{"go", "test", "-count=1", "-v", "{target}"}, "",
		[]string{"**/*.go", "**/go.mod", "**/go.sum", "**/testdata/**"}},
	{"Node", []string{"package.json"}, "npm test", []string{"npm", "test", "--", "{target}"}, "",
		[]string{"src/**", "lib/**", "app/**", "packages/**", "test/**", "tests/**", "**/*.js", "**/*.ts", "**/*.tsx", "**/*.jsx", "package.json", "package-lock.json"}},
	{"Rust", []string{"Cargo.toml"}, "cargo test", []string{"cargo", "test", "{target}"}, "",
		[]string{"**/*.rs", "**/Cargo.toml", "Cargo.lock", "tests/**"}},
	{"Python", []string{"pyproject.toml", "setup.py", "pytest.ini"}, "python3 -m pytest", []string{"python3", "-m", "pytest", "{target}"}, "",
		[]string{"**/*.py", "pyproject.toml", "tests/**"}},
	{"Maven", []string{"pom.xml"}, "mvn -q test", []string{"mvn", "-q", "test", "-Dtest={target}"}, "", []string{"**/src/**", "**/pom.xml"}},
	{"Gradle", []string{"build.gradle", "build.gradle.kts"}, "gradle test", []string{"gradle", "test", "--tests", "{target}"}, "",
		[]string{"**/src/**", "**/*.gradle", "**/*.gradle.kts"}},
	{"Elixir", []string{"mix.exs"}, "mix test", []string{"mix", "test", "{target}"}, "mix deps.get", []string{"lib/**", "test/**", "config/**", "mix.exs", "mix.lock"}},
	{"Ruby", []string{"Gemfile"}, "bundle exec rake test", []string{"bundle", "exec", "ruby", "-Itest", "{target}"}, "",
		[]string{"**/*.rb", "Gemfile", "Gemfile.lock", "test/**", "spec/**"}},
	{".NET", []string{"*.sln", "*.csproj"}, "dotnet test", []string{"dotnet", "test", "{target}"}, "", []string{"**/*.cs", "**/*.csproj"}},
	{"CMake", []string{"CMakeLists.txt"}, "cmake -S . -B build && cmake --build build && ctest --test-dir build", nil, "",
		[]string{"**/*.c", "**/*.cc", "**/*.cpp", "**/*.h", "**/*.hpp", "**/CMakeLists.txt"}},
	{"PHP", []string{"composer.json"}, "composer test", []string{"composer", "test", "--", "{target}"}, "composer install --no-interaction",
		[]string{"**/*.php", "composer.json", "composer.lock"}},
	{"Make", []string{"Makefile", "makefile", "GNUmakefile"}, "make test", nil, "", []string{"**"}},
}

// Detect returns the kit of a folder, nil where none fits, and what fills a
// fresh folder of it.
func Detect(folder fs.FS) (*Kit, string, error) {
	for _, k := range Kits {
		for _, mark := range k.Marks {
			there, err := fs.Glob(folder, mark)
			if err != nil {
				return nil, "", fmt.Errorf("look for %s: %w", mark, err)
			}
			if len(there) > 0 {
				return &k, prepare(folder, k), nil
			}
		}
	}
	return nil, "", nil
}

// prepare says what fills a fresh folder, by the lock files that are there.
func prepare(folder fs.FS, k Kit) string {
	has := func(name string) bool { _, err := fs.Stat(folder, name); return err == nil }
	switch {
	case k.Name == "Node" && has("package-lock.json"):
		return "npm ci"
	case k.Name == "Node" && has("yarn.lock"):
		return "yarn install --frozen-lockfile"
	case k.Name == "Node" && has("pnpm-lock.yaml"):
		return "pnpm install --frozen-lockfile"
	case k.Name == "Ruby":
		return "bundle install"
	}
	return k.Prepare
}

// ScopeOf are the globs of what may change in a project of a kit, or in any.
func ScopeOf(k *Kit) []string {
	if k == nil || slices.Contains(k.Scope, "**") {
		return []string{"**"}
	}
	return append(slices.Clone(k.Scope), docs...)
}

// Coders are the programs that are known to do the work of a brief on standard
// input, in the order in which they are looked for, and how they are called.
var Coders = []struct{ Program, Run string }{
	{"claude", "claude -p"}, {"codex", "codex exec -"}, {"opencode", "opencode run"}, {"gemini", "gemini -p"}, {"aider", "aider --yes --message-file -"},
}
