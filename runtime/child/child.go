// Package child runs one command of a protocol: a coder, a check, a prepare
// or an obtain.
//
// What goes in is a Command with its folder, environment, standard input and
// time. What comes out is a Result: how it ended, and what it printed as
// plain text, bounded. The command gets a process group of its own, and that
// group is ended after it, however it ended; so nothing that it left in the
// background goes on. The package waits for no pipe that a survivor holds.
//
// A process that leaves the group (by setsid) is out of reach of plain POSIX.
// It is not waited for, and whoever reads the folder afterwards must not
// believe that it stands still.
//
// The package never uses a shell of its own accord, never passes on an
// environment that it was not given, and prints nothing.
package child

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"syscall"
	"time"
)

// DefaultOutput is how much of an output is kept where a command says
// nothing, in bytes: 64 KiB, half of it head and half tail.
const DefaultOutput = 64 << 10

const (
	// grace is the time between SIGTERM and SIGKILL.
	grace = 3 * time.Second
	// drain is how long output is read for after the group has ended. Only
	// a process that left the group makes that happen.
	drain = 200 * time.Millisecond
	// settle is how long ended processes are waited for.
	settle = 500 * time.Millisecond
)

// A Command is what to run.
type Command struct {
	Argv    []string // the program and its arguments; see Shell
	Dir     string
	Env     []string // all of it; see Environment
	Stdin   []byte   // empty: no input
	Timeout time.Duration
	Output  int               // bytes of output to keep; 0: DefaultOutput
	Line    func(line string) // nil, or gets each line as it comes, made plain; called by one goroutine
}

// Shell returns the argument vector that runs a line in the shell.
func Shell(line string) []string { return []string{"/bin/sh", "-c", line} }

// An Ending is how a child ended.
type Ending int

// The endings.
const (
	Exited     Ending = iota + 1 // with Result.Code
	Signalled                    // by Result.Signal, which was none of ours
	TimedOut                     // its time was over
	Cancelled                    // the context was
	NotStarted                   // see Result.Err
)

func (e Ending) String() string {
	switch e {
	case Exited:
		return "exited"
	case Signalled:
		return "signalled"
	case TimedOut:
		return "timed out"
	case Cancelled:
		return "cancelled"
	case NotStarted:
		return "not started"
	}
	panic(fmt.Sprintf("child: no word for ending %d", int(e)))
}

// A Result is how a command ended and what it printed.
type Result struct {
	Ending  Ending
	Code    int            // exit code; -1 unless Exited
	Signal  syscall.Signal // 0 unless Signalled
	Err     error          // why it was not started, or its ending could not be learnt
	Output  Output
	Elapsed time.Duration
	Limit   time.Duration // the time that it had
}

// Succeeded reports whether the command exited with 0.
func (r Result) Succeeded() bool { return r.Ending == Exited && r.Code == 0 }

// String says in a few words how the command ended.
func (r Result) String() string {
	switch r.Ending {
	case Exited:
		return fmt.Sprintf("exited with %d", r.Code)
	case Signalled:
		return fmt.Sprintf("was ended by signal %d (%v)", int(r.Signal), r.Signal)
	case TimedOut:
		return fmt.Sprintf("was ended at its time limit of %v", r.Limit)
	case NotStarted:
		return fmt.Sprintf("could not be started: %v", r.Err)
	case Cancelled:
		return "was interrupted"
	}
	panic(fmt.Sprintf("child: no words for ending %d", int(r.Ending)))
}

// Run runs a command to its end. It returns when the command and its process
// group have ended.
func Run(ctx context.Context, c Command) Result {
	begun := time.Now()
	result := run(ctx, c)
	result.Elapsed, result.Limit = time.Since(begun), c.Timeout
	return result
}

func run(ctx context.Context, c Command) Result {
	if ctx.Err() != nil {
		return Result{Ending: Cancelled, Code: -1}
	}
	p, err := start(c)
	if err != nil {
		return Result{Ending: NotStarted, Code: -1, Err: err}
	}
	limit := c.Output
	if limit == 0 {
		limit = DefaultOutput
	}
	output := make(chan Output, 1)
	go func() { output <- record(p.stdout, &recorder{half: limit / 2, sink: c.Line}) }()
	fed := make(chan struct{})
	go func() {
		defer close(fed)
		p.feed(c.Stdin)
	}()

	result := p.wait(ctx, c.Timeout)

	p.endGroup()
	p.stopFeeding()
	<-fed
	_ = p.stdout.SetReadDeadline(time.Now().Add(drain))
	result.Output = <-output
	_ = p.stdout.Close()
	return result
}

// A started is a command that runs.
type started struct {
	cmd    *exec.Cmd
	stdin  *os.File // nil where there is no input
	stdout *os.File
	exited chan struct{} // closed when the command has ended
	err    error         // of waiting for it; to be read after that
}

// start starts a command whose standard output and standard error are one
// pipe. The command holds the files themselves, so waiting for it waits for
// nothing else.
func start(c Command) (*started, error) {
	if len(c.Argv) == 0 {
		return nil, errors.New("no command was given")
	}
	path, err := lookPath(c.Argv[0], c.Env)
	if err != nil {
		return nil, err
	}
	p := &started{exited: make(chan struct{})}
	outRead, outWrite, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	defer outWrite.Close()
	p.stdout = outRead
	p.cmd = &exec.Cmd{
		Path: path, Args: c.Argv, Dir: c.Dir, Env: c.Env, Stdout: outWrite, Stderr: outWrite,
		SysProcAttr: &syscall.SysProcAttr{Setpgid: true},
	}
	if c.Env == nil {
		p.cmd.Env = []string{} // nil would be our own
	}
	if len(c.Stdin) > 0 {
		inRead, inWrite, err := os.Pipe()
		if err != nil {
			return nil, errors.Join(err, outRead.Close())
		}
		defer inRead.Close()
		p.cmd.Stdin, p.stdin = inRead, inWrite
	}
	if err := p.cmd.Start(); err != nil {
		p.stopFeeding()
		return nil, errors.Join(err, outRead.Close())
	}
	go func() {
		defer close(p.exited)
		p.err = p.awaitLeader()
	}()
	return p, nil
}

// feed writes the input. A command that does not read all of it is no error.
func (p *started) feed(input []byte) {
	if p.stdin == nil {
		return
	}
	_, _ = p.stdin.Write(input)
	_ = p.stdin.Close()
}

func (p *started) stopFeeding() {
	if p.stdin != nil {
		_ = p.stdin.SetWriteDeadline(time.Unix(1, 0))
		_ = p.stdin.Close()
	}
}

// wait waits for the command's own end, or brings it about.
func (p *started) wait(ctx context.Context, timeout time.Duration) Result {
	timer := time.NewTimer(timeout)
	defer timer.Stop()
	ended := Result{Code: -1}
	select {
	case <-p.exited:
		return ended.of(p.err, p.cmd.ProcessState)
	case <-timer.C:
		ended.Ending = TimedOut
	case <-ctx.Done():
		ended.Ending = Cancelled
	}
	p.signal(syscall.SIGTERM)
	patience := time.NewTimer(grace)
	defer patience.Stop()
	select {
	case <-p.exited:
	case <-patience.C:
		p.signal(syscall.SIGKILL)
		<-p.exited
	}
	return ended
}

// of fills in how a command that was not ended by us ended.
func (r Result) of(err error, state *os.ProcessState) Result {
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		r.Ending, r.Err = NotStarted, fmt.Errorf("wait for command: %w", err)
		return r
	}
	if status, ok := state.Sys().(syscall.WaitStatus); ok && status.Signaled() {
		r.Ending, r.Signal = Signalled, status.Signal()
		return r
	}
	r.Ending, r.Code = Exited, state.ExitCode()
	return r
}

// record reads the output up to its end or the pipe's deadline.
func record(from io.Reader, to *recorder) Output {
	buf := make([]byte, 32<<10)
	for {
		n, err := from.Read(buf)
		to.write(buf[:n])
		if err != nil {
			return to.end()
		}
	}
}
