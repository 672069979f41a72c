package command

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"

	"github.com/snodo-lang/snodo/compiler"
	"github.com/snodo-lang/snodo/compiler/plan"
	"github.com/snodo-lang/snodo/lang/diag"
)

// planToShow returns the plan that the arguments of a command name: a file, -
// for standard input, or a folder, whose package is compiled and whose
// diagnostics go to standard error. Nothing is the current folder. A package
// that does not check, and a plan that is not valid, end with exitFailed.
func planToShow(s streams, args []string, color *colorFlag) (*plan.Plan, error) {
	if len(args) > 1 {
		return nil, usagef("one plan or folder at a time, not %d", len(args))
	}
	where := "."
	if len(args) == 1 {
		where = args[0]
	}
	if where == "-" {
		content, err := io.ReadAll(io.LimitReader(s.in, plan.MaxSize+1))
		if err != nil {
			return nil, usagef("read the plan from standard input: %v", err)
		}
		return readPlan("from standard input", content)
	}
	info, err := os.Stat(where)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, usagef("there is no plan and no folder %s", where)
	}
	if err != nil {
		return nil, usagef("%s cannot be opened: %v", where, err)
	}
	if !info.IsDir() {
		content, err := os.ReadFile(where)
		if err != nil {
			return nil, usagef("read the plan: %v", err)
		}
		return readPlan(where, content)
	}
	p, report, err := compileFolder(where, asTyped)
	if err != nil {
		return nil, err
	}
	if err := writeConcerns(s.err, report, color); err != nil {
		return nil, err
	}
	if p == nil {
		return nil, &exitError{exitFailed, fmt.Errorf("the protocol in %s does not check", where)}
	}
	return p, nil
}

func readPlan(where string, content []byte) (*plan.Plan, error) {
	p, err := plan.Read(content)
	if err != nil {
		return nil, &exitError{exitFailed, fmt.Errorf("read plan %s: %w", where, err)}
	}
	return p, nil
}

// writeConcerns prints the diagnostics that concern who uses a plan.
func writeConcerns(w io.Writer, report compiler.Report, color *colorFlag) error {
	return diag.WriteText(w, concerns(report.Diagnostics).Sorted(), contents(report), color.palette(w))
}
