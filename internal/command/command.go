// Package command is what people and CI jobs type: one file for each command,
// a table of them, and the manner that they share. What goes in are arguments
// and streams; what comes out is text and an exit code. The package decides
// nothing about protocols or runs: it reads flags, calls the package that
// does the work, and words the result.
package command

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"slices"
	"strings"
	"syscall"

	"github.com/spf13/pflag"

	"github.com/snodo-lang/snodo/internal/nearest"
	"github.com/snodo-lang/snodo/runtime/confine"
)

// The exit codes that every command shares. A run has more: they are those of
// the table of outcomes.
const (
	exitOK      = 0
	exitFailed  = 1
	exitUsage   = 64
	exitInvalid = 65

	// What a shell gives where a command cannot be run.
	exitNotStarted = 126
)

// A streams is where a command reads and writes.
type streams struct {
	in       io.Reader
	out, err io.Writer
}

// A command is one word behind the program's name. Bind declares its flags
// and returns what runs once they are read.
type command struct {
	name     string
	synopsis string // what stands behind the name, flags left out
	summary  string // one line
	detail   string // what more there is to say, may be empty
	example  string // one command that runs as printed
	bind     func(flags *pflag.FlagSet) action
}

// An action does a command's work with the arguments that are no flags, and
// returns the exit code. An error that is no exit code of its own is printed
// and ends with exitUsage.
type action func(ctx context.Context, s streams, args []string) (int, error)

// A usageError is a mistake in what was typed.
type usageError struct{ message string }

func (e *usageError) Error() string { return e.message }

func usagef(format string, args ...any) error {
	return &usageError{fmt.Sprintf(format, args...)}
}

// An exitError ends a command with a code and a sentence.
type exitError struct {
	code int
	err  error
}

func (e *exitError) Error() string { return e.err.Error() }
func (e *exitError) Unwrap() error { return e.err }

// commands returns what snodo can do, in the order of its help.
func commands() []command {
	return []command{initCommand, importCommand, checkCommand, explainCommand, pathsCommand, graphCommand, fmtCommand, runCommand, resumeCommand, evidenceCommand, authorizeCommand, runsCommand, showCommand, verifyCommand, statsCommand, proveCommand, doctorCommand, versionCommand}
}

// Snodo runs the program snodo with the process's arguments and streams and
// returns its exit code.
func Snodo() int {
	if len(os.Args) > 1 && os.Args[1] == confine.Word {
		// Only a child that could not be started comes back from here.
		fmt.Fprintln(os.Stderr, confine.Exec(os.Args[2:]))
		return exitNotStarted
	}
	collectLate()
	return snodo(context.Background(), streams{os.Stdin, os.Stdout, os.Stderr}, os.Args[1:])
}

// interruptible returns a context that the first signal ends, so that a run
// can stop cleanly. The second ends the process at once, as the first does
// for every command that has nothing to stop.
func interruptible(ctx context.Context) (context.Context, context.CancelFunc) {
	ctx, stop := signal.NotifyContext(ctx, os.Interrupt, syscall.SIGTERM, syscall.SIGHUP, syscall.SIGQUIT)
	context.AfterFunc(ctx, stop)
	return ctx, stop
}

// Snodoc runs the program snodoc.
func Snodoc() int {
	collectLate()
	return execute(context.Background(), "snodoc", compileCommand, streams{os.Stdin, os.Stdout, os.Stderr}, os.Args[1:])
}

func snodo(ctx context.Context, s streams, args []string) int {
	if len(args) == 0 {
		writeHelp(s.err)
		return exitUsage
	}
	switch args[0] {
	case "help":
		if len(args) > 1 {
			return snodo(ctx, s, []string{args[1], "--help"})
		}
		writeHelp(s.out)
		return exitOK
	case "-h", "--help":
		writeHelp(s.out)
		return exitOK
	}
	var names []string
	for _, c := range commands() {
		if c.name == args[0] {
			return execute(ctx, "snodo "+c.name, c, s, args[1:])
		}
		names = append(names, c.name)
	}
	fmt.Fprintf(s.err, "snodo: there is no command %q%s\nsee: snodo --help\n", args[0], suggestion(args[0], names))
	return exitUsage
}

// suggestion asks about the nearest of the candidates, or says nothing.
func suggestion(word string, candidates []string) string {
	if near := nearest.To(word, candidates); len(near) > 0 {
		return fmt.Sprintf("; did you mean %s?", strings.Join(near, " or "))
	}
	return ""
}

// execute reads the flags of c, runs it and words its error.
func execute(ctx context.Context, program string, c command, s streams, args []string) int {
	flags := pflag.NewFlagSet(program, pflag.ContinueOnError)
	flags.SortFlags = false
	flags.SetOutput(io.Discard)
	help := flags.BoolP("help", "h", false, "print this")
	run := c.bind(flags)
	if err := flags.Parse(args); err != nil {
		// What a number is not is said by pflag in the words of strconv.
		message, _, _ := strings.Cut(err.Error(), ": strconv.")
		return fail(s, program, usagef("%s%s", message, flagSuggestion(err, flags)))
	}
	if *help {
		writeCommandHelp(s.out, program, c, flags)
		return exitOK
	}
	if err := valuesGiven(flags); err != nil {
		return fail(s, program, err)
	}
	code, err := run(ctx, s, flags.Args())
	if err != nil {
		return fail(s, program, err)
	}
	return code
}

// valuesGiven refuses a flag that was typed with an empty value, as by a
// variable that is not set: what was meant is never what its absence means.
func valuesGiven(flags *pflag.FlagSet) (err error) {
	flags.Visit(func(f *pflag.Flag) {
		if f.Value.Type() == "string" && f.Value.String() == "" && err == nil {
			err = usagef("--%s was given without a value", f.Name)
		}
	})
	return err
}

// fail prints the sentence of an error and returns its exit code.
func fail(s streams, program string, err error) int {
	fmt.Fprintf(s.err, "%s: %s\n", program, err)
	var exit *exitError
	if errors.As(err, &exit) {
		return exit.code
	}
	var usage *usageError
	if errors.As(err, &usage) {
		fmt.Fprintf(s.err, "see: %s --help\n", program)
	}
	return exitUsage
}

// flagSuggestion asks about the nearest flag where an unknown one was typed.
func flagSuggestion(err error, flags *pflag.FlagSet) string {
	var unknown *pflag.NotExistError
	if !errors.As(err, &unknown) {
		return ""
	}
	var names []string
	flags.VisitAll(func(f *pflag.Flag) { names = append(names, f.Name) })
	near := nearest.To(unknown.GetSpecifiedName(), names)
	for i := range near {
		near[i] = "--" + near[i]
	}
	if len(near) == 0 {
		return ""
	}
	return fmt.Sprintf("; did you mean %s?", strings.Join(near, " or "))
}

func writeHelp(w io.Writer) {
	fmt.Fprint(w, "snodo judges what AI coders change, by protocols that say how.\n\nusage: snodo COMMAND [FLAGS] [ARGUMENTS]\n\n")
	for _, c := range commands() {
		fmt.Fprintf(w, "  %-9s %s\n", c.name, c.summary)
	}
	fmt.Fprint(w, "\nsnodo COMMAND --help says more. The compiler is a program of its own: snodoc.\n")
}

func writeCommandHelp(w io.Writer, program string, c command, flags *pflag.FlagSet) {
	fmt.Fprintf(w, "%s: %s\n\nusage: %s\n", program, c.summary, strings.TrimSpace(program+" [FLAGS] "+c.synopsis))
	if c.detail != "" {
		fmt.Fprintf(w, "\n%s\n", c.detail)
	}
	fmt.Fprintf(w, "\n%s\nexample:\n  %s\n", flags.FlagUsagesWrapped(100), c.example)
}

// oneOf refuses a flag's value that is not among those there are.
func oneOf(flag, value string, values ...string) error {
	if slices.Contains(values, value) {
		return nil
	}
	return usagef("--%s takes one of %s, not %q%s", flag, strings.Join(values, ", "), value, suggestion(value, values))
}
