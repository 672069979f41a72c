package coder

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/snodo-lang/snodo/compiler/plan"
	"github.com/snodo-lang/snodo/runtime/endpoint"
	"github.com/snodo-lang/snodo/runtime/judge"
)

// words is a wording in which every sentence is its own name and the values
// that are put into it.
func words() *plan.Wording {
	var w plan.Wording
	for _, part := range []any{&w.Judge, &w.Judge.Arguments, &w.Coder.Model} {
		v := reflect.ValueOf(part).Elem()
		for i := range v.NumField() {
			if v.Field(i).Kind() == reflect.String {
				v.Field(i).SetString(v.Type().Field(i).Name)
			}
		}
	}
	for sentence, values := range map[*string]string{
		&w.Judge.BadArguments: "{tool}: {reason}", &w.Judge.OutsideScope: "{path}, not in {globs}",
		&w.Judge.Arguments.Unknown: "{name}", &w.Judge.Arguments.Required: "{name}", &w.Judge.Arguments.NotText: "{name}", &w.Judge.Arguments.Repeated: "{name}",
		&w.Coder.Model.Written: "{path} {bytes}", &w.Coder.Model.Deleted: "{path}", &w.Coder.Model.UndeclaredTool: "{tool}, not {tools}",
		&w.Coder.Model.BadArguments: "{tool}: {reason}", &w.Coder.Model.NoSuchPath: "{path}", &w.Coder.Model.BadPath: "{path}",
		&w.Coder.Model.Protected: "{path}", &w.Coder.Model.OutsideScope: "{tool} {path}, in {globs}", &w.Coder.Model.IsFolder: "{path}",
		&w.Coder.Model.IsLink: "{path}", &w.Coder.Model.Special: "{path}", &w.Coder.Model.InTheWay: "{path} below {blocking}", &w.Coder.Model.NotText: "{path}",
		&w.Coder.Model.Large: "{path} {bytes}", &w.Coder.Model.Spent: "{bytes}", &w.Coder.Model.CannotWrite: "{path}: {error}", &w.Coder.Model.EditNone: "{path}",
		&w.Coder.Model.EditLines: "{path}", &w.Coder.Model.EditMany: "{path} {times}", &w.Coder.Model.TooManyCalls: "{calls}", &w.Coder.Model.ReplyFull: "{bytes}",
		&w.Coder.Model.CheckPassed: "{check}", &w.Coder.Model.CheckFailed: "{check}", &w.Coder.Model.CheckBroken: "{check}", &w.Coder.Model.NoCheck: "{check}, not {checks}",
		&w.Coder.Model.WorkTooLarge: "{error}",
	} {
		*sentence += " " + values
	}
	w.Judge.MarkerOpen, w.Judge.MarkerClose = "<{what} {token}", "{token} {what}>"
	return &w
}

// given is a request for a coder in a folder with some files, which is granted
// everything. A name that ends in @ is a link, one in ! an executable file.
func given(t testing.TB, files map[string]string) *Request {
	t.Helper()
	dir := t.TempDir()
	for name, content := range files {
		mode := fs.FileMode(0o644)
		link := strings.HasSuffix(name, "@")
		if strings.HasSuffix(name, "!") {
			mode = 0o755
		}
		path := filepath.Join(dir, strings.TrimRight(name, "@!"))
		must(t, os.MkdirAll(filepath.Dir(path), 0o755))
		if link {
			must(t, os.Symlink(content, path))
			continue
		}
		must(t, os.WriteFile(path, []byte(content), mode))
	}
	must(t, os.MkdirAll(filepath.Join(dir, ".git"), 0o755))
	r := &Request{
		Name: "gpt", Coder: plan.Coder{Kind: plan.CoderModel, Model: "m", Turns: 4, Tokens: 100, Prompt: "PROMPT\n", TimeoutMS: 60_000},
		Checks: []string{"tests"}, Wording: words(), Brief: "BRIEF", Dir: dir, Work: &dirWork{dir: dir}, Token: "0f0f",
		Protected: func(p string) (bool, error) { return strings.HasPrefix(p, "guarded"), nil },
		Redact:    func(s string) string { return strings.ReplaceAll(s, "sk-secret", "[redacted]") },
		Replied:   func(int) error { return nil }, Now: func() time.Time { return time.Unix(0, 0) },
	}
	for _, name := range slices.Concat(plan.ReadTools, plan.WriteTools, []string{plan.RunCheck}) {
		r.Grants = append(r.Grants, plan.Grant{Tool: name})
		r.Tools = append(r.Tools, plan.Tool{Name: name, Description: "D", Parameters: plan.JSONSchema(`{"type":"object"}`)})
	}
	return r
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// standingIn lists what stands in a folder but for .git: content by name, with
// the marks of given.
func standingIn(t testing.TB, dir string) map[string]string {
	t.Helper()
	out := map[string]string{}
	must(t, filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name, err := filepath.Rel(dir, path)
		switch {
		case err != nil || name == ".":
			return err
		case name == ".git":
			return fs.SkipDir
		case d.IsDir():
			out[name+"/"] = ""
			return nil
		case d.Type()&fs.ModeSymlink != 0:
			out[name+"@"], err = os.Readlink(path)
			return err
		}
		content, err := os.ReadFile(path)
		if info, statErr := d.Info(); statErr == nil && info.Mode()&0o111 != 0 {
			name += "!"
		}
		out[name] = string(content)
		return err
	}))
	return out
}

// A dirWork shows a folder as it is, and counts how often it was taken.
type dirWork struct {
	dir    string
	taken  int
	err    error
	judged Checked
}

func (w *dirWork) Take(context.Context) (State, error) {
	w.taken++
	return dirState{w}, w.err
}

type dirState struct{ *dirWork }

func (s dirState) Entry(_ context.Context, path string) (judge.Entry, error) {
	info, err := os.Lstat(filepath.Join(s.dir, path))
	if err != nil {
		return judge.Entry{}, err
	}
	if info.IsDir() {
		return judge.Entry{Path: path, Kind: judge.Folder}, nil
	}
	return judge.Entry{Path: path, Kind: judge.File, Size: info.Size()}, nil
}

func (s dirState) Walk(context.Context, string) ([]judge.Entry, error) { return nil, nil }

func (s dirState) Read(_ context.Context, path string) ([]byte, error) {
	return os.ReadFile(filepath.Join(s.dir, path))
}

func (s dirState) Log(context.Context, string, int) ([]judge.Commit, error) { return nil, nil }

func (s dirState) Show(context.Context, string, string) (judge.Entry, []byte, error) {
	return judge.Entry{}, nil, judge.ErrRevision
}

func (s dirState) Diff(context.Context) ([]judge.FileDiff, error) {
	return []judge.FileDiff{{Path: "a", Text: "@@ -1 +1 @@\n-a\n+b\n"}}, nil
}

func (s dirState) Check(_ context.Context, name string) (Checked, error) { return s.judged, nil }

// A script answers turn after turn, and keeps what it was asked.
type script struct {
	replies []endpoint.Reply
	errs    map[int]error // by turn, from 1
	asked   []endpoint.Request
}

func (s *script) Chat(_ context.Context, q endpoint.Request) (endpoint.Reply, error) {
	s.asked = append(s.asked, q)
	n := len(s.asked)
	if err := s.errs[n]; err != nil {
		return endpoint.Reply{}, err
	}
	if n > len(s.replies) {
		return endpoint.Reply{}, errors.New("the script is used up")
	}
	return s.replies[n-1], nil
}

// says is a reply that calls nothing.
func says(text string) endpoint.Reply {
	return endpoint.Reply{Message: endpoint.Message{Content: text}, Finish: "stop"}
}

// calls is a reply with calls, each the name of a tool and its arguments.
func calls(all ...string) endpoint.Reply {
	var m endpoint.Message
	for i := 0; i < len(all); i += 2 {
		m.Calls = append(m.Calls, endpoint.Call{ID: fmt.Sprint("c", i/2), Name: all[i], Arguments: all[i+1]})
	}
	return endpoint.Reply{Message: m, Finish: "tool_calls"}
}

// args writes arguments: names and values by turns.
func args(pairs ...string) string {
	members := map[string]string{}
	for i := 0; i < len(pairs); i += 2 {
		members[pairs[i]] = pairs[i+1]
	}
	out, err := json.Marshal(members)
	if err != nil {
		panic(err)
	}
	return string(out)
}
