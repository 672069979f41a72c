package command

import (
	"context"

	"github.com/spf13/pflag"

	"github.com/snodo-lang/snodo/internal/paths"
)

var pathsCommand = command{
	name:     "paths",
	synopsis: "[PLAN|DIR]",
	summary:  "prints what can happen: for every gate what follows from which verdicts, and the bound of every loop",
	detail: `PLAN is a file that snodoc wrote, - standard input, DIR the folder of a package; nothing is the
current folder. The table holds what snodo run --rehearse would do for every case at once.

exit codes: 0, 1 the package does not check or the plan is not valid, 64 wrong usage`,
	example: "snodo paths .",
	bind: func(flags *pflag.FlagSet) action {
		var json bool
		flags.BoolVar(&json, "json", false, "print the table as JSON")
		color := bindColor(flags)
		return func(_ context.Context, s streams, args []string) (int, error) {
			if err := color.valid(); err != nil {
				return 0, err
			}
			p, err := planToShow(s, args, color)
			if err != nil {
				return 0, err
			}
			if json {
				return exitOK, paths.WriteJSON(s.out, paths.Of(p))
			}
			return exitOK, paths.WriteText(s.out, paths.Of(p))
		}
	},
}
