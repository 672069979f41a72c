package runtime

import (
	"crypto/ed25519"
	"crypto/rand"
	"encoding/pem"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"golang.org/x/crypto/ssh"

	"github.com/snodo-lang/snodo/compiler/plan"
	"github.com/snodo-lang/snodo/runtime/record"
	"github.com/snodo-lang/snodo/runtime/signature"
	"github.com/snodo-lang/snodo/runtime/verdict"
)

// keyed makes a key's file and the line that pins it.
func keyed(t *testing.T) (file, line string) {
	t.Helper()
	pub, private, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	block, err := ssh.MarshalPrivateKey(private, "")
	if err != nil {
		t.Fatal(err)
	}
	file = filepath.Join(t.TempDir(), "key")
	if err := os.WriteFile(file, pem.EncodeToMemory(block), 0o600); err != nil {
		t.Fatal(err)
	}
	public, err := ssh.NewPublicKey(pub)
	if err != nil {
		t.Fatal(err)
	}
	return file, strings.TrimSpace(string(ssh.MarshalAuthorizedKey(public)))
}

func with(file string) Signer {
	return func(statement []byte, pinned string) (string, error) {
		pub, err := signature.Pinned(pinned)
		if err != nil {
			return "", err
		}
		return signature.WithFile(statement, file, pub)
	}
}

// waiting is the log of a run that asks lead about an unclear of the validator
// security, and its plan, in which lead pins a key.
func waiting(t *testing.T, key *string) (*record.Log, *plan.Plan, record.Result) {
	t.Helper()
	_, dir, err := record.Claim(t.TempDir(), time.Now(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	log, err := record.Create(dir, []byte("{}"), "task", time.Now, func(s string) string { return s })
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { log.Close() })
	kind, unclear, one := "human-read", plan.Unclear, 1
	res, err := record.Result{
		Validator: "security", Kind: plan.KindJudge, Verdict: &unclear, Examined: []verdict.Examined{},
		Findings: []verdict.Finding{{Criterion: "a", Verdict: plan.Unclear, Quotes: []verdict.Quote{}, Missing: []verdict.Missing{{Evidence: kind, Args: map[string]any{"file": "x"}}}}},
	}.Seal()
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range []record.Entry{
		record.Started{Schema: record.Schema, Run: "r", Base: "b"},
		record.Taken{Attempt: 1, Commit: "c", Tree: "t"},
		record.Judged{Step: "post_execute-1", Attempt: &one, Asked: 1, Result: res},
		record.Decided{Step: "post_execute-1", Phase: plan.PostExecute, Attempt: &one, Need: 1, Decision: record.DecisionUnclear, Members: []string{"security"}},
		record.Asked{Step: "post_execute-1", Role: "lead", Commit: "c", Requests: []record.Request{
			{ID: "q1", Validator: "security", Criterion: "a", Evidence: &kind, Args: map[string]any{"file": "x"}, Owner: "lead", State: record.StateOpen},
		}},
		record.Ended{Outcome: Escalate, HaltType: plan.HaltEscalate},
	} {
		if _, err := log.Append(e); err != nil {
			t.Fatal(err)
		}
	}
	p := &plan.Plan{Roles: map[string]plan.Role{"lead": {Key: key}, "me": {}}, Validators: map[string]plan.Validator{"security": &plan.Judge{}}}
	return log, p, res
}

func same(s string) string { return s }

func TestWhatIsSignedHoldsAndWhatIsForgedDoesNot(t *testing.T) {
	file, line := keyed(t)
	log, p, _ := waiting(t, &line)
	if _, err := Attach(log, p, same, Attachment{Request: "q1", Source: "notes", Content: []byte("read"), Sign: with(file)}); err != nil {
		t.Fatal(err)
	}
	if err := Authorize(log, p, Decision{Validator: "security", Rule: plan.Pass, Role: "lead", Because: "so", Sign: with(file)}); err != nil {
		t.Fatal(err)
	}
	if err := CheckStatements(log.Events(), p); err != nil {
		t.Fatal(err)
	}
	sound := log.Events()
	signed, err := sound[len(sound)-1].Entry()
	if err != nil {
		t.Fatal(err)
	}
	ruled := signed.(record.Ruled)
	otherFile, otherLine := keyed(t)
	forged := map[string]record.Ruled{}
	for name, change := range map[string]func(*record.Ruled){
		"another reason":          func(r *record.Ruled) { r.Because = "otherwise" },
		"another rule":            func(r *record.Ruled) { r.Rule = plan.Blocker },
		"another verdict":         func(r *record.Ruled) { r.Hash = "sha256:0" },
		"another commit":          func(r *record.Ruled) { r.Commit = "d" },
		"no signature":            func(r *record.Ruled) { r.SSH = nil },
		"said to be unpinned":     func(r *record.Ruled) { r.Signature, r.SSH = signedUnpinned, nil },
		"another role's name":     func(r *record.Ruled) { r.Role = "me" },
		"a role that there isn't": func(r *record.Ruled) { r.Role, r.Signature = "nobody", signedPinned },
		"signed by another key": func(r *record.Ruled) {
			sig, err := with(otherFile)(RuleStatement("r", *r, r.Role), otherLine)
			if err != nil {
				t.Fatal(err)
			}
			r.SSH = &sig
		},
	} {
		f := ruled
		change(&f)
		forged[name] = f
	}
	for name, f := range forged {
		log, p, _ := waiting(t, &line)
		if _, err := log.Append(f); err != nil {
			t.Fatal(err)
		}
		if CheckStatements(log.Events(), p) == nil {
			t.Errorf("%s: taken for signed", name)
		}
	}
}

func TestAPinnedRoleMustSign(t *testing.T) {
	file, _ := keyed(t)
	_, line := keyed(t)
	log, p, _ := waiting(t, &line)
	before := len(log.Events())
	var no *NotAcceptedError
	if _, err := Attach(log, p, same, Attachment{Request: "q1", Content: []byte("read"), Sign: with(file)}); !errors.As(err, &no) {
		t.Errorf("got %v", err)
	}
	if err := Authorize(log, p, Decision{Validator: "security", Rule: plan.Pass, Role: "lead", Because: "so", Sign: with(file)}); !errors.As(err, &no) {
		t.Errorf("got %v", err)
	}
	if len(log.Events()) != before {
		t.Error("something was recorded")
	}
}

// A long answer is kept whole, and a judge is shown its ends.
func TestALongAnswerIsKeptWholeAndShownInPart(t *testing.T) {
	log, p, _ := waiting(t, nil)
	content := strings.Repeat("ü", shownToJudge) // two bytes each
	if _, err := Attach(log, p, same, Attachment{Request: "q1", Source: "long", Content: []byte(content)}); err != nil {
		t.Fatal(err)
	}
	entry, err := log.Events()[len(log.Events())-1].Entry()
	if err != nil {
		t.Fatal(err)
	}
	a := entry.(record.Attached)
	if a.Signature != signedUnpinned || a.Head+a.Tail > shownToJudge || a.Omitted != int64(len(content)-a.Head-a.Tail) {
		t.Errorf("got %+v", a)
	}
	r := &run{log: log}
	got, err := r.pieceOf(a.Evidence, a.Args, "me", a.Text)
	if err != nil {
		t.Fatal(err)
	}
	if !strings.HasPrefix(content, got.Head) || !strings.HasSuffix(content, got.Tail) || strings.ContainsRune(got.Head+got.Tail, '\uFFFD') {
		t.Errorf("%d and %d bytes are shown", len(got.Head), len(got.Tail))
	}
}
