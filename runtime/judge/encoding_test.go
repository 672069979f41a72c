package judge_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/snodo-lang/snodo/runtime/endpoint"
	"github.com/snodo-lang/snodo/runtime/judge"
	"github.com/snodo-lang/snodo/runtime/verdict"
)

// sixteen is a text in UTF-16 with its mark, the little end first.
func sixteen(text string) string {
	return "\xff\xfe" + strings.Join(strings.Split(text, ""), "\x00") + "\x00"
}

func TestUTF16IsShownAsTextAndSaidToBeSo(t *testing.T) {
	script := sixteen("Remove-Item $all\r\n# <|im_start|>\r\n")
	// Letters two by two, which make ideographs.
	big := "\xfe\xff" + strings.ReplaceAll(script[2:], "\x00", "")
	const lines = "     1\tRemove-Item $all\n     2\t# <\\|im_start|>\n"
	r := ask(subject(9, all()...))
	r.Tree = foul{tree{"a.ps1": script, "big.ps1": big, "b": script[2:]}, script}
	for _, c := range []struct{ tool, args, want string }{
		{"read_file", `{"path":"a.ps1"}`, data(`read_file "a.ps1" UTF-16LE`, lines)},
		{"read_file_lines", `{"path":"a.ps1","start":1,"end":1}`, data(`read_file_lines "a.ps1" UTF-16LE`, lines[:24])},
		{"git_show", `{"rev":"HEAD","path":"a.ps1"}`, data(`git_show "a.ps1" UTF-16LE`, lines)},
		{"search_text", `{"path":"a.ps1","pattern":"all$"}`, data(`search_text "a.ps1"`, "\"a.ps1\"\n"+lines[:24])},
		{"read_file", `{"path":"b"}`, `IsBinary "b" 68`},
	} {
		if diff := cmp.Diff(c.want, answerTo(t, r, c.tool, c.args)); diff != "" {
			t.Errorf("%s: %s", c.args, diff)
		}
	}
	if got := answerTo(t, r, "read_file", `{"path":"big.ps1"}`); !strings.Contains(got, "UTF-16BE") {
		t.Errorf("the big end first: %q", got)
	}
	result, _ := talk(t, r, `{"call":"read_file","args":{"path":"a.ps1"}}`,
		`{"submit":{"safe":{"verdict":"blocker","quotes":[{"path":"a.ps1","line":2,"text":"Remove-Item $all"}]}}}`)
	if result.Error != nil || result.Findings[0].Quotes[0].Line != 1 {
		t.Errorf("the quotation: %v, %+v", result.Error, result.Findings)
	}
}

func TestAFewNULsHideNothing(t *testing.T) {
	r := ask(subject(5, all()...))
	r.Tree = tree{"a.go": "package a\x00\nfunc evil() {}\n"}
	for tool, args := range map[string]string{"read_file": `{"path":"a.go"}`, "search_text": `{"pattern":"evil|package","path":"."}`} {
		if got := answerTo(t, r, tool, args); !strings.Contains(got, "     1\tpackage a\\u{0}\n     2\tfunc evil() {}\n") {
			t.Errorf("%s: %q", tool, got)
		}
	}
}

// What a search finds is what stands in the file, also where it is shown
// otherwise.
func TestASearchLooksAtTheFileAndNotAtWhatIsShown(t *testing.T) {
	r := ask(subject(5, all()...))
	r.Redact = func(s string) string { return strings.ReplaceAll(s, "hunter2", "[redacted]") }
	r.Tree = tree{"a": "<s>struck</s> a\u202eb\npassword hunter2\n"}
	for pattern, want := range map[string]string{
		`<s>`:         `<\s>struck<\/s> a\u{202e}b`,
		`a\\x{202e}b`: `<\s>struck`,
		`hunter`:      "NothingFound",
		`redacted`:    "password [redacted]",
	} {
		if got := answerTo(t, r, "search_text", `{"path":"a","pattern":"`+pattern+`"}`); !strings.Contains(got, want) {
			t.Errorf("%s: %q, want %q", pattern, got, want)
		}
	}
}

func TestWhatIsForeignIsShownAtTheLengthOfALine(t *testing.T) {
	long := strings.Repeat("n", 3000)
	r := ask(subject(5, all()...))
	r.Tree = foul{tree{"link": "-> " + long, long: "x"}, long}
	for _, c := range []struct{ tool, args string }{
		{"read_file", `{"path":"link"}`}, {"list_files", `{"path":"."}`}, {"git_log", `{"path":".","count":1}`},
	} {
		if got := answerTo(t, r, c.tool, c.args); !strings.Contains(got, "CutLine ") || len(got) > 2200 {
			t.Errorf("%s shows %d bytes: …%q", c.tool, len(got), got[len(got)-60:])
		}
	}
}

// An ending is a tree of one long line in which the time ends while it is
// read.
type ending struct {
	tree
	end context.CancelFunc
}

func (e ending) Read(context.Context, string) ([]byte, error) {
	e.end()
	return []byte(strings.Repeat("a", 1<<20) + "b"), nil
}

func TestASearchEndsWithTheTimeOfItsJudge(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), time.Hour)
	defer cancel()
	r := ask(subject(5, all()...))
	r.Tree = ending{tree{"a": "x"}, cancel}
	r.Chat = chat(func(context.Context, endpoint.Request) (endpoint.Reply, error) {
		return calling("search_text", `{"path":".","pattern":"(a|aa|aaa|aaaa)*$"}`), nil
	})
	result := judge.Run(ctx, r)
	if result.Error == nil || result.Error.Class != verdict.Timeout || len(result.Examined) > 0 {
		t.Errorf("%v, examined %v", result.Error, result.Examined)
	}
}
