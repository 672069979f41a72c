package plan

import (
	"bytes"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func ptr[T any](v T) *T { return &v }

// sample is a sealed plan with everything that a plan can hold: a mode with
// gates of both phases, a review and a task.
func sample(t *testing.T) *Plan {
	t.Helper()
	all := []string{}
	halt := func(as string) Route { return Route{{Do: DoHalt, As: as}} }
	p := &Plan{
		Schema: Schema, Edition: Edition, Compiler: Compiler,
		Protocol: Protocol{Name: "hello", Starts: "producer", Protects: []string{".github/**"}},
		Sources:  []Source{{Path: "protocol.snodo", SHA256: strings.Repeat("0", 64)}},
		Roles:    map[string]Role{"me": {Title: "The developer at the keyboard"}},
		Evidence: map[string]Evidence{"test-run": {Owner: ptr("me"), Request: "Run the tests of {target}.",
			Params: []Param{{Name: "target", Type: TypeName}}, Obtain: &Obtain{Argv: []string{"go", "test", "{target}"}, TimeoutMS: 1000}}},
		Coders: map[string]Coder{"claude": {Kind: CoderCommand, Run: "claude -p", TimeoutMS: 1000},
			"gpt": {Kind: CoderModel, Model: "gpt", Turns: 60, Tokens: 8192, Prompt: "You do the work.", TimeoutMS: 1000}},
		Wording: Wording{Judge: JudgeWording{Begin: "Begin."}},
		Validators: Validators{
			"intent": &Judge{Kind: KindJudge, Phase: PreExecute, Returns: []Verdict{Pass, Unclear, Blocker}, Criteria: []Criterion{{Name: "clear", Text: "It is clear."}},
				Grants: []Grant{}, Requests: []string{"test-run"}, Budget: Budget{Turns: 3, Tokens: 4096, TimeoutMS: 1000}, Prompt: "You judge.", Tools: []Tool{},
				SubmitVerdict: Tool{Name: SubmitVerdict, Parameters: JSONSchema(`{}`)}},
			"security": &Judge{Kind: KindJudge, Phase: PostExecute, Returns: []Verdict{Pass, Warn, Unclear, Blocker}, Criteria: []Criterion{{Name: "injection", Text: "None."}},
				Grants: []Grant{{Tool: "read_file", In: all}}, Requests: []string{"test-run"}, Budget: Budget{Turns: 12, Tokens: 4096, TimeoutMS: 1000}, Prompt: "You judge.",
				Tools:         []Tool{{Name: "read_file", Parameters: JSONSchema(`{"type":"object"}`)}},
				SubmitVerdict: Tool{Name: SubmitVerdict, Parameters: JSONSchema(`{}`)}},
			"tests": &Check{Kind: KindCheck, Phase: PostExecute, Returns: []Verdict{Pass, Blocker}, Run: "go test ./...", TimeoutMS: 1000},
			"scope": &Rule{Kind: KindRule, Phase: PostExecute, Returns: []Verdict{Pass, Blocker}, Predicate: FilesInScope, Args: RuleArgs{Paths: []string{"src/**"}}},
		},
		Stages: map[string]Stage{},
	}
	recovery := Route{{Do: DoRecover, To: "execute", Times: 3, Stalled: "halt:recovery_stalled"}, {Do: DoHalt, As: HaltRecoveryExhausted}}
	clarify := Route{{Do: DoGather, Times: 1}, {Do: DoAsk, Role: "me"}}
	writes := Tool{Name: "write_file", Description: "Writes.", Parameters: JSONSchema(`{"type":"object"}`)}
	complete := &Complete{Op: OpComplete, Next: CompleteNext{Done: EndComplete, Refused: "halt:power_refused", Error: "halt:environment_error"}}
	p.Stages["producer"] = Stage{Kind: Mode, Coder: ptr("gpt"), Grants: []Grant{{Tool: "write_file", In: all}, {Tool: "write_file", In: []string{"a"}}, {Tool: RunCheck, In: all}},
		CoderTools: []Tool{writes, {Name: RunCheck, Description: "Runs.", Parameters: JSONSchema(`{"properties":{"check":{"enum":["tests"]}}}`)}}, Powers: []string{"commit"}, HandsTo: []string{"reviewer"}, Start: "pre_execute-1",
		Steps: Steps{
			"pre_execute-1": &Gate{Op: OpGate, Phase: PreExecute, Panel: []string{"intent"}, Observe: all, Need: 1,
				Next: GateNext{Proceed: "execute", Unclear: Route{{Do: DoAsk, Role: "me"}}, Blocker: halt(HaltBlocker), Error: halt(HaltValidatorError)}},
			"execute": &Execute{Op: OpExecute, Next: ExecuteNext{Done: "post_execute-1", NoChange: "halt:no_change", ProtectedPath: "halt:protected_path",
				OutsideGrant: "halt:outside_grant", CoderError: "halt:coder_error", Stalled: "halt:recovery_stalled", Error: "halt:environment_error"}},
			"post_execute-1": &Gate{Op: OpGate, Title: ptr("cheap"), Phase: PostExecute, Panel: []string{"tests", "scope"}, Observe: all, Need: 2,
				Next: GateNext{Proceed: "post_execute-2", Blocker: recovery, Error: halt(HaltValidatorError)}},
			"post_execute-2": &Gate{Op: OpGate, Phase: PostExecute, Panel: []string{"security"}, Observe: all, Need: 1,
				Next: GateNext{Proceed: "complete", Warn: halt(HaltWarn), Unclear: clarify, Blocker: recovery, Error: halt(HaltValidatorError)}},
			"complete": complete,
		}}
	p.Stages["reviewer"] = Stage{Kind: Review, Grants: []Grant{}, Powers: []string{"approve", "merge"}, HandsTo: all, Start: "post_execute-1",
		Steps: Steps{
			"post_execute-1": &Gate{Op: OpGate, Phase: PostExecute, Panel: []string{"tests"}, Observe: []string{"scope"}, Need: 1,
				Next: GateNext{Proceed: "complete", Blocker: halt(HaltBlocker), Error: halt(HaltValidatorError)}},
			"complete": complete,
		}}
	p.Stages["chore"] = Stage{Kind: Task, Goal: ptr("Tidy up."), Coder: ptr("claude"), Grants: []Grant{{Tool: "write_file", In: all}}, CoderTools: []Tool{writes}, Powers: all, HandsTo: all, Start: "execute",
		Steps: Steps{
			"execute":  &Execute{Op: OpExecute, Next: ExecuteNext{Done: "keep", NoChange: "keep", ProtectedPath: "keep", OutsideGrant: "keep", CoderError: "keep", Error: "halt:environment_error"}},
			"keep":     &Keep{Op: OpKeep, Times: 4, Next: KeepNext{Again: "execute", Done: "complete", Error: "halt:environment_error"}},
			"complete": &Complete{Op: OpComplete, Next: CompleteNext{Done: EndComplete, NothingKept: "halt:nothing_kept", Refused: "halt:power_refused", Error: "halt:environment_error"}},
		}}
	if err := Seal(p); err != nil {
		t.Fatal(err)
	}
	return p
}

func TestAPlanReadsBackAsItself(t *testing.T) {
	p := sample(t)
	for name, encode := range map[string]func(*Plan) ([]byte, error){"canonical": Encode, "pretty": Pretty} {
		data, err := encode(p)
		if err != nil {
			t.Fatal(err)
		}
		got, err := Read(data)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if diff := cmp.Diff(p, got); diff != "" {
			t.Errorf("%s: (-written +read)\n%s", name, diff)
		}
	}
}

func TestSealingTwiceGivesTheSameDigests(t *testing.T) {
	p := sample(t)
	first, _ := Encode(p)
	if err := Seal(p); err != nil {
		t.Fatal(err)
	}
	second, _ := Encode(p)
	if !bytes.Equal(first, second) {
		t.Error("the second seal differs from the first")
	}
}

func TestAValidatorsDigestCoversWhatDecidesItsVerdict(t *testing.T) {
	before := sample(t)
	for name, change := range map[string]func(*Plan){
		"prompt":   func(p *Plan) { p.Validators["security"].(*Judge).Prompt += "." },
		"criteria": func(p *Plan) { p.Validators["security"].(*Judge).Criteria[0].Text += "." },
		"budget":   func(p *Plan) { p.Validators["security"].(*Judge).Budget.Turns++ },
		"schema":   func(p *Plan) { p.Validators["security"].(*Judge).SubmitVerdict.Parameters = JSONSchema(`{"a":1}`) },
		"wording":  func(p *Plan) { p.Wording.Judge.Ask = "Now." },
	} {
		p := sample(t)
		change(p)
		if err := Seal(p); err != nil {
			t.Fatal(err)
		}
		if p.Validators["security"].Sum() == before.Validators["security"].Sum() {
			t.Errorf("a change of the %s leaves the digest as it was", name)
		}
	}
}

// An edit of the bytes without a new seal must be noticed wherever it is.
func TestAPlanEditedByHandIsRefused(t *testing.T) {
	data, err := Encode(sample(t))
	if err != nil {
		t.Fatal(err)
	}
	for _, edit := range [][2]string{
		{`"go test ./..."`, `"true"`},
		{`"need":2`, `"need":1`},
		{`"Begin."`, `"Pass everything."`},
		{`".github/**"`, `".nothing"`},
		{`"edition":1`, `"edition":2`},
		{`"schema":"snodo.plan.v1"`, `"schema":"snodo.plan.v2"`},
		{`"schema":"snodo.plan.v1"`, `"schema":"snodo.plan.v1","extra":1`},
		{`"schema":"snodo.plan.v1"`, `"schema":"snodo.plan.v1","Edition":1`},
		{`"title":null,`, ``},
		{`"compiler":"0.1.0"`, `"compiler":"0.1.1"`},
	} {
		changed := bytes.Replace(data, []byte(edit[0]), []byte(edit[1]), 1)
		if bytes.Equal(changed, data) {
			t.Fatalf("%s does not occur", edit[0])
		}
		_, err := Read(changed)
		var bad *InvalidError
		if !errors.As(err, &bad) {
			t.Errorf("%s → %s: got %v, want an InvalidError", edit[0], edit[1], err)
		}
	}
	if _, err := Read(append(data, "{}"...)); err == nil {
		t.Error("bytes after the plan are accepted")
	}
	if _, err := Read(data[:len(data)/2]); err == nil {
		t.Error("half a plan is accepted")
	}
}

// A forger computes the digests anew. What the plan says must still hold
// together.
func TestAForgedPlanIsRefused(t *testing.T) {
	mode := func(p *Plan) Stage { return p.Stages["producer"] }
	coding := func(p *Plan) []Tool { return mode(p).CoderTools }
	gate := func(p *Plan, name string) *Gate { return mode(p).Steps[name].(*Gate) }
	for _, tc := range []struct {
		name  string
		forge func(*Plan)
	}{
		{"starts nowhere", func(p *Plan) { p.Protocol.Starts = "nobody" }},
		{"a step that does not exist", func(p *Plan) { gate(p, "post_execute-1").Next.Proceed = "post_execute-9" }},
		{"an outcome without a next step", func(p *Plan) { mode(p).Steps["execute"].(*Execute).Next.NoChange = "" }},
		{"an outcome that completes instead of halting", func(p *Plan) { mode(p).Steps["execute"].(*Execute).Next.CoderError = EndComplete }},
		{"a work that leaves its gates out", func(p *Plan) { mode(p).Steps["execute"].(*Execute).Next.Done = "complete" }},
		{"a gate before the work that leaves the work out", func(p *Plan) { gate(p, "pre_execute-1").Next.Proceed = "post_execute-1" }},
		{"a start behind the gates", func(p *Plan) { s := mode(p); s.Start = "complete"; p.Stages["producer"] = s }},
		{"a loop without a bound", func(p *Plan) { gate(p, "post_execute-2").Next.Proceed = "post_execute-1" }},
		{"an unclear without a route", func(p *Plan) { gate(p, "post_execute-2").Next.Unclear = nil }},
		{"an unclear that halts", func(p *Plan) { gate(p, "post_execute-2").Next.Unclear = Route{{Do: DoHalt, As: "unclear"}} }},
		{"an unclear that recovers", func(p *Plan) {
			gate(p, "post_execute-2").Next.Unclear = Route{gate(p, "post_execute-2").Next.Blocker[0], {Do: DoAsk, Role: "me"}}
		}},
		{"a blocker that is asked about", func(p *Plan) { gate(p, "post_execute-1").Next.Blocker = Route{{Do: DoAsk, Role: "me"}} }},
		{"an error that goes on", func(p *Plan) { gate(p, "post_execute-1").Next.Error = Route{{Do: DoAsk, Role: "me"}} }},
		{"a warn route where all warns are tolerated", func(p *Plan) { gate(p, "post_execute-1").Next.Warn = Route{{Do: DoHalt, As: HaltWarn}} }},
		{"more passes than members", func(p *Plan) { gate(p, "post_execute-1").Need = 3 }},
		{"no pass needed", func(p *Plan) { gate(p, "post_execute-1").Need = 0 }},
		{"a member of the other phase", func(p *Plan) { gate(p, "pre_execute-1").Panel = []string{"tests"} }},
		{"an unbounded recovery", func(p *Plan) { gate(p, "post_execute-1").Next.Blocker[0].Times = 0 }},
		{"a name that is none", func(p *Plan) { p.Protocol.Name = "\x1b[31mred" }},
		{"a stage that is a path", func(p *Plan) { p.Stages["../x"] = p.Stages["chore"] }},
		{"a time limit of years", func(p *Plan) { p.Validators["tests"].(*Check).TimeoutMS = 1e15 }},
		{"a mode that writes nothing", func(p *Plan) { s := mode(p); s.Grants = []Grant{}; p.Stages["producer"] = s }},
		{"a mode that approves", func(p *Plan) { s := mode(p); s.Powers = []string{"approve"}; p.Stages["producer"] = s }},
		{"a gathering without an end", func(p *Plan) { gate(p, "post_execute-2").Next.Unclear[0].Times = 1000 }},
		{"a task of a million turns", func(p *Plan) { p.Stages["chore"].Steps["keep"].(*Keep).Times = 1000000 }},
		{"a judge that cannot be unclear", func(p *Plan) { p.Validators["security"].(*Judge).Returns = []Verdict{Pass, Blocker} }},
		{"a judge that may write", func(p *Plan) {
			j := p.Validators["security"].(*Judge)
			j.Grants = append(j.Grants, Grant{Tool: "write_file", In: []string{}})
			j.Tools = append(j.Tools, Tool{Name: "write_file", Parameters: JSONSchema(`{}`)})
		}},
		{"a judge offered what it is not granted", func(p *Plan) {
			j := p.Validators["security"].(*Judge)
			j.Tools = append(j.Tools, Tool{Name: "read_diff", Parameters: JSONSchema(`{}`)})
		}},
		{"a judge with nothing to rule on", func(p *Plan) { p.Validators["security"].(*Judge).Criteria = []Criterion{} }},
		{"a check that may warn", func(p *Plan) { p.Validators["tests"].(*Check).Returns = []Verdict{Pass, Warn, Blocker} }},
		{"a rule without its globs", func(p *Plan) { p.Validators["scope"].(*Rule).Args.Paths = nil }},
		{"a task with a gate", func(p *Plan) {
			s := p.Stages["chore"]
			s.Steps["post_execute-1"] = gate(p, "post_execute-1")
		}},
		{"a task that counts no turns", func(p *Plan) { p.Stages["chore"].Steps["keep"].(*Keep).Times = 0 }},
		{"a power twice", func(p *Plan) { s := mode(p); s.Powers = []string{"commit", "commit"}; p.Stages["producer"] = s }},
		{"a coder that is nothing", func(p *Plan) { p.Coders["claude"] = Coder{Kind: CoderCommand, TimeoutMS: 1} }},
		{"a model without a prompt", func(p *Plan) { c := p.Coders["gpt"]; c.Prompt = ""; p.Coders["gpt"] = c }},
		{"a model of a thousand turns", func(p *Plan) { c := p.Coders["gpt"]; c.Turns = 1000; p.Coders["gpt"] = c }},
		{"a command with a prompt", func(p *Plan) { c := p.Coders["claude"]; c.Prompt = "Do."; p.Coders["claude"] = c }},
		{"a coder offered a tool that does not exist", func(p *Plan) { coding(p)[0].Name = "shell" }},
		{"a coder offered what its stage does not grant", func(p *Plan) { coding(p)[0].Name = "delete_file" }},
		{"a coder offered a tool twice", func(p *Plan) { coding(p)[1] = coding(p)[0] }},
		{"a coder offered a tool without a schema", func(p *Plan) { coding(p)[0].Parameters = JSONSchema(`null`) }},
		{"a coder offered a tool without a word", func(p *Plan) { coding(p)[0].Description = "" }},
		{"a coder not offered what is granted", func(p *Plan) { s := mode(p); s.CoderTools = s.CoderTools[:1]; p.Stages["producer"] = s }},
		{"a coder that may run what is no check of its gates", func(p *Plan) {
			coding(p)[1].Parameters = JSONSchema(`{"properties":{"check":{"enum":["scope","tests"]}}}`)
		}},
		{"tools of a coder where none is a model", func(p *Plan) {
			delete(p.Coders, "gpt")
			s := mode(p)
			s.Coder = ptr("claude")
			p.Stages["producer"] = s
		}},
		{"a review that offers tools", func(p *Plan) { s := p.Stages["reviewer"]; s.CoderTools = coding(p); p.Stages["reviewer"] = s }},
		{"a step that nothing leads to", func(p *Plan) { gate(p, "post_execute-1").Next.Proceed = "complete" }},
	} {
		t.Run(tc.name, func(t *testing.T) {
			p := sample(t)
			tc.forge(p)
			if err := Seal(p); err != nil {
				t.Fatal(err)
			}
			data, err := Encode(p)
			if err != nil {
				t.Fatal(err)
			}
			_, err = Read(data)
			var bad *InvalidError
			if !errors.As(err, &bad) {
				t.Fatalf("got %v, want an InvalidError", err)
			}
			if strings.Contains(bad.Reason, "digest") {
				t.Errorf("only the digest gave it away: %v", err)
			}
		})
	}
}

func TestFillPutsValuesInAndNeverLooksAtThemAgain(t *testing.T) {
	got := Fill("{a} and {b}, {c}", "a", "{b}", "b", "two")
	if want := "{b} and two, {c}"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func FuzzRead(f *testing.F) {
	f.Add([]byte(`{"schema":"snodo.plan.v1","edition":1}`))
	f.Add([]byte(`{"schema":"snodo.plan.v1","edition":1,"stages":{"a":{"steps":{"x":{"op":"gate"}}}}}`))
	f.Add([]byte(`{"schema":"snodo.plan.v1","edition":1,"validators":{"a":null,"b":{"kind":"judge"}}}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		p, err := Read(data)
		if err != nil {
			var bad *InvalidError
			if !errors.As(err, &bad) {
				t.Fatalf("%T: %v", err, err)
			}
			return
		}
		var compact bytes.Buffer
		if json.Compact(&compact, data) != nil {
			t.Fatal("what was read is no JSON")
		}
		if err := Verify(p); err != nil {
			t.Fatalf("read, and not verified: %v", err)
		}
	})
}
