package command

import (
	"io"
	"os"

	"github.com/spf13/pflag"
	"golang.org/x/term"

	"github.com/snodo-lang/snodo/lang/diag"
)

// A colorFlag is --color: auto colours what a terminal shows, unless NO_COLOR
// is set (https://no-color.org).
type colorFlag struct{ when string }

func bindColor(flags *pflag.FlagSet) *colorFlag {
	c := &colorFlag{}
	flags.StringVar(&c.when, "color", "auto", "colour the output: auto, always or never")
	return c
}

func (c *colorFlag) valid() error { return oneOf("color", c.when, "auto", "always", "never") }

// shown says whether what is written to w is coloured.
func (c *colorFlag) shown(w io.Writer) bool {
	switch c.when {
	case "always":
		return true
	case "never":
		return false
	}
	return os.Getenv("NO_COLOR") == "" && isTerminal(w)
}

// palette returns the colours of diagnostics written to w.
func (c *colorFlag) palette(w io.Writer) diag.Palette {
	if c.shown(w) {
		return diag.ANSI
	}
	return diag.Plain
}

// colors are what the words of a summary are written between.
type colors struct{ good, warn, bad, end string }

// colors returns the colours of a summary written to w.
func (c *colorFlag) colors(w io.Writer) colors {
	if c.shown(w) {
		return colors{good: "\x1b[32m", warn: "\x1b[33m", bad: "\x1b[31m", end: "\x1b[0m"}
	}
	return colors{}
}

// isTerminal says whether w is a terminal that a person looks at.
func isTerminal(w io.Writer) bool {
	f, ok := w.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}
