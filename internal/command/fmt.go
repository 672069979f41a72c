package command

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/rogpeppe/go-internal/diff"
	"github.com/spf13/pflag"

	"github.com/snodo-lang/snodo/lang"
	"github.com/snodo-lang/snodo/lang/diag"
)

var fmtCommand = command{
	name:     "fmt",
	synopsis: "[FILE|DIR|DIR/...|-]",
	summary:  "lays sources out in the one layout that there is, and prints them",
	detail: `A folder means the .snodo files in it, DIR/... those of every package below it,
- standard input, and no argument the current folder. What does not parse is
reported and stays as it is; everything else is laid out.

exit codes: 0; 1 where something does not parse, and with --list where a file
differs; 64 where a file cannot be read or written.`,
	example: "snodo fmt -l ./...",
	bind: func(flags *pflag.FlagSet) action {
		f := bindFmt(flags)
		return func(ctx context.Context, s streams, args []string) (int, error) {
			deliver, err := f.delivery()
			if err != nil {
				return 0, err
			}
			sources, err := f.sources(args)
			if err != nil {
				return 0, err
			}
			return f.format(ctx, s, sources, deliver)
		}
	},
}

// standardInput is the argument that means what stands there, and shownInput
// how messages call it.
const (
	standardInput = "-"
	shownInput    = "<standard input>"
)

// A fmtFlags says what becomes of a layout.
type fmtFlags struct {
	list, diff, write bool
	color             *colorFlag
}

func bindFmt(flags *pflag.FlagSet) *fmtFlags {
	f := &fmtFlags{}
	flags.BoolVarP(&f.list, "list", "l", false, "print the names of the files that differ from their layout, and exit 1 if any does")
	flags.BoolVarP(&f.diff, "diff", "d", false, "print how the files differ from their layout")
	flags.BoolVarP(&f.write, "write", "w", false, "write the layout into the files")
	f.color = bindColor(flags)
	return f
}

// A layout is a source as it is and as it is laid out.
type layout struct {
	path          string // as a person would type it
	before, after []byte
}

// A delivery does with a layout what was asked for, and returns the exit code
// that the layout makes.
type delivery func(out io.Writer, l layout) (int, error)

// delivery returns what the flags ask for.
func (f *fmtFlags) delivery() (delivery, error) {
	if err := f.color.valid(); err != nil {
		return nil, err
	}
	chosen, asked := delivery(printLayout), 0
	for _, d := range []struct {
		set bool
		to  delivery
	}{{f.list, listLayout}, {f.diff, diffLayout}, {f.write, writeLayout}} {
		if d.set {
			chosen, asked = d.to, asked+1
		}
	}
	if asked > 1 {
		return nil, usagef("--list, --diff and --write exclude each other")
	}
	return chosen, nil
}

// sources returns the files that the arguments name.
func (f *fmtFlags) sources(args []string) ([]string, error) {
	if len(args) == 1 && args[0] == standardInput {
		if f.write {
			return nil, usagef("there is no file to write standard input to: leave --write out")
		}
		return args, nil
	}
	if len(args) == 0 {
		args = []string{"."}
	}
	var files []string
	for _, arg := range args {
		if arg == standardInput {
			return nil, usagef("- stands alone: standard input is one file")
		}
		if info, err := os.Stat(arg); err == nil && !info.IsDir() {
			if !info.Mode().IsRegular() {
				return nil, usagef("%s is no regular file", arg)
			}
			files = append(files, arg)
			continue
		}
		folders, err := packageFolders([]string{arg})
		if err != nil {
			return nil, err
		}
		for _, dir := range folders {
			found, err := sourcesIn(dir)
			if err != nil {
				return nil, err
			}
			files = append(files, found...)
		}
	}
	return files, nil
}

// sourcesIn returns the sources of the package in a folder, by name.
func sourcesIn(dir string) ([]string, error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, missingFolder(dir, err)
	}
	var files []string
	for _, e := range entries {
		if e.IsDir() || filepath.Ext(e.Name()) != ".snodo" {
			continue
		}
		path := filepath.Join(dir, e.Name())
		// A pipe or a device would be waited for, perhaps for ever.
		if t := e.Type(); !t.IsRegular() && t != fs.ModeSymlink {
			return nil, usagef("%s is no regular file", path)
		}
		files = append(files, path)
	}
	if len(files) == 0 {
		return nil, usagef("there is no .snodo file in %s", dir)
	}
	return files, nil
}

// format lays every source out and delivers it. One that cannot be read or
// written keeps no other from being laid out.
func (f *fmtFlags) format(ctx context.Context, s streams, sources []string, deliver delivery) (int, error) {
	code := exitOK
	var failures []error
	for _, path := range sources {
		if err := ctx.Err(); err != nil {
			return 0, err
		}
		one, err := f.formatOne(s, path, deliver)
		if err != nil {
			failures = append(failures, err)
		}
		code = max(code, one)
	}
	return code, errors.Join(failures...)
}

func (f *fmtFlags) formatOne(s streams, path string, deliver delivery) (int, error) {
	l := layout{path: filepath.ToSlash(path)}
	var err error
	if path == standardInput {
		l.path = shownInput
		l.before, err = io.ReadAll(s.in)
	} else {
		l.before, err = os.ReadFile(path)
	}
	if err != nil {
		return 0, fmt.Errorf("read %s: %w", l.path, err)
	}
	after, found, err := lang.Format(l.path, l.before)
	code := exitOK
	if len(found) > 0 {
		contents := func(string) []byte { return l.before }
		if err := diag.WriteText(s.err, found, contents, f.color.palette(s.err)); err != nil {
			return 0, err
		}
		code = exitFailed
	}
	if err != nil {
		fmt.Fprintln(s.err, err)
		return exitFailed, nil
	}
	l.after = after
	delivered, err := deliver(s.out, l)
	return max(code, delivered), err
}

func printLayout(out io.Writer, l layout) (int, error) {
	_, err := out.Write(l.after)
	return exitOK, err
}

func listLayout(out io.Writer, l layout) (int, error) {
	if bytes.Equal(l.before, l.after) {
		return exitOK, nil
	}
	_, err := fmt.Fprintln(out, l.path)
	return exitFailed, err
}

func diffLayout(out io.Writer, l layout) (int, error) {
	_, err := out.Write(diff.Diff(l.path+".orig", l.before, l.path, l.after))
	return exitOK, err
}

func writeLayout(_ io.Writer, l layout) (int, error) {
	if bytes.Equal(l.before, l.after) {
		return exitOK, nil
	}
	return exitOK, replaceFile(filepath.FromSlash(l.path), l.after)
}
