package compiler

import (
	"bufio"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	"github.com/snodo-lang/snodo/lang/diag"
)

// The files in testdata/codes hold packages with their expected diagnostics
// beside the lines that they belong to:
//
//	== name of the case
//	judge x { // want SN204 "judge x" "no requests"
//
// A want names a code, the source that the range must cover (of several lines
// the first), and a part of the message or help. A line may want several. The
// text of a case is the file main.snodo, begun for it with the edition and
// accompanied by prelude.snodo; where it begins with "-- name --" it is the
// files that it names, and nothing else. Notes count only in the files of
// their own codes. At least three cases of a file have to trigger its code,
// and at least one must not.

// casesOf reads one file of cases.
func casesOf(t *testing.T, name string) map[string]fstest.MapFS {
	t.Helper()
	prelude := readFile(t, "testdata/prelude.snodo")
	cases := make(map[string]fstest.MapFS)
	for _, part := range strings.Split("\n"+readFile(t, name), "\n== ")[1:] {
		title, text, _ := strings.Cut(part, "\n")
		if cases[title] != nil {
			t.Fatalf("%s: two cases are called %q", name, title)
		}
		if strings.HasPrefix(text, "-- ") {
			cases[title] = archive(text)
			continue
		}
		cases[title] = fstest.MapFS{
			"main.snodo":    {Data: []byte("snodo 1\n" + text + "\n")},
			"prelude.snodo": {Data: []byte(prelude)},
		}
	}
	return cases
}

// archive splits a text at lines "-- name --" into files.
func archive(text string) fstest.MapFS {
	fsys := make(fstest.MapFS)
	var current string
	for _, line := range strings.SplitAfter(text+"\n", "\n") {
		if name, ok := strings.CutPrefix(strings.TrimSpace(line), "-- "); ok {
			current = strings.TrimSuffix(name, " --")
			fsys[current] = &fstest.MapFile{}
			continue
		}
		fsys[current].Data = append(fsys[current].Data, line...)
	}
	return fsys
}

func readFile(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

var (
	wantComment = regexp.MustCompile(`// want (.*)$`)
	wantItem    = regexp.MustCompile(`(SN\d{3}) ("(?:[^"\\]|\\.)*") ("(?:[^"\\]|\\.)*")\s*`)
)

// A want is one expected diagnostic.
type want struct {
	place string // file:line
	code  string
	words string // what the range covers
	says  string // part of the message or the help
}

func wantsOf(t *testing.T, fsys fstest.MapFS) []want {
	t.Helper()
	var out []want
	for name, f := range fsys {
		lines := bufio.NewScanner(strings.NewReader(string(f.Data)))
		for n := 1; lines.Scan(); n++ {
			m := wantComment.FindStringSubmatch(lines.Text())
			if m == nil {
				continue
			}
			if rest := wantItem.ReplaceAllString(m[1], ""); rest != "" {
				t.Fatalf("%s:%d: not a want: %q", name, n, rest)
			}
			for _, item := range wantItem.FindAllStringSubmatch(m[1], -1) {
				out = append(out, want{fmt.Sprintf("%s:%d", name, n), item[1], unquote(t, item[2]), unquote(t, item[3])})
			}
		}
	}
	return out
}

func unquote(t *testing.T, s string) string {
	t.Helper()
	text, err := strconv.Unquote(s)
	if err != nil {
		t.Fatalf("%s: %v", s, err)
	}
	return text
}

// covered returns the first line of what a range covers.
func covered(files Files, r diag.Range) string {
	line, _, _ := strings.Cut(string(files[r.File][r.Start.Offset:r.End.Offset]), "\n")
	return line
}

// checkWants compares a report with what is wanted, and returns the codes
// that were wanted and came.
func checkWants(t *testing.T, fsys fstest.MapFS, report Report, notes string) []string {
	t.Helper()
	wants := wantsOf(t, fsys)
	var came []string
	for _, d := range report.Diagnostics {
		unusedPrelude := d.Code == diag.SN210 && d.Range.File == "prelude.snodo"
		if d.Severity == diag.Note && string(d.Code) != notes || unusedPrelude {
			continue
		}
		place := fmt.Sprintf("%s:%d", d.Range.File, d.Range.Start.Line)
		at := slices.IndexFunc(wants, func(w want) bool {
			return w.place == place && w.code == string(d.Code) && w.words == covered(report.Files, d.Range) &&
				strings.Contains(d.Message+"\n"+d.Label+"\n"+d.Help, w.says)
		})
		if at < 0 {
			t.Errorf("not wanted: %s: %s at %q: %s (help: %s)", place, d.Code, covered(report.Files, d.Range), d.Message, d.Help)
			continue
		}
		came = append(came, string(d.Code))
		wants = slices.Delete(wants, at, at+1)
	}
	for _, w := range wants {
		t.Errorf("wanted: %s: %s at %q saying %q", w.place, w.code, w.words, w.says)
	}
	return came
}

func TestEveryCodeIsReportedWhereItIsDue(t *testing.T) {
	names, err := filepath.Glob("testdata/codes/*.txt")
	if err != nil || len(names) == 0 {
		t.Fatalf("no cases: %v", err)
	}
	for _, name := range names {
		code := strings.TrimSuffix(filepath.Base(name), ".txt")
		t.Run(code, func(t *testing.T) {
			triggered, misses := 0, 0
			for title, fsys := range casesOf(t, name) {
				t.Run(title, func(t *testing.T) {
					report, err := Check(Source{FS: fsys, Dir: ".", Library: library})
					if err != nil {
						t.Fatal(err)
					}
					came := checkWants(t, fsys, report, code)
					if slices.Contains(came, code) {
						triggered++
					} else {
						misses++
					}
					checkShape(t, report)
				})
			}
			if triggered < 3 || misses < 1 {
				t.Errorf("%d cases trigger %s and %d come near it; want at least 3 and 1", triggered, code, misses)
			}
		})
	}
}

// library is what the cases may import from behind std/.
var library = fstest.MapFS{
	"solo/solo.snodo":     {Data: []byte("snodo 1\nrole me \"Me\"\nevidence say(q text) from me \"Say {q}\"\ncriteria house {\n  criterion tidy \"It is tidy.\"\n}\njudge security {\n  phase post_execute\n  grants read_file\n  requests say\n  criterion a \"A holds.\"\n}\ncheck tests {\n  phase post_execute\n  run \"make test\"\n}\ncoder claude { run \"claude -p\" }\nmode work {\n  coder claude\n  grants write_file\n  post_execute {\n    panel tests\n    proceed when all pass\n    blocker -> halt\n  }\n}\nprotocol solo { starts work }\n")},
	"2n/2n.snodo":         {Data: []byte("snodo 1\nrole second \"Second\"\n")},
	"broken/broken.snodo": {Data: []byte("snodo 1\nrole r \" \"\nrole me \"Me\"\n")},
}

// checkShape holds every diagnostic to the manner of all.
func checkShape(t *testing.T, report Report) {
	t.Helper()
	for _, d := range report.Diagnostics {
		switch {
		case d.Help == "":
			t.Errorf("%s has no help", d.Code)
		case strings.HasSuffix(d.Message, ".") || strings.Contains(d.Message, "\n"):
			t.Errorf("%s: the message is no sentence without its stop: %q", d.Code, d.Message)
		case !d.Range.Valid():
			t.Errorf("%s points nowhere", d.Code)
		}
		for _, r := range d.Related {
			if !r.Range.Valid() || r.Message == "" {
				t.Errorf("%s: a related place points nowhere or says nothing", d.Code)
			}
		}
	}
}

func TestCertainMendsMend(t *testing.T) {
	names, err := filepath.Glob("testdata/codes/*.txt")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		for title, fsys := range casesOf(t, name) {
			t.Run(filepath.Base(name)+"/"+title, func(t *testing.T) {
				src := Source{FS: fsys, Dir: ".", Library: library}
				before, err := Check(src)
				if err != nil {
					t.Fatal(err)
				}
				for _, d := range before.Diagnostics {
					if len(d.Edits) == 0 {
						continue
					}
					mended := edited(fsys, d.Edits)
					after, err := Check(Source{FS: mended, Dir: ".", Library: library})
					if err != nil {
						t.Fatal(err)
					}
					was, is := tally(before.Diagnostics), tally(after.Diagnostics)
					if is[said(d)] >= was[said(d)] {
						t.Errorf("the edit of %s (%q) leaves it:\n%s", d.Code, d.Edits[0].Text, mended[d.Range.File].Data)
					}
					for words, n := range is {
						if n > was[words] && !follows.MatchString(words) {
							t.Errorf("the edit of %s (%q) adds %s:\n%s", d.Code, d.Edits[0].Text, words, mended[d.Range.File].Data)
						}
					}
				}
			})
		}
	}
}

// edited returns the files with the edits of one diagnostic.
func edited(fsys fstest.MapFS, edits []diag.Edit) fstest.MapFS {
	out := maps.Clone(fsys)
	slices.SortFunc(edits, func(a, b diag.Edit) int { return b.Range.Start.Offset - a.Range.Start.Offset })
	for _, e := range edits {
		text := string(out[e.Range.File].Data)
		out[e.Range.File] = &fstest.MapFile{Data: []byte(text[:e.Range.Start.Offset] + e.Text + text[e.Range.End.Offset:])}
	}
	return out
}

// follows is what is said of a gate, a tool or a coder only when it is known.
var follows = regexp.MustCompile(`^(SN5|SN204 the gate has no|SN409|SN413)`)

func said(d diag.Diagnostic) string { return string(d.Code) + " " + d.Message }

// tally counts what was said, but for what is said only where no error stands
// and for notes.
func tally(l diag.List) map[string]int {
	out := make(map[string]int)
	for _, d := range l {
		if d.Severity != diag.Note && d.Code != diag.SN210 && d.Code != diag.SN604 {
			out[said(d)]++
		}
	}
	return out
}

func TestFilesOfCasesDoNotMatter(t *testing.T) {
	// The same declarations in two files give what they give in one.
	one := fstest.MapFS{"a.snodo": {Data: []byte("snodo 1\nrole me \"Me\"\nevidence e() from you \"Say\"\n")}}
	two := fstest.MapFS{
		"a.snodo": {Data: []byte("snodo 1\nrole me \"Me\"\n")},
		"b.snodo": {Data: []byte("snodo 1\nevidence e() from you \"Say\"\n")},
	}
	codes := func(fsys fstest.MapFS) (out []string) {
		report, err := Check(Source{FS: fsys, Dir: "."})
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range report.Diagnostics {
			out = append(out, string(d.Code)+" "+d.Message)
		}
		return out
	}
	if diff := cmp.Diff(codes(one), codes(two)); diff != "" {
		t.Error(diff)
	}
}

func TestFortyMistakesAreFortyDiagnostics(t *testing.T) {
	src := Source{FS: os.DirFS("testdata/forty"), Dir: ".", Library: library}
	report, err := Check(src)
	if err != nil {
		t.Fatal(err)
	}
	fsys := fstest.MapFS{"protocol.snodo": {Data: report.Files["protocol.snodo"]}}
	came := checkWants(t, fsys, report, "")
	if len(came) != 40 {
		t.Errorf("%d diagnostics, want 40", len(came))
	}
	at := diag.Position{}
	for _, d := range report.Diagnostics {
		if d.Range.Start.Offset < at.Offset {
			t.Errorf("%s at line %d comes behind line %d", d.Code, d.Range.Start.Line, at.Line)
		}
		at = d.Range.Start
	}
	again, err := Check(src)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(report, again); diff != "" {
		t.Errorf("a second run differs:\n%s", diff)
	}
}

func TestWhatChecksCompiles(t *testing.T) {
	names, err := filepath.Glob("testdata/codes/*.txt")
	if err != nil {
		t.Fatal(err)
	}
	stage := regexp.MustCompile(`(?m)^(?:mode|review|task) ([\w-]+)`)
	compiled := 0
	for _, name := range names {
		for title, fsys := range casesOf(t, name) {
			main := fsys["main.snodo"]
			if main == nil || strings.Contains(string(main.Data), "protocol ") {
				continue
			}
			m := stage.FindSubmatch(main.Data)
			if m == nil {
				continue
			}
			fsys["zz.snodo"] = &fstest.MapFile{Data: fmt.Appendf(nil, "snodo 1\nprotocol zz { starts %s }\n", m[1])}
			p, report, err := Compile(Source{FS: fsys, Dir: ".", Library: library})
			if err != nil {
				t.Errorf("%s: %s: %v", name, title, err)
			}
			if (p != nil) != report.OK() {
				t.Errorf("%s: %s: plan %v, and the report is ok: %v", name, title, p != nil, report.OK())
			}
			if p != nil {
				compiled++
			}
		}
	}
	if compiled < 30 {
		t.Errorf("only %d cases compile", compiled)
	}
}
