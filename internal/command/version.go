package command

import (
	"context"
	"fmt"
	"runtime/debug"
	"strings"

	"github.com/spf13/pflag"

	"github.com/snodo-lang/snodo/compiler/plan"
)

var versionCommand = command{
	name:    "version",
	summary: "says which version of snodo this is, and which edition of the language it knows",
	example: "snodo version",
	bind: func(*pflag.FlagSet) action {
		return func(_ context.Context, s streams, args []string) (int, error) {
			if len(args) > 0 {
				return 0, usagef("version takes no arguments")
			}
			version, commit := build()
			fmt.Fprintf(s.out, "snodo %s, edition %d, commit %s\n", version, plan.Edition, commit)
			return exitOK, nil
		}
	},
}

// build returns the version and the revision that the program was built from,
// as far as the build recorded them.
func build() (version, commit string) {
	version, commit = plan.Compiler, "unknown"
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return version, commit
	}
	if v := info.Main.Version; v != "" && v != "(devel)" {
		version = strings.TrimPrefix(v, "v")
	}
	for _, s := range info.Settings {
		if s.Key == "vcs.revision" {
			commit = s.Value
		}
	}
	return version, commit
}
