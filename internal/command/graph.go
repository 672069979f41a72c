package command

import (
	"context"

	"github.com/spf13/pflag"

	"github.com/snodo-lang/snodo/internal/paths"
)

var graphCommand = command{
	name:     "graph",
	synopsis: "[PLAN|DIR]",
	summary:  "draws the stages of a plan: steps, outcomes, loops with their bounds, ends",
	detail: `PLAN is a file that snodoc wrote, - standard input, DIR the folder of a package; nothing is the
current folder. mermaid is a flowchart as it stands in Markdown, dot is for Graphviz.

exit codes: 0, 1 the package does not check or the plan is not valid, 64 wrong usage`,
	example: "snodo graph --format dot .",
	bind: func(flags *pflag.FlagSet) action {
		var format string
		flags.StringVar(&format, "format", "mermaid", "what the picture is written in: mermaid or dot")
		color := bindColor(flags)
		return func(_ context.Context, s streams, args []string) (int, error) {
			if err := oneOf("format", format, "mermaid", "dot"); err != nil {
				return 0, err
			}
			if err := color.valid(); err != nil {
				return 0, err
			}
			p, err := planToShow(s, args, color)
			if err != nil {
				return 0, err
			}
			if format == "dot" {
				return exitOK, paths.WriteDOT(s.out, paths.Of(p))
			}
			return exitOK, paths.WriteMermaid(s.out, paths.Of(p))
		}
	},
}
