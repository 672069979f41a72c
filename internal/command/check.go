package command

import (
	"context"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"

	"github.com/spf13/pflag"

	"github.com/snodo-lang/snodo/compiler"
	"github.com/snodo-lang/snodo/docs/codes"
	"github.com/snodo-lang/snodo/lang/diag"
)

var checkCommand = command{
	name:     "check",
	synopsis: "[DIR|DIR/...]",
	summary:  "reports everything that is wrong with a package, and exits 1 where that is an error",
	detail: `DIR is the folder of a package, DIR/... every package below it, nothing the
current folder. json is one object, sarif a log for code scanning, github what
a workflow prints to annotate a pull request; the last two name files from the
repository's root.

--locked compares the plan in PLAN, which snodoc wrote and somebody committed,
with what the sources of one package give now (SN801).

--proven wants a valid proof of every validator of a panel (SN802), which snodo
prove wrote on this machine: of the validator as it stands, on its cases as they
stand. Of a judge that names no model it is that of SNODO_MODEL and
OPENAI_BASE_URL, or of any, where those are not set. A proof from a recording
counts, and is said.

--against compares every package, and what it imports from the repository, with
what it was at REV, a revision of git, and reports what is weaker (SN901 to
SN917); what is stronger, renamed or in another order is not reported. What was
renamed is known by being the same otherwise. A package with errors is not
compared before they are mended. The
library of snodo is the program's own on both sides. A package without a
protocol at REV has nothing to be compared with, which is noted on standard
error; one that is gone since then is reported. A package that did not check at
REV cannot be compared.

exit codes: 0; 1 where an error is reported; 64 for wrong usage, where a file
cannot be read, and where REV does not exist or cannot be compared with`,
	example: "snodo check ./...",
	bind: func(flags *pflag.FlagSet) action {
		f := &checkFlags{report: bindReport(flags)}
		flags.StringVar(&f.locked, "locked", "", "fail also where `PLAN` is not what the sources give")
		flags.BoolVar(&f.proven, "proven", false, "fail also where a validator of a panel has no valid proof")
		flags.StringVar(&f.against, "against", "", "report also what is weaker than it was at `REV`")
		return f.check
	},
}

// checkFlags say what is checked, and how it is printed.
type checkFlags struct {
	report          *reportFlags
	locked, against string
	proven          bool
}

func (f *checkFlags) check(ctx context.Context, s streams, args []string) (int, error) {
	if err := f.report.valid(); err != nil {
		return 0, err
	}
	folders, asked, err := f.scopes(args)
	if err != nil {
		return 0, err
	}
	plan, err := readCommitted(f.locked, folders)
	if err != nil {
		return 0, err
	}
	past := &past{rev: f.against, report: f.report}
	defer past.close()
	all := compiler.Report{Files: compiler.Files{}}
	for _, dir := range folders {
		one, err := f.folder(ctx, s.err, dir, plan, past)
		if err != nil {
			return 0, err
		}
		all.Diagnostics = append(all.Diagnostics, one.Diagnostics...)
		maps.Copy(all.Files, one.Files)
	}
	left, err := past.settle(ctx, s.err, asked)
	if err != nil {
		return 0, err
	}
	all.Diagnostics = append(all.Diagnostics, left...)
	return f.report.write(s.out, all)
}

// scopes returns the folders that are checked and, where they are compared with
// a revision, what may have been in them.
func (f *checkFlags) scopes(args []string) ([]string, []scope, error) {
	if f.against != "" {
		return scopes(args)
	}
	folders, err := packageFolders(args)
	return folders, nil, err
}

// folder reports what is to be said of the package in dir.
func (f *checkFlags) folder(ctx context.Context, notes io.Writer, dir string, plan *committed, past *past) (compiler.Report, error) {
	p, err := packageIn(dir)
	if err != nil {
		return compiler.Report{}, err
	}
	defer p.close()
	f.report.naming(&p)
	report, err := compiler.Check(p.source)
	if err != nil {
		return compiler.Report{}, sourceError(dir, err)
	}
	locked, err := plan.compare(dir, p)
	if err != nil {
		return compiler.Report{}, err
	}
	var unproven diag.List
	if f.proven {
		if unproven, err = provenIn(ctx, notes, dir, p); err != nil {
			return compiler.Report{}, err
		}
	}
	weaker, err := past.compare(ctx, dir, p)
	if err != nil {
		return compiler.Report{}, err
	}
	report.Diagnostics = slices.Concat(report.Diagnostics, locked, unproven, weaker)
	return report, nil
}

// A reportFlags says how diagnostics are printed.
type reportFlags struct {
	strict bool
	format string
	color  *colorFlag
}

func bindReport(flags *pflag.FlagSet) *reportFlags {
	r := &reportFlags{}
	flags.BoolVar(&r.strict, "strict", false, "warnings are errors")
	flags.StringVar(&r.format, "format", "text", "how diagnostics are printed: text, json, sarif or github")
	r.color = bindColor(flags)
	return r
}

func (r *reportFlags) valid() error {
	if err := oneOf("format", r.format, "text", "json", "sarif", "github"); err != nil {
		return err
	}
	return r.color.valid()
}

// fromRoot reports whether files are named from the repository's root, for
// readers who stand in no folder.
func (r *reportFlags) fromRoot() bool { return r.format == "sarif" || r.format == "github" }

// naming sets how the files of a package are named. Without a repository
// there is no root but the package's own folder, which names nothing.
func (r *reportFlags) naming(p *place) {
	if _, err := os.Lstat(filepath.Join(p.top, ".git")); err == nil && r.fromRoot() {
		p.source.Display = func(name string) string { return name }
	}
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
	case "sarif":
		version, _ := build()
		err = diag.WriteSARIF(w, list, diag.Driver{Version: version, Page: page})
	case "github":
		err = diag.WriteGitHub(w, list)
	case "text":
		err = diag.WriteText(w, list, contents(report), r.color.palette(w))
	default:
		panic("command: no such format: " + r.format)
	}
	if err != nil {
		return 0, fmt.Errorf("write diagnostics: %w", err)
	}
	if list.Count(diag.Error) > 0 {
		return exitFailed, nil
	}
	return exitOK, nil
}

// page returns the page of a code, which every code has.
func page(code diag.Code) string {
	text, ok := codes.Page(string(code))
	if !ok {
		panic("command: no page for the code " + string(code))
	}
	return text
}
