package command

import (
	"bytes"
	"os/exec"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/snodo-lang/snodo/compiler"
	"github.com/snodo-lang/snodo/compiler/plan"
	"github.com/snodo-lang/snodo/runtime/record"
	"github.com/snodo-lang/snodo/stdlib"
)

// Whoever writes a ruling into a record, hashes and all, has no key for it.
func TestARulingThatNobodyAnswersForIsFound(t *testing.T) {
	source := `snodo 1

protocol p {
}

role lead "The lead" key "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIHUnYI1nmlqjZuFFhZ6XK3LhNcUxZ8AnhrLDaMcKBeFK"

check fine {
  phase post_execute
  run "true"
}

review r {
  post_execute {
    panel fine
    proceed when all pass
    blocker -> halt
  }
}
`
	p, report, err := compiler.Compile(compiler.Source{FS: fstest.MapFS{"p.snodo": {Data: []byte(source)}}, Dir: ".", Library: stdlib.FS})
	if err != nil || p == nil {
		t.Fatal(err, report)
	}
	encoded, err := plan.Encode(p)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	t.Chdir(dir)
	t.Setenv("GIT_CONFIG_NOSYSTEM", "1")
	t.Setenv("GIT_CONFIG_GLOBAL", "/dev/null")
	for _, args := range [][]string{{"init", "-q"}, {"-c", "user.name=A", "-c", "user.email=a@example.org", "commit", "-q", "--allow-empty", "-m", "x"}} {
		if out, err := exec.Command("git", args...).CombinedOutput(); err != nil {
			t.Fatalf("git %v: %v\n%s", args, err, out)
		}
	}
	run, place, err := record.Claim(dir, time.Unix(0, 0), strings.NewReader("12345"))
	if err != nil {
		t.Fatal(err)
	}
	log, err := record.Create(place, encoded, "x", time.Now, func(s string) string { return s })
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range []record.Entry{
		record.Started{Schema: record.Schema, Run: run, Plan: p.Digest}, record.Ruled{Validator: "fine", Rule: plan.Pass, Because: "so", Signed: record.Signed{Role: "lead", Signature: "pinned"}},
	} {
		if _, err := log.Append(e); err != nil {
			t.Fatal(err)
		}
	}
	if err := log.Close(); err != nil {
		t.Fatal(err)
	}
	out := &bytes.Buffer{}
	code := snodo(t.Context(), streams{in: strings.NewReader(""), out: out, err: out}, []string{"verify", run})
	if want := "events.jsonl holds what nobody answers for: event 2: "; code != exitFailed || !strings.Contains(out.String(), want) {
		t.Errorf("exit %d\n%s", code, out)
	}
}
