package command

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/spf13/pflag"

	"github.com/snodo-lang/snodo/internal/importer"
	"github.com/snodo-lang/snodo/internal/starter"
)

var importCommand = command{
	name:     "import",
	synopsis: "FILE.yml",
	summary:  "turns a YAML protocol of the older engine into this language",
	detail: `What has no equivalent becomes a comment at its place and a line of the report, which is printed on
standard error, with the line of the YAML. Exit code 1 says that something is left for you to decide.`,
	example: "snodo import -o protocol.snodo .snodo/protocol.yml",
	bind: func(flags *pflag.FlagSet) action {
		var out string
		flags.StringVarP(&out, "output", "o", "", "write to `FILE`, which must not exist")
		return func(_ context.Context, s streams, args []string) (int, error) {
			if len(args) != 1 {
				return 0, usagef("name the one file to import, or - for standard input, not %d", len(args))
			}
			return importFile(s, args[0], out)
		}
	},
}

func importFile(s streams, name, out string) (int, error) {
	if out != "" {
		if _, err := os.Lstat(out); err == nil {
			return 0, usagef("%s is there already, and is not overwritten", out)
		}
	}
	src, around, err := readProtocol(s, name)
	if err != nil {
		return 0, err
	}
	if name == "-" {
		name = "standard input"
	}
	result, err := importer.Import(name, src, around)
	if err != nil {
		return 0, fmt.Errorf("import %w", err)
	}
	if out == "" {
		_, err = s.out.Write(result.Source)
	} else {
		err = writeNew(out, result.Source)
	}
	if err != nil {
		return 0, err
	}
	return tellImport(s.err, name, result), nil
}

// tellImport prints the report of an import and returns its exit code.
func tellImport(w io.Writer, name string, r importer.Result) int {
	for _, l := range r.Changes {
		fmt.Fprintln(w, l.In(name))
	}
	if len(r.Decisions) == 0 {
		return exitOK
	}
	fmt.Fprintf(w, "\nleft for you to decide:\n")
	for _, l := range r.Decisions {
		fmt.Fprintln(w, l.In(name))
	}
	return exitFailed
}

// readProtocol reads a file of the older engine, and finds what that engine
// looked for around it.
func readProtocol(s streams, name string) ([]byte, importer.Surroundings, error) {
	in, folder := s.in, "."
	if name != "-" {
		f, err := os.Open(name)
		if errors.Is(err, fs.ErrNotExist) {
			return nil, importer.Surroundings{}, usagef("there is no file %s", name)
		}
		if err != nil {
			return nil, importer.Surroundings{}, usagef("%s cannot be read: %v", name, err)
		}
		defer f.Close()
		in, folder = f, filepath.Dir(name)
	}
	src, err := io.ReadAll(io.LimitReader(in, importer.MaxFile+1))
	if err != nil {
		return nil, importer.Surroundings{}, usagef("%s cannot be read: %v", name, err)
	}
	folder, err = filepath.Abs(folder)
	if err != nil {
		return nil, importer.Surroundings{}, usagef("%v", err)
	}
	kit, _, err := starter.Detect(os.DirFS(repositoryAround(folder)))
	if err != nil || kit == nil {
		return src, importer.Surroundings{}, err
	}
	return src, importer.Surroundings{Test: kit.Test}, nil
}
