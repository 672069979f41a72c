package codes_test

import (
	"fmt"
	"maps"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode"

	"github.com/google/go-cmp/cmp"

	"github.com/snodo-lang/snodo/compiler"
	"github.com/snodo-lang/snodo/docs/codes"
	"github.com/snodo-lang/snodo/lang/diag"
)

// elsewhere are the codes that compiling a package cannot trigger. The
// examples of their pages are sources that are well.
var elsewhere = map[diag.Code]string{
	diag.SN801: "it is reported by check --locked, of a committed plan beside the sources; the compiler sees the sources alone",
	diag.SN802: "it is reported by check --proven, of proofs that were made on this machine; the compiler sees the sources alone",
}

func TestEveryCodeHasAPageAndEveryPageACode(t *testing.T) {
	entries, err := os.ReadDir(".")
	if err != nil {
		t.Fatal(err)
	}
	var pages []diag.Code
	for _, e := range entries {
		if name, ok := strings.CutSuffix(e.Name(), ".md"); ok && name != "README" {
			pages = append(pages, diag.Code(name))
		}
	}
	if diff := cmp.Diff(diag.Codes(), pages); diff != "" {
		t.Errorf("the registry (-) and the pages (+) differ:\n%s", diff)
	}
	for _, code := range pages {
		if _, ok := codes.Page(string(code)); !ok {
			t.Errorf("the page of %s is not embedded", code)
		}
	}
}

func TestOnlyCodesHavePages(t *testing.T) {
	for _, name := range []string{"", "README", "sn503", "SN000", "SN*", "../codes/SN503", "SN503.md"} {
		if _, ok := codes.Page(name); ok {
			t.Errorf("there is a page of %q", name)
		}
	}
}

// heads are the headings of a page, in their order.
var heads = []string{"What it means", "Why the rule exists", "A protocol that triggers it", "Corrected"}

const triggers, corrected = 2, 3 // of heads

// A page is the text of a code, taken apart.
type page struct {
	begin    string   // above the first heading
	sections []string // below each of heads
}

func pageOf(t *testing.T, code diag.Code) page {
	t.Helper()
	text, ok := codes.Page(string(code))
	if !ok {
		t.Fatalf("there is no page of %s", code)
	}
	begin, rest, _ := strings.Cut(text, "\n## ")
	p := page{begin: begin}
	var found []string
	for _, part := range strings.Split(rest, "\n## ") {
		head, body, _ := strings.Cut(part, "\n")
		found = append(found, head)
		p.sections = append(p.sections, strings.TrimSpace(body))
	}
	if diff := cmp.Diff(heads, found); diff != "" {
		t.Fatalf("the headings of %s:\n%s", code, diff)
	}
	return p
}

func TestPagesHaveOneForm(t *testing.T) {
	for _, code := range diag.Codes() {
		t.Run(string(code), func(t *testing.T) {
			p := pageOf(t, code)
			if want := fmt.Sprintf("# %s: %s\n\nSeverity: %s\n", code, code.Title(), code.Severity()); p.begin != want {
				t.Errorf("the page begins %q, want %q", p.begin, want)
			}
			for i, body := range p.sections {
				if body == "" {
					t.Errorf("nothing stands below %q", heads[i])
				}
			}
			text, _ := codes.Page(string(code))
			for n, line := range strings.Split(strings.TrimSuffix(text, "\n"), "\n") {
				if strings.TrimRight(line, " \t") != line {
					t.Errorf("line %d ends in a space", n+1)
				}
				if at := strings.IndexFunc(line, hidden); at >= 0 {
					t.Errorf("line %d holds a character that cannot be seen, at byte %d", n+1, at)
				}
			}
		})
	}
}

func hidden(c rune) bool { return unicode.In(c, unicode.Cc, unicode.Cf, unicode.Zl, unicode.Zp) }

// codeOnPage is where a page sends its reader to another one.
var codeOnPage = regexp.MustCompile(`SN\d+`)

func TestPagesNameCodesThatExist(t *testing.T) {
	for _, code := range diag.Codes() {
		text, _ := codes.Page(string(code))
		for _, other := range codeOnPage.FindAllString(text, -1) {
			if !slices.Contains(diag.Codes(), diag.Code(other)) {
				t.Errorf("the page of %s names %s", code, other)
			}
		}
	}
}

func TestExamplesTriggerTheirCodeOnceAndNothingElse(t *testing.T) {
	for _, code := range diag.Codes() {
		t.Run(string(code), func(t *testing.T) {
			e := exampleIn(t, pageOf(t, code).sections[triggers])
			var want []string
			if reason, ok := elsewhere[code]; !ok {
				want = []string{string(code)}
			} else {
				t.Logf("not triggered by compiling: %s", reason)
			}
			if diff := cmp.Diff(want, e.codes(t, code)); diff != "" {
				t.Errorf("want (-), got (+):\n%s", diff)
			}
		})
	}
}

func TestCorrectedExamplesAreWell(t *testing.T) {
	for _, code := range diag.Codes() {
		t.Run(string(code), func(t *testing.T) {
			p := pageOf(t, code)
			e, wrong := exampleIn(t, p.sections[corrected]), exampleIn(t, p.sections[triggers])
			e.before = wrong.before
			if got := e.codes(t, code); len(got) > 0 {
				t.Errorf("got %v", got)
			}
			if cmp.Equal(e, wrong, cmp.AllowUnexported(example{})) {
				t.Error("nothing was corrected")
			}
			if !e.hasProtocol() {
				return
			}
			plan, report, err := compiler.Compile(e.source())
			if err != nil || plan == nil {
				t.Errorf("it does not compile: %v, %v", report.Diagnostics, err)
			}
		})
	}
}

// A weakening has two states, and the earlier one is well.
func TestExamplesOfWeakeningsAreCompared(t *testing.T) {
	for _, code := range diag.Codes() {
		e := exampleIn(t, pageOf(t, code).sections[triggers])
		if compares := strings.HasPrefix(string(code), "SN9"); compares != (len(e.before) > 0) {
			t.Errorf("%s: there is an earlier state: %t, want %t", code, !compares, compares)
		}
		e.sources, e.before = e.before, nil
		if len(e.sources) == 0 {
			continue
		}
		if got := e.codes(t, code); len(got) > 0 {
			t.Errorf("%s: the earlier state gives %v", code, got)
		}
	}
}

func TestCodesThatAreTriggeredElsewhereExist(t *testing.T) {
	for code, reason := range elsewhere {
		if reason == "" || !slices.Contains(diag.Codes(), code) {
			t.Errorf("%q is excused, with the reason %q", code, reason)
		}
	}
}

// A source that is no part of the package would be read by people alone.
func TestCorrectedExamplesAreReadWhole(t *testing.T) {
	for _, code := range diag.Codes() {
		e := exampleIn(t, pageOf(t, code).sections[corrected])
		report, err := compiler.Check(e.source())
		if err != nil {
			t.Errorf("%s: %v", code, err)
		}
		want, got := slices.Sorted(maps.Keys(e.sources)), slices.Sorted(maps.Keys(report.Files))
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s: what the page shows (-) and what is read (+) differ:\n%s", code, diff)
		}
	}
}

func TestTheIndexListsEveryCode(t *testing.T) {
	text, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	var want, got []string
	for _, code := range diag.Codes() {
		want = append(want, fmt.Sprintf("| [%s](%s.md) | %s | %s |", code, code, code.Severity(), code.Title()))
	}
	for _, line := range strings.Split(string(text), "\n") {
		if strings.HasPrefix(line, "| [") {
			got = append(got, line)
		}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("the registry (-) and the table of README.md (+) differ:\n%s", diff)
	}
}

// codes checks an example and returns what it gives, but for notes that are
// not what the page is about: they say aloud what is allowed.
func (e example) codes(t *testing.T, about diag.Code) []string {
	t.Helper()
	report, err := e.check()
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, d := range report.Diagnostics {
		if d.Severity == diag.Note && d.Code != about {
			continue
		}
		out = append(out, string(d.Code))
		if d.Code != about {
			t.Logf("%s at %s:%d: %s", d.Code, d.Range.File, d.Range.Start.Line, d.Message)
		}
	}
	return out
}
