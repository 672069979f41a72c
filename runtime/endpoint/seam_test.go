package endpoint_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/snodo-lang/snodo/runtime/endpoint"
	"github.com/snodo-lang/snodo/runtime/verdict"
)

func TestTheKeyIsNowhereButInItsHeader(t *testing.T) {
	leaky := []answer{
		raw(401, `{"error":{"message":"Incorrect API key provided: `+key+`."}}`),
		raw(400, `you sent `+key),
		raw(403, `{"error":"`+key+`"}`),
		raw(429, `{"error":{"message":"insufficient_quota for `+key+`"}}`),
		raw(500, key),
		raw(200, key),
		raw(302, ``, "Location", "http://"+key+".example/"),
		raw(200, `{"error":{"message":"`+key+`"}}`),
		raw(200, message(`{"content":"your key is `+key+`"}`)),
		raw(200, message(`{"refusal":"your key is `+key+`"}`)),
		raw(200, message(`{"tool_calls":[{"id":"`+key+`","function":{"name":"`+key+`","arguments":"`+key+`"}}]}`)),
	}
	for i, a := range leaky {
		s := serve(t, a)
		var seen []string
		p := newPacer()
		c, err := endpoint.New(endpoint.Config{
			BaseURL: s.URL, Key: key, Now: p.Now, Sleep: p.Sleep,
			Wrap: func(next http.RoundTripper) http.RoundTripper {
				return roundTripper(func(r *http.Request) (*http.Response, error) {
					seen = append(seen, fmt.Sprintf("%v %v", r.URL, r.Header))
					response, err := next.RoundTrip(r)
					if err != nil {
						t.Fatal(err)
					}
					body, err := io.ReadAll(response.Body)
					if err != nil {
						t.Fatal(err)
					}
					seen = append(seen, string(body))
					response.Body = io.NopCloser(bytes.NewReader(body))
					return response, nil
				})
			},
		})
		if err != nil {
			t.Fatal(err)
		}
		reply, chatErr := c.Chat(t.Context(), forced())
		out := fmt.Sprintf("%+v %v %+v %v", reply, chatErr, chatErr, seen)
		if strings.Contains(out, key) {
			t.Errorf("answer %d leaks the key: %s", i, out)
		}
		if s.auth()[0] != "Bearer "+key || strings.Contains(strings.Join(s.written(), ""), key) {
			t.Errorf("answer %d: the key is not where it belongs", i)
		}
	}
}

type roundTripper func(*http.Request) (*http.Response, error)

func (f roundTripper) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

func TestALocalEndpointNeedsNoKey(t *testing.T) {
	s := serve(t, good)
	c, err := endpoint.New(endpoint.Config{BaseURL: s.URL})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := c.Chat(t.Context(), free()); err != nil {
		t.Fatal(err)
	}
	if s.auth()[0] != "" {
		t.Errorf("sent %q", s.auth()[0])
	}
}

func TestAWrappedErrorIsTheTurnsError(t *testing.T) {
	calls := 0
	c, err := endpoint.New(endpoint.Config{Wrap: func(http.RoundTripper) http.RoundTripper {
		return roundTripper(func(*http.Request) (*http.Response, error) {
			calls++
			return nil, &endpoint.Error{Class: verdict.Replay, Message: "no such exchange"}
		})
	}})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := c.Chat(t.Context(), free()); classOf(err) != verdict.Replay || calls != 1 {
		t.Errorf("%v after %d calls", err, calls)
	}
}

func TestAWrapMayAnswerInPlaceOfTheNetwork(t *testing.T) {
	c, err := endpoint.New(endpoint.Config{Wrap: func(http.RoundTripper) http.RoundTripper {
		return roundTripper(func(*http.Request) (*http.Response, error) {
			body := io.NopCloser(bytes.NewBufferString(message(`{"content":"replayed"}`)))
			return &http.Response{StatusCode: 200, Header: http.Header{}, Body: body}, nil
		})
	}})
	if err != nil {
		t.Fatal(err)
	}
	reply, err := c.Chat(t.Context(), free())
	if err != nil || reply.Message.Content != "replayed" {
		t.Errorf("%+v, %v", reply, err)
	}
}

func TestTheEndOfTheContextCoversHeadersAndBody(t *testing.T) {
	for name, begin := range map[string]func(http.ResponseWriter){
		"headers": func(http.ResponseWriter) {},
		"body": func(w http.ResponseWriter) {
			fmt.Fprint(w, `{"choices":[`)
			w.(http.Flusher).Flush()
		},
	} {
		t.Run(name, func(t *testing.T) {
			ctx, cancel := context.WithCancel(t.Context())
			over := make(chan struct{})
			s := serve(t, func(w http.ResponseWriter, _ map[string]any) {
				begin(w)
				cancel()
				<-over
			})
			t.Cleanup(func() { close(over) })
			_, err := client(t, s, newPacer()).Chat(ctx, free())
			if classOf(err) != verdict.Timeout || !errors.Is(err, context.Canceled) {
				t.Errorf("%v", err)
			}
			if len(s.sent()) != 1 {
				t.Errorf("%d requests", len(s.sent()))
			}
		})
	}
}

func TestAddressesAndKeysThatCannotWorkAreRefused(t *testing.T) {
	for _, c := range []endpoint.Config{
		{BaseURL: "localhost:8080"}, {BaseURL: "ftp://h/v1"}, {BaseURL: "http://"}, {BaseURL: "http://u:" + key + "@h/v1"},
		{BaseURL: "http://h/v1?x=1"}, {BaseURL: "http://h:x/v1"}, {Key: key + "\nX-Evil: 1"}, {Key: key + "é"},
	} {
		_, err := endpoint.New(c)
		if err == nil {
			t.Errorf("%q is accepted", c.BaseURL)
		} else if strings.Contains(err.Error(), key) {
			t.Errorf("the key leaks: %v", err)
		}
	}
}
