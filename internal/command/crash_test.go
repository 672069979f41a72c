package command

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/snodo-lang/snodo/runtime"
	"github.com/snodo-lang/snodo/runtime/endpoint"
	"github.com/snodo-lang/snodo/runtime/judge"
	"github.com/snodo-lang/snodo/runtime/record"
	"github.com/snodo-lang/snodo/runtime/verdict"
)

// A run of three attempts, with evidence gathered, is killed at every event,
// and between effects and their events, and goes on each time. In the end it
// must be what it would have been, and nothing must have been done twice.

const crashProtocol = `snodo 1

protocol crash {
  starts producer
  prepare "true"
}

role me "The developer at the keyboard"

evidence shown(what name) from me "Show {what}." {
  obtain "sh", "-c", "echo obtained >> \"$LOG/obtained\"; . \"$LOG/obtain.sh\"; echo shown"
}

judge first {
  phase post_execute
  grants read_file
  requests shown
  criterion numbered "The number is right."
}

judge second {
  phase post_execute
  grants read_file
  requests shown
  criterion settled "It is settled."
}

check tests {
  phase post_execute
  run "echo checked >> \"$LOG/checked\"; . \"$LOG/check.sh\"; test -f work.txt"
}

coder writer { run "echo sent >> \"$LOG/sent\"; seq 1 $SNODO_ATTEMPT | sed s/^/n/ > work.txt; . \"$LOG/coder.sh\"" }

coder turner {
  run "echo sent >> \"$LOG/sent\"; test $SNODO_ATTEMPT -eq 2 || echo n$SNODO_ATTEMPT > n$SNODO_ATTEMPT.txt; . \"$LOG/coder.sh\"; test $SNODO_ATTEMPT -lt 4 || : > \"$SNODO_DONE\""
}

task lane {
  goal "Count."
  coder turner
  grants write_file, commit
  turns 9
}

mode producer {
  coder writer
  grants write_file, edit_file, commit, publish

  post_execute "cheap" {
    panel tests, first
    proceed when all pass
    unclear -> ask me
    blocker -> recover 3 then halt
  }

  post_execute "dear" {
    panel second
    proceed when all pass
    unclear -> gather then ask me
    blocker -> halt
  }
}
`

// crashing is the program that the test kills: snodo, with judges that answer
// by what they are shown, and with a death that CRASH tells.
func crashing() {
	ctx := context.Background()
	kill, at, _ := strings.Cut(os.Getenv("CRASH"), ":")
	n, _ := strconv.Atoi(at)
	die := func() {
		_ = syscall.Kill(os.Getpid(), syscall.SIGKILL)
		select {}
	}
	if err := os.WriteFile(filepath.Join(os.Getenv("LOG"), "pid"), []byte(strconv.Itoa(os.Getpid())), 0o644); err != nil {
		panic(err)
	}
	s := streams{in: strings.NewReader(""), out: os.Stdout, err: os.Stderr}
	chat := &scriptedMind{}
	if kill == "chat" {
		chat.after = func(turns int) {
			if turns == n {
				die()
			}
		}
	}
	watch := func(o runtime.Observer) runtime.Observer {
		if kill != "event" {
			return o
		}
		return &killer{Observer: o, left: n, die: die}
	}
	var p record.Payload
	var err error
	switch os.Args[1] {
	case "run":
		f := &runFlags{stage: os.Args[2], remote: "origin", task: "Count.", model: "scripted", jobs: 1, passEnv: []string{"LOG"}, color: &colorFlag{when: "never"}}
		var q runtime.Request
		if q, _, err = f.request(ctx, s, nil); err == nil {
			q.Chat, q.Observer = chat, watch(newDisplay(os.Stderr, q))
			p, err = runtime.Run(ctx, q)
		}
	case "resume":
		p, err = crashResume(ctx, s, os.Args[2], chat, watch)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(99)
	}
	out, err := p.Encode()
	if err != nil {
		panic(err)
	}
	os.Stdout.Write(out)
	os.Exit(runtime.ExitCode(p.Outcome))
}

func crashResume(ctx context.Context, s streams, run string, chat judge.Chat, watch func(runtime.Observer) runtime.Observer) (record.Payload, error) {
	repo, dir, err := recordOf(ctx, run)
	if err != nil {
		return record.Payload{}, err
	}
	log, _, err := record.Open(dir, time.Now, func(s string) string { return s })
	if err != nil {
		return record.Payload{}, err
	}
	q, err := (&resumeFlags{}).request(ctx, s, repo, log)
	if err != nil {
		return record.Payload{}, err
	}
	q.Redact = func(s string) string { return s }
	q.Chat, q.Observer = chat, watch(newDisplay(os.Stderr, q))
	return runtime.Resume(ctx, log, q)
}

// A killer ends the process when so many events are on disk.
type killer struct {
	runtime.Observer
	left int
	die  func()
}

func (k *killer) Recorded(e record.Entry) {
	k.Observer.Recorded(e)
	if k.left--; k.left == 0 {
		k.die()
	}
}

// A scriptedMind answers as the protocol of this test expects: the first judge
// wants the third number, the second wants evidence.
type scriptedMind struct {
	turns int
	after func(turns int)
}

var receiptLine = regexp.MustCompile(`(?m)^receipt: (\w+)$`)

func (m *scriptedMind) Chat(_ context.Context, q endpoint.Request) (endpoint.Reply, error) {
	note(os.Getenv("LOG"), "asked")
	all := ""
	for _, message := range q.Messages {
		all += message.Content + "\n"
		for _, call := range message.Calls {
			all += call.Name + "\n"
		}
	}
	reply := m.answer(all)
	m.turns++
	if m.after != nil {
		m.after(m.turns)
	}
	one := int64(1)
	return endpoint.Reply{Message: reply, Finish: "tool_calls", Usage: verdict.Usage{Input: &one, Output: &one}}, nil
}

func (m *scriptedMind) answer(all string) endpoint.Message {
	call := func(name, args string) endpoint.Message {
		return endpoint.Message{Role: endpoint.Assistant, Calls: []endpoint.Call{{ID: fmt.Sprintf("c%d", strings.Count(all, "read_file\n")), Name: name, Arguments: args}}}
	}
	if !strings.Contains(all, "\nread_file\n") {
		return call("read_file", `{"path":"work.txt"}`)
	}
	var halves []string
	for _, half := range receiptLine.FindAllStringSubmatch(all, -1) {
		halves = append(halves, half[1])
	}
	criterion, word, missing, quotes := "settled", "pass", "", "[]"
	switch {
	case strings.Contains(all, "The number is right."):
		criterion = "numbered"
		for n := 1; n <= 2 && !strings.Contains(all, "\tn3"); n++ {
			if strings.Contains(all, fmt.Sprintf("\tn%d", n)) {
				word, quotes = "blocker", fmt.Sprintf(`[{"path":"work.txt","line":%d,"text":"n%d"}]`, n, n)
			}
		}
	case !strings.Contains(all, "\nshown"):
		word, missing = "unclear", `,"missing":[{"evidence":"shown","args":{"what":"it"}}]`
	}
	return call("submit_verdict", fmt.Sprintf(`{"findings":[{"criterion":%q,"quotes":%s,"because":"scripted","verdict":%q%s}],"receipt":%q}`,
		criterion, quotes, word, missing, strings.Join(halves, "-")))
}

// note counts something beside the repository.
func note(dir, name string) {
	f, err := os.OpenFile(filepath.Join(dir, name), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o644)
	if err != nil {
		panic(err)
	}
	defer f.Close()
	fmt.Fprintln(f, name)
}

// A site is a repository with the protocol, and a folder in which effects are
// counted.
type site struct {
	repo, log string
	env       []string
}

func newSite(t *testing.T) *site {
	t.Helper()
	top := t.TempDir()
	s := &site{repo: filepath.Join(top, "repo"), log: filepath.Join(top, "log")}
	for _, dir := range []string{s.repo, s.log, filepath.Join(top, "home")} {
		if err := os.Mkdir(dir, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	s.env = append(os.Environ(),
		"LOG="+s.log, "HOME="+filepath.Join(top, "home"), "XDG_CACHE_HOME="+filepath.Join(top, "cache"), "GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL=/dev/null",
		"GIT_AUTHOR_NAME=A", "GIT_AUTHOR_EMAIL=a@example.org", "GIT_COMMITTER_NAME=A", "GIT_COMMITTER_EMAIL=a@example.org",
		"OPENAI_BASE_URL=http://127.0.0.1:9/v1", "OPENAI_API_KEY=")
	s.write(t, filepath.Join(s.repo, "protocol.snodo"), crashProtocol)
	for _, hook := range []string{"coder", "check", "obtain", "push"} {
		s.write(t, filepath.Join(s.log, hook+".sh"), ":\n")
	}
	// What is pushed is counted by the repository that it is pushed to.
	remote := filepath.Join(top, "remote.git")
	hook := filepath.Join(remote, "hooks", "post-receive")
	for _, args := range [][]string{
		{"init", "-q", "-b", "main"}, {"add", "."}, {"commit", "-q", "-m", "the start"}, {"init", "-q", "--bare", remote}, {"remote", "add", "origin", remote},
	} {
		cmd := exec.Command("git", args...)
		cmd.Dir, cmd.Env = s.repo, s.env
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("git %v: %v\n%s", args, err, out)
		}
	}
	if err := os.MkdirAll(filepath.Dir(hook), 0o755); err != nil {
		t.Fatal(err)
	}
	script := fmt.Sprintf("#!/bin/sh\necho pushed >> %[1]s/pushed\n. %[1]s/push.sh\n", s.log)
	if err := os.WriteFile(hook, []byte(script), 0o755); err != nil {
		t.Fatal(err)
	}
	return s
}

func (s *site) write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

// snodo runs the program of this test. What it prints is nil where it was
// killed.
func (s *site) snodo(t *testing.T, crash string, args ...string) []byte {
	t.Helper()
	cmd := exec.Command("snodo-crashing", args...)
	cmd.Dir, cmd.Env = s.repo, append(slices.Clone(s.env), "CRASH="+crash)
	var out, said bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &said
	err := cmd.Run()
	if status, ok := cmd.ProcessState.Sys().(syscall.WaitStatus); ok && status.Signaled() {
		return nil
	}
	if err != nil {
		t.Fatalf("%s %v: %v\n%s%s", crash, args, err, out.Bytes(), said.Bytes())
	}
	return out.Bytes()
}

// run returns the only run of the site, empty where there is none.
func (s *site) run(t *testing.T) string {
	t.Helper()
	entries, err := filepath.Glob(filepath.Join(s.repo, ".snodo", "runs", "*", "events.jsonl"))
	if err != nil || len(entries) > 1 {
		t.Fatalf("%v, %v", entries, err)
	}
	if len(entries) == 0 {
		return ""
	}
	if info, err := os.Stat(entries[0]); err != nil || info.Size() == 0 {
		return ""
	}
	return filepath.Base(filepath.Dir(entries[0]))
}

// counts are the effects of the site.
func (s *site) counts(t *testing.T) map[string]int {
	t.Helper()
	out := map[string]int{}
	for _, name := range []string{"asked", "sent", "checked", "obtained", "pushed"} {
		content, err := os.ReadFile(filepath.Join(s.log, name))
		if err != nil && !os.IsNotExist(err) {
			t.Fatal(err)
		}
		out[name] = strings.Count(string(content), "\n")
	}
	return out
}

// plain takes out of a payload what differs from run to run: ids, times, and
// where the record ends.
func plain(t *testing.T, payload []byte) any {
	t.Helper()
	var p record.Payload
	if err := json.Unmarshal(payload, &p); err != nil {
		t.Fatalf("%v\n%s", err, payload)
	}
	text := strings.ReplaceAll(string(payload), p.Run, "RUN")
	text = regexp.MustCompile(`"ms":\d+`).ReplaceAllString(text, `"ms":0`)
	text = regexp.MustCompile(`"commit":"[0-9a-f]{40}"`).ReplaceAllString(text, `"commit":"COMMIT"`)
	text = regexp.MustCompile(`"record":\{[^}]*\}`).ReplaceAllString(text, `"record":{}`)
	for _, commit := range []string{p.Base, *p.Head} {
		text = strings.ReplaceAll(text, commit, "COMMIT")
	}
	var out any
	if err := json.Unmarshal([]byte(text), &out); err != nil {
		t.Fatal(err)
	}
	return out
}

func TestAKilledRunGoesOnToTheSameEnd(t *testing.T) {
	goesOn(t, "producer", map[string]int{"asked": 10, "sent": 3, "checked": 3, "obtained": 1, "pushed": 1},
		"coder:1", "coder:2", "coder:3", "check:2", "obtain:1", "push:1")
}

func TestAKilledTaskGoesOnToTheSameEnd(t *testing.T) {
	goesOn(t, "lane", map[string]int{"asked": 0, "sent": 4, "checked": 0, "obtained": 0, "pushed": 0}, "coder:1", "coder:2", "coder:4")
}

// goesOn kills runs of a stage at every event, after every turn of a judge, and
// in the children that are named, and lets each go on.
func goesOn(t *testing.T, stage string, effects map[string]int, children ...string) {
	calm := newSite(t)
	want := plain(t, calm.snodo(t, "", "run", stage))
	done := calm.counts(t)
	if diff := cmp.Diff(effects, done); diff != "" {
		t.Fatalf("the undisturbed run is not the one of this test: %s", diff)
	}
	events, _, err := record.Load(filepath.Join(calm.repo, ".snodo", "runs", calm.run(t)))
	if err != nil {
		t.Fatal(err)
	}
	deaths := slices.Clone(children)
	for n := range len(events) - 1 {
		deaths = append(deaths, fmt.Sprintf("event:%d", n+1))
	}
	for n := range done["asked"] {
		deaths = append(deaths, fmt.Sprintf("chat:%d", n+1))
	}
	for _, death := range deaths {
		t.Run(death, func(t *testing.T) {
			t.Parallel()
			s := newSite(t)
			kind, at, _ := strings.Cut(death, ":")
			if slices.Contains([]string{"coder", "check", "obtain", "push"}, kind) {
				// The child kills the process that watches it, when it has run so often.
				file := map[string]string{"coder": "sent", "check": "checked", "obtain": "obtained", "push": "pushed"}[kind]
				s.write(t, filepath.Join(s.log, kind+".sh"), fmt.Sprintf("if test \"$(wc -l < %[1]s/%[2]s)\" -eq %[3]s; then kill -9 \"$(cat %[1]s/pid)\"; fi\n", s.log, file, at))
			}
			if out := s.snodo(t, death, "run", stage); out != nil {
				t.Fatalf("it was not killed: %s", out)
			}
			got := s.snodo(t, "", "resume", s.run(t))
			if diff := cmp.Diff(want, plain(t, got)); diff != "" {
				t.Errorf("another end (-undisturbed +killed):\n%s", diff)
			}
			again := 0 // what was cut short between the effect and its event is done once more
			for name, n := range s.counts(t) {
				again += n - done[name]
			}
			if allowed := map[string]int{"chat": 2, "coder": 1, "check": 1, "obtain": 1}[kind]; again < 0 || again > allowed {
				t.Errorf("done %v, undisturbed %v", s.counts(t), done)
			}
		})
	}
}

func TestARunThatIsKilledAgainAndAgainEnds(t *testing.T) {
	const stage = "producer"
	calm := newSite(t)
	want := plain(t, calm.snodo(t, "", "run", stage))
	s := newSite(t)
	out := s.snodo(t, "event:2", "run", stage)
	for kills := 0; out == nil; kills++ {
		if kills > 60 {
			t.Fatal("it does not end")
		}
		// Five events are the least that a coder needs to bring a work.
		out = s.snodo(t, "event:5", "resume", s.run(t))
	}
	if diff := cmp.Diff(want, plain(t, out)); diff != "" {
		t.Errorf("another end (-undisturbed +killed):\n%s", diff)
	}
	if diff := cmp.Diff(calm.counts(t), s.counts(t)); diff != "" {
		t.Errorf("other effects (-undisturbed +killed):\n%s", diff)
	}
}
