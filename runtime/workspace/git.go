package workspace

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"time"
	"unicode"
)

// minimumGit is the first release with all the options that are used.
const minimumGit = "2.36"

// outputLimit bounds what is read of one git command into memory.
const outputLimit = 256 << 20

// quiet holds the settings under which git runs no program of anybody's
// configuration and changes nothing that it was not asked to.
var quiet = []string{
	"core.hooksPath=/dev/null",
	"core.fsmonitor=false",
	"core.untrackedCache=false",
	"core.splitIndex=false",
	"core.sparseCheckout=false",
	"core.logAllRefUpdates=false",
	"core.pager=cat",
	"core.askPass=",
	"credential.helper=",
	"commit.gpgSign=false",
	"tag.gpgSign=false",
	"push.gpgSign=false",
	"log.showSignature=false",
	"gc.auto=0",
	"maintenance.auto=false",
	"submodule.recurse=false",
	"diff.external=",
	"diff.suppressBlankEmpty=false",
	"protocol.ext.allow=never",
	"i18n.commitEncoding=UTF-8",
	"i18n.logOutputEncoding=UTF-8",
}

// raw holds the settings under which bytes stay as they are.
var raw = []string{
	"core.attributesFile=/dev/null",
	"core.autocrlf=false",
	"core.eol=lf",
	"core.safecrlf=false",
	"core.symlinks=true",
}

// A git is where and how git commands run. It is a value: the methods that
// set something return a changed copy.
type git struct {
	dir    string
	before []string // arguments that precede the subcommand
	env    []string // variables besides the cleaned environment
	keep   func(name string) bool
}

func (g git) with(before ...string) git {
	g.before = append(append([]string(nil), g.before...), before...)
	return g
}

func (g git) setting(values []string) git {
	for _, v := range values {
		g = g.with("-c", v)
	}
	return g
}

func (g git) variables(vars ...string) git {
	g.env = append(append([]string(nil), g.env...), vars...)
	return g
}

// gitIn returns a git that runs in dir and does as little as can be.
func gitIn(dir string) git {
	return git{dir: dir, keep: keepVariable}.with("--no-pager").setting(quiet)
}

// keepVariable reports whether a GIT_ variable of the caller stays: those
// that say where configuration is and where discovery ends.
func keepVariable(name string) bool {
	switch name {
	case "GIT_CONFIG_GLOBAL", "GIT_CONFIG_SYSTEM", "GIT_CONFIG_NOSYSTEM", "GIT_CEILING_DIRECTORIES":
		return true
	}
	return false
}

func (g git) environment() []string {
	var env []string
	for _, v := range os.Environ() {
		name, _, _ := strings.Cut(v, "=")
		if strings.HasPrefix(name, "GIT_") && !g.keep(name) {
			continue
		}
		if name == "LANGUAGE" || strings.HasPrefix(name, "LC_") {
			continue
		}
		env = append(env, v)
	}
	env = append(env, "LC_ALL=C", "GIT_TERMINAL_PROMPT=0", "GIT_OPTIONAL_LOCKS=0", "GIT_LITERAL_PATHSPECS=1",
		"GIT_NO_REPLACE_OBJECTS=1", "GIT_ATTR_NOSYSTEM=1", "GIT_EDITOR=:", "GIT_ADVICE=0")
	return append(env, g.env...)
}

// command is the one place where git is started.
func (g git) command(ctx context.Context, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, "git", append(append([]string(nil), g.before...), args...)...)
	cmd.Dir = g.dir
	cmd.Env = g.environment()
	cmd.WaitDelay = 5 * time.Second
	return cmd
}

// output runs git with empty standard input and returns what it printed.
func (g git) output(ctx context.Context, args ...string) ([]byte, error) {
	return g.feed(ctx, nil, args...)
}

// line is output without its last newline.
func (g git) line(ctx context.Context, args ...string) (string, error) {
	out, err := g.output(ctx, args...)
	return strings.TrimSuffix(string(out), "\n"), err
}

// feed runs git with the given standard input and returns what it printed.
func (g git) feed(ctx context.Context, stdin io.Reader, args ...string) ([]byte, error) {
	var out []byte
	err := g.stream(ctx, stdin, func(r io.Reader) error {
		var err error
		if out, err = io.ReadAll(io.LimitReader(r, outputLimit+1)); err != nil {
			return err
		}
		if len(out) > outputLimit {
			return &TooLargeError{What: "the output of git " + args[0], Limit: sizeWords(outputLimit)}
		}
		return nil
	}, args...)
	if err != nil {
		return nil, err
	}
	return out, nil
}

// stream runs git and gives its standard output to read. An error of read
// ends git and is returned.
func (g git) stream(ctx context.Context, stdin io.Reader, read func(io.Reader) error, args ...string) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	cmd := g.command(ctx, args...)
	cmd.Stdin = stdin
	said := &headWriter{limit: 16 << 10}
	cmd.Stderr = said
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		return fmt.Errorf("run git %s: %w", args[0], err)
	}
	if err := cmd.Start(); err != nil {
		return startError(args[0], err)
	}
	readErr := read(stdout)
	if readErr != nil {
		cancel()
	}
	waitErr := cmd.Wait()
	if readErr != nil {
		return readErr
	}
	return failure(ctx, args[0], waitErr, said.String())
}

// failure words the error of a git command that was waited for.
func failure(ctx context.Context, command string, err error, said string) error {
	if err == nil {
		return nil
	}
	if ctx.Err() != nil {
		return fmt.Errorf("git %s: %w", command, context.Cause(ctx))
	}
	e := &GitError{Command: command, Exit: -1, Words: words(said), Err: err}
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		e.Exit = exit.ExitCode()
	}
	return e
}

func startError(command string, err error) error {
	if errors.Is(err, exec.ErrNotFound) || errors.Is(err, os.ErrPermission) || errors.Is(err, exec.ErrDot) {
		return &NoGitError{Err: err}
	}
	return fmt.Errorf("start git %s: %w", command, err)
}

// exitCode returns the exit code of a git command that ran and failed, and -1
// for any other error.
func exitCode(err error) int {
	var e *GitError
	if errors.As(err, &e) {
		return e.Exit
	}
	return -1
}

// words makes one printable line of what git said.
func words(said string) string {
	said = strings.ReplaceAll(strings.TrimSpace(said), "\n", " ")
	return strings.Map(func(r rune) rune {
		if !unicode.IsPrint(r) {
			return -1
		}
		return r
	}, said)
}

// A headWriter keeps the first limit bytes of what is written and drops the
// rest.
type headWriter struct {
	bytes.Buffer
	limit int
}

func (w *headWriter) Write(p []byte) (int, error) {
	if room := w.limit - w.Len(); room > 0 {
		w.Buffer.Write(p[:min(room, len(p))])
	}
	return len(p), nil
}

// checkVersion returns an error in words where git is missing or too old.
func checkVersion(ctx context.Context) error {
	out, err := gitIn("").line(ctx, "version")
	if err != nil {
		return err
	}
	have := strings.TrimPrefix(out, "git version ")
	if older(have, minimumGit) {
		return &OldGitError{Have: words(have)}
	}
	return nil
}

// older compares the first two numbers of two versions.
func older(have, need string) bool {
	h, n := strings.SplitN(have, ".", 3), strings.SplitN(need, ".", 3)
	for i := range 2 {
		if i >= len(h) {
			return true
		}
		a, err := strconv.Atoi(h[i])
		b, _ := strconv.Atoi(n[i])
		if err != nil || a != b {
			return err != nil || a < b
		}
	}
	return false
}

// records splits output of git's -z at its NULs.
func records(out []byte) []string {
	s := strings.TrimSuffix(string(out), "\x00")
	if s == "" {
		return nil
	}
	return strings.Split(s, "\x00")
}

// sizeWords words a number of bytes that is a power of two's multiple.
func sizeWords(n int64) string {
	switch {
	case n >= 1<<20:
		return fmt.Sprintf("%d MiB", n>>20)
	case n >= 1<<10:
		return fmt.Sprintf("%d KiB", n>>10)
	}
	return fmt.Sprintf("%d bytes", n)
}
