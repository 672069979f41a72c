package codes_test

import (
	"io/fs"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/snodo-lang/snodo/compiler"
	"github.com/snodo-lang/snodo/stdlib"
)

// An example is a package, and what stands beside it, as fences of a page
// write it. README.md says how:
//
//	```snodo            a source; the only one is protocol.snodo
//	```snodo PATH       one of several
//	```snodo before     one of the state that the package is compared with
//	```snodo after      one of the package itself, where it is compared
//	```snodo invisible  one in which ⟨U+200B⟩ stands for that character
//	```files            paths of other files, and of folders with a / behind
//	```console          commands, which are not executed
type example struct {
	sources  map[string]string
	before   map[string]string // empty where the package is not compared
	beside   []string
	commands string
}

var (
	fence     = regexp.MustCompile("(?ms)^```([^\n]*)\n(.*?)^```$")
	invisible = regexp.MustCompile(`⟨U\+([0-9A-F]{4,6})⟩`)
)

// exampleIn reads the fences of a section.
func exampleIn(t *testing.T, section string) example {
	t.Helper()
	e := example{sources: make(map[string]string), before: make(map[string]string)}
	for _, m := range fence.FindAllStringSubmatch(section, -1) {
		words, body := strings.Fields(m[1]), m[2]
		if len(words) == 0 {
			t.Fatal("a fence does not say what it holds")
		}
		switch kind := words[0]; {
		case kind == "snodo" && len(words) <= 3:
			e.add(t, words[1:], body)
		case kind == "files" && len(words) == 1:
			e.beside = append(e.beside, strings.Fields(body)...)
		case kind == "console" && len(words) == 1:
			e.commands += body
		default:
			t.Fatalf("there is no fence %q", m[1])
		}
	}
	if len(e.sources) == 0 {
		t.Fatal("there is no source")
	}
	return e
}

// add takes a source with what its fence says of it.
func (e example) add(t *testing.T, says []string, body string) {
	t.Helper()
	name, state := "protocol.snodo", e.sources
	for _, word := range says {
		switch {
		case word == "before":
			state = e.before
		case word == "after":
		case word == "invisible":
			body = invisible.ReplaceAllStringFunc(body, func(s string) string {
				number, err := strconv.ParseUint(invisible.FindStringSubmatch(s)[1], 16, 32)
				if err != nil {
					t.Fatal(err)
				}
				return string(rune(number))
			})
		case strings.HasSuffix(word, ".snodo") && fs.ValidPath(word):
			name = word
		default:
			t.Fatalf("%q says nothing about a source", word)
		}
	}
	if _, ok := state[name]; ok {
		t.Fatalf("there are two sources %s", name)
	}
	state[name] = body
}

// source returns the package as the compiler takes it.
func (e example) source() compiler.Source { return e.of(e.sources) }

// check finds what is wrong with the package and, where there is a state to
// compare it with, what is weaker.
func (e example) check() (compiler.Report, error) {
	if len(e.before) == 0 {
		return compiler.Check(e.source())
	}
	return compiler.Against(e.source(), e.of(e.before))
}

func (e example) of(sources map[string]string) compiler.Source {
	files := make(fstest.MapFS)
	for name, text := range sources {
		files[name] = &fstest.MapFile{Data: []byte(text)}
	}
	for _, path := range e.beside {
		if folder, ok := strings.CutSuffix(path, "/"); ok {
			files[folder] = &fstest.MapFile{Mode: fs.ModeDir}
		} else {
			files[path] = &fstest.MapFile{}
		}
	}
	return compiler.Source{FS: files, Dir: ".", Library: stdlib.FS}
}

func (e example) hasProtocol() bool {
	for _, text := range e.sources {
		if strings.Contains(text, "\nprotocol ") {
			return true
		}
	}
	return false
}
