package command

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/spf13/pflag"

	"github.com/snodo-lang/snodo/compiler"
	"github.com/snodo-lang/snodo/compiler/plan"
)

// compileCommand is the whole of the program snodoc.
var compileCommand = command{
	name:     "snodoc",
	synopsis: "[DIR]",
	summary:  "compiles a package to a plan, on standard output or into a file",
	example:  "snodoc --pretty -o plan.json .",
	bind: func(flags *pflag.FlagSet) action {
		var out string
		var pretty, prompts bool
		flags.StringVarP(&out, "output", "o", "", "write to `FILE`")
		flags.BoolVar(&pretty, "pretty", false, "indent the plan for reading")
		flags.BoolVar(&prompts, "prompts", false, "print what each judge and coder will be told instead")
		report := bindReport(flags)
		return func(_ context.Context, s streams, args []string) (int, error) {
			if err := report.valid(); err != nil {
				return 0, err
			}
			dir, err := oneFolder(args)
			if err != nil {
				return 0, err
			}
			p, found, err := compileFolder(dir, report.naming)
			if err != nil {
				return 0, err
			}
			code, err := report.write(s.err, found)
			if err != nil || code != exitOK {
				return code, err
			}
			content, err := rendered(p, pretty, prompts)
			if err != nil {
				return 0, err
			}
			if out != "" {
				return exitOK, replaceFile(out, content)
			}
			_, err = s.out.Write(content)
			return exitOK, err
		}
	},
}

func oneFolder(args []string) (string, error) {
	switch len(args) {
	case 0:
		return ".", nil
	case 1:
		return args[0], nil
	}
	return "", usagef("one folder at a time, not %d", len(args))
}

// asTyped names the files of a package as a person would type them.
func asTyped(*place) {}

// compileFolder returns the plan of the package in dir, nil where the report
// holds an error. naming sets how its files are named.
func compileFolder(dir string, naming func(*place)) (*plan.Plan, compiler.Report, error) {
	p, err := packageIn(dir)
	if err != nil {
		return nil, compiler.Report{}, err
	}
	defer p.close()
	naming(&p)
	out, report, err := compiler.Compile(p.source)
	if err != nil {
		return nil, compiler.Report{}, sourceError(dir, err)
	}
	return out, report, nil
}

func rendered(p *plan.Plan, pretty, prompts bool) ([]byte, error) {
	switch {
	case prompts:
		return promptPages(p), nil
	case pretty:
		return plan.Pretty(p)
	}
	return plan.Encode(p)
}

// promptPages returns the system message of every judge and of every coder
// that is a model under its name, and what each stage offers such a coder.
func promptPages(p *plan.Plan) []byte {
	var out []byte
	for _, name := range slices.Sorted(maps.Keys(p.Coders)) {
		if c := p.Coders[name]; c.Kind == plan.CoderModel {
			out = fmt.Appendf(out, "=== %s (coder, %s)\n\n%s\n", name, c.Model, c.Prompt)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(p.Stages)) {
		tools := p.Stages[name].CoderTools
		if len(tools) == 0 {
			continue
		}
		out = fmt.Appendf(out, "=== %s (%s, what it offers a coder)\n\n", name, p.Stages[name].Kind)
		for _, t := range tools {
			out = fmt.Appendf(out, "%s: %s\n    %s\n", t.Name, t.Description, t.Parameters)
		}
		out = append(out, '\n')
	}
	for _, name := range slices.Sorted(maps.Keys(p.Validators)) {
		j, ok := p.Validators[name].(*plan.Judge)
		if !ok {
			continue
		}
		out = fmt.Appendf(out, "=== %s (%s, %s)\n\n%s\n", name, j.Phase, j.Digest, j.Prompt)
	}
	return out
}
