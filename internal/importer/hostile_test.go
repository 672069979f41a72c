package importer

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// bomb is a YAML whose aliases stand for more than anybody could write out.
func bomb() string {
	var out strings.Builder
	out.WriteString("a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n")
	for i := 1; i < 12; i++ {
		fmt.Fprintf(&out, "a%d: &a%d [%s]\n", i, i, strings.TrimSuffix(strings.Repeat(fmt.Sprintf("*a%d, ", i-1), 10), ", "))
	}
	return out.String()
}

func TestWhatIsNoProtocolIsRefusedWithItsLine(t *testing.T) {
	for name, c := range map[string]struct {
		src    string
		line   int
		reason string
	}{
		"nothing":             {"", 0, "it is empty"},
		"comments alone":      {"# nothing\n# else\n", 0, "it is empty"},
		"a list":              {"- a\n- b\n", 1, "it is no mapping"},
		"a text":              {"hello\n", 1, "it is no mapping"},
		"two documents":       {"name: a\n---\nname: b\n", 3, "a second document begins"},
		"a bracket":           {"name: a\ntools: [a, b\nmodes: []\n", 3, "it cannot be read as YAML"},
		"a quote":             {"name: \"a\nmodes: []\n", 1, "it cannot be read as YAML"},
		"no UTF-8":            {"name: a\nmodes:\n  - caf\xe9\n", 3, "not UTF-8"},
		"UTF-16":              {"\xff\xfen\x00a\x00", 1, "not UTF-8"},
		"too large":           {"name: " + strings.Repeat("a", MaxFile), 0, "larger than 4 MiB"},
		"an alias of nothing": {"name: *nobody\n", 1, "no anchor &nobody"},
		"an alias of itself":  {"name: a\nmodes: &m\n  - tools: *m\n", 3, "has no end"},
		"a merge of itself":   {"name: a\nmodes: &m\n  <<: *m\n", 3, "has no end"},
		"a merge of a text":   {"name: a\n<<: text\n", 2, "no mapping"},
		"a bomb":              {bomb(), 0, "more than 20000 values"},
		"deep flow":           {"a: " + strings.Repeat("[", 100_000), 1, "64 deep"},
		"deep blocks":         {strings.Repeat("- ", 5_000) + "a", 1, "64 deep"},
		"deep keys":           {strings.Repeat("? ", 5_000) + "a", 1, "64 deep"},
		"deep indentation":    {indented(200), 65, "64 deep"},
		"many anchors":        {"a: " + strings.Repeat("&a ", 5_000) + "b", 1, "anchors and tags"},
		"many tags":           {"a: " + strings.Repeat("!a ", 5_000) + "b", 1, "anchors and tags"},
		"many documents":      {strings.Repeat("---\na\n", 1_000), 33, "more than 16 documents"},
		"many values":         {"a: [" + strings.Repeat("1,", 60_000) + "]", 1, "more than 20000 values"},
		"many marks":          {strings.Repeat("[", 300_000), 0, "more than 100000"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := Import("p.yml", []byte(c.src), Surroundings{})
			var syntax *SyntaxError
			if !errors.As(err, &syntax) {
				t.Fatalf("the error is %v", err)
			}
			if !strings.Contains(syntax.Reason, c.reason) {
				t.Errorf("the reason is %q, want %q in it", syntax.Reason, c.reason)
			}
			if c.line != 0 && syntax.Line != c.line {
				t.Errorf("the line is %d, want %d (%s)", syntax.Line, c.line, syntax.Reason)
			}
			if strings.Contains(syntax.Error(), "\n") {
				t.Errorf("the error is no sentence: %q", syntax.Error())
			}
		})
	}
}

// indented is a mapping of mappings, each on a line of its own.
func indented(depth int) string {
	var out strings.Builder
	for i := range depth {
		fmt.Fprintf(&out, "%sa:\n", strings.Repeat(" ", i))
	}
	return out.String()
}

// What looks hostile and is not is imported.
func TestOddFilesAreImported(t *testing.T) {
	for name, src := range map[string]string{
		"a byte order mark":    "\xef\xbb\xbfname: a\nmodes: {m: {tools: [edit]}}\n",
		"line ends of Windows": "name: a\r\nmodes:\r\n  m:\r\n    tools: [edit]\r\n",
		"an empty document":    "---\nname: a\nmodes: {m: {tools: [edit]}}\n...\n---\n# nothing\n",
		"a directive":          "%YAML 1.2\n---\nname: a\nmodes: {m: {tools: [edit]}}\n",
		"JSON":                 `{"name": "a", "modes": [{"mode_id": "m", "tools": ["edit"]}]}`,
		"a long line":          "name: a\nmodes: {m: {tools: [edit], validators: [{name: v, criteria: [\"" + strings.Repeat("word ", 30_000) + "\"]}]}}\n",
		"a long comment":       "# " + strings.Repeat("ä", 100_000) + "\nname: a\nmodes: {m: {tools: [edit]}}\n",
		"hidden comments":      "# a \u202e b\u200b\nname: a\nmodes: {m: {tools: [edit]}}\n",
		"a key that is hidden": "name: a\n\"x\\u202ey\": 1\nmodes: {m: {tools: [edit]}}\n",
		"null everywhere":      "name:\nmodes:\n  m:\nvalidators:\n  v:\nroles:\npolicy:\nexecution:\ntooling:\n",
		"lists everywhere":     "name: [a]\nmodes: [[a], [b: c]]\nvalidators: [[a]]\nroles: [[a]]\npolicy: [a]\nexecution: [a]\ntooling: [a]\nprotected_paths: [[a]]\nglobal_constraints: [[a]]\n",
		"mappings everywhere":  "name: {a: b}\nmodes: {m: {tools: {a: b}, validators: {a: {b: {c: d}}}, transitions: {a: {b: {c: d}}}, constraints: {a: {b: c}}, policy: {pre_execute: {quorum: {a: b}}}}}\nvalidators: {v: {criteria: {a: {b: {c: d}}}, tools: {a: b}, tooling: {a: {b: c}}}}\n",
		"one word":             "a: b\n",
		"a key that is none":   "? a\n: b\nmodes: {m: {tools: [edit]}}\n",
	} {
		t.Run(name, func(t *testing.T) {
			r, err := Import("p.yml", []byte(src), Surroundings{})
			if err != nil {
				t.Fatal(err)
			}
			sound(t, r)
		})
	}
}

// A file within the bounds is read whole, and in a time that ends.
func TestLargeFilesAreRead(t *testing.T) {
	var src strings.Builder
	src.WriteString("name: a\nmodes: {m: {tools: [edit], validators: [v]}}\nvalidators:\n  v:\n    phase: post_execute\n    tools: [read_file]\n    criteria:\n")
	for i := range 2_000 {
		fmt.Fprintf(&src, "      - Requirement %d, as it stands in the book # comment\n", i)
	}
	r, err := Import("p.yml", []byte(src.String()), Surroundings{})
	if err != nil {
		t.Fatal(err)
	}
	sound(t, r)
	if got := strings.Count(string(r.Source), "\n  criterion "); got != 2_000 {
		t.Errorf("%d criteria, want 2000", got)
	}
}

func FuzzImport(f *testing.F) {
	for _, seed := range []string{bomb(), "a: &a [*a]", "a: {b: [c, {d: e}]}\n? - x\n: y\n", "name: a\nmodes: {m: {tools: [edit], validators: [{prompt: \"\"\"}]}}", "modes: {review: {constraints: [files_in_scope: [\"{a,{b}\"]]}}"} {
		f.Add([]byte(seed))
	}
	protocolsAsSeeds(f)
	f.Fuzz(func(t *testing.T, src []byte) {
		r, err := Import("p.yml", src, Surroundings{})
		var syntax *SyntaxError
		if err != nil {
			if !errors.As(err, &syntax) {
				t.Fatalf("the error is %T: %v", err, err)
			}
			return
		}
		sound(t, r)
		for _, s := range lost(t, src, r) {
			t.Errorf("%q is in neither the result nor the report", s)
		}
		again, err := Import("p.yml", src, Surroundings{})
		if diff := cmp.Diff(r, again); err != nil || diff != "" {
			t.Errorf("the second import differs: %v %s", err, diff)
		}
	})
}
