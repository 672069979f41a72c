package workspace

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"strconv"
	"strings"
	"sync"
)

// objects reads objects through one long-lived `git cat-file`. It starts the
// process at the first read, and anew after a read that broke off. It may be
// used side by side; reads take turns.
type objects struct {
	git git

	mu     sync.Mutex
	cmd    *exec.Cmd
	stdin  io.WriteCloser
	stdout *bufio.Reader
	cancel context.CancelFunc
}

// errMissing says that the repository does not hold an object.
var errMissing = errors.New("object is missing from the repository")

// read returns an object's content. Where it is larger than limit, it returns
// the size and a *TooLargeError, and reads nothing.
func (o *objects) read(ctx context.Context, id string, limit int64) (content []byte, size int64, err error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if err := ctx.Err(); err != nil {
		return nil, 0, err
	}
	if err := o.start(); err != nil {
		return nil, 0, err
	}
	stop := context.AfterFunc(ctx, o.cancel)
	content, size, err = o.ask(id, limit)
	interrupted := !stop()
	var tooLarge *TooLargeError
	if interrupted || err != nil && !errors.As(err, &tooLarge) && !errors.Is(err, errMissing) {
		o.end()
	}
	if ctx.Err() != nil && err != nil {
		err = ctx.Err()
	}
	if err != nil {
		err = fmt.Errorf("read object %s: %w", id, err)
	}
	return content, size, err
}

func (o *objects) ask(id string, limit int64) ([]byte, int64, error) {
	size, err := o.header("info " + id)
	if err != nil {
		return nil, 0, err
	}
	if size > limit {
		return nil, size, &TooLargeError{What: fmt.Sprintf("object of %d bytes", size), Limit: sizeWords(limit)}
	}
	if size, err = o.header("contents " + id); err != nil {
		return nil, 0, err
	}
	content := make([]byte, size+1)
	if _, err := io.ReadFull(o.stdout, content); err != nil {
		return nil, 0, err
	}
	if content[size] != '\n' {
		return nil, 0, errors.New("git cat-file lost its place")
	}
	return content[:size:size], size, nil
}

// header sends a command and reads the line that answers it.
func (o *objects) header(command string) (int64, error) {
	if _, err := io.WriteString(o.stdin, command+"\n"); err != nil {
		return 0, err
	}
	line, err := o.stdout.ReadString('\n')
	if err != nil {
		return 0, err
	}
	return parseHeader(line)
}

// parseHeader reads "<id> <type> <size>".
func parseHeader(line string) (int64, error) {
	fields := strings.Fields(line)
	if len(fields) == 2 && fields[1] == "missing" {
		return 0, errMissing
	}
	if len(fields) != 3 {
		return 0, fmt.Errorf("git cat-file answered %q", words(line))
	}
	n, err := strconv.ParseInt(fields[2], 10, 63)
	if err != nil || n < 0 {
		return 0, fmt.Errorf("git cat-file answered %q", words(line))
	}
	return n, nil
}

func (o *objects) start() error {
	if o.cmd != nil {
		return nil
	}
	ctx, cancel := context.WithCancel(context.Background())
	cmd := o.git.command(ctx, "cat-file", "--batch-command")
	stdin, err := cmd.StdinPipe()
	if err != nil {
		cancel()
		return fmt.Errorf("run git cat-file: %w", err)
	}
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		cancel()
		return fmt.Errorf("run git cat-file: %w", err)
	}
	if err := cmd.Start(); err != nil {
		cancel()
		return startError("cat-file", err)
	}
	o.cmd, o.stdin, o.stdout, o.cancel = cmd, stdin, bufio.NewReaderSize(stdout, 64<<10), cancel
	return nil
}

func (o *objects) end() {
	if o.cmd == nil {
		return
	}
	o.cancel()
	_ = o.stdin.Close()
	_ = o.cmd.Wait() // it was killed: what it would say is no news
	o.cmd = nil
}

func (o *objects) close() error {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.end()
	return nil
}
