package docs

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/snodo-lang/snodo/internal/docstest"
)

// fromCheckout is how the readme calls a program that nobody has installed.
var fromCheckout = regexp.MustCompile(`go run \./cmd/(snodoc?)`)

// The commands with which the readme opens do as they are printed, in a
// repository that is laid out as this one is. What they build is what is tested
// here, and what their check would test is not tested twice.
func TestTheCommandsThatOpenTheReadmeComplete(t *testing.T) {
	text, err := os.ReadFile("../README.md")
	if err != nil {
		t.Fatal(err)
	}
	blocks, err := docstest.Blocks(string(text))
	if err != nil {
		t.Fatal(err)
	}
	var opening []string
	for _, b := range blocks {
		for line := range strings.Lines(b.Text) {
			if b.Kind == docstest.Indented && fromCheckout.MatchString(line) {
				opening = append(opening, strings.TrimSpace(line))
			}
		}
	}
	if len(opening) != 2 {
		t.Fatalf("the readme opens with %d commands, want one that rehearses and one that does not", len(opening))
	}
	r := newReader(t, ".")
	solo, err := os.ReadFile("../stdlib/solo/protocol.snodo")
	if err != nil {
		t.Fatal(err)
	}
	r.save("stdlib/solo/protocol.snodo", solo)
	r.unpack(filepath.Join("testdata", "readme.txtar"))
	r.answer(filepath.Join("testdata", "readme.endpoint.json"))
	for i, command := range opening {
		command = fromCheckout.ReplaceAllString(command, "$1")
		r.enter("README.md", docstest.Command{Text: command, Want: "…\ncomplete…\n…\n"}, false)
		asked := len(r.server.Requests())
		if rehearsed := i == 0; rehearsed != (asked == 0) {
			t.Errorf("%s\nit asked the endpoint %d times", command, asked)
		}
	}
}
