package importer

import (
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// page is docs/import.md.
func page(t *testing.T) string {
	t.Helper()
	text, err := os.ReadFile("../../docs/import.md")
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func TestTheExampleOfThePageBecomesWhatThePageSays(t *testing.T) {
	block := func(lang string) string {
		m := regexp.MustCompile("(?s)```" + lang + "\n(.*?)```").FindStringSubmatch(page(t))
		if m == nil {
			t.Fatalf("the page has no %s", lang)
		}
		return m[1]
	}
	r := imported(t, block("yaml"))
	if diff := cmp.Diff(block("snodo"), string(r.Source)); diff != "" {
		t.Errorf("(-page +importer):\n%s\nit is\n%s", diff, r.Source)
	}
}

func TestThePageNamesEveryKeyWithAdvice(t *testing.T) {
	text := page(t)
	for key := range advice {
		if !strings.Contains(text, "`"+key+"`") {
			t.Errorf("the page does not name %s", key)
		}
	}
}
