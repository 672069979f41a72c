package command

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"github.com/snodo-lang/snodo/internal/starter"
	"github.com/snodo-lang/snodo/lang"
	"github.com/snodo-lang/snodo/stdlib"
)

var initCommand = command{
	name:     "init",
	synopsis: "[DIR]",
	summary:  "writes a first protocol.snodo, with the test command of the repository in it",
	detail: `The protocol is a copy of one of the library, filled in with what is found: how the tests run,
which coder is on PATH, what may change. It never overwrites a file.`,
	example: "snodo init",
	bind: func(flags *pflag.FlagSet) action {
		f := &initFlags{}
		flags.StringVar(&f.from, "from", "solo", "begin with the `PACKAGE` of the library")
		flags.StringVar(&f.test, "test", "", "the command `CMD` that runs the tests, in the place of the one that is found")
		flags.StringVar(&f.coder, "coder", "", "the command `CMD` that does the work, in the place of the one that is found")
		flags.StringVar(&f.ci, "ci", "", "also write a workflow for `github` or gitlab that judges change requests")
		return func(_ context.Context, s streams, args []string) (int, error) {
			dir := "."
			switch {
			case len(args) > 1:
				return 0, usagef("one folder at a time, not %d", len(args))
			case len(args) == 1:
				dir = args[0]
			}
			return exitOK, f.init(s, dir)
		}
	},
}

type initFlags struct{ from, test, coder, ci string }

func (f *initFlags) init(s streams, dir string) error {
	source, err := fs.ReadFile(stdlib.FS, f.from+"/protocol.snodo")
	if err != nil {
		return usagef("the library has no protocol %q to begin with; it has %s", f.from, strings.Join(beginnings(), ", "))
	}
	if f.ci != "" {
		if err := oneOf("ci", f.ci, "github", "gitlab"); err != nil {
			return err
		}
	}
	if info, err := os.Stat(dir); err != nil || !info.IsDir() {
		return missingFolder(dir, errors.Join(err, errNotFolder(err)))
	}
	there, err := filepath.Glob(filepath.Join(dir, "*.snodo"))
	// The folder in which records are kept is called like a source.
	there = slices.DeleteFunc(there, func(name string) bool { return filepath.Base(name) == ".snodo" })
	if err != nil || len(there) > 0 {
		return usagef("%s is there already, and is not overwritten", strings.Join(there, ", "))
	}
	abs, err := filepath.Abs(dir)
	if err != nil {
		return usagef("%v", err)
	}
	set := starter.Setting{Name: lang.NameOf(filepath.Base(abs), "project"), Test: f.test, Coder: f.coder}
	if set.Kit, set.Prepare, err = starter.Detect(os.DirFS(dir)); err != nil {
		return usagef("%v", err)
	}
	set.Scope = starter.ScopeOf(set.Kit)
	foundCoder := ""
	if set.Coder == "" {
		set.Coder, foundCoder = coderOnPath()
	}
	protocol, err := starter.Write(source, set)
	if err != nil {
		return err
	}
	written := filepath.Join(dir, "protocol.snodo")
	if err := writeNew(written, protocol); err != nil {
		return err
	}
	fmt.Fprintf(s.out, "wrote %s\n", written)
	f.tell(s, set, foundCoder)
	if f.ci != "" {
		workflow := filepath.Join(dir, starter.Workflows[f.ci].Path)
		if err := os.MkdirAll(filepath.Dir(workflow), 0o755); err != nil {
			return usagef("write the workflow: %v", err)
		}
		if err := writeNew(workflow, []byte(starter.Workflows[f.ci].Text)); err != nil {
			return err
		}
		fmt.Fprintf(s.out, "wrote %s\n", workflow)
	}
	fmt.Fprintf(s.out, "Next:\n  snodo check %s\n  git add %s && git commit\n  snodo run --task TEXT --rehearse pass %s\n", dir, written, dir)
	return nil
}

// tell says what was found, and what was not.
func (f *initFlags) tell(s streams, set starter.Setting, foundCoder string) {
	switch {
	case f.test != "":
		fmt.Fprintf(s.out, "  tests    %s\n", f.test)
	case set.Kit != nil:
		fmt.Fprintf(s.out, "  tests    %s  (%s)\n", set.Kit.Test, set.Kit.Name)
	default:
		fmt.Fprintln(s.out, "  tests    none were found, so the protocol has no check of them: name them with --test, or write a check once there are some")
	}
	if set.Prepare != "" {
		fmt.Fprintf(s.out, "  prepare  %s\n", set.Prepare)
	}
	switch {
	case f.coder != "" || foundCoder != "":
		fmt.Fprintf(s.out, "  coder    %s\n", set.Coder)
	default:
		fmt.Fprintf(s.out, "  coder    %s  (none was found on PATH: put yours in its place, or name it with --coder)\n", set.Coder)
	}
}

// beginnings are the packages of the library that have a protocol.
func beginnings() []string {
	files, err := fs.Glob(stdlib.FS, "*/protocol.snodo")
	if err != nil {
		panic(err) // only for a malformed pattern
	}
	for i, f := range files {
		files[i] = strings.TrimSuffix(f, "/protocol.snodo")
	}
	return files
}

// coderOnPath returns how the first known coder on PATH is called, and which it
// is; where there is none, the first known one.
func coderOnPath() (run, found string) {
	for _, c := range starter.Coders {
		if _, err := exec.LookPath(c.Program); err == nil {
			return c.Run, c.Program
		}
	}
	return starter.Coders[0].Run, ""
}

// errNotFolder says what is wrong with a path that is there and is no folder.
func errNotFolder(err error) error {
	if err == nil {
		return errors.New("it is no folder")
	}
	return nil
}

// writeNew writes a file that must not be there, so that nobody ever reads a
// part of it.
func writeNew(name string, content []byte) error {
	claimed, err := os.OpenFile(name, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o644)
	if errors.Is(err, fs.ErrExist) {
		return usagef("%s is there already, and is not overwritten", name)
	}
	if err != nil {
		return usagef("write %s: %v", name, err)
	}
	if err := errors.Join(claimed.Close(), replaceFile(name, content)); err != nil {
		return errors.Join(err, os.Remove(name))
	}
	return nil
}
