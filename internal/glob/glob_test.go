package glob

import (
	"strings"
	"testing"
)

func TestGlobsMatchByElement(t *testing.T) {
	for _, tc := range []struct {
		glob, path string
		want       bool
	}{
		{"*.go", "a.go", true},
		{"*.go", "a/b.go", false},
		{"**/*.go", "a.go", true},
		{"**/*.go", "a/b/c.go", true},
		{"src/**", "src/a/b", true},
		{"src/**", "srcs/a", false},
		{"**", "a/b", true},
		{"a?.txt", "ab.txt", true},
		{"a?.txt", "a/.txt", false},
		{"[ab].txt", "b.txt", true},
		{"[!ab].txt", "b.txt", false},
		{"A.txt", "a.txt", false},
		{"{a,b}.txt", "a.txt", false},
		{"{a,b}.txt", "{a,b}.txt", true},
		{"{dir}/*", "{dir}/x", true},
		{"[", "[", false},
		{"x/{y}", "x/{y}", true},
		{`\{a\}`, "{a}", true},
		{"[{]x", "{x", true},
		{"*", ".hidden", true},
		{"**", "a/b/c", true},
	} {
		if got := Match(tc.glob, tc.path); got != tc.want {
			t.Errorf("%q on %q: %v, want %v", tc.glob, tc.path, got, tc.want)
		}
		s, err := Compile([]string{"never/here", tc.glob})
		if err != nil {
			if Valid(tc.glob) {
				t.Errorf("%q is valid and does not compile: %v", tc.glob, err)
			}
			continue
		}
		if got := s.Match(tc.path); got != tc.want {
			t.Errorf("the set with %q on %q: %v, want %v", tc.glob, tc.path, got, tc.want)
		}
	}
}

func TestAMalformedGlobIsNamed(t *testing.T) {
	if _, err := Compile([]string{"ok", "a["}); err == nil || !strings.Contains(err.Error(), `"a["`) {
		t.Errorf("got %v", err)
	}
}

func TestAnEmptySetMatchesNothing(t *testing.T) {
	s, err := Compile(nil)
	if err != nil || !s.Empty() || s.Match("a") {
		t.Errorf("empty %v, matches %v, %v", s.Empty(), s.Match("a"), err)
	}
}
