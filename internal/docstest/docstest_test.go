package docstest

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

const page = "# A page\n\n<!-- file: a.txt -->\n```\nfence\n```\n\n    indented\n    more\n\nText with `snodo check --strict` in it.\n\n```console\n$ one \\\n  two\nprinted\n\n$ three\n```\n"

func TestAPageIsItsBlocks(t *testing.T) {
	got, err := Blocks(page)
	if err != nil {
		t.Fatal(err)
	}
	want := []Block{
		{3, Directive, "file", "a.txt"},
		{4, Fence, "", "fence\n"},
		{8, Indented, "", "indented\nmore\n"},
		{13, Fence, "console", "$ one \\\n  two\nprinted\n\n$ three\n"},
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
	commands, err := got[3].Commands()
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff([]Command{{14, "one \\\n  two", "printed\n\n"}, {18, "three", ""}}, commands); d != "" {
		t.Error(d)
	}
}

func TestWhatIsNoPageIsRefused(t *testing.T) {
	for text, want := range map[string]string{
		"```\nfence\n":              "line 1: the fence is not closed",
		"a\n<!-- flie: a.txt -->\n": `line 2: there is no directive "flie"`,
	} {
		if _, err := Blocks(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %s", text, err, want)
		}
	}
	if _, err := (Block{Line: 3, Text: "no prompt\n"}).Commands(); err == nil || !strings.HasPrefix(err.Error(), "line 4:") {
		t.Errorf("a block without a prompt: %v", err)
	}
}

func TestWhatIsPrintedIsHeldToThePage(t *testing.T) {
	const first, second = "20261130-191530-7f3a09c1d2", "20261130-191531-0000000000"
	for _, c := range []struct {
		name, want, got string
		fits            bool
	}{
		{"the same", "a\nb\n", "a\nb\n", true},
		{"nothing", "", "", true},
		{"something where nothing is said", "", "a\n", false},
		{"less than is said", "a\nb\n", "a\n", false},
		{"more than is said", "a\n", "a\nb\n", false},
		{"blanks at the end of a line", "a\n", "a  \n", true},
		{"a time", "ok  tests   4.1s\n", "ok  tests   1m2.5s\n", true},
		{"a time that is missing", "ok  tests   4.1s\n", "ok  tests\n", true},
		{"a time in a sentence", "it took 4.1s\n", "it took 5.1s\n", false},
		{"an end of the last line that is missing", "a\n", "a", true},
		{"a part that may be anything", "took … to do\n", "took 4.1s to do\n", true},
		{"a part does not reach over lines", "took … to do\n", "took\n to do\n", false},
		{"lines that may be anything", "a\n…\nz\n", "a\nb\nc\nz\n", true},
		{"no line at all", "a\n…\nz\n", "a\nz\n", true},
		{"what no expression means", "a.c (x)\n", "abc (x)\n", false},
		{"a run that is known", "run " + first + "\n", "run 20270101-000000-aaaaaaaaaa\n", true},
		{"another run in its place", "run " + first + "\n", "run 20270101-000000-bbbbbbbbbb\n", false},
		{"one name for two runs", second + " " + second + "\n", "20270101-000000-cccccccccc 20270101-000000-dddddddddd\n", false},
	} {
		runs := Runs{first: "20270101-000000-aaaaaaaaaa"}
		if err := runs.Match(c.want, c.got); (err == nil) != c.fits {
			t.Errorf("%s: %v", c.name, err)
		}
	}
}

func TestARunIsLearnt(t *testing.T) {
	runs := Runs{}
	if err := runs.Match("…\nresume 20261130-191530-7f3a09c1d2\n", "a\nresume 20270101-000000-aaaaaaaaaa\n"); err != nil {
		t.Fatal(err)
	}
	if got := runs.Real("snodo show 20261130-191530-7f3a09c1d2"); got != "snodo show 20270101-000000-aaaaaaaaaa" {
		t.Error(got)
	}
}

func TestAShellGoesOnWhereItWas(t *testing.T) {
	dir := t.TempDir()
	s, err := NewShell(dir, t.TempDir(), []string{"PATH=" + os.Getenv("PATH")})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		command, printed string
		code             int
	}{
		{"mkdir a && cd a && export NAME=\"it's\"", "", 0},
		{"echo $NAME; echo two >&2", "it's\ntwo\n", 0},
		{"false", "", 1},
		{"echo $?", "1\n", 0},
		{"exit 3", "", 3},
		{"pwd >here", "", 0},
	} {
		printed, code, err := s.Type(t.Context(), c.command)
		if err != nil || printed != c.printed || code != c.code {
			t.Errorf("%s: %q, %d, %v", c.command, printed, code, err)
		}
	}
	if _, err := os.Stat(filepath.Join(dir, "a", "here")); err != nil {
		t.Error(err)
	}
}

func TestCommandLinesAreFoundWhereverTheyStand(t *testing.T) {
	text := "See `snodo run [--task TEXT|--task-file F] DIR` and `git log`.\n\n    snodo fmt -w   # one layout\n\n```console\n$ snodoc -o plan.json\nsnodo printed --this\n```\n\n```\nOPENAI_BASE_URL=http://a go run ./cmd/snodo run --task \"a --b\"\n```\n"
	blocks, err := Blocks(text)
	if err != nil {
		t.Fatal(err)
	}
	want := []Line{
		{Line: 3, Text: "snodo fmt -w", Program: "snodo", Command: "fmt", Flags: []string{"-w"}},
		{Line: 6, Text: "snodoc -o plan.json", Typed: true, Program: "snodoc", Flags: []string{"-o"}},
		{Line: 11, Text: `OPENAI_BASE_URL=http://a go run ./cmd/snodo run --task "a --b"`, Program: "snodo", Command: "run", Flags: []string{"--task"}},
		{Line: 1, Text: "snodo run [--task TEXT|--task-file F] DIR", Inline: true, Program: "snodo", Command: "run", Flags: []string{"--task", "--task-file"}},
	}
	got := Lines(text, blocks)
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
	for i, stands := range []bool{false, false, false, true} {
		if got[i].HasStandIn() != stands {
			t.Errorf("%s: a stand-in: %t", got[i].Text, !stands)
		}
	}
}
