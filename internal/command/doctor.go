package command

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/spf13/pflag"

	"github.com/snodo-lang/snodo/runtime/child"
	"github.com/snodo-lang/snodo/runtime/endpoint"
	"github.com/snodo-lang/snodo/runtime/endpoint/probe"
)

var doctorCommand = command{
	name:    "doctor",
	summary: "asks the configured endpoint what it supports, and says whether judges can work there",
	detail: `The endpoint is OPENAI_BASE_URL, with OPENAI_API_KEY where it wants a key; the model is
--model or SNODO_MODEL. It is asked about a dozen questions, two of which are long:
some 50,000 tokens in all. Each has two minutes.

exit codes: 0 judges can work there, 1 they cannot or it cannot be told, 64 wrong usage`,
	example: "snodo doctor --model $SNODO_MODEL",
	bind: func(flags *pflag.FlagSet) action {
		f := &doctorFlags{}
		flags.StringVar(&f.model, "model", "", "the `MODEL` to ask for; otherwise SNODO_MODEL")
		flags.BoolVar(&f.json, "json", false, "print what was found as JSON")
		f.color = bindColor(flags)
		return f.run
	},
}

type doctorFlags struct {
	model string
	json  bool
	color *colorFlag
}

func (f *doctorFlags) run(ctx context.Context, s streams, args []string) (int, error) {
	if len(args) > 0 {
		return 0, usagef("the endpoint is named by OPENAI_BASE_URL and the model by --model; %q is neither", args[0])
	}
	if err := f.color.valid(); err != nil {
		return 0, err
	}
	model := f.model
	if model == "" {
		model = os.Getenv("SNODO_MODEL")
	}
	if model == "" {
		return 0, usagef("no model is named: use --model or SNODO_MODEL")
	}
	client, err := endpoint.New(endpoint.Config{BaseURL: os.Getenv("OPENAI_BASE_URL"), Key: os.Getenv("OPENAI_API_KEY")})
	if err != nil {
		return 0, usagef("%v", err)
	}
	if err := client.Accepts(model); err != nil {
		return 0, usagef("%v", err)
	}
	ctx, stop := interruptible(ctx)
	defer stop()
	report, err := probe.Ask(ctx, client, model, rand.Reader, func(question string) {
		fmt.Fprintf(s.err, "asking for %s\n", question)
	})
	if ctx.Err() != nil {
		return 0, &exitError{exitFailed, errors.New("interrupted before everything was asked")}
	}
	if err != nil {
		return 0, &exitError{exitFailed, err}
	}
	code := exitFailed
	if report.Judges == probe.Yes {
		code = exitOK
	}
	if f.json {
		e := json.NewEncoder(s.out)
		e.SetEscapeHTML(false)
		return code, e.Encode(report)
	}
	return code, writeReport(s.out, report, f.color.colors(s.out))
}

// writeReport prints the table of what was found, and what it means.
func writeReport(w io.Writer, r probe.Report, c colors) error {
	var b strings.Builder
	fmt.Fprintf(&b, "%s at %s\n\n", child.Sanitize(r.Model), child.Sanitize(r.Endpoint))
	wide := 0
	for _, row := range r.Rows {
		wide = max(wide, len(row.What))
	}
	for _, row := range r.Rows {
		found := paintFound(row.Found, c) + strings.Repeat(" ", len(probe.Unknown)-len(row.Found))
		line := fmt.Sprintf("  %-*s  %s  %s", wide, row.What, found, child.Sanitize(row.Detail))
		b.WriteString(strings.TrimRight(line, " ") + "\n")
	}
	fmt.Fprintf(&b, "\n%s: %s\n", conclusion(r.Judges, c), child.Sanitize(r.Because))
	_, err := io.WriteString(w, b.String())
	return err
}

func conclusion(judges probe.Found, c colors) string {
	switch judges {
	case probe.Yes:
		return c.good + "judges can work here" + c.end
	case probe.No:
		return c.bad + "judges cannot work here" + c.end
	case probe.Unknown:
		return c.warn + "whether judges can work here cannot be told" + c.end
	}
	panic("command: no such conclusion: " + string(judges))
}

// paintFound colours what was found by what it means.
func paintFound(f probe.Found, c colors) string {
	switch f {
	case probe.Yes:
		return c.good + string(f) + c.end
	case probe.No:
		return c.bad + string(f) + c.end
	case probe.Taken, probe.Unknown:
		return c.warn + string(f) + c.end
	case probe.Untried:
		return string(f)
	}
	panic("command: no such finding: " + string(f))
}
