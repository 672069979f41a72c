package docstest

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// A Shell is typed into. The folder that a command changes to and what it
// exports hold for the next one, as does the code that it exited with.
type Shell struct {
	state string // a folder: where the shell was left
	env   []string
	code  int
}

// NewShell returns a shell that begins in a folder, with an environment. What
// it keeps between commands stands in another folder.
func NewShell(dir, state string, env []string) (*Shell, error) {
	s := &Shell{state: state, env: env}
	err := errors.Join(os.WriteFile(s.kept("pwd"), []byte(dir+"\n"), 0o644), os.WriteFile(s.kept("env"), nil, 0o644))
	if err != nil {
		return nil, fmt.Errorf("open a shell: %w", err)
	}
	return s, nil
}

func (s *Shell) kept(name string) string { return filepath.Join(s.state, name) }

// keep is what every command ends with, however it ends.
const keep = `trap 'code=$?; pwd >"$DOCSTEST/pwd"; export -p >"$DOCSTEST/env"; exit $code' EXIT`

// Type runs a command with sh, and returns what it printed on both streams and
// the code it exited with. The error is one of the shell itself.
func (s *Shell) Type(ctx context.Context, command string) (printed string, code int, err error) {
	dir, err := s.Dir()
	if err != nil {
		return "", 0, err
	}
	script := fmt.Sprintf(". \"$DOCSTEST/env\"\n%s\n(exit %d)\n%s\n", keep, s.code, command)
	cmd := exec.CommandContext(ctx, "sh", "-c", script)
	cmd.Dir = dir
	cmd.Env = append(s.env[:len(s.env):len(s.env)], "DOCSTEST="+s.state)
	out, err := cmd.CombinedOutput()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		return string(out), 0, fmt.Errorf("type %q: %w", command, err)
	}
	s.code = cmd.ProcessState.ExitCode()
	return string(out), s.code, nil
}

// Dir is the folder that the shell stands in.
func (s *Shell) Dir() (string, error) {
	dir, err := os.ReadFile(s.kept("pwd"))
	if err != nil {
		return "", fmt.Errorf("read where the shell stands: %w", err)
	}
	return strings.TrimSuffix(string(dir), "\n"), nil
}

// AsksForCode says whether a command shows what the one before it exited with.
func AsksForCode(command string) bool { return strings.TrimSpace(command) == "echo $?" }
