package endpoint_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/snodo-lang/snodo/runtime/endpoint"
	"github.com/snodo-lang/snodo/runtime/verdict"
)

// lister is an endpoint that answers a list of models.
func lister(t *testing.T, status int, body string) *endpoint.Client {
	t.Helper()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodGet || r.URL.Path != "/v1/models" || r.Header.Get("Authorization") != "Bearer "+key {
			t.Errorf("%s %s with %q", r.Method, r.URL.Path, r.Header.Get("Authorization"))
		}
		w.WriteHeader(status)
		if _, err := w.Write([]byte(body)); err != nil {
			t.Error(err)
		}
	}))
	t.Cleanup(s.Close)
	c, err := endpoint.New(endpoint.Config{BaseURL: s.URL + "/v1", Key: key})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func TestListsOfModelsSayTheContextInManyWays(t *testing.T) {
	for body, want := range map[string][]endpoint.Model{
		`{"data":[]}`: {},
		`{"object":"list","data":[{"id":"a"},{"id":"b","context_length":131072}]}`: {{ID: "a"}, {ID: "b", Context: 131072}},
		`{"models":[{"id":"a","max_model_len":4096}]}`:                             {{ID: "a", Context: 4096}},
		`[{"id":"a","context_window":"8192"},7,{"id":7}]`:                          {{ID: "a", Context: 8192}},
		`{"data":[{"id":"a","meta":{"n_ctx_train":128,"n_ctx":512}}]}`:             {{ID: "a", Context: 512}},
		`{"data":[{"id":"a","meta":{"n_ctx_train":128}}]}`:                         {{ID: "a"}},
		`{"data":[{"id":"a","max_context_length":9,"loaded_context_length":5}]}`:   {{ID: "a", Context: 5}},
		`{"data":[{"id":"a","context_length":-1,"meta":null}]}`:                    {{ID: "a"}},
	} {
		got, err := lister(t, 200, body).Models(t.Context())
		if err != nil {
			t.Errorf("%s: %v", body, err)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s: %s", body, diff)
		}
	}
}

func TestAnEndpointWithoutAListOfModelsSaysSo(t *testing.T) {
	for _, c := range []struct {
		status int
		body   string
		class  verdict.Class
	}{
		{404, `not found`, verdict.BadRequest},
		{401, `wrong key ` + key, verdict.Auth},
		{500, ``, verdict.Transport},
		{200, `<html></html>`, verdict.Protocol},
		{200, `{"choices":[]}`, verdict.Protocol},
		{200, strings.Repeat(" ", 16<<20+1), verdict.Protocol},
	} {
		_, err := lister(t, c.status, c.body).Models(t.Context())
		if classOf(err) != c.class || strings.Contains(err.Error(), key) {
			t.Errorf("%d %.20s: %v", c.status, c.body, err)
		}
	}
	c, err := endpoint.New(endpoint.Config{BaseURL: "http://127.0.0.1:1/v1"})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := c.Models(t.Context()); classOf(err) != verdict.Transport {
		t.Error(err)
	}
}
