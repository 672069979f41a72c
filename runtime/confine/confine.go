// Package confine keeps what a child may write to some folders, by the
// operating system.
//
// A command and its writable folders go in; what comes out is the command that
// runs it under Landlock. That command is this program again, which restricts
// itself and then becomes the child: a restriction cannot be put on another
// process, and cannot be taken off again. Reading is not restricted, nor is the
// network, and nothing is ever let go because the system cannot confine it.
package confine

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
)

// Word is the first argument of this program where it is to confine itself.
const Word = "confined"

// ErrUnavailable says that this system cannot confine a child.
var ErrUnavailable = errors.New("this system has no Landlock, by which a child could be confined")

// devices are what every program may write.
var devices = []string{"/dev/null", "/dev/zero", "/dev/full", "/dev/tty"}

// Wrap returns the argument vector that runs argv with nothing writable but
// some folders, which must exist.
func Wrap(argv, writable []string) ([]string, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, fmt.Errorf("confine a child: %w", err)
	}
	out := []string{self, Word}
	for _, dir := range writable {
		out = append(out, "--writable", dir)
	}
	return append(append(out, "--"), argv...), nil
}

// split takes apart what Wrap put behind Word.
func split(args []string) (writable, argv []string, err error) {
	for len(args) >= 2 && args[0] == "--writable" {
		writable, args = append(writable, args[1]), args[2:]
	}
	if len(args) < 2 || args[0] != "--" {
		return nil, nil, errors.New("confine a child: snodo calls itself so, and nobody else does")
	}
	return writable, args[1:], nil
}

// Exec restricts this process and becomes the child. It returns only where that
// cannot be done.
func Exec(args []string) error {
	writable, argv, err := split(args)
	if err != nil {
		return err
	}
	program, err := exec.LookPath(argv[0])
	if err != nil {
		return fmt.Errorf("confine a child: %w", err)
	}
	if err := restrict(writable); err != nil {
		return err
	}
	return fmt.Errorf("confine a child: %s: %w", strings.Join(argv, " "), become(program, argv))
}
