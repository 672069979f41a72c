package paths

import (
	"bytes"
	"html"
	"io"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/snodo-lang/snodo/compiler/plan"
)

// hostile is what a plan may call a thing and no format may take for more.
const hostile = "end \"]; }} |\\N<br/>\n--> &amp; #35; %% `1. **x**` \x1b[2J \u202e é"

// sample is a plan with every kind of stage and step, in which every name and
// title is word.
func sample(word string) *plan.Plan {
	gate := func(phase string, need int, next plan.GateNext) *plan.Gate {
		next.Error = invalid
		return &plan.Gate{Op: plan.OpGate, Title: &word, Phase: phase, Panel: []string{word, "b"}, Observe: []string{"o"}, Need: need, Next: next}
	}
	asked := plan.Route{{Do: plan.DoAsk, Role: word}}
	mode := stageWith(plan.Mode,
		gate(plan.PreExecute, 2, plan.GateNext{Unclear: asked, Warn: asked, Blocker: halting("blocker")}),
		gate(plan.PostExecute, 1, plan.GateNext{Unclear: gathering(2), Warn: recovering(1), Blocker: recovering(3)}))
	mode.Title, mode.Coder, mode.Powers, mode.HandsTo = &word, &word, []string{"commit"}, []string{"board", "tidy"}
	review := stageWith(plan.Review,
		gate(plan.PreExecute, 2, plan.GateNext{Unclear: asked, Warn: asked, Blocker: halting("blocker")}),
		gate(plan.PostExecute, 2, plan.GateNext{Unclear: asked, Warn: asked, Blocker: halting("blocker")}))
	task := plan.Stage{Kind: plan.Task, Coder: &word, Powers: []string{"publish"}, HandsTo: []string{}, Start: "execute", Steps: plan.Steps{
		"execute": &plan.Execute{Op: plan.OpExecute, Next: plan.ExecuteNext{
			Done: "keep", NoChange: "keep", ProtectedPath: "keep", OutsideGrant: "keep", CoderError: "keep", Error: "halt:environment_error"}},
		"keep": &plan.Keep{Op: plan.OpKeep, Times: 4, Next: plan.KeepNext{Again: "execute", Done: "complete", Error: "halt:environment_error"}},
		"complete": &plan.Complete{Op: plan.OpComplete, Next: plan.CompleteNext{
			Done: plan.EndComplete, NothingKept: "halt:nothing_kept", Refused: "halt:power_refused", Error: "halt:environment_error"}},
	}}
	judge := &plan.Judge{Kind: plan.KindJudge, Returns: four}
	return &plan.Plan{
		Protocol:   plan.Protocol{Name: word, Title: &word, Starts: word},
		Validators: plan.Validators{word: judge, "b": judge, "o": judge},
		Stages:     map[string]plan.Stage{word: mode, "board": review, "tidy": task},
	}
}

// A drawn is what a test reads back from a picture.
type drawn struct {
	labels map[string]string // of nodes and groups, lines joined by \n
	edges  []string          // from, to and label, joined by spaces
}

var (
	mermaidNode = regexp.MustCompile(`^    (\w+)(?:\(\["([^"]*)"\]\)|\["([^"]*)"\]|\{\{"([^"]*)"\}\}|\("([^"]*)"\)|\[/"([^"]*)"/\]|\(\(\("([^"]*)"\)\)\))$`)
	mermaidLink = regexp.MustCompile(`^ {2,4}(\w+) (?:-->|==>|-\.->)(?:\|"([^"]*)"\|)? (\w+)$`)
	mermaidHead = regexp.MustCompile(`^  subgraph (\w+)\["([^"]*)"\]$`)
	mermaidMark = regexp.MustCompile(`[-_.](?:[^\pL\pN]|$)|(?:^|[^\pL\pN])[-_.]`)
	mermaidCode = regexp.MustCompile(`#(\d+);`)
)

// fromMermaid reads the part of Mermaid that is written here, line by line.
func fromMermaid(t *testing.T, text string) drawn {
	t.Helper()
	plain := func(s string) string {
		bare := mermaidCode.ReplaceAllString(strings.ReplaceAll(s, "<br/>", ""), " ")
		if strings.ContainsAny(bare, "#<>&;\\`*|[]{}()") || mermaidMark.MatchString(bare) {
			t.Errorf("%q holds what means something", s)
		}
		return mermaidCode.ReplaceAllStringFunc(strings.ReplaceAll(s, "<br/>", "\n"), func(code string) string {
			n, _ := strconv.Atoi(code[1 : len(code)-1])
			return string(rune(n))
		})
	}
	d := drawn{labels: map[string]string{}}
	lines := strings.Split(strings.TrimSuffix(text, "\n"), "\n")
	if lines[0] != "---" || !strings.HasPrefix(lines[1], "title: ") || lines[2] != "---" || lines[3] != "flowchart TD" {
		t.Fatalf("it begins with %q", lines[:4])
	}
	title, err := strconv.Unquote(strings.TrimPrefix(lines[1], "title: "))
	if err != nil {
		t.Errorf("%s: %v", lines[1], err)
	}
	d.labels["title"] = title
	open := 0
	for _, line := range lines[4:] {
		if m := mermaidHead.FindStringSubmatch(line); m != nil {
			open++
			d.labels[m[1]] = plain(m[2])
		} else if m := mermaidNode.FindStringSubmatch(line); m != nil {
			d.labels[m[1]] = plain(strings.Join(m[2:], ""))
		} else if m := mermaidLink.FindStringSubmatch(line); m != nil {
			d.edges = append(d.edges, strings.TrimSpace(m[1]+" "+m[3]+" "+plain(m[2])))
		} else if line == "  end" {
			open--
		} else {
			t.Errorf("this is no line of a flowchart: %q", line)
		}
	}
	if open != 0 {
		t.Errorf("%d subgraphs are not closed", open)
	}
	return d
}

var dotToken = regexp.MustCompile(`^\s*("(?:[^"\\]|\\.)*"|->|\w+|[{}\[\];=,])`)

// fromDOT reads the statements of DOT that are written here.
func fromDOT(t *testing.T, text string) drawn {
	t.Helper()
	var tokens []string
	for rest := text; strings.TrimSpace(rest) != ""; {
		m := dotToken.FindStringSubmatch(rest)
		if m == nil {
			t.Fatalf("this is no token of DOT: %.40q", rest)
		}
		tokens = append(tokens, m[1])
		rest = rest[len(m[0]):]
	}
	d := drawn{labels: map[string]string{}}
	var open []string
	for len(tokens) > 0 {
		end := slices.IndexFunc(tokens, func(tok string) bool { return tok == ";" || tok == "{" || tok == "}" })
		if end < 0 {
			t.Fatalf("%q does not end", tokens)
		}
		statement, closing := tokens[:end], tokens[end]
		tokens = tokens[end+1:]
		switch {
		case closing == "{":
			open = append(open, statement[len(statement)-1])
		case closing == "}" && len(statement) == 0 && len(open) > 0:
			open = open[:len(open)-1]
		case closing == ";" && len(statement) > 1 && statement[1] == "->":
			d.edges = append(d.edges, strings.TrimSpace(statement[0]+" "+statement[2]+" "+dotLabel(t, statement)))
		case closing == ";" && len(open) == 1 && statement[0] == "graph":
			d.labels["title"] = dotLabel(t, statement)
		case closing == ";" && statement[0] == "graph":
			d.labels[strings.TrimPrefix(open[len(open)-1], "cluster_")] = dotLabel(t, statement)
		case closing == ";":
			d.labels[statement[0]] = dotLabel(t, statement)
		default:
			t.Fatalf("%q %q", statement, closing)
		}
	}
	if len(open) != 0 {
		t.Errorf("%q is not closed", open)
	}
	return d
}

// dotLabel returns the label among the attributes of a statement.
func dotLabel(t *testing.T, statement []string) string {
	t.Helper()
	at := slices.Index(statement, "label")
	if at < 0 || statement[at+1] != "=" || statement[len(statement)-1] != "]" {
		t.Fatalf("%q has no label", statement)
	}
	quoted := statement[at+2]
	text := strings.NewReplacer(`\\`, `\`, `\"`, `"`, `\n`, "\n").Replace(quoted[1 : len(quoted)-1])
	return html.UnescapeString(text)
}

// Whatever things are called, both formats hold the same picture, every line
// joins what is there, and every label reads back as it was meant.
func TestAPictureIsWholeWhateverThingsAreCalled(t *testing.T) {
	for _, word := range []string{"word", hostile} {
		tab := Of(sample(word))
		want := wanted(draw(tab))
		for format, read := range map[string]func(*testing.T, string) drawn{"mermaid": fromMermaid, "dot": fromDOT} {
			write := map[string]func(io.Writer, *Table) error{"mermaid": WriteMermaid, "dot": WriteDOT}[format]
			var out, again bytes.Buffer
			if err := write(&out, tab); err != nil {
				t.Fatal(err)
			}
			if err := write(&again, Of(sample(word))); err != nil || !bytes.Equal(out.Bytes(), again.Bytes()) {
				t.Errorf("%s of %q: another time it is another picture (%v)", format, word, err)
			}
			if strings.ContainsAny(out.String(), "\x1b\u202e") {
				t.Errorf("%s of %q: a name goes out as it came in", format, word)
			}
			got := read(t, out.String())
			if diff := cmp.Diff(want.labels, got.labels); diff != "" {
				t.Errorf("%s of %q, labels: (-want +got)\n%s", format, word, diff)
			}
			if diff := cmp.Diff(want.edges, got.edges); diff != "" {
				t.Errorf("%s of %q, edges: (-want +got)\n%s", format, word, diff)
			}
			for _, e := range got.edges {
				for _, id := range strings.Fields(e)[:2] {
					if _, ok := got.labels[id]; !ok {
						t.Errorf("%s of %q: %q joins %s, which is not there", format, word, e, id)
					}
				}
			}
		}
	}
}

// wanted is what is to be read back of a picture.
func wanted(p picture) drawn {
	d := drawn{labels: map[string]string{"title": p.title}}
	add := func(edges []edge) {
		for _, e := range edges {
			d.edges = append(d.edges, strings.TrimSpace(e.from+" "+e.to+" "+e.label))
		}
	}
	for _, g := range p.groups {
		d.labels[g.id] = strings.Join(g.lines, "\n")
		for _, n := range g.nodes {
			d.labels[n.id] = strings.Join(n.lines, "\n")
		}
		add(g.edges)
	}
	add(p.edges)
	return d
}

// The picture goes where the table goes: each row and each outcome is an edge
// to what it leads to, and everything can be reached from where a stage begins.
func TestAPictureGoesWhereTheTableGoes(t *testing.T) {
	tab := Of(sample("word"))
	p := draw(tab)
	label := map[string]string{}
	for _, g := range p.groups {
		for _, n := range g.nodes {
			label[n.id] = n.lines[0]
		}
	}
	got := map[string]bool{}
	for _, g := range p.groups {
		reached := map[string]bool{g.id + "begin": true}
		for range g.nodes {
			for _, e := range g.edges {
				reached[e.to] = reached[e.to] || reached[e.from]
			}
		}
		for _, n := range g.nodes {
			if !reached[n.id] {
				t.Errorf("nothing leads to %q of %s", n.lines[0], g.lines[0])
			}
		}
		for _, e := range g.edges {
			got[g.id+": "+label[e.from]+" - "+e.label+" -> "+label[e.to]] = true
		}
	}
	for _, e := range p.edges {
		got[label[e.from]+" - "+e.label+" -> "+e.to] = true
	}
	for _, want := range []string{
		`s0: a run begins -  -> gate-1 "word"`,
		`s0: gate-1 "word" - any error -> halt validator_error`,
		`s0: gate-1 "word" - any unclear, no error or blocker -> ask word`,
		`s0: gate-1 "word" - fewer than 2 of 2 pass, the rest warn -> ask word`,
		`s0: gate-1 "word" - all 2 pass -> execute`,
		`s0: execute - stalled -> halt recovery_stalled`,
		`s0: gate-2 "word" - any blocker, no error: recover up to 3 times -> execute`,
		`s0: gate-2 "word" - still blocker -> halt recovery_exhausted`,
		`s0: gate-2 "word" - blocker where it stalls -> halt recovery_stalled`,
		`s0: gate-2 "word" - any unclear, no error or blocker: gather up to 2 rounds and decide anew -> gate-2 "word"`,
		`s0: gate-2 "word" - still unclear -> ask me`,
		`s0: gate-2 "word" - all 2 warn: recover once -> execute`,
		`s0: gate-2 "word" - 1 or more of 2 pass, the rest warn -> complete`,
		`s0: complete - done -> complete`,
		`s1: gate-1 "word" - all 2 pass -> receive`,
		`s1: receive - done -> gate-2 "word"`,
		`s1: receive - no_change -> halt no_change`,
		`s2: execute - done, no_change, protected_path, outside_grant, coder_error -> keep`,
		`s2: keep - again: 4 turns in all -> execute`,
		`s2: complete - nothing_kept -> halt nothing_kept`,
		`complete - hands to -> s1begin`,
		`complete - hands to -> s2begin`,
	} {
		if !got[want] {
			t.Errorf("there is no edge %s", want)
		}
	}
	if lines := p.groups[2].lines; !slices.Contains(lines, "task: no judge: every completed turn is kept unscored and published") {
		t.Errorf("that nobody judges a task is not said: %q", lines)
	}
	if lines := p.groups[0].nodes[1].lines; !slices.Contains(lines, "o never gates: what an observer says is recorded and stops nothing") {
		t.Errorf("that an observer never gates is not said: %q", lines)
	}
}
