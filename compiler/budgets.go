package compiler

import (
	"fmt"
	"time"

	"github.com/snodo-lang/snodo/lang"
	"github.com/snodo-lang/snodo/lang/diag"
)

// A span is what a number of the language may be, both ends included.
type span struct{ least, most int }

// The ranges of budgets. Timeouts are in milliseconds.
var (
	turnsSpan   = span{1, 200}
	tokensSpan  = span{256, 200_000}
	recoverSpan = span{1, 20}
	timeoutSpan = span{int(time.Second / time.Millisecond), int(24 * time.Hour / time.Millisecond)}
)

func (s span) holds(n int64) bool { return int64(s.least) <= n && n <= int64(s.most) }

// checkBudgets reports numbers and durations out of their range, wherever
// they stand.
func checkBudgets(c *compilation) error {
	for _, u := range c.units {
		f := c.forms[u]
		if f.protocol != nil && f.protocol.prepare != nil {
			c.timeout(f.protocol.prepare.timeout)
		}
		for _, e := range f.evidence {
			if e.obtain != nil {
				c.timeout(e.obtain.timeout)
			}
		}
		for _, j := range f.judges {
			c.count("turns", j.turns, turnsSpan)
			c.count("tokens", j.tokens, tokensSpan)
			c.timeout(j.timeout)
		}
		for _, k := range f.checks {
			if k.run != nil {
				c.timeout(k.run.timeout)
			}
		}
		for _, k := range f.coders {
			c.count("turns", k.turns, turnsSpan)
			c.count("tokens", k.tokens, tokensSpan)
			c.timeout(k.timeout)
			if k.run != nil {
				c.timeout(k.run.timeout)
			}
		}
		for _, s := range f.stages {
			c.count("turns", s.turns, turnsSpan)
			for _, g := range s.gates {
				for _, r := range g.routes {
					for _, step := range r.steps {
						c.count("recover", step.times, recoverSpan)
					}
				}
			}
		}
	}
	return nil
}

func (c *compilation) count(what string, n *lang.Number, s span) {
	if n != nil && !s.holds(int64(n.Value)) {
		c.report(outOfRange(n.Range, fmt.Sprintf("`%s` is %d", what, n.Value), thousands(s.least), thousands(s.most)))
	}
}

func (c *compilation) timeout(d *lang.Duration) {
	if d != nil && !timeoutSpan.holds(d.Milliseconds) {
		c.report(outOfRange(d.Range, fmt.Sprintf("a timeout is %s", d.Raw), "1s", "24h"))
	}
}

func outOfRange(at diag.Range, found, least, most string) diag.Diagnostic {
	return diag.Diagnostic{
		Code: diag.SN601, Range: at,
		Message: fmt.Sprintf("%s here, and may be from %s to %s", found, least, most),
		Help:    fmt.Sprintf("write a value from %s to %s", least, most),
	}
}

// thousands writes a number with commas between its thousands.
func thousands(n int) string {
	s := fmt.Sprint(n)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}
