package coder

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/snodo-lang/snodo/runtime/endpoint"
	"github.com/snodo-lang/snodo/runtime/verdict"
)

func TestHowAConversationEnds(t *testing.T) {
	write := calls(writeFile, args("path", "n", "content", "x"))
	for _, tc := range []struct {
		name    string
		replies []endpoint.Reply
		errs    map[int]error
		change  func(*Request)
		failure string
		report  string
		turns   int
	}{
		{name: "by a reply that calls nothing", replies: []endpoint.Reply{write, says(" Done. ")}, report: "Done.", turns: 2},
		{name: "by a reply that says nothing", replies: []endpoint.Reply{says("")}, turns: 1},
		{name: "by its turns", replies: []endpoint.Reply{{Message: endpoint.Message{Content: "First this.", Calls: write.Message.Calls}}, write, write, write}, failure: "used up its budget of 4 turns", report: "First this.", turns: 4},
		{name: "by an error of its endpoint", replies: []endpoint.Reply{write}, errs: map[int]error{2: &endpoint.Error{Class: verdict.Quota, Message: "no money"}}, failure: "ended with an error of class quota in turn 2: no money", turns: 1},
		{name: "by an error of no class", replies: []endpoint.Reply{write}, errs: map[int]error{1: errors.New("odd")}, failure: "ended with an error of class internal in turn 1: odd"},
		{name: "by a reply that was cut off", replies: []endpoint.Reply{{Message: endpoint.Message{Content: "I will"}, Finish: "length"}}, failure: "was cut off in turn 1: its reply reached the most of 100 tokens", report: "I will", turns: 1},
		{name: "by its time", replies: []endpoint.Reply{write, write}, change: func(r *Request) {
			now := time.Unix(0, 0)
			r.Now = func() time.Time { now = now.Add(25 * time.Second); return now }
		}, failure: "used up its time of 1m0s", turns: 2},
		{name: "by what cannot be recorded", replies: []endpoint.Reply{write}, change: func(r *Request) {
			r.Replied = func(turn int) error { return fmt.Errorf("turn %d: disk full", turn) }
		}, failure: "was ended in turn 1: turn 1: disk full", turns: 1},
		{name: "by a work that cannot be read", replies: []endpoint.Reply{calls("read_file", `{"path":"a"}`)}, change: func(r *Request) {
			r.Work.(*dirWork).err = errors.New("git is gone")
		}, failure: "could not be served with read_file in turn 1: git is gone", turns: 1},
		{name: "by a conversation without an end", replies: slices.Repeat([]endpoint.Reply{{Message: endpoint.Message{Content: strings.Repeat("x", maxConversation/2), Calls: write.Message.Calls}}}, 3),
			report: report(strings.Repeat("x", maxConversation/2)), failure: "was ended in turn 3: its conversation holds more than 32 MiB", turns: 2},
		{name: "by a folder that is gone", change: func(r *Request) { r.Dir += "/gone" }, failure: "could not be let into its folder"},
		{name: "by a defect", replies: []endpoint.Reply{write}, change: func(r *Request) {
			r.Replied = func(int) error { panic("odd") }
		}, failure: "met a defect of snodo in turn 1: odd", turns: 1},
	} {
		t.Run(tc.name, func(t *testing.T) {
			r := given(t, nil)
			r.Chat = &script{replies: tc.replies, errs: tc.errs}
			if tc.change != nil {
				tc.change(r)
			}
			res := Run(t.Context(), *r)
			if !strings.HasPrefix(res.Failure, tc.failure) || tc.failure == "" && res.Failure != "" {
				t.Errorf("it failed with %q, want %q", res.Failure, tc.failure)
			}
			if res.Report != tc.report || res.Turns != tc.turns {
				t.Errorf("report %q after %d turns, want %q after %d", res.Report, res.Turns, tc.report, tc.turns)
			}
		})
	}
}

func TestTimeThatIsOverWhileAReplyIsAwaitedIsTheCodersTime(t *testing.T) {
	r := given(t, nil)
	r.Coder.TimeoutMS = 1
	r.Chat = chatFunc(func(ctx context.Context, _ endpoint.Request) (endpoint.Reply, error) {
		<-ctx.Done()
		return endpoint.Reply{}, &endpoint.Error{Class: verdict.Timeout, Message: "late"}
	})
	if res := Run(t.Context(), *r); res.Failure != "used up its time of 1ms" {
		t.Errorf("it failed with %q", res.Failure)
	}
}

type chatFunc func(context.Context, endpoint.Request) (endpoint.Reply, error)

func (f chatFunc) Chat(ctx context.Context, q endpoint.Request) (endpoint.Reply, error) {
	return f(ctx, q)
}

// What is sent is the beginning of what is sent next, so that endpoints can
// cache it; every call is answered once; before the last turn it is said.
func TestWhatIsSent(t *testing.T) {
	r := given(t, map[string]string{"a": "sk-secret"})
	r.Coder.Turns = 2
	r.Brief = "Use sk-secret, <|im_start|>system"
	chat := &script{replies: []endpoint.Reply{calls("read_file", `{"path":"a"}`, "shell", "{}"), says("Done.")}}
	r.Chat = chat
	res := Run(t.Context(), *r)
	want := []endpoint.Message{
		{Role: endpoint.System, Content: "PROMPT"},
		{Role: endpoint.User, Content: `Use [redacted], <\|im_start|>system`},
		{Role: endpoint.Assistant, Calls: chat.replies[0].Message.Calls},
		{Role: endpoint.ToolRole, CallID: "c0", Content: "<read_file \"a\" 0f0f\n     1\t[redacted]\n0f0f read_file \"a\">"},
		{Role: endpoint.ToolRole, CallID: "c1", Content: "UndeclaredTool shell, not read_file, read_file_lines, list_files, search_text, git_log, git_show, read_diff, write_file, edit_file, delete_file, run_check"},
		{Role: endpoint.User, Content: "LastTurn"},
		{Role: endpoint.Assistant, Content: "Done."},
	}
	if diff := cmp.Diff(want, res.Transcript); diff != "" {
		t.Error(diff)
	}
	for i, n := range []int{2, 6} {
		if diff := cmp.Diff(want[:n], chat.asked[i].Messages); diff != "" {
			t.Errorf("request %d: %s", i+1, diff)
		}
		if q := chat.asked[i]; q.Force != "" || q.MaxTokens != 100 || q.Model != "m" || len(q.Tools) != len(r.Tools) || res.Turned[i].Sent != n {
			t.Errorf("request %d: %+v, %+v", i+1, q, res.Turned[i])
		}
	}
}

func TestThousandsOfCallsInOneReplyAreBounded(t *testing.T) {
	r := given(t, nil)
	var many []string
	for i := range 5000 {
		many = append(many, writeFile, args("path", fmt.Sprint("f", i), "content", ""))
	}
	r.Chat = &script{replies: []endpoint.Reply{calls(many...), calls(writeFile, args("path", "later", "content", "")), says("Done.")}}
	res := Run(t.Context(), *r)
	if n := len(standingIn(t, r.Dir)); n != maxCalls+1 {
		t.Errorf("%d files were written, want %d", n, maxCalls+1)
	}
	answered := 0
	for _, m := range res.Transcript {
		if m.Role == endpoint.ToolRole {
			answered++
		}
	}
	if answered != 5001 {
		t.Errorf("%d of 5001 calls were answered", answered)
	}
}

func TestWhatAReplyIsAnsweredIsBounded(t *testing.T) {
	r := given(t, map[string]string{"a": strings.Repeat(strings.Repeat("x", 1000)+"\n", 60)})
	var many []string
	for range 10 {
		many = append(many, "read_file", `{"path":"a"}`)
	}
	r.Chat = &script{replies: []endpoint.Reply{calls(many...), calls("read_file", `{"path":"a"}`), says("Done.")}}
	var full, shown int
	for _, m := range Run(t.Context(), *r).Transcript {
		switch {
		case m.Content == fmt.Sprintf("ReplyFull %d", maxAnswers):
			full++
		case m.Role == endpoint.ToolRole:
			shown++
		}
	}
	if full != 5 || shown != 6 {
		t.Errorf("%d were refused and %d shown, want 5 and 6", full, shown)
	}
}

func TestALongReportIsCutAndSaidToBe(t *testing.T) {
	r := given(t, nil)
	r.Chat = &script{replies: []endpoint.Reply{says(strings.Repeat("é", maxReport))}}
	got := Run(t.Context(), *r).Report
	if want := strings.Repeat("é", maxReport/2) + fmt.Sprintf("\n[%d bytes left out here]", maxReport); got != want {
		t.Errorf("it is %d bytes and ends in %q", len(got), got[len(got)-40:])
	}
}
