package command

import (
	"context"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"github.com/snodo-lang/snodo/docs/codes"
	"github.com/snodo-lang/snodo/lang/diag"
)

var explainCommand = command{
	name:     "explain",
	synopsis: "CODE",
	summary:  "prints the page of a diagnostic's code: what it means, and how it is mended",
	detail:   "CODE stands in the brackets behind error, warning or note. SN503, sn503 and 503 are the same.",
	example:  "snodo explain SN503",
	bind: func(*pflag.FlagSet) action {
		return func(_ context.Context, s streams, args []string) (int, error) {
			if len(args) != 1 {
				return 0, usagef("name one code, such as SN503")
			}
			code := writtenOut(args[0])
			if !slices.Contains(diag.Codes(), code) {
				return 0, unknownCode(args[0], code)
			}
			page, ok := codes.Page(string(code))
			if !ok {
				panic("command: no page for the code " + string(code))
			}
			if _, err := io.WriteString(s.out, page); err != nil {
				return 0, fmt.Errorf("write the page of %s: %w", code, err)
			}
			return exitOK, nil
		}
	},
}

// writtenOut returns a code in the form of the registry, in which a person
// need not type it.
func writtenOut(typed string) diag.Code {
	code := strings.ToUpper(typed)
	if !strings.HasPrefix(code, "SN") {
		code = "SN" + code
	}
	return diag.Code(code)
}

var codeForm = regexp.MustCompile(`^SN[0-9]{3}$`)

// unknownCode says that there is no such code, and which ones stand on either
// side of it.
func unknownCode(typed string, code diag.Code) error {
	all := diag.Codes()
	at, _ := slices.BinarySearch(all, code)
	if !codeForm.MatchString(string(code)) || at == 0 || at == len(all) {
		return usagef("there is no code %q; the codes go from %s to %s", typed, all[0], all[len(all)-1])
	}
	below, above := all[at-1], all[at]
	return usagef("there is no code %s; the nearest are %s (%s) and %s (%s)", code, below, below.Title(), above, above.Title())
}
