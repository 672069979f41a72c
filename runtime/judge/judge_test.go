package judge_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io/fs"
	"maps"
	"path"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/snodo-lang/snodo/compiler/plan"
	"github.com/snodo-lang/snodo/internal/testendpoint"
	"github.com/snodo-lang/snodo/runtime/endpoint"
	"github.com/snodo-lang/snodo/runtime/judge"
)

// words is a wording in which every sentence begins with its own name.
func words() *plan.JudgeWording {
	w := &plan.JudgeWording{}
	var name func(reflect.Value)
	name = func(v reflect.Value) {
		for i := range v.NumField() {
			if v.Field(i).Kind() == reflect.Struct {
				name(v.Field(i))
				continue
			}
			v.Field(i).SetString(v.Type().Field(i).Name)
		}
	}
	name(reflect.ValueOf(w).Elem())
	w.ReceiptLine = "receipt: {half}"
	w.MarkerOpen, w.MarkerClose = "<<<{what} {token}", "{token} {what}>>>"
	w.EvidenceHeading = "EvidenceHeading {evidence} {args} {source}"
	w.Invalid = "Invalid\n{reasons}"
	w.Repeated = "Repeated {turn}"
	w.CutReply, w.CutLine, w.EvidenceCut = "CutReply {bytes}", "CutLine {characters}", "EvidenceCut {bytes}"
	w.DiffOmitted, w.DiffFileOmitted = "DiffOmitted {files} {bytes}", "DiffFileOmitted {path} {bytes}"
	w.ChangesOmitted, w.SearchSkipped = "ChangesOmitted {files}", "SearchSkipped {files}"
	w.IsBinary, w.IsLink = "IsBinary {path} {bytes}", "IsLink {path} {target}"
	w.LinesBeyond = "LinesBeyond {path} {lines}"
	w.ReasonJSON, w.BadArguments, w.ReasonArgs = "ReasonJSON {error}", "BadArguments {tool} {reason}", "ReasonArgs {evidence} {reason}"
	a := &w.Arguments
	for _, s := range []*string{&a.Unknown, &a.Repeated, &a.Required, &a.NotText, &a.NotLine, &a.NotList, &a.NotTable,
		&a.Blank, &a.Long, &a.Control, &a.BadName, &a.BadPath, &a.NoPath, &a.OneOf, &a.Pattern} {
		*s += " {name}"
	}
	return w
}

// A tree is a judge.Tree in memory: contents by path. A content that begins
// with "-> " is a link, and one that is "submodule" is one.
type tree map[string]string

func (t tree) entry(p string) judge.Entry {
	if target, ok := strings.CutPrefix(t[p], "-> "); ok {
		return judge.Entry{Path: p, Kind: judge.Link, Target: target}
	}
	if t[p] == "submodule" {
		return judge.Entry{Path: p, Kind: judge.Submodule}
	}
	return judge.Entry{Path: p, Kind: judge.File, Size: int64(len(t[p]))}
}

func (t tree) Entry(_ context.Context, p string) (judge.Entry, error) {
	if strings.HasPrefix(p, "broken") {
		return judge.Entry{}, fmt.Errorf("object is damaged")
	}
	if p == "panic" {
		panic("the tree fell over")
	}
	if _, ok := t[p]; ok {
		return t.entry(p), nil
	}
	if below, _ := t.Walk(context.Background(), p); len(below) > 0 || p == "." {
		return judge.Entry{Path: p, Kind: judge.Folder}, nil
	}
	return judge.Entry{}, fs.ErrNotExist
}

func (t tree) Walk(_ context.Context, folder string) ([]judge.Entry, error) {
	var out []judge.Entry
	for _, p := range slices.Sorted(maps.Keys(t)) {
		if folder == "." || strings.HasPrefix(p, folder+"/") {
			out = append(out, t.entry(p))
		}
	}
	return out, nil
}

func (t tree) Read(_ context.Context, p string) ([]byte, error) {
	if p == "huge.txt" {
		return nil, judge.ErrTooLarge
	}
	return []byte(t[p]), nil
}

func (t tree) Log(_ context.Context, p string, count int) ([]judge.Commit, error) {
	if p == "new.go" {
		return nil, nil
	}
	all := []judge.Commit{{"c0ffee2", "2026-11-02", "Ada", "Escape q in " + p}, {"c0ffee1", "2026-11-01", "Bob\nEve", "Add\nq"}}
	return all[:min(count, 2)], nil
}

func (t tree) Show(ctx context.Context, rev, p string) (judge.Entry, []byte, error) {
	if rev != "c0ffee1" {
		return judge.Entry{}, nil, judge.ErrRevision
	}
	e, err := t.Entry(ctx, p)
	return e, []byte("old first\nold second of " + path.Base(p) + "\n"), err
}

func files() tree {
	return tree{
		"a.go":         "package a\n\nfunc A(q string) { run(q) }\n",
		"b.go":         "package b\r\nvar B = 1\r\n",
		"c.go":         "package c\n",
		"d.go":         "package d\n",
		"new.go":       "package new\n",
		"api/q.go":     "package api\n\nvar q = escape(in)\n",
		"api/v1/r.go":  "package v1\n",
		"empty.txt":    "",
		"huge.txt":     "x",
		"logo.png":     strings.Repeat("\x89PNG\x00\x01", 9),
		"link":         "-> ../outside",
		"vendored":     "submodule",
		"odd <s>\t\"n": "x\n",
		"{x}/a.go":     "package x\n",
	}
}

var readTools = plan.ReadTools

// subject is a judge with two criteria and the given budget and grants.
func subject(turns int, grants ...plan.Grant) *plan.Judge {
	j := &plan.Judge{
		Kind: plan.KindJudge, Phase: plan.PostExecute,
		Returns:       []plan.Verdict{plan.Pass, plan.Unclear, plan.Blocker},
		Criteria:      []plan.Criterion{{Name: "safe", Text: "Nothing unsafe."}, {Name: "tidy", Text: "Nothing untidy."}},
		Grants:        grants,
		Requests:      []string{"test-run", "human-read", "setting", "answer"},
		Budget:        plan.Budget{Turns: turns, Tokens: 1000, TimeoutMS: 300_000},
		Prompt:        "You judge safe and tidy.\n",
		SubmitVerdict: plan.Tool{Name: plan.SubmitVerdict, Description: "Decides.", Parameters: json.RawMessage(submitSchema)},
	}
	for _, g := range grants {
		j.Tools = append(j.Tools, plan.Tool{Name: g.Tool, Description: "Reads.", Parameters: json.RawMessage(readSchemas[g.Tool])})
	}
	return j
}

// Schemas in canonical form: members sorted by name.
const submitSchema = `{"properties":{"findings":{"items":{"properties":{"because":{"type":"string"},"criterion":{"enum":["safe","tidy"],"type":"string"},` +
	`"missing":{"items":{"properties":{"args":{"type":"object"},"evidence":{"type":"string"}},"required":["evidence","args"],"type":"object"},"type":"array"},` +
	`"quotes":{"items":{"properties":{"line":{"type":"integer"},"path":{"type":"string"},"text":{"type":"string"}},"required":["path","line","text"],"type":"object"},"type":"array"},` +
	`"verdict":{"enum":["pass","unclear","blocker"],"type":"string"}},"required":["criterion","quotes","because","verdict"],"type":"object"},"type":"array"},` +
	`"receipt":{"type":"string"}},"required":["findings","receipt"],"type":"object"}`

var readSchemas = map[string]string{
	"read_file":       `{"properties":{"path":{"type":"string"}},"required":["path"],"type":"object"}`,
	"read_file_lines": `{"properties":{"end":{"type":"integer"},"path":{"type":"string"},"start":{"type":"integer"}},"required":["path","start","end"],"type":"object"}`,
	"list_files":      `{"properties":{"path":{"type":"string"}},"required":["path"],"type":"object"}`,
	"search_text":     `{"properties":{"path":{"type":"string"},"pattern":{"type":"string"}},"required":["pattern","path"],"type":"object"}`,
	"git_log":         `{"properties":{"count":{"type":"integer"},"path":{"type":"string"}},"required":["path","count"],"type":"object"}`,
	"git_show":        `{"properties":{"path":{"type":"string"},"rev":{"type":"string"}},"required":["rev","path"],"type":"object"}`,
	"read_diff":       `{"properties":{"path":{"type":"string"}},"type":"object"}`,
}

// all grants every read tool everywhere.
func all() []plan.Grant {
	var out []plan.Grant
	for _, name := range readTools {
		out = append(out, plan.Grant{Tool: name})
	}
	return out
}

func kinds() map[string]plan.Evidence {
	return map[string]plan.Evidence{
		"test-run":   {Request: "Run {target}.", Params: []plan.Param{{Name: "target", Type: plan.TypeName}}},
		"human-read": {Request: "Read {file}:{at}.", Params: []plan.Param{{Name: "file", Type: plan.TypePath}, {Name: "at", Type: plan.TypeLine}}},
		"setting":    {Request: "Set {which}.", Params: []plan.Param{{Name: "which", Type: plan.TypeOneOf, Of: []string{"ci", "staging"}}}},
		"answer":     {Request: "Say {what}.", Params: []plan.Param{{Name: "what", Type: plan.TypeText}}},
		"other":      {Request: "Not for this judge."},
	}
}

const token = "7f3a09c1d2"

// ask is a request for a judge with everything but a Chat.
func ask(j *plan.Judge) judge.Request {
	return judge.Request{
		Name: "security", Judge: j, Wording: words(), Evidence: kinds(), Model: "tiny",
		Task: "Escape q.", Stage: "mode producer", Token: token, Receipt: judge.Receipt{First: "ab12", Second: "cd34"},
		Changes: []judge.Change{{Path: "api/q.go", Added: 1, Removed: 1}},
		Diff: []judge.FileDiff{{Path: "api/q.go", Text: "diff --git a/api/q.go b/api/q.go\nindex c0ffee1..c0ffee2 100644\n--- a/api/q.go\n+++ b/api/q.go\n" +
			"@@ -2,2 +2,2 @@ package api\n \n-var q = in\n+var q = escape(in)\n"}},
		Tree: files(),
	}
}

// talk lets a request speak with a server that plays replies, given as JSON,
// and holds the conversation against every invariant.
func talk(t *testing.T, r judge.Request, replies ...string) (judge.Result, *testendpoint.Server) {
	t.Helper()
	return talkRefusing(t, r, nil, replies...)
}

func client(t *testing.T, s *testendpoint.Server) *endpoint.Client {
	t.Helper()
	c, err := endpoint.New(endpoint.Config{
		BaseURL: s.URL, Key: s.Key,
		Sleep: func(ctx context.Context, _ time.Duration) error { return ctx.Err() },
	})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// became is a result in a word.
func became(r judge.Result) string {
	if r.Error != nil {
		return string(r.Error.Class)
	}
	return string(*r.Verdict)
}

// lastAnswers are the messages behind the model's last but one reply, in one
// text: what it was told before it replied for the last time.
func lastAnswers(r judge.Result) string {
	var out []string
	for _, m := range slices.Backward(r.Transcript) {
		if m.Role == endpoint.Assistant {
			if len(out) > 0 {
				break
			}
			continue
		}
		out = append([]string{m.Content}, out...)
	}
	return strings.Join(out, "\n")
}

// talkRefusing is talk with an endpoint that refuses parameters.
func talkRefusing(t *testing.T, r judge.Request, refuses []string, replies ...string) (judge.Result, *testendpoint.Server) {
	t.Helper()
	scripts, err := testendpoint.LoadScripts(strings.NewReader(`[{"judge":"safe and tidy","replies":[` + strings.Join(replies, ",") + `]}]`))
	if err != nil {
		t.Fatal(err)
	}
	scripts[0].Refuses = refuses
	s := testendpoint.Start(t, scripts...)
	r.Chat = client(t, s)
	result := judge.Run(t.Context(), r)
	hold(t, held{r, s.Requests(), result})
	return result, s
}
