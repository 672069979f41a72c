package workspace

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestAFingerprintNamesWhatChangedInTheRepository(t *testing.T) {
	for _, c := range []struct {
		name   string
		change func(t *testing.T, r *Repository, f fixture)
		want   []string
	}{
		{"nothing", func(*testing.T, *Repository, fixture) {}, nil},
		{"a setting", func(_ *testing.T, _ *Repository, f fixture) { f.git("config", "core.fsmonitor", "x") }, []string{"config"}},
		{"a hook", func(t *testing.T, r *Repository, _ fixture) {
			put(t, filepath.Join(r.common, "hooks", "pre-push"), "x")
		}, []string{"hooks/pre-push"}},
		{"attributes", func(t *testing.T, r *Repository, _ fixture) {
			put(t, filepath.Join(r.common, "info", "attributes"), "* -diff")
		}, []string{"info/attributes"}},
		{"a branch", func(_ *testing.T, _ *Repository, f fixture) { f.git("branch", "other") }, []string{"refs/heads/other"}},
		{"the branch that is checked out", func(_ *testing.T, _ *Repository, f fixture) { f.git("checkout", "-q", "-b", "new") }, []string{"HEAD", "refs/heads/new"}},
		{"a ref of a run", func(_ *testing.T, _ *Repository, f fixture) { f.git("update-ref", "refs/snodo/x/1", "HEAD") }, nil},
		{"the branch of another run", func(_ *testing.T, _ *Repository, f fixture) { f.git("branch", "snodo/20261130-191530-7f3a09c1d2") }, nil},
		{"packed refs", func(_ *testing.T, _ *Repository, f fixture) { f.git("pack-refs", "--all") }, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			f := newRepository(t, map[string]string{"a": "a"})
			r := f.open()
			before, err := r.Fingerprint(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			c.change(t, r, f)
			after, err := r.Fingerprint(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(c.want, before.Differs(after)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func put(t *testing.T, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o755); err != nil {
		t.Fatal(err)
	}
}
