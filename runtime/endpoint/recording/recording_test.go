package recording_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"testing/synctest"

	"github.com/google/go-cmp/cmp"

	"github.com/snodo-lang/snodo/runtime/endpoint"
	"github.com/snodo-lang/snodo/runtime/endpoint/recording"
	"github.com/snodo-lang/snodo/runtime/verdict"
)

func TestWhatWasAnsweredIsAnsweredAgainWithoutANetwork(t *testing.T) {
	for _, c := range []struct {
		name    string
		answers []func(*http.Request) (*http.Response, error)
	}{
		{"a reply", []func(*http.Request) (*http.Response, error){said("hello")}},
		{"a failure that passed", []func(*http.Request) (*http.Response, error){answer(503, "busy", "Retry-After", "600"), drop, answer(429, ``, "Retry-After", "60"), said("hello")}},
		{"a failure that did not", []func(*http.Request) (*http.Response, error){answer(500, "<html>\xff\xfe</html>")}},
		{"lost connections", []func(*http.Request) (*http.Response, error){drop}},
		{"a wrong key", []func(*http.Request) (*http.Response, error){answer(401, `{"error":{"message":"no"}}`)}},
		{"an empty answer", []func(*http.Request) (*http.Response, error){answer(200, ``)}},
		{"a refused spelling", []func(*http.Request) (*http.Response, error){
			answer(400, `{"error":{"message":"tool_choice is not supported","param":"tool_choice"}}`), answer(502, ``), said("hello")}},
		{"every spelling refused", []func(*http.Request) (*http.Response, error){answer(400, `{"error":{"message":"tool_choice is not supported"}}`)}},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), "a", "b")
			recorder := begin(t, dir, keep)
			want := turn(t, client(t, recorder.Wrap, &network{answers: c.answers}), "u")
			if err := recorder.End(); err != nil {
				t.Fatal(err)
			}
			r := load(t, dir)
			if r.Header != header || r.CutShort {
				t.Errorf("loaded %+v, cut short: %v", r.Header, r.CutShort)
			}
			if diff := cmp.Diff(want, turn(t, client(t, r.Wrap, unreachable(t)), "u")); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestATurnThatRanOutOfTimeDoesSoAgain(t *testing.T) {
	dir := t.TempDir()
	recorder := begin(t, dir, keep)
	network := &network{answers: []func(*http.Request) (*http.Response, error){outOfTime}}
	want := turn(t, client(t, recorder.Wrap, network), "late")
	r := load(t, dir)
	reply, err := client(t, r.Wrap, unreachable(t)).Chat(t.Context(), request("late"))
	out, failed := json.Marshal(reply)
	if failed != nil {
		t.Fatal(failed)
	}
	if got := fmt.Sprintf("%s %v", out, err); got != want || !strings.Contains(got, "timeout: ") {
		t.Errorf("%s\nwant %s", got, want)
	}
}

// A request has a limit of its own, and only the turn's time ends the turn.
func TestARequestThatTookTooLongIsMadeAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		dir := t.TempDir()
		recorder := begin(t, dir, keep)
		c := client(t, recorder.Wrap, &network{answers: []func(*http.Request) (*http.Response, error){outOfTime, said("hello")}})
		want := turn(t, c, "u")
		if got := turn(t, client(t, load(t, dir).Wrap, unreachable(t)), "u"); got != want || !strings.Contains(got, "hello") {
			t.Errorf("%s\nwant %s", got, want)
		}
	})
}

func TestAnInterruptedRequestIsNotRecorded(t *testing.T) {
	dir := t.TempDir()
	recorder := begin(t, dir, keep)
	ctx, cancel := context.WithCancel(t.Context())
	network := &network{answers: []func(*http.Request) (*http.Response, error){func(r *http.Request) (*http.Response, error) {
		cancel()
		return outOfTime(r)
	}}}
	if _, err := client(t, recorder.Wrap, network).Chat(ctx, request("u")); err == nil {
		t.Fatal("an answer came")
	}
	if names := files(t, dir); len(names) != 1 {
		t.Errorf("there are %v", names)
	}
}

// files lists the files of a recording.
func files(t *testing.T, dir string) map[string]string {
	t.Helper()
	all := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, e os.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		content, err := os.ReadFile(path)
		all[strings.TrimPrefix(path, dir+"/")] = string(content)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// echo answers each request with its last message.
func echo(r *http.Request) (*http.Response, error) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return nil, err
	}
	var asked struct{ Messages []struct{ Content string } }
	if err := json.Unmarshal(body, &asked); err != nil {
		return nil, err
	}
	return said(asked.Messages[1].Content)(r)
}

func TestTheOrderOfRequestsDoesNotMatter(t *testing.T) {
	texts := []string{"one", "two", "three", "four", "five"}
	var first map[string]string
	for range 2 {
		dir := t.TempDir()
		recorder := begin(t, dir, keep)
		c := client(t, recorder.Wrap, roundTripper(echo))
		var all sync.WaitGroup
		for _, text := range texts {
			all.Go(func() { turn(t, c, text) })
		}
		all.Wait()
		if err := recorder.End(); err != nil {
			t.Fatal(err)
		}
		if first == nil {
			first = files(t, dir)
		} else if diff := cmp.Diff(first, files(t, dir)); diff != "" {
			t.Errorf("recorded once more: %s", diff)
		}
		replay := client(t, load(t, dir).Wrap, unreachable(t))
		for _, text := range texts {
			all.Go(func() {
				if reply, err := replay.Chat(t.Context(), request(text)); err != nil || reply.Message.Content != text {
					t.Errorf("%s: %+v, %v", text, reply, err)
				}
			})
		}
		all.Wait()
	}
}

// Conversations that begin at the same time each meet the refusals of a
// spelling, and one that begins later has learnt from them. In the replay it
// may be another that is first.
func TestWhoLearntASpellingDoesNotMatter(t *testing.T) {
	dir := t.TempDir()
	recorder := begin(t, dir, keep)
	parallel := answer(400, `{"error":{"message":"no","param":"parallel_tool_calls"}}`)
	limit := answer(400, `{"error":{"message":"no","param":"max_tokens"}}`)
	learns := client(t, recorder.Wrap, &network{answers: []func(*http.Request) (*http.Response, error){parallel, limit, said("one"), said("two")}})
	turn(t, learns, "one")
	turn(t, learns, "two")
	turn(t, client(t, recorder.Wrap, &network{answers: []func(*http.Request) (*http.Response, error){parallel, limit, said("three")}}), "three")
	for _, order := range [][]string{{"one", "two", "three"}, {"three", "two", "one"}, {"two", "three", "one"}} {
		replay := client(t, load(t, dir).Wrap, unreachable(t))
		for _, text := range order {
			if reply, err := replay.Chat(t.Context(), request(text)); err != nil || reply.Message.Content != text {
				t.Errorf("%s of %v: %+v, %v", text, order, reply, err)
			}
		}
	}
}

func TestARequestThatWasNotRecordedShowsTheNearest(t *testing.T) {
	dir := t.TempDir()
	c := client(t, begin(t, dir, keep).Wrap, roundTripper(echo))
	turn(t, c, "The change adds a query in api/q.go and nothing else.")
	turn(t, c, "Another thing altogether.")
	replay := client(t, load(t, dir).Wrap, unreachable(t))
	near := request("The change adds a query in api/q.go and nothing else.")
	for _, c := range []struct {
		name   string
		change func(*endpoint.Request)
		want   string
	}{
		{"another text", func(r *endpoint.Request) {
			r.Messages[1].Content = "The change adds a command in api/q.go and nothing else."
		},
			`message 2 (user), from character 19 on, is "e change adds a query in api/q.go and nothing else."; now it is "e change adds a command in api/q.go and nothing else."`},
		{"another system message", func(r *endpoint.Request) { r.Messages[0].Content = "You praise." }, `message 1 (system), from character 5 on, is "You judge."; now it is "You praise."`},
		{"another role", func(r *endpoint.Request) { r.Messages[1].Role = endpoint.System }, `\"role\":\"user\"`},
		{"a message more", func(r *endpoint.Request) {
			r.Messages = append(r.Messages, endpoint.Message{Role: endpoint.User, Content: "more"})
		}, "the first 2 messages are the same; there are 2 of them, and now 3"},
		{"another model", func(r *endpoint.Request) { r.Model = "n" }, `the model is "m"; now it is "n"`},
		{"another tool", func(r *endpoint.Request) { r.Tools[0].Name, r.Force = "read_file", "" }, "other tools are offered: submit_verdict; now read_file"},
	} {
		r := near
		r.Messages, r.Tools = append([]endpoint.Message(nil), near.Messages...), append([]endpoint.Tool(nil), near.Tools...)
		c.change(&r)
		_, err := replay.Chat(t.Context(), r)
		var e *endpoint.Error
		if !errors.As(err, &e) || e.Class != verdict.Replay || !strings.Contains(e.Message, c.want) {
			t.Errorf("%s: %v\nwant %s", c.name, err, c.want)
		}
	}
	empty := t.TempDir()
	begin(t, empty, keep)
	if _, err := client(t, load(t, empty).Wrap, unreachable(t)).Chat(t.Context(), near); err == nil || !strings.Contains(err.Error(), "the recording holds no exchange") {
		t.Error(err)
	}
}

func TestARecordingIsMixedWithNothing(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "notes"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	for _, place := range []string{dir, filepath.Join(dir, "notes")} {
		if _, err := recording.New(place, keep); err == nil {
			t.Errorf("%s is taken", place)
		}
	}
	fresh := t.TempDir()
	one, err := recording.New(fresh, keep)
	if err != nil {
		t.Fatal(err)
	}
	begin(t, fresh, keep)
	if err := one.Begin(header); err == nil {
		t.Error("two begin in the same folder")
	}
}

func TestWhatMayNotBeKeptIsTakenOut(t *testing.T) {
	dir := t.TempDir()
	redact := func(s string) string { return strings.ReplaceAll(s, "hunter2!", "[redacted]") }
	recorder := begin(t, dir, redact)
	c := client(t, recorder.Wrap, &network{answers: []func(*http.Request) (*http.Response, error){
		func(*http.Request) (*http.Response, error) { return nil, errors.New("hunter2! is no host") }, said("it is hunter2!")}})
	turn(t, c, "the password is hunter2!")
	for name, content := range files(t, dir) {
		if strings.Contains(content, "hunter2") {
			t.Errorf("%s holds it: %s", name, content)
		}
	}
	if reply, err := client(t, load(t, dir).Wrap, unreachable(t)).Chat(t.Context(), request("the password is [redacted]")); err != nil || reply.Message.Content != "it is [redacted]" {
		t.Errorf("%+v, %v", reply, err)
	}
}

func TestNoRequestIsMadeOnceOneCouldNotBeKept(t *testing.T) {
	dir := t.TempDir()
	recorder := begin(t, dir, keep)
	n := &network{answers: []func(*http.Request) (*http.Response, error){said("hello")}}
	c := client(t, recorder.Wrap, n)
	if err := os.RemoveAll(filepath.Join(dir, "exchanges")); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if got := turn(t, c, "u"); !strings.Contains(got, "internal: m at http://127.0.0.1:1/v1: the recording cannot be written") {
			t.Error(got)
		}
	}
	if len(n.sent) != 1 || recorder.Err() == nil || recorder.End() == nil {
		t.Errorf("%d requests, %v", len(n.sent), recorder.Err())
	}
}

func TestARequestThatIsNoneIsAMiss(t *testing.T) {
	dir := t.TempDir()
	begin(t, dir, keep)
	q, err := http.NewRequest(http.MethodPost, header.Endpoint, bytes.NewReader([]byte("no JSON")))
	if err != nil {
		t.Fatal(err)
	}
	_, err = load(t, dir).Wrap(nil).RoundTrip(q)
	var e *endpoint.Error
	if !errors.As(err, &e) || e.Class != verdict.Replay {
		t.Error(err)
	}
}
