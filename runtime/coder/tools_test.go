package coder

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/snodo-lang/snodo/compiler/plan"
	"github.com/snodo-lang/snodo/runtime/endpoint"
)

// use carries out one call in a fresh conversation.
func use(t testing.TB, r *Request, tool, arguments string) string {
	t.Helper()
	root, err := os.OpenRoot(r.Dir)
	must(t, err)
	defer root.Close()
	answer, err := newTools(r, root).call(t.Context(), 0, endpoint.Call{Name: tool, Arguments: arguments})
	must(t, err)
	return answer
}

func TestATool(t *testing.T) {
	files := map[string]string{
		"a": "one\ntwo\none\n", "x!": "run", "d/e/f": "deep", "crlf": "a\r\nb\r\n", "bin": "\xff\xfe", "aaa": "aaa", "large": strings.Repeat("x", maxFile-1) + "yx",
		"inside@": "d", "outside@": "/etc", "file@": "a", "gone@": "nowhere",
	}
	for _, tc := range []struct {
		name, tool, args, want string
		changed                map[string]string // "-" where it is gone
	}{
		{"writes a new file", writeFile, args("path", "n/m/o", "content", "new"), `Written "n/m/o" 3`, map[string]string{"n/": "", "n/m/": "", "n/m/o": "new"}},
		{"writes over a file", writeFile, args("path", "./d//e/f", "content", ""), `Written "d/e/f" 0`, map[string]string{"d/e/f": ""}},
		{"keeps a file executable", writeFile, args("path", "x", "content", "y"), `Written "x" 1`, map[string]string{"x!": "y"}},
		{"edits what occurs once", editFile, args("path", "a", "old", "two\n", "new", "2\n"), `Written "a" 10`, map[string]string{"a": "one\n2\none\n"}},
		{"edits and keeps a file executable", editFile, args("path", "x", "old", "r", "new", ""), `Written "x" 2`, map[string]string{"x!": "un"}},
		{"edits lines that end in CR LF", editFile, args("path", "crlf", "old", "a\r\nb", "new", "c"), `Written "crlf" 3`, map[string]string{"crlf": "c\r\n"}},
		{"deletes a file and the folders that it leaves empty", deleteFile, args("path", "d/e/f"), `Deleted "d/e/f"`, map[string]string{"d/e/f": "-", "d/e/": "-", "d/": "-"}},
		{"deletes a link and not what it points to", deleteFile, args("path", "file"), `Deleted "file"`, map[string]string{"file@": "-"}},

		{"edits nothing that occurs twice", editFile, args("path", "a", "old", "one", "new", "1"), `EditMany "a" 2`, nil},
		{"counts what overlaps itself", editFile, args("path", "aaa", "old", "aa", "new", ""), `EditMany "aaa" 2`, nil},
		{"edits nothing that does not occur", editFile, args("path", "a", "old", "three", "new", ""), `EditNone "a"`, nil},
		{"edits nothing where old is empty", editFile, args("path", "a", "old", "", "new", "x"), `EditNone "a"`, nil},
		{"says that lines end otherwise", editFile, args("path", "crlf", "old", "a\nb", "new", ""), `EditLines "crlf"`, nil},
		{"edits nothing into itself", editFile, args("path", "a", "old", "two", "new", "two"), `EditSame`, nil},
		{"edits no binary file", editFile, args("path", "bin", "old", "a", "new", ""), `NotText "bin"`, nil},
		{"edits no file that is not there", editFile, args("path", "b", "old", "a", "new", ""), `NoSuchPath "b"`, nil},
		{"deletes no file that is not there", deleteFile, args("path", "b"), `NoSuchPath "b"`, nil},
		{"deletes no folder", deleteFile, args("path", "d"), `IsFolder "d"`, nil},
		{"writes over no folder", writeFile, args("path", "d/e", "content", ""), `IsFolder "d/e"`, nil},
		{"writes over no root", writeFile, args("path", "d/..", "content", ""), `BadPath "d/.."`, nil},
		{"writes over no root by its name", writeFile, args("path", ".", "content", ""), `IsFolder "."`, nil},
		{"writes below no file", writeFile, args("path", "a/b/c", "content", ""), `InTheWay "a/b/c" below "a"`, nil},
		{"writes over no link", writeFile, args("path", "file", "content", ""), `IsLink "file"`, nil},
		{"writes over no link that leads nowhere", writeFile, args("path", "gone", "content", ""), `IsLink "gone"`, nil},
		{"edits through no link", editFile, args("path", "file", "old", "two", "new", ""), `IsLink "file"`, nil},
		{"looks through no link", editFile, args("path", "file", "old", "absent", "new", ""), `IsLink "file"`, nil},
		{"follows no link inside", writeFile, args("path", "inside/e/f", "content", ""), `IsLink "inside"`, nil},
		{"follows no link outside", writeFile, args("path", "outside/passwd", "content", ""), `IsLink "outside"`, nil},
		{"deletes through no link", deleteFile, args("path", "outside/passwd"), `IsLink "outside"`, nil},

		{"takes no path out of the folder", writeFile, args("path", "../a", "content", ""), `BadPath "../a"`, nil},
		{"takes no absolute path", writeFile, args("path", "/tmp/a", "content", ""), `BadPath "/tmp/a"`, nil},
		{"takes no path of git", writeFile, args("path", "d/.GIT/config", "content", ""), `BadPath "d/.GIT/config"`, nil},
		{"takes no path that is git's on another system", writeFile, args("path", "git~1/config", "content", ""), `BadPath "git~1/config"`, nil},
		{"takes no path that loses its end elsewhere", writeFile, args("path", "d/.git. /config", "content", ""), `BadPath "d/.git. /config"`, nil},
		{"takes no stream of git's", writeFile, args("path", ".git::$INDEX_ALLOCATION/config", "content", ""), `BadPath ".git::$INDEX_ALLOCATION/config"`, nil},
		{"takes no path that looks like git's", writeFile, args("path", ".g\u200cit/config", "content", ""), `BadPath ".g\u200cit/config"`, nil},
		{"takes no NUL", writeFile, args("path", "a\x00", "content", ""), `BadPath "a\u0000"`, nil},
		{"takes no path that is an option", deleteFile, args("path", "-a"), `BadPath "-a"`, nil},
		{"takes no empty path", writeFile, args("path", "", "content", ""), `BadPath ""`, nil},
		{"says what the system says", writeFile, args("path", strings.Repeat("n", 300), "content", ""), `CannotWrite "` + strings.Repeat("n", 300) + `": file name too long`, nil},
		{"leaves alone what is protected", writeFile, args("path", "guarded/x", "content", ""), `Protected "guarded/x"`, nil},
		{"writes no file that is too large", writeFile, args("path", "n", "content", strings.Repeat("x", maxFile+1)), `Large "n" 1048576`, nil},

		{"edits no file that is too large", editFile, args("path", "large", "old", "y", "new", ""), `Large "large" 1048576`, nil},
		{"makes no file that is too large", editFile, args("path", "a", "old", "two", "new", strings.Repeat("x", maxFile)), `Large "a" 1048576`, nil},

		{"takes no arguments that are none", writeFile, `{"path": "a", "cont`, "BadArguments write_file: NotJSON", nil},
		{"takes no half of its arguments", editFile, `{"path": "a", "old": 3, "more": ""}`, "BadArguments edit_file: Unknown more; NotText old; Required new", nil},
		{"takes no argument twice", deleteFile, `{"path": "b", "path": "a"}`, "BadArguments delete_file: Repeated path", nil},
		{"is one that is offered", "shell", `{"run": "id"}`, "UndeclaredTool shell, not read_file, read_file_lines, list_files, search_text, git_log, git_show, read_diff, write_file, edit_file, delete_file, run_check", nil},
		{"reads the work", "read_file", args("path", "d/e/f"), "<read_file \"d/e/f\" 0f0f\n     1\tdeep\n0f0f read_file \"d/e/f\">", nil},
		{"reads the difference", "read_diff", "", "<read_diff 0f0f\n\"a\"\n@@ -1 +1 @@\n     1 -a\n     1 +b\n0f0f read_diff>", nil},
		{"reads nothing that is not there", "read_file", args("path", "nil"), `NoSuchPath "nil"`, nil},
		{"runs no check that is not there", plan.RunCheck, args("check", "all"), "NoCheck all, not tests", nil},
	} {
		t.Run(tc.name, func(t *testing.T) {
			r := given(t, files)
			want := standingIn(t, r.Dir)
			for name, content := range tc.changed {
				want[name] = content
				if content == "-" {
					delete(want, name)
				}
			}
			if got := use(t, r, tc.tool, tc.args); got != tc.want {
				t.Errorf("answered %q, want %q", got, tc.want)
			}
			if diff := cmp.Diff(want, standingIn(t, r.Dir)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestAToolIsHeldToWhereItIsGranted(t *testing.T) {
	r := given(t, map[string]string{"docs/a": "a", "src/a": "a"})
	r.Grants = []plan.Grant{{Tool: writeFile, In: []string{"src/**"}}, {Tool: writeFile, In: []string{"docs/*.md"}}, {Tool: editFile}, {Tool: "read_file", In: []string{"src/**"}}}
	for _, tc := range []struct{ tool, args, want string }{
		{writeFile, args("path", "src/b", "content", ""), `Written "src/b" 0`},
		{writeFile, args("path", "docs/b.md", "content", ""), `Written "docs/b.md" 0`},
		{writeFile, args("path", "docs/a", "content", ""), `OutsideScope write_file "docs/a", in src/**, docs/*.md`},
		{editFile, args("path", "docs/a", "old", "a", "new", "b"), `Written "docs/a" 1`},
		{"read_file", args("path", "docs/a"), `OutsideScope "docs/a", not in src/**`},
	} {
		if got := use(t, r, tc.tool, tc.args); got != tc.want {
			t.Errorf("%s %s: answered %q, want %q", tc.tool, tc.args, got, tc.want)
		}
	}
}

// A file that prepare linked from a store must not be written into.
func TestAFileThatHasAnotherNameOutsideIsNotWrittenInto(t *testing.T) {
	r := given(t, nil)
	store := filepath.Join(t.TempDir(), "store")
	must(t, os.WriteFile(store, []byte("shared"), 0o644))
	must(t, os.Link(store, filepath.Join(r.Dir, "a")))
	use(t, r, writeFile, args("path", "a", "content", "mine"))
	use(t, r, editFile, args("path", "a", "old", "mine", "new", "still mine"))
	content, err := os.ReadFile(store)
	must(t, err)
	if string(content) != "shared" {
		t.Errorf("the store holds %q", content)
	}
}

func TestAPipeIsNeitherReadNorWritten(t *testing.T) {
	r := given(t, nil)
	must(t, syscall.Mkfifo(filepath.Join(r.Dir, "pipe"), 0o644))
	for tool, a := range map[string]string{writeFile: args("path", "pipe", "content", ""), editFile: args("path", "pipe", "old", "a", "new", ""), deleteFile: args("path", "pipe")} {
		if got := use(t, r, tool, a); got != `Special "pipe"` {
			t.Errorf("%s answered %q", tool, got)
		}
	}
}

func TestACheckInformsTheCoder(t *testing.T) {
	for _, tc := range []struct {
		name   string
		judged Checked
		want   string
	}{
		{"passed", Checked{plan.Pass, "fine"}, "CheckPassed tests"},
		{"failed", Checked{plan.Blocker, "exit 1\nsk-secret <|im_end|>"}, "CheckFailed tests\n<run_check tests 0f0f\nexit 1\n[redacted] <\\|im_end|>\n0f0f run_check tests>"},
		{"came to nothing", Checked{"", "no such command"}, "CheckBroken tests\n<run_check tests 0f0f\nno such command\n0f0f run_check tests>"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			r := given(t, nil)
			r.Work.(*dirWork).judged = tc.judged
			if got := use(t, r, plan.RunCheck, args("check", "tests")); got != tc.want {
				t.Errorf("answered %q, want %q", got, tc.want)
			}
		})
	}
}

func TestTheWorkIsTakenAgainOnlyWhenItHasChanged(t *testing.T) {
	r := given(t, map[string]string{"a": "a"})
	read, refused := args("path", "a"), args("path", "../a", "content", "")
	chat := &script{replies: []endpoint.Reply{
		calls("read_file", read, "read_file", read, plan.RunCheck, args("check", "tests"), writeFile, refused, "read_file", read),
		calls(writeFile, args("path", "a", "content", "b"), "read_file", read, "read_diff", "{}"),
		calls(deleteFile, read, "read_file", read),
		says("done"),
	}}
	r.Chat = chat
	if res := Run(t.Context(), *r); res.Failure != "" {
		t.Fatal(res.Failure)
	}
	if got := r.Work.(*dirWork).taken; got != 3 {
		t.Errorf("the work was taken %d times, want 3", got)
	}
	last := chat.asked[2].Messages
	if got := last[len(last)-2].Content; !strings.Contains(got, "1\tb\n") {
		t.Errorf("after the write it reads %q", got)
	}
}

func TestAWorkThatIsTooLargeIsSaidAndNoFailure(t *testing.T) {
	r := given(t, nil)
	r.Work.(*dirWork).err = fmt.Errorf("%w: 10000 files", ErrTooLarge)
	if got := use(t, r, "read_file", args("path", "a")); got != "WorkTooLarge too large: 10000 files" {
		t.Errorf("answered %q", got)
	}
}

func TestWhatIsWrittenInAllIsBounded(t *testing.T) {
	r := given(t, nil)
	root, err := os.OpenRoot(r.Dir)
	must(t, err)
	defer root.Close()
	tools := newTools(r, root)
	tools.written = maxWritten - 2 // as if it had written so much before
	for _, tc := range []struct{ tool, args, want string }{
		{writeFile, args("path", "a", "content", "xx"), `Written "a" 2`},
		{writeFile, args("path", "b", "content", "x"), fmt.Sprintf("Spent %d", maxWritten)},
		{editFile, args("path", "a", "old", "xx", "new", "y"), fmt.Sprintf("Spent %d", maxWritten)},
	} {
		answer, err := tools.call(t.Context(), 0, endpoint.Call{Name: tc.tool, Arguments: tc.args})
		must(t, err)
		if answer != tc.want {
			t.Errorf("%s %s: answered %q, want %q", tc.tool, tc.args, answer, tc.want)
		}
	}
}

// Whatever a model writes, nothing outside of its folder changes, nothing in
// the git directory but the unfinished file, and nothing that is protected.
func FuzzNothingIsWrittenOutside(f *testing.F) {
	for _, tool := range plan.WriteTools {
		for _, path := range []string{"a", "d/e", "../outside", "/etc/passwd", "link/secret", "in/f", "d/../../outside/secret", ".git/config", ".GIT/HEAD", "a/../.git/config",
			"git~1/config", "guarded/x", "./guarded", "a\x00b", "-rf", "link", `..\outside\secret`, "d/link/../../outside/secret", ".git", "", ".", "//a", "d/", strings.Repeat("a/", 3000)} {
			f.Add(tool, map[string]string{
				writeFile: args("path", path, "content", "x"), editFile: args("path", path, "old", "s", "new", "t"), deleteFile: args("path", path),
			}[tool])
		}
	}
	f.Add("read_file", `{"path":"link/secret"}`)
	f.Add("", "")
	f.Fuzz(func(t *testing.T, tool, arguments string) {
		outside := t.TempDir()
		must(t, os.WriteFile(filepath.Join(outside, "secret"), []byte("s"), 0o644))
		r := given(t, map[string]string{"a": "s", "d/f": "s", "guarded/x": "s", "link@": outside, "in@": "d", "d/link@": outside, "dangling@": filepath.Join(outside, "new"), ".git/config": "s", ".git/HEAD": "s"})
		use(t, r, tool, arguments)
		if diff := cmp.Diff(map[string]string{"secret": "s"}, standingIn(t, outside)); diff != "" {
			t.Fatalf("outside: %s", diff)
		}
		for _, name := range []string{".git/config", ".git/HEAD", "guarded/x"} {
			if content, err := os.ReadFile(filepath.Join(r.Dir, name)); err != nil || string(content) != "s" {
				t.Fatalf("%s holds %q: %v", name, content, err)
			}
		}
		if links, err := filepath.Glob(filepath.Join(filepath.Dir(r.Dir), "*")); err != nil || len(links) > 2 {
			t.Fatalf("beside the folder: %v, %v", links, err)
		}
	})
}
