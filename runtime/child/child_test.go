package child

import (
	"context"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// long is a time that no test waits for.
const long = time.Minute

func shell(t *testing.T, line string) Command {
	t.Helper()
	return Command{Argv: Shell(line), Dir: t.TempDir(), Env: []string{"PATH=" + os.Getenv("PATH")}, Timeout: long}
}

func TestRunSaysHowTheCommandEnded(t *testing.T) {
	for _, test := range []struct {
		name, line string
		ending     Ending
		code       int
		signal     syscall.Signal
	}{
		{"success", "exit 0", Exited, 0, 0},
		{"failure", "exit 7", Exited, 7, 0},
		{"not found", "no-such-program-anywhere", Exited, 127, 0},
		{"own signal", "kill -9 $$", Signalled, -1, syscall.SIGKILL},
	} {
		t.Run(test.name, func(t *testing.T) {
			r := Run(t.Context(), shell(t, test.line))
			if r.Ending != test.ending || r.Code != test.code || r.Signal != test.signal {
				t.Errorf("got %v, code %d, signal %v", r.Ending, r.Code, r.Signal)
			}
			if r.Succeeded() != (test.name == "success") {
				t.Errorf("Succeeded() = %v", r.Succeeded())
			}
		})
	}
}

func TestRunSaysThatACommandCannotStart(t *testing.T) {
	for _, argv := range [][]string{nil, {"no-such-program"}, {"/dev/null"}} {
		c := shell(t, "")
		c.Argv = argv
		if r := Run(t.Context(), c); r.Ending != NotStarted || r.Err == nil {
			t.Errorf("%q: got %v, %v", argv, r.Ending, r.Err)
		}
	}
	c := shell(t, "exit 0")
	c.Dir = filepath.Join(c.Dir, "missing")
	if r := Run(t.Context(), c); r.Ending != NotStarted {
		t.Errorf("missing folder: got %v", r.Ending)
	}
}

func TestAProgramIsNotFoundInAFolderThatIsNotAbsolute(t *testing.T) {
	c := shell(t, "")
	planted := filepath.Join(c.Dir, "tool")
	if err := os.WriteFile(planted, []byte("#!/bin/sh\nexit 0\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	t.Chdir(c.Dir)
	c.Argv, c.Env = []string{"tool"}, []string{"PATH=.:"}
	if r := Run(t.Context(), c); r.Ending != NotStarted {
		t.Errorf("got %v", r)
	}
}

func TestACommandGetsItsInputAndNothingElse(t *testing.T) {
	c := shell(t, "cat; env | sort | sed 's/^PWD=.*//; s/^SHLVL=.*//; s/^_=.*//; s/^OLDPWD=.*//'")
	c.Stdin = []byte("the brief\n")
	c.Env = append(c.Env, "ONLY=this")
	got := strings.Fields(Run(t.Context(), c).Output.Head)
	want := []string{"the", "brief", "ONLY=this", "PATH=" + os.Getenv("PATH")}
	if strings.Join(got, "|") != strings.Join(want, "|") {
		t.Errorf("got %q, want %q", got, want)
	}
	if r := Run(t.Context(), shell(t, "cat")); r.Output.Head != "" || !r.Succeeded() {
		t.Errorf("without input: %v %q", r, r.Output.Head)
	}
}

func TestInputThatIsNotReadHoldsNothingUp(t *testing.T) {
	c := shell(t, "exit 3")
	c.Stdin = make([]byte, 1<<20)
	if r := Run(t.Context(), c); r.Code != 3 {
		t.Errorf("got %v", r)
	}
}

func TestOutputIsBothStreamsAsTheyCome(t *testing.T) {
	r := Run(t.Context(), shell(t, "echo one; echo two >&2; echo three"))
	if r.Output.Head != "one\ntwo\nthree\n" {
		t.Errorf("got %q", r.Output.Head)
	}
}

// gone fails the test unless the process whose number stands in a file has
// ended. A process that nobody collected has.
func gone(t *testing.T, file string) {
	t.Helper()
	number, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	pid, err := strconv.Atoi(strings.TrimSpace(string(number)))
	if err != nil {
		t.Fatal(err)
	}
	if syscall.Kill(pid, 0) == syscall.ESRCH {
		return
	}
	stat, err := os.ReadFile(filepath.Join("/proc", strconv.Itoa(pid), "stat"))
	if err == nil && strings.Contains(string(stat), ") Z ") {
		return
	}
	t.Errorf("process %d is still there", pid)
}

func TestTheGroupEndsWithTheCommand(t *testing.T) {
	c := shell(t, "sleep 1000 & echo $! >pid; echo done")
	r := Run(t.Context(), c)
	if !r.Succeeded() || r.Output.Head != "done\n" {
		t.Errorf("got %v, %q", r, r.Output.Head)
	}
	gone(t, filepath.Join(c.Dir, "pid"))
}

func TestATimeoutEndsTheGroup(t *testing.T) {
	c := shell(t, "sleep 1000 & echo $! >pid; echo begun; wait")
	c.Timeout = 300 * time.Millisecond
	r := Run(t.Context(), c)
	if r.Ending != TimedOut || r.Code != -1 || r.Output.Head != "begun\n" {
		t.Errorf("got %v, %q", r, r.Output.Head)
	}
	gone(t, filepath.Join(c.Dir, "pid"))
}

func TestCancellationEndsTheGroup(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	c := shell(t, "echo $$ >pid; echo ready; sleep 1000")
	c.Line = func(string) { cancel() }
	if r := Run(ctx, c); r.Ending != Cancelled {
		t.Errorf("got %v", r)
	}
	gone(t, filepath.Join(c.Dir, "pid"))
	if r := Run(ctx, c); r.Ending != Cancelled {
		t.Errorf("a context that is over: got %v", r)
	}
}

func TestACommandThatIgnoresSIGTERMIsKilled(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	c := shell(t, "trap '' TERM; echo $$ >pid; echo ready; while :; do sleep 1; done")
	c.Line = func(string) { cancel() }
	if r := Run(ctx, c); r.Ending != Cancelled {
		t.Errorf("got %v", r)
	}
	gone(t, filepath.Join(c.Dir, "pid"))
}

func TestNothingWaitsForAProcessThatLeftTheGroup(t *testing.T) {
	if _, err := lookPath("setsid", []string{"PATH=" + os.Getenv("PATH")}); err != nil {
		t.Skip("there is no setsid")
	}
	c := shell(t, "exec 3<&0; setsid sh -c 'echo $$ >pid.new; mv pid.new pid; exec sleep 1000' <&3 & while [ ! -e pid ]; do :; done; echo done")
	c.Stdin = make([]byte, 1<<20) // which the survivor holds, and never reads
	r := Run(t.Context(), c)
	if !r.Succeeded() || r.Output.Head != "done\n" {
		t.Errorf("got %v, %q", r, r.Output.Head)
	}
	number, _ := os.ReadFile(filepath.Join(c.Dir, "pid"))
	pid, err := strconv.Atoi(strings.TrimSpace(string(number)))
	if err != nil {
		t.Fatal(err)
	}
	_ = syscall.Kill(pid, syscall.SIGKILL)
}

func TestALongOutputKeepsHeadAndTail(t *testing.T) {
	c := shell(t, "i=0; while [ $i -lt 2000 ]; do echo line $i; i=$((i+1)); done")
	c.Output = 100
	o := Run(t.Context(), c).Output
	if !strings.HasPrefix(o.Head, "line 0\n") || !strings.HasSuffix(o.Tail, "line 1999\n") {
		t.Errorf("head %q, tail %q", o.Head, o.Tail)
	}
	if len(o.Head) > 50 || len(o.Tail) > 50 {
		t.Errorf("kept %d and %d bytes of 100", len(o.Head), len(o.Tail))
	}
	if want := int64(2000*len("line \n")+10+90*2+900*3+1000*4) - int64(len(o.Head)+len(o.Tail)); o.Omitted != want {
		t.Errorf("omitted %d, want %d", o.Omitted, want)
	}
	if got := o.Join("[cut]"); !strings.Contains(got, "\n[cut]\n") {
		t.Errorf("Join gave %q", got)
	}
}

func TestLinesArePlainWhenTheyAreSeen(t *testing.T) {
	var lines []string
	c := shell(t, `printf '\033[31mred\033[0m\n\033]0;title\007plain\n10%%\r20%%\rend'`)
	c.Line = func(line string) { lines = append(lines, line) }
	Run(t.Context(), c)
	if got := strings.Join(lines, "|"); got != "red|plain|10%|20%|end" {
		t.Errorf("got %q", got)
	}
}
