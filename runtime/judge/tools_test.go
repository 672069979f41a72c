package judge_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/snodo-lang/snodo/compiler/plan"
	"github.com/snodo-lang/snodo/runtime/endpoint"
	"github.com/snodo-lang/snodo/runtime/judge"
	"github.com/snodo-lang/snodo/runtime/verdict"
)

// answerTo is what the judge is told when it makes one call.
func answerTo(t *testing.T, r judge.Request, tool, args string) string {
	t.Helper()
	result, _ := talk(t, r, fmt.Sprintf(`{"call":%q,"args":%s}`, tool, args), pass)
	if result.Error != nil {
		t.Fatalf("%v", result.Error)
	}
	return result.Transcript[3].Content
}

// data is what stands between the markers.
func data(what, content string) string {
	return "<<<" + what + " " + token + "\n" + content + token + " " + what + ">>>"
}

func TestReadToolsAnswer(t *testing.T) {
	for _, c := range []struct{ name, tool, args, want string }{
		{"a file", "read_file", `{"path":"a.go"}`, data(`read_file "a.go"`, "     1\tpackage a\n     2\t\n     3\tfunc A(q string) { run(q) }\n")},
		{"CR before LF is no part of a line", "read_file", `{"path":"b.go"}`, data(`read_file "b.go"`, "     1\tpackage b\n     2\tvar B = 1\n")},
		{"an empty file", "read_file", `{"path":"empty.txt"}`, data(`read_file "empty.txt"`, "EmptyFile\n")},
		{"a binary file", "read_file", `{"path":"logo.png"}`, `IsBinary "logo.png" 54`},
		{"a folder", "read_file", `{"path":"api"}`, "IsFolder"},
		{"a link", "read_file", `{"path":"link"}`, "IsLink \"link\" <<<target 7f3a09c1d2\n\"../outside\"\n7f3a09c1d2 target>>>"},
		{"a submodule", "read_file", `{"path":"vendored"}`, "IsSubmodule"},
		{"a file that is too large", "read_file", `{"path":"huge.txt"}`, "TooLarge"},
		{"no file", "read_file", `{"path":"gone.go"}`, "NoSuchPath"},
		{"no path", "read_file", `{}`, "BadArguments read_file Required path"},
		{"an odd name", "read_file", `{"path":"odd <s>\t\"n"}`, "BadArguments read_file BadPath path"},
		{"some lines", "read_file_lines", `{"path":"a.go","start":3,"end":9}`, data(`read_file_lines "a.go"`, "     3\tfunc A(q string) { run(q) }\n")},
		{"lines beyond the end", "read_file_lines", `{"path":"a.go","start":4,"end":9}`, `LinesBeyond "a.go" 3`},
		{"lines the wrong way", "read_file_lines", `{"path":"a.go","start":3,"end":1}`, "BadArguments read_file_lines Order"},
		{"a line that is no number", "read_file_lines", `{"path":"a.go","start":"1","end":2.0}`, "BadArguments read_file_lines NotLine start; NotLine end"},
		{"a folder's list", "list_files", `{"path":"api"}`, data(`list_files "api"`, "\"api/q.go\"\n\"api/v1/\"\n")},
		{"a file's list", "list_files", `{"path":"a.go"}`, "IsFile"},
		{"a search", "search_text", `{"pattern":"esc.pe","path":"."}`, data(`search_text "."`, "\"api/q.go\"\n     3\tvar q = escape(in)\nSearchSkipped 2\n")},
		{"a search in a file", "search_text", `{"pattern":"^package","path":"a.go"}`, data(`search_text "a.go"`, "\"a.go\"\n     1\tpackage a\n")},
		{"a search for nothing", "search_text", `{"pattern":"nowhere","path":"api"}`, data(`search_text "api"`, "NothingFound\n")},
		{"a pattern that is none", "search_text", `{"pattern":"(","path":"."}`, "BadArguments search_text Pattern pattern"},
		{"a log", "git_log", `{"path":"a.go","count":5}`, data(`git_log "a.go"`, "c0ffee2  2026-11-02  Ada  Escape q in a.go\nc0ffee1  2026-11-01  Bob Eve  Add q\n")},
		{"a log of one", "git_log", `{"path":".","count":1}`, data(`git_log "."`, "c0ffee2  2026-11-02  Ada  Escape q in .\n")},
		{"a log of nothing", "git_log", `{"path":"new.go","count":1}`, data(`git_log "new.go"`, "NothingFound\n")},
		{"an old file", "git_show", `{"rev":"c0ffee1","path":"a.go"}`, data(`git_show "a.go"`, "     1\told first\n     2\told second of a.go\n")},
		{"a revision that cannot be read", "git_show", `{"rev":"--all","path":"a.go"}`, "BadRevision"},
		{"an old folder", "git_show", `{"rev":"c0ffee1","path":"api"}`, "IsFolder"},
		{"an old link", "git_show", `{"rev":"c0ffee1","path":"link"}`, "IsLink \"link\" <<<target 7f3a09c1d2\n\"../outside\"\n7f3a09c1d2 target>>>"},
		{"an old submodule", "git_show", `{"rev":"c0ffee1","path":"vendored"}`, "IsSubmodule"},
		{"an old file that was not there", "git_show", `{"rev":"c0ffee1","path":"gone.go"}`, "NoSuchPath"},
		{"the difference", "read_diff", `{}`, data(`read_diff`, "\"api/q.go\"\n@@ -2,2 +2,2 @@\n     2  \n     3 -var q = in\n     3 +var q = escape(in)\n")},
		{"a file's difference", "read_diff", `{"path":"api/q.go"}`, data(`read_diff "api/q.go"`, "\"api/q.go\"\n@@ -2,2 +2,2 @@\n     2  \n     3 -var q = in\n     3 +var q = escape(in)\n")},
		{"no difference", "read_diff", `{"path":"a.go"}`, "Unchanged"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if diff := cmp.Diff(c.want, answerTo(t, ask(subject(5, all()...)), c.tool, c.args)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestArgumentsMayBeLeftOutAltogetherWhereNoneIsNeeded(t *testing.T) {
	result, _ := talk(t, ask(subject(5, all()...)), `{"calls":[{"tool":"read_diff","raw":""}]}`, pass)
	if !strings.Contains(result.Transcript[3].Content, "escape(in)") {
		t.Error(result.Transcript[3].Content)
	}
}

func TestPathsThatLeaveTheTreeAreRefused(t *testing.T) {
	for _, p := range []string{
		"/etc/passwd", "../x", "api/../../x", "api/..", ".git/config", "api/.GIT/config", "-rf", "./-rf", `a\\b`, `a\u0000b`, `a\nb`,
	} {
		for _, tool := range []string{"read_file", "list_files", "read_diff"} {
			if got := answerTo(t, ask(subject(5, all()...)), tool, `{"path":"`+p+`"}`); !strings.HasPrefix(got, "BadArguments") {
				t.Errorf("%s %s: %s", tool, p, got)
			}
		}
	}
}

func TestAToolReadsOnlyWhereItIsGranted(t *testing.T) {
	var scoped []plan.Grant
	for _, name := range readTools {
		scoped = append(scoped, plan.Grant{Tool: name, In: []string{"api/v1/**", "{x}/*"}})
	}
	for _, c := range []struct{ name, tool, args, want string }{
		{"inside", "read_file", `{"path":"api/v1/r.go"}`, "package v1"},
		{"braces are no alternatives", "read_file", `{"path":"{x}/a.go"}`, "package x"},
		{"outside", "read_file", `{"path":"api/q.go"}`, "OutsideScope"},
		{"outside, and not there", "read_file", `{"path":"gone.go"}`, "OutsideScope"},
		{"lines outside", "read_file_lines", `{"path":"a.go","start":1,"end":1}`, "OutsideScope"},
		{"a list shows what is inside", "list_files", `{"path":"api"}`, data(`list_files "api"`, "\"api/v1/\"\n")},
		{"a list of the outside", "list_files", `{"path":"."}`, data(`list_files "."`, "\"api/\"\n\"{x}/\"\n")},
		{"a search finds what is inside", "search_text", `{"pattern":"package","path":"api"}`, data(`search_text "api"`, "\"api/v1/r.go\"\n     1\tpackage v1\n")},
		{"a list of a file outside", "list_files", `{"path":"api/q.go"}`, "OutsideScope"},
		{"a list of what is not there, outside", "list_files", `{"path":"gone.go"}`, "OutsideScope"},
		{"a list of a link outside", "list_files", `{"path":"link"}`, "OutsideScope"},
		{"a search of what is not there, outside", "search_text", `{"pattern":"x","path":"gone.go"}`, "OutsideScope"},
		{"a search of a link outside", "search_text", `{"pattern":"x","path":"link"}`, "OutsideScope"},
		{"a search outside", "search_text", `{"pattern":"package","path":"a.go"}`, "OutsideScope"},
		{"a log inside", "git_log", `{"path":"api/v1","count":1}`, "c0ffee2"},
		{"a log outside", "git_log", `{"path":".","count":1}`, "OutsideScope"},
		{"an old file outside", "git_show", `{"rev":"c0ffee1","path":"a.go"}`, "OutsideScope"},
		{"a difference outside", "read_diff", `{"path":"api/q.go"}`, "OutsideScope"},
		{"all differences inside", "read_diff", `{}`, data("read_diff", "NothingFound\n")},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := answerTo(t, ask(subject(5, scoped...)), c.tool, c.args); !strings.Contains(got, c.want) {
				t.Errorf("%q, want %q", got, c.want)
			}
		})
	}
	result, _ := talk(t, ask(subject(5, scoped...)), pass)
	if strings.Contains(result.Transcript[1].Content, "escape(in)") {
		t.Error("the first message shows a difference that is not granted")
	}
}

func TestTwoGrantsOfOneToolAddUp(t *testing.T) {
	j := subject(5, plan.Grant{Tool: "read_file", In: []string{"api/**"}}, plan.Grant{Tool: "read_file", In: []string{"a.go"}})
	j.Tools = j.Tools[:1]
	for _, p := range []string{"a.go", "api/q.go"} {
		if got := answerTo(t, ask(j), "read_file", `{"path":"`+p+`"}`); !strings.Contains(got, "package") {
			t.Errorf("%s: %s", p, got)
		}
	}
}

func TestReadsAreBoundedAndEveryCutIsSaid(t *testing.T) {
	long := strings.Repeat("x", 2000)
	f := files()
	f["long.txt"] = long + strings.Repeat("é", 7) + "\nshort\n"
	f["big.txt"] = strings.Repeat(strings.Repeat("y", 99)+"\n", 1000)
	for i := range 8 {
		f[fmt.Sprintf("big%d.txt", i)] = f["big.txt"]
	}
	r := ask(subject(20, all()...))
	r.Tree = f

	if got, want := answerTo(t, r, "read_file", `{"path":"long.txt"}`), "     1\t"+long+"CutLine 7\n     2\tshort\n"; !strings.Contains(got, want) {
		t.Errorf("a long line: %q", got)
	}
	got := answerTo(t, r, "read_file", `{"path":"big.txt"}`)
	if len(got) > 64<<10+200 || !strings.Contains(got, "CutReply "+fmt.Sprint(1000*107-(64<<10)/107*107)) {
		t.Errorf("a long file: %d bytes, ending in %q", len(got), got[len(got)-80:])
	}

	f["ragged.txt"] = f["big.txt"] + "z\n"
	if got := answerTo(t, r, "read_file", `{"path":"ragged.txt"}`); strings.Contains(got, "\tz\n") {
		t.Error("a line is shown behind one that was left out")
	}

	var replies []string
	for i := range 8 {
		replies = append(replies, fmt.Sprintf(`{"call":"read_file","args":{"path":"big%d.txt"}}`, i))
	}
	result, _ := talk(t, r, append(replies, pass)...)
	total := 0
	for _, m := range result.Transcript {
		if m.Role == endpoint.ToolRole {
			total += len(m.Content)
		}
	}
	if total > 400<<10+2000 {
		t.Errorf("the judge was shown %d bytes", total)
	}
	if told := lastAnswers(result); !strings.HasPrefix(told, "ReadingSpent") {
		t.Errorf("told %q", told)
	}
	if len(result.Examined) != 7 {
		t.Errorf("examined %v", result.Examined)
	}
}

func TestWhatWasExaminedTravelsOnVerdictsAndErrors(t *testing.T) {
	want := []verdict.Examined{
		{Tool: "read_file", Path: "a.go", Turn: 1},
		{Tool: "search_text", Path: "api", Turn: 2},
		{Tool: "read_diff", Path: "", Turn: 2},
	}
	reads := []string{readA, `{"calls":[{"tool":"search_text","args":{"pattern":"x","path":"api"}},{"tool":"read_diff","args":{}},{"tool":"read_file","args":{"path":"gone.go"}}]}`}
	for _, end := range [][]string{{pass}, {prose, prose}} {
		result, _ := talk(t, ask(subject(9, all()...)), append(reads, end...)...)
		if diff := cmp.Diff(want, result.Examined); diff != "" {
			t.Error(diff)
		}
	}
}
