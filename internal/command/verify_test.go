package command

import (
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
	_, dir, err := record.Claim(t.TempDir(), time.Unix(0, 0), strings.NewReader("12345"))
	if err != nil {
		t.Fatal(err)
	}
	log, err := record.Create(dir, encoded, "x", time.Now, func(s string) string { return s })
	if err != nil {
		t.Fatal(err)
	}
	defer log.Close()
	for _, e := range []record.Entry{record.Started{}, record.Ruled{Validator: "fine", Rule: plan.Pass, Because: "so", Signed: record.Signed{Role: "lead", Signature: "pinned"}}} {
		if _, err := log.Append(e); err != nil {
			t.Fatal(err)
		}
	}
	findings, err := unsigned(dir)
	if err != nil || len(findings) != 1 || !strings.Contains(findings[0].String(), "event 2") {
		t.Errorf("%v, %v", findings, err)
	}
}
