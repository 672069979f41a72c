package child

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestEnvironmentKeepsTheUsualAndTheCaches(t *testing.T) {
	environ := []string{
		"PATH=/bin", "HOME=/home/u", "LANG=C", "LC_ALL=C", "LC_TIME=C", "TERM=xterm", "TMPDIR=/tmp", "USER=u", "SHELL=/bin/sh",
		"GOPROXY=https://proxy", "CARGO_HOME=/c", "npm_config_cache=/n",
		"OPENAI_API_KEY=key", "OPENAI_BASE_URL=http://x", "ANTHROPIC_API_KEY=key", "AWS_SECRET_ACCESS_KEY=key",
		"SNODO_RUN=another", "SNODO_MODEL=m", "GIT_DIR=/elsewhere", "GIT_CONFIG_COUNT=1", "SSH_AUTH_SOCK=/s", "OTHER=1", "EMPTY=",
	}
	got := Environment(environ, []string{"OTHER", "EMPTY", "MISSING"}, Attempt{Run: "r1", Number: 2, Done: "/d/done"})
	want := []string{
		"PATH=/bin", "HOME=/home/u", "LANG=C", "LC_ALL=C", "LC_TIME=C", "TERM=xterm", "TMPDIR=/tmp", "USER=u", "SHELL=/bin/sh",
		"GOPROXY=https://proxy", "CARGO_HOME=/c", "npm_config_cache=/n", "OTHER=1", "EMPTY=",
		"SNODO_RUN=r1", "SNODO_ATTEMPT=2", "SNODO_DONE=/d/done",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

func TestSomeVariablesAreNeverPassed(t *testing.T) {
	for _, name := range []string{"OPENAI_API_KEY", "SNODO_MODEL", "SNODO_RUN", "GIT_DIR", "GIT_SSH_COMMAND", "", "A=B"} {
		if CheckPass(name) == nil {
			t.Errorf("CheckPass(%q) allows it", name)
		}
		got := Environment([]string{name + "=1"}, []string{name}, Attempt{})
		if slices.Contains(got, name+"=1") {
			t.Errorf("Environment passes %q", name)
		}
	}
	if err := CheckPass("ANTHROPIC_API_KEY"); err != nil {
		t.Errorf("a key that the caller names for its coder: %v", err)
	}
}
