package runtime

import (
	"strings"
	"testing"
)

func TestTheForgeOfARemote(t *testing.T) {
	for _, test := range []struct{ address, program, repo string }{
		{"https://github.com/acme/hello.git", "gh", "--repo=github.com/acme/hello"},
		{"https://user:secret@github.com/acme/hello", "gh", "--repo=github.com/acme/hello"},
		{"git@github.com:acme/hello.git", "gh", "--repo=github.com/acme/hello"},
		{"GitHub.com:acme/hello.git", "gh", "--repo=github.com/acme/hello"},
		{"ssh://git@ssh.github.com:443/acme/hello.git", "gh", "--repo=github.com/acme/hello"},
		{"ssh://git@github.example.org/acme/hello/", "gh", "--repo=github.example.org/acme/hello"},
		{"git@gitlab.com:acme/tools/hello.git", "glab", "--repo=https://gitlab.com/acme/tools/hello"},
		{"https://gitlab.example.org:8443/acme/hello.git", "glab", "--repo=https://gitlab.example.org/acme/hello"},
		{"https://example.org/github.com/hello", "", ""},
		{"https://notgithub.com/acme/hello", "", ""},
		{"/srv/github.com/hello.git", "", ""},
		{"../github.com:acme/hello", "", ""},
		{"file://github.com/acme/hello", "", ""},
		{"https://github.com/hello", "", ""},
		{"git@github.com:--repo/hello", "", ""},
		{"git@github.com:acme/../hello", "", ""},
		{"ext::github.com:acme/hello", "", ""},
		{"", "", ""},
	} {
		f, ok := forgeOf(test.address)
		if ok != (test.program != "") {
			t.Errorf("%s: %v", test.address, ok)
			continue
		}
		if !ok {
			continue
		}
		if got := f.list("b"); f.program != test.program || got[2] != test.repo {
			t.Errorf("%s: %s %v", test.address, f.program, got)
		}
	}
}

func TestAnOpenRequestIsThatOfTheCommit(t *testing.T) {
	f, _ := forgeOf("git@github.com:acme/hello")
	const one = `{"url":"https://github.com/acme/hello/pull/1","headRefOid":"c1"}`
	for _, test := range []struct {
		listed, want string
		fails        bool
	}{
		{"[" + one + "]\n", "https://github.com/acme/hello/pull/1", false},
		{"a notice\n[" + `{"url":"https://github.com/acme/hello/pull/2","headRefOid":"c2"},` + one + "]", "https://github.com/acme/hello/pull/1", false},
		{"[]", "", false},
		{`[{"url":"https://github.com/acme/hello/pull/2","headRefOid":"c2"}]`, "", false},
		{`[{"url":"javascript:x","headRefOid":"c1"}]`, "", false},
		{`[{"headRefOid":"c1"},{"url":7,"headRefOid":"c1"}]`, "", false},
		{"[a notice]\n", "", true},
		{"", "", true},
		{"no open pull requests", "", true},
	} {
		got, err := f.requestOf(test.listed, "c1")
		if got != test.want || (err != nil) != test.fails {
			t.Errorf("%q: %q, %v", test.listed, got, err)
		}
	}
}

func TestTheCommandByHandIsWhatAShellTakes(t *testing.T) {
	c := changeRequest{branch: "snodo/x", base: "main", title: "It's $(here)", body: "/a b/c.md"}
	f, _ := forgeOf("git@github.com:acme/hello")
	if got, want := f.byHand(c), `gh pr create --repo=github.com/acme/hello --draft --head=snodo/x '--title=It'\''s $(here)' '--body-file=/a b/c.md' --base=main`; got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	f, _ = forgeOf("git@gitlab.com:acme/hello")
	if got, want := f.byHand(c), `--description="$(cat '/a b/c.md')" --target-branch=main`; !strings.HasSuffix(got, want) {
		t.Errorf("got %s\nwant …%s", got, want)
	}
}

func FuzzForgeOf(f *testing.F) {
	for _, address := range []string{"https://github.com/acme/hello.git", "git@gitlab.com:a/b/c", "ssh://x@github.com:22/a/b", "github.com:-a/b", "https://[::1]/a/b", "github.:a/b", "gitlab.0 000:0/0"} {
		f.Add(address)
	}
	f.Fuzz(func(t *testing.T, address string) {
		found, ok := forgeOf(address)
		if !ok {
			return
		}
		for _, arg := range found.list("b") {
			if strings.ContainsAny(arg, " \t\n\x00'\"$`") || strings.Contains(arg, "/-") || strings.Contains(arg, "/../") {
				t.Errorf("%q gives the argument %q", address, arg)
			}
		}
	})
}

func FuzzRequestOf(f *testing.F) {
	f.Add(`[{"url":"https://a/1","headRefOid":"c1"}]`)
	f.Add("[\n[]\n")
	f.Add(`[{"url":"https://a/1\u0000","headRefOid":"c1"}]`)
	forge, _ := forgeOf("git@github.com:acme/hello")
	f.Fuzz(func(t *testing.T, listed string) {
		got, err := forge.requestOf(listed, "c1")
		if got != "" && (err != nil || !strings.HasPrefix(got, "https://") || strings.ContainsAny(got, " \n")) {
			t.Errorf("%q gives %q, %v", listed, got, err)
		}
	})
}
