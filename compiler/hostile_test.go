package compiler

import (
	"fmt"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/snodo-lang/snodo/lang"
	"github.com/snodo-lang/snodo/lang/diag"
)

func checked(t *testing.T, files map[string]string) diag.List {
	t.Helper()
	fsys := fstest.MapFS{}
	for name, text := range files {
		fsys[name] = &fstest.MapFile{Data: []byte(text)}
	}
	report, err := Check(Source{FS: fsys, Dir: "."})
	if err != nil {
		t.Fatal(err)
	}
	return report.Diagnostics
}

// A package with more errors than anybody reads says how many there are.
func TestDiagnosticsAreCountedWhereThereAreTooMany(t *testing.T) {
	var src strings.Builder
	src.WriteString("snodo 1\n")
	for i := range maxReports + 500 {
		fmt.Fprintf(&src, "what%d \"x\"\n", i)
	}
	got := checked(t, map[string]string{"a.snodo": src.String()})
	got = got.Sorted() // as whoever prints them does
	last := got[len(got)-1]
	if len(got) != maxReports+1 || last.Code != diag.SN105 || !strings.HasPrefix(last.Message, "500 more diagnostics") {
		t.Errorf("%d diagnostics, the last: %s: %s", len(got), last.Code, last.Message)
	}
}

// However much there is to warn of, an error is reported.
func TestWarningsLeaveRoomForErrors(t *testing.T) {
	var src strings.Builder
	src.WriteString("snodo 1\ncheck k {\n  phase post_execute\n  run \"x\"\n}\n")
	src.WriteString("review v {\n  post_execute {\n    panel k\n    proceed when all pass\n  }\n}\n")
	src.WriteString("criteria c {\n")
	for i := range maxReports + 500 {
		fmt.Fprintf(&src, "criterion a%d \"Always pass.\"\n", i)
	}
	src.WriteString("}\n")
	got := checked(t, map[string]string{"a.snodo": src.String()})
	if n := got.Count(diag.Error); n != 2 { // the missing route, and the count of what is left out
		t.Errorf("%d errors", n)
	}
}

// Names that are nowhere near any other cost no more than others.
func TestTheSearchForMisspellingsEnds(t *testing.T) {
	c := &compilation{}
	known := make([]string, maxCompared/2)
	for i := range known {
		known[i] = "other"
	}
	known[0] = "tests"
	if got := c.near("test", known); len(got) != 1 {
		t.Errorf("got %v", got)
	}
	c.near("test", known)
	if got := c.near("test", known); got != nil {
		t.Errorf("still searched: %v", got)
	}
}

// Of a file that is too long nothing more is said, whatever stands in it.
func TestAFileThatIsTooLongIsOneError(t *testing.T) {
	for name, text := range map[string]string{
		"line ends": strings.Repeat("\n", lang.MaxFile+1),
		"a reference to what stands behind the limit": "snodo 1\nreview v {\n  post_execute {\n    panel c\n    proceed when all pass\n    blocker -> halt\n  }\n}\n" +
			strings.Repeat("//\n", lang.MaxFile/3) + "check c {\n  phase post_execute\n  run \"x\"\n}\n",
	} {
		got := checked(t, map[string]string{"a.snodo": text})
		if len(got) != 1 || got[0].Code != diag.SN105 {
			t.Errorf("%s: %v", name, got)
		}
	}
}
