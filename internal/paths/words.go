package paths

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/snodo-lang/snodo/compiler/plan"
)

// caseOf says in words which cases of a gate a row holds.
func caseOf(g *Gate, r Row) string {
	size := len(g.Panel)
	switch r.Decision {
	case Error, string(plan.Blocker), string(plan.Unclear):
		if size == 1 {
			return r.Decision
		}
		graver := Results[:slices.Index(Results, r.Decision)]
		if len(graver) == 0 {
			return "any " + r.Decision
		}
		return "any " + r.Decision + ", no " + strings.Join(graver, " or ")
	case Proceed, string(plan.Warn):
		return passWords(r.When[len(r.When)-1], size)
	}
	panic("paths: no such decision: " + r.Decision)
}

func passWords(pass Count, size int) string {
	least, most := pass.Least, pass.Most
	verb := "pass"
	if most == 1 {
		verb = "passes"
	}
	switch {
	case size == 1 && least == 1:
		return "pass"
	case size == 1:
		return "warn"
	case least == size:
		return fmt.Sprintf("all %d pass", size)
	case most == 0:
		return fmt.Sprintf("all %d warn", size)
	case most == size:
		return fmt.Sprintf("%d or more of %d pass, the rest warn", least, size)
	case least == most:
		return fmt.Sprintf("%d of %d %s, the rest warn", most, size, verb)
	case least == 0:
		return fmt.Sprintf("fewer than %d of %d pass, the rest warn", most+1, size)
	}
	return fmt.Sprintf("%d to %d of %d pass, the rest warn", least, most, size)
}

// whoOf names the members that can bring a row about, empty where everyone
// can or the row is about what all say.
func whoOf(g *Gate, r Row) string {
	about := r.Decision
	if about == Proceed {
		about = string(plan.Warn)
	}
	c := r.When[slices.Index(Results, about)]
	if c.Most == 0 || len(c.From) == len(g.Panel) {
		return ""
	}
	return about + " from " + names(c.From)
}

// consequence says in words what happens in the cases of a row.
func consequence(r Row) string {
	if r.Decision == Proceed {
		return "go on to " + targetWords(r.To)
	}
	var steps []string
	stalled := ""
	for _, a := range r.Route {
		steps = append(steps, actionWords(a))
		if a.Do == plan.DoRecover {
			stalled = "; where it stalls, " + targetWords(a.Stalled)
		}
	}
	return strings.Join(steps, ", then ") + stalled
}

func actionWords(a plan.Action) string {
	switch a.Do {
	case plan.DoHalt:
		return "halt " + a.As
	case plan.DoAsk:
		return "ask " + visible(a.Role)
	case plan.DoRecover:
		return "recover " + upTo(a.Times, "time")
	case plan.DoGather:
		return "gather " + upTo(a.Times, "round") + " and decide anew"
	}
	panic("paths: no such action: " + a.Do)
}

func upTo(n int, what string) string {
	if n == 1 {
		return "once"
	}
	return "up to " + count(n, what)
}

func count(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

func targetWords(t plan.Target) string {
	if as, ok := strings.CutPrefix(string(t), plan.HaltPrefix); ok {
		return "halt " + as
	}
	if t == plan.EndComplete {
		return "the end, complete"
	}
	return visible(string(t))
}

// needWords says what a gate needs to proceed.
func needWords(g *Gate) string {
	var panel []string
	for _, m := range g.Panel {
		panel = append(panel, m.Name)
	}
	switch size := len(panel); {
	case size == 1:
		return "needs " + names(panel) + " to pass"
	case g.Need == size:
		return fmt.Sprintf("needs all %d to pass: %s", size, names(panel))
	default:
		return fmt.Sprintf("needs %d of %d to pass: %s", g.Need, size, names(panel))
	}
}

// actWords says what an act does.
func actWords(a *Act) string {
	switch a.Op {
	case plan.OpExecute:
		return "sends the coder " + visible(*a.Coder)
	case plan.OpKeep:
		return "keeps or discards what the turn left"
	case plan.OpComplete:
		if len(a.Powers) == 0 {
			return "exercises no power"
		}
		return "exercises " + names(a.Powers)
	case OpReceive:
		return "takes the work under review"
	}
	panic("paths: no such act: " + a.Op)
}

// taskWords say what nobody may overlook about a stage without judges.
func taskWords(s Stage) string {
	if s.Publish {
		return "task: no judge: every completed turn is kept unscored and published"
	}
	return "task: no judge: every completed turn is kept unscored"
}

// observerWords say the like about observers, and are empty where a gate has
// none.
func observerWords(g *Gate) string {
	var who []string
	for _, m := range g.Observe {
		who = append(who, m.Name)
	}
	switch len(who) {
	case 0:
		return ""
	case 1:
		return names(who) + " never gates: what an observer says is recorded and stops nothing"
	}
	return names(who) + " never gate: what observers say is recorded and stops nothing"
}

func names(list []string) string {
	var out []string
	for _, name := range list {
		out = append(out, visible(name))
	}
	return strings.Join(out, ", ")
}

// visible returns a name as it is, where all of it can be seen. A plan from
// elsewhere may call a thing what a terminal would obey.
func visible(name string) string {
	if name != "" && !strings.ContainsFunc(name, func(c rune) bool { return c == unicode.ReplacementChar || c == ' ' || !unicode.IsPrint(c) }) {
		return name
	}
	return strconv.Quote(name)
}

// titled returns a name with the title behind it.
func titled(name string, title *string) string {
	if title == nil {
		return visible(name)
	}
	return visible(name) + " " + strconv.Quote(*title)
}
