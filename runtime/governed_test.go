package runtime

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestACheckIsGovernedByWhatItsCommandNamesAndByTheUsualFiles(t *testing.T) {
	for _, c := range []struct {
		run     string
		changed []string
		want    []string
	}{
		{"go test ./...", []string{"main.go", "main_test.go"}, []string{}},
		{"go test ./...", []string{"go.mod", "sub/go.mod", "go.sum"}, []string{"go.mod", "sub/go.mod"}},
		{"sh ./scripts/test.sh", []string{"scripts/test.sh", "scripts/other.sh"}, []string{"scripts/test.sh"}},
		{`bash -c "scripts/a.sh;scripts/b.sh"`, []string{"scripts/b.sh"}, []string{"scripts/b.sh"}},
		{"CONFIG=ci/conf.yml make", []string{"ci/conf.yml", "Makefile"}, []string{"ci/conf.yml", "Makefile"}},
		{"npm test", []string{"jest.config.ts", "src/jest.config.notes/x"}, []string{"jest.config.ts"}},
		{"pytest", []string{"tests/conftest.py", ".github/workflows/test.yml", ".ci/run"}, []string{"tests/conftest.py", ".github/workflows/test.yml", ".ci/run"}},
	} {
		if diff := cmp.Diff(c.want, governedBy(c.run, c.changed)); diff != "" {
			t.Errorf("%s: %s", c.run, diff)
		}
	}
}
