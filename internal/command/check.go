package command

import (
	"context"
	"fmt"
	"io"
	"maps"

	"github.com/spf13/pflag"

	"github.com/snodo-lang/snodo/compiler"
	"github.com/snodo-lang/snodo/lang/diag"
)

var checkCommand = command{
	name:     "check",
	synopsis: "[DIR|DIR/...]",
	summary:  "reports everything that is wrong with a package, and exits 1 where that is an error",
	example:  "snodo check ./...",
	bind: func(flags *pflag.FlagSet) action {
		report := bindReport(flags, "text", "json")
		return func(_ context.Context, s streams, args []string) (int, error) {
			if err := report.valid(); err != nil {
				return 0, err
			}
			folders, err := packageFolders(args)
			if err != nil {
				return 0, err
			}
			all := compiler.Report{Files: compiler.Files{}}
			for _, dir := range folders {
				one, err := checkFolder(dir)
				if err != nil {
					return 0, err
				}
				all.Diagnostics = append(all.Diagnostics, one.Diagnostics...)
				maps.Copy(all.Files, one.Files)
			}
			return report.write(s.out, all)
		}
	},
}

// A reportFlags says how diagnostics are printed.
type reportFlags struct {
	strict  bool
	format  string
	formats []string
	color   *colorFlag
}

func bindReport(flags *pflag.FlagSet, formats ...string) *reportFlags {
	r := &reportFlags{formats: formats}
	flags.BoolVar(&r.strict, "strict", false, "warnings are errors")
	flags.StringVar(&r.format, "format", "text", "how diagnostics are printed: text or json")
	r.color = bindColor(flags)
	return r
}

func (r *reportFlags) valid() error {
	if err := oneOf("format", r.format, r.formats...); err != nil {
		return err
	}
	return r.color.valid()
}

// write prints the diagnostics and returns the exit code that they make.
func (r *reportFlags) write(w io.Writer, report compiler.Report) (int, error) {
	list := report.Diagnostics.Sorted()
	if r.strict {
		list = list.Strict()
	}
	var err error
	switch r.format {
	case "json":
		err = diag.WriteJSON(w, list)
	case "text":
		err = diag.WriteText(w, list, contents(report), r.color.palette(w))
	}
	if err != nil {
		return 0, fmt.Errorf("write diagnostics: %w", err)
	}
	if list.Count(diag.Error) > 0 {
		return exitFailed, nil
	}
	return exitOK, nil
}
