package command

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/snodo-lang/snodo/runtime/record"
)

// A run that commits, merges and publishes is killed at every event, and right
// after every one of its acts upon the world. It goes on to the end that it
// would have had, does nothing twice, and its record is whole.

const publishingProtocol = `snodo 1

protocol publishing {
}

check fine {
  phase post_execute
  run "test -f work.txt"
}

coder writer { run "echo n1 > work.txt" }

mode producer {
  coder writer
  grants write_file, edit_file, commit, merge, publish
  post_execute {
    panel fine
    proceed when all pass
    blocker -> halt
  }
}
`

// dyingGit is git, and ends who called it right behind the act that KILL_ON
// names, once.
const dyingGit = `#!/bin/sh
GIT "$@"
code=$?
die() { mkdir "$LOG/killed" 2>/dev/null && kill -9 "$PPID"; }
case "$KILL_ON:$* " in
"branch:"*" update-ref --no-deref refs/heads/snodo/"*) die ;;
"tree:"*" read-tree -m -u "*[0-9a-f]" "[0-9a-f]*) die ;;
"merge:"*" update-ref --no-deref refs/heads/main "*) die ;;
"push:"*" push "*) die ;;
esac
exit $code
`

// openingGH opens change requests, lists those that it opened, and ends who
// called it behind the first where it is told to.
const openingGH = `#!/bin/sh
log=$(dirname "$0")/../log
case "$2" in
list) if test -f "$log/opened"; then cat "$log/list"; else echo '[]'; fi ;;
create)
  echo opened >> "$log/opened"
  branch=$(printf '%s\n' "$@" | sed -n 's/^--head=//p')
  echo '[{"url":"https://github.com/acme/hello/pull/7","headRefOid":"'$(GIT -C "$log/../remote" rev-parse "refs/heads/$branch")'"}]' > "$log/list"
  if test -f "$log/kill-gh"; then rm "$log/kill-gh"; kill -9 "$PPID"; fi
  echo https://github.com/acme/hello/pull/7
  ;;
esac
`

// newPublishingSite is a site whose remote is a forge's.
func newPublishingSite(t *testing.T, killOn string) *site {
	t.Helper()
	s := newSite(t)
	top := filepath.Dir(s.repo)
	bin := filepath.Join(top, "bin")
	if err := os.Mkdir(bin, 0o755); err != nil {
		t.Fatal(err)
	}
	git, err := exec.LookPath("git")
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{
		"git": dyingGit, "gh": openingGH, "ssh": "#!/bin/sh\nfor last; do :; done\nexec ${last%% *} '" + filepath.Join(top, "remote") + "'\n",
	} {
		if err := os.WriteFile(filepath.Join(bin, name), []byte(strings.ReplaceAll(text, "GIT ", git+" ")), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	s.write(t, filepath.Join(s.repo, "protocol.snodo"), publishingProtocol)
	for _, args := range [][]string{
		{"init", "-q", "--bare", filepath.Join(top, "remote")}, {"commit", "-q", "-a", "-m", "publish"}, {"remote", "set-url", "origin", "git@github.com:acme/hello.git"},
	} {
		cmd := exec.Command(git, args...)
		cmd.Dir, cmd.Env = s.repo, s.env
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("git %v: %v\n%s", args, err, out)
		}
	}
	if killOn == "gh" {
		s.write(t, filepath.Join(s.log, "kill-gh"), "")
	}
	s.env = append(s.env, "PATH="+bin+string(os.PathListSeparator)+os.Getenv("PATH"), "GIT_SSH_COMMAND="+filepath.Join(bin, "ssh"), "KILL_ON="+killOn)
	return s
}

// said runs a command beside the site and returns what it printed.
func (s *site) said(t *testing.T, dir string, argv ...string) string {
	t.Helper()
	cmd := exec.Command(argv[0], argv[1:]...)
	cmd.Dir, cmd.Env = dir, s.env
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Errorf("%v: %v\n%s", argv, err, out)
	}
	return strings.TrimSpace(string(out))
}

// published wants the world as a published run leaves it.
func (s *site) published(t *testing.T, payload []byte) {
	t.Helper()
	var p record.Payload
	if err := json.Unmarshal(payload, &p); err != nil {
		t.Fatal(err)
	}
	want := map[string]string{
		"main": *p.Head, "branch": *p.Head, "remote": *p.Head, "checkout": "n1", "changes": "", "opened": "opened",
	}
	got := map[string]string{
		"main":     s.said(t, s.repo, "git", "rev-parse", "main"),
		"branch":   s.said(t, s.repo, "git", "rev-parse", "snodo/"+p.Run),
		"remote":   s.said(t, filepath.Join(filepath.Dir(s.repo), "remote"), "git", "rev-parse", "refs/heads/snodo/"+p.Run),
		"checkout": s.said(t, s.repo, "cat", "work.txt"),
		"changes":  s.said(t, s.repo, "git", "status", "--porcelain"),
		"opened":   s.said(t, s.log, "cat", "opened"),
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("the world (-want +got):\n%s", diff)
	}
	if out := s.said(t, s.repo, "snodo", "verify", p.Run, "--head", p.Record.Head); !strings.Contains(out, "the record is whole") {
		t.Errorf("verify: %s", out)
	}
}

func TestAKilledPublicationGoesOnAndDoesNothingTwice(t *testing.T) {
	calm := newPublishingSite(t, "")
	out := calm.snodo(t, "", "run", "producer")
	calm.published(t, out)
	want := plain(t, out)
	events, _, err := record.Load(filepath.Join(calm.repo, ".snodo", "runs", calm.run(t)))
	if err != nil {
		t.Fatal(err)
	}
	deaths := []string{"branch", "tree", "merge", "push", "gh"}
	for n := range len(events) - 1 {
		deaths = append(deaths, fmt.Sprintf("event:%d", n+1))
	}
	for _, death := range deaths {
		t.Run(death, func(t *testing.T) {
			t.Parallel()
			s := newPublishingSite(t, death)
			if out := s.snodo(t, death, "run", "producer"); out != nil {
				t.Fatalf("it was not killed: %s", out)
			}
			got := s.snodo(t, "", "resume", s.run(t))
			s.published(t, got)
			if diff := cmp.Diff(want, plain(t, got)); diff != "" {
				t.Errorf("another end (-undisturbed +killed):\n%s", diff)
			}
			events, _, err := record.Load(filepath.Join(s.repo, ".snodo", "runs", s.run(t)))
			if err != nil {
				t.Fatal(err)
			}
			kinds := map[record.Kind]int{}
			for _, e := range events {
				kinds[e.Kind]++
			}
			if kinds[record.KindIntended] != 3 || kinds[record.KindExercised] != 3 {
				t.Errorf("three powers were announced %d times and exercised %d times", kinds[record.KindIntended], kinds[record.KindExercised])
			}
		})
	}
}

// The records of runs that were killed at any event are whole once they have
// gone on.
func TestARecordOfAKilledRunIsWhole(t *testing.T) {
	for _, death := range []string{"event:3", "event:9", "chat:3", "chat:7"} {
		t.Run(death, func(t *testing.T) {
			t.Parallel()
			s := newSite(t)
			if out := s.snodo(t, death, "run", "producer"); out != nil {
				t.Fatalf("it was not killed: %s", out)
			}
			s.snodo(t, "", "resume", s.run(t))
			if out := s.said(t, s.repo, "snodo", "verify", s.run(t)); !strings.Contains(out, "the record is whole") || slices.Contains(strings.Fields(out), "note:") {
				t.Errorf("verify: %s", out)
			}
		})
	}
}
