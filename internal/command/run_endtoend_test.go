package command

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/snodo-lang/snodo/runtime/endpoint/probe"
	"github.com/snodo-lang/snodo/runtime/record"
)

// realEndpoint configures the endpoint that SNODO_TEST_BASE_URL and
// SNODO_TEST_MODEL name, and skips the test where they name none. What a model
// says there is its own business; how a command ends is not.
func realEndpoint(t *testing.T) {
	t.Helper()
	address, model := os.Getenv("SNODO_TEST_BASE_URL"), os.Getenv("SNODO_TEST_MODEL")
	if address == "" || model == "" {
		t.Skip("SNODO_TEST_BASE_URL and SNODO_TEST_MODEL name no endpoint to speak with")
	}
	t.Setenv("OPENAI_BASE_URL", address)
	t.Setenv("SNODO_MODEL", model)
}

// typed runs snodo and returns what it printed and its exit code.
func typed(t *testing.T, args ...string) (string, int) {
	t.Helper()
	var out, notes bytes.Buffer
	code := snodo(t.Context(), streams{strings.NewReader(""), &out, &notes}, args)
	t.Logf("snodo %s: exit %d\n%s", strings.Join(args, " "), code, &notes)
	return out.String(), code
}

func TestEndToEndDoctorEndsInAReport(t *testing.T) {
	realEndpoint(t)
	out, code := typed(t, "doctor", "--json")
	var r probe.Report
	if err := json.Unmarshal([]byte(out), &r); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	if len(r.Rows) != len(probe.Questions()) || r.Because == "" || (code == exitOK) != (r.Judges == probe.Yes) {
		t.Errorf("exit %d with %s", code, out)
	}
	t.Log(out)
}

const endToEndProtocol = `snodo 1

protocol real {
}

role me "Me"

evidence look() from me "Look."

judge reader {
  phase post_execute
  grants read_file, read_diff
  requests look
  turns 3
  tokens 512
  timeout 2m
  criterion harmless "The change does no harm."
}

coder writer { run "echo hello > hello.txt" }

mode m {
  coder writer
  grants write_file
  post_execute {
    panel reader
    proceed when all pass
    unclear -> ask me
    blocker -> halt
  }
}
`

// A run ends in an outcome, and its replay without the endpoint in the same.
func TestEndToEndARunEndsInAnOutcomeAndIsReplayed(t *testing.T) {
	realEndpoint(t)
	home := t.TempDir()
	for name, value := range map[string]string{
		"HOME": home, "XDG_CACHE_HOME": filepath.Join(home, "cache"), "GIT_CONFIG_GLOBAL": os.DevNull, "GIT_CONFIG_NOSYSTEM": "1",
		"GIT_AUTHOR_NAME": "A Person", "GIT_AUTHOR_EMAIL": "person@example.com", "GIT_COMMITTER_NAME": "A Person", "GIT_COMMITTER_EMAIL": "person@example.com",
	} {
		t.Setenv(name, value)
	}
	t.Chdir(t.TempDir())
	if err := os.WriteFile("protocol.snodo", []byte(endToEndProtocol), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{{"init", "-q", "-b", "main"}, {"add", "."}, {"commit", "-q", "-m", "the start"}} {
		if out, err := exec.Command("git", args...).CombinedOutput(); err != nil {
			t.Fatalf("git %v: %v\n%s", args, err, out)
		}
	}
	kept := filepath.Join(home, "kept")
	recorded := outcome(t, "--record", kept)
	t.Setenv("OPENAI_BASE_URL", "http://127.0.0.1:1/v1")
	replayed := outcome(t, "--replay", kept)
	for i := range recorded.Gates {
		for j, want := range recorded.Gates[i].Results {
			if got := replayed.Gates[i].Results[j]; got.Hash != want.Hash {
				t.Errorf("replayed %+v, recorded %+v", got, want)
			}
		}
	}
	if !replayed.Replay || replayed.Outcome != recorded.Outcome {
		t.Errorf("replayed as %s, recorded as %s", replayed.Outcome, recorded.Outcome)
	}
}

// outcome makes the run and returns its payload.
func outcome(t *testing.T, flags ...string) record.Payload {
	t.Helper()
	out, code := typed(t, append([]string{"run", "--json", "--task", "Say hello."}, flags...)...)
	var p record.Payload
	if err := json.Unmarshal([]byte(out), &p); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	if code > 3 || len(p.Gates) != 1 {
		t.Fatalf("exit %d with %s", code, out)
	}
	r := p.Gates[0].Results[0]
	if (r.Verdict == nil) == (r.Error == nil) || r.Error != nil && (r.Error.Class == "" || r.Error.Class == "internal") {
		t.Errorf("neither a verdict nor a typed error: %+v", r)
	}
	return p
}
