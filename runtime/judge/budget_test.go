package judge_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/snodo-lang/snodo/compiler/plan"
	"github.com/snodo-lang/snodo/internal/testendpoint"
	"github.com/snodo-lang/snodo/runtime/endpoint"
	"github.com/snodo-lang/snodo/runtime/judge"
	"github.com/snodo-lang/snodo/runtime/verdict"
)

// A chat answers without a network.
type chat func(context.Context, endpoint.Request) (endpoint.Reply, error)

func (c chat) Chat(ctx context.Context, r endpoint.Request) (endpoint.Reply, error) { return c(ctx, r) }

// calling is a reply with one call.
func calling(tool, arguments string) endpoint.Reply {
	return endpoint.Reply{Message: endpoint.Message{Role: endpoint.Assistant, Calls: []endpoint.Call{{ID: "1", Name: tool, Arguments: arguments}}}}
}

var passing = strings.ReplaceAll(submission, "$RECEIPT", "ab12-cd34")

func TestTheVerdictTurnComesWhenAFifthOfTheTimeIsLeft(t *testing.T) {
	start := time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)
	for _, c := range []struct {
		spent time.Duration // by the first reply; the budget is 5 minutes
		want  string
		told  string
	}{
		{4*time.Minute - time.Millisecond, "pass", ""},
		{4 * time.Minute, "pass", "VerdictTurnTime"},
		{5 * time.Minute, "timeout", ""},
	} {
		now := start
		r := ask(subject(20, all()...))
		r.Now = func() time.Time { return now }
		var last endpoint.Request
		r.Chat = chat(func(_ context.Context, q endpoint.Request) (endpoint.Reply, error) {
			last = q
			if len(q.Messages) == 2 {
				now = now.Add(c.spent)
				return calling("read_file", `{"path":"a.go"}`), nil
			}
			return calling(plan.SubmitVerdict, passing), nil
		})
		result := judge.Run(t.Context(), r)
		if got := became(result); got != c.want {
			t.Errorf("after %s: %s (%v)", c.spent, got, result.Error)
		}
		forced := last.Force == plan.SubmitVerdict && len(last.Tools) == 1
		if told := last.Messages[len(last.Messages)-1].Content; (told == c.told) != (c.told != "") || forced != (c.told != "") {
			t.Errorf("after %s: told %q, forced %v", c.spent, told, forced)
		}
	}
}

func TestErrorsOfAChatKeepTheirClass(t *testing.T) {
	for _, c := range []struct {
		err  error
		want verdict.Class
	}{
		{&endpoint.Error{Class: verdict.Budget, Message: "the run's tokens are spent"}, verdict.Budget},
		{fmt.Errorf("replay: %w", &endpoint.Error{Class: verdict.Replay, Message: "no such exchange"}), verdict.Replay},
		{errors.New("something else"), verdict.Internal},
	} {
		r := ask(subject(5, all()...))
		r.Chat = chat(func(context.Context, endpoint.Request) (endpoint.Reply, error) { return endpoint.Reply{}, c.err })
		result := judge.Run(t.Context(), r)
		checkResult(t, r, result)
		if result.Error == nil || result.Error.Class != c.want || result.Error.Turn != 1 {
			t.Errorf("%v became %v", c.err, result.Error)
		}
	}
}

func TestADefectIsAnInternalErrorWithItsStack(t *testing.T) {
	r := ask(subject(5, all()...))
	r.Chat = chat(func(context.Context, endpoint.Request) (endpoint.Reply, error) { panic("no such thing") })
	result := judge.Run(t.Context(), r)
	if result.Error == nil || result.Error.Class != verdict.Internal || !strings.Contains(result.Stack, "budget_test.go") {
		t.Errorf("%v, %s", result.Error, result.Stack)
	}
	if result = judge.Run(t.Context(), judge.Request{}); result.Error == nil || result.Error.Class != verdict.Internal {
		t.Errorf("an empty request became %v", result.Error)
	}
}

func TestAnInterruptedJudgeHasNoVerdict(t *testing.T) {
	arrived := make(chan struct{})
	s := testendpoint.Start(t, testendpoint.Script{Judge: "safe", Replies: []testendpoint.Reply{
		{Submit: json.RawMessage(`"pass"`), Arrived: arrived, Hold: make(chan struct{})},
	}})
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		<-arrived
		cancel()
	}()
	r := ask(subject(5, all()...))
	r.Chat = client(t, s)
	if result := judge.Run(ctx, r); result.Error == nil || result.Error.Class != verdict.Timeout {
		t.Errorf("%v", result.Error)
	}
}

func TestAJudgesTimeEndsItsRequest(t *testing.T) {
	r := ask(subject(5, all()...))
	r.Judge.Budget.TimeoutMS = 1
	r.Chat = chat(func(ctx context.Context, _ endpoint.Request) (endpoint.Reply, error) {
		<-ctx.Done()
		return endpoint.Reply{}, &endpoint.Error{Class: verdict.Timeout, Message: "over"}
	})
	if result := judge.Run(t.Context(), r); result.Error == nil || result.Error.Class != verdict.Timeout {
		t.Errorf("%v", result.Error)
	}
}

func TestProgressIsToldBeforeEachTurn(t *testing.T) {
	var got []string
	r := ask(subject(3, all()...))
	r.Observe = func(p judge.Progress) {
		tokens := "–"
		if p.Usage.Input != nil {
			tokens = fmt.Sprint(*p.Usage.Input)
		}
		got = append(got, fmt.Sprintf("turn %d of %d, %s tokens, verdict %v", p.Turn, p.Turns, tokens, p.Verdict))
	}
	talk(t, r, readA, readA, readB, wrong, pass)
	want := []string{
		"turn 1 of 3, – tokens, verdict false",
		"turn 2 of 3, 100 tokens, verdict false",
		"turn 2 of 3, 200 tokens, verdict false",
		"turn 3 of 3, 300 tokens, verdict true",
		"turn 3 of 3, 400 tokens, verdict true",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestUsageIsKnownOnlyIfEveryTurnReportedIt(t *testing.T) {
	result, _ := talk(t, ask(subject(5, all()...)), readA, `{"submit":"pass","quirks":["no usage"]}`)
	if result.Usage.Input != nil || result.Usage.Output != nil {
		t.Errorf("%v", result.Usage)
	}
	result, _ = talk(t, ask(subject(5, all()...)), readA, `{"status":401}`)
	if result.Usage.Input == nil || *result.Usage.Input != 100 {
		t.Errorf("%v", result.Usage)
	}
}

func TestTheKeyIsInNoResult(t *testing.T) {
	for _, body := range []string{
		`{"status":401,"body":"bad key KEY"}`, `{"status":500,"body":"KEY","times":5}`, `{"status":200,"body":"KEY","times":5}`,
		`{"say":"your key is KEY"},{"say":"KEY"}`, `{"calls":[{"tool":"KEY","raw":"KEY"}]},{"say":"x"},{"calls":[{"tool":"submit_verdict","raw":"KEY"}],"times":2}`,
	} {
		result, _ := talk(t, ask(subject(5, all()...)), strings.ReplaceAll(body, "KEY", testendpoint.DefaultKey))
		if out := fmt.Sprintf("%+v %+v", result, result.Error); strings.Contains(out, testendpoint.DefaultKey) {
			t.Errorf("%s: %s", body, out)
		}
	}
}
