package recording_test

import (
	"errors"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/snodo-lang/snodo/runtime/endpoint/recording"
)

func TestADamagedRecordingIsRefused(t *testing.T) {
	dir := t.TempDir()
	recorder := begin(t, dir, keep)
	turn(t, client(t, recorder.Wrap, &network{answers: []func(*http.Request) (*http.Response, error){answer(503, "busy"), said("hello")}}), "u")
	if err := recorder.End(); err != nil {
		t.Fatal(err)
	}
	whole := files(t, dir)
	var first, second string
	for name := range whole {
		if strings.HasSuffix(name, "-1.json") {
			first, second = name, strings.TrimSuffix(name, "-1.json")+"-2.json"
		}
	}
	edit := func(name, old, new string) func(map[string]string) {
		return func(f map[string]string) { f[name] = strings.ReplaceAll(f[name], old, new) }
	}
	for _, c := range []struct {
		name   string
		damage func(map[string]string)
		want   string // empty: it is taken
	}{
		{"whole", func(map[string]string) {}, ""},
		{"lines end as on another system", edit(first, "\n", "\r\n"), ""},
		{"a file that was being written", func(f map[string]string) { f["exchanges/.0123456789abcdef-1.json4711"] = "{" }, ""},
		{"no end", func(f map[string]string) { delete(f, "end.json") }, ""},
		{"no end, and the last exchange is missing", func(f map[string]string) { delete(f, "end.json"); delete(f, second) }, ""},
		{"no header", func(f map[string]string) { delete(f, "recording.json") }, "holds no recording"},
		{"another seed", edit("recording.json", "ab12", "ab13"), "recording.json does not fit its digest"},
		{"another schema", edit("recording.json", "v1", "v9"), "does not fit its digest"},
		{"a changed answer", edit(second, "hello", "hallo"), "does not fit its digest: it was changed"},
		{"a changed request", edit(first, "You judge.", "You praise."), "does not fit its digest"},
		{"a member more", edit(first, `"lost"`, `"more": 1, "lost"`), "cannot be read"},
		{"something behind", func(f map[string]string) { f[first] += "{}" }, "holds something behind its end"},
		{"cut", func(f map[string]string) { f[first] = f[first][:99] }, "cannot be read"},
		{"the first is missing", func(f map[string]string) { delete(f, "end.json"); delete(f, first) }, "follows an exchange that is missing"},
		{"one is missing", func(f map[string]string) { delete(f, second) }, "is missing"},
		{"one was added", func(f map[string]string) {
			f[strings.Replace(first, "-1.", "-3.", 1)] = f[second]
		}, "was added: end.json does not list it"},
		{"two were exchanged", func(f map[string]string) { f[first], f[second] = f[second], f[first] }, "is another than end.json lists"},
		{"another name", func(f map[string]string) { f["exchanges/0123456789abcdef-1.json"] = f[first] }, "does not hold the request that it is named by"},
		{"the end was changed", edit("end.json", "-2.", "-7."), "end.json does not fit its digest"},
		{"no exchanges", func(f map[string]string) {
			delete(f, first)
			delete(f, second)
		}, "exchanges is missing"},
	} {
		t.Run(c.name, func(t *testing.T) {
			all := map[string]string{}
			for name, content := range whole {
				all[name] = content
			}
			c.damage(all)
			dir := t.TempDir()
			for name, content := range all {
				if err := os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o755); err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			r, err := recording.Load(dir)
			if c.want == "" {
				if err != nil || r.CutShort != (all["end.json"] == "") {
					t.Errorf("%+v, %v", r, err)
				}
				return
			}
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("%v, want %s", err, c.want)
			}
		})
	}
	if _, err := recording.Load(filepath.Join(t.TempDir(), "missing")); !errors.Is(err, os.ErrNotExist) {
		t.Error(err)
	}
}

func TestARunThatAsksOtherThingsIsToldSo(t *testing.T) {
	dir := t.TempDir()
	begin(t, dir, keep)
	r := load(t, dir)
	if err := r.Fits(header); err != nil {
		t.Error(err)
	}
	for want, change := range map[string]func(*recording.Header){
		"another plan: sha256:1 there, sha256:9 now": func(h *recording.Header) { h.Plan = "sha256:9" },
		`in the stage "s", and this is "z"`:          func(h *recording.Header) { h.Stage = "z" },
		"another task":                               func(h *recording.Header) { h.Task = "sha256:9" },
	} {
		h := header
		change(&h)
		if err := r.Fits(h); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
	}
}
