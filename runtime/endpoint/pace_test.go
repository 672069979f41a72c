package endpoint_test

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/snodo-lang/snodo/runtime/endpoint"
	"github.com/snodo-lang/snodo/runtime/verdict"
)

func TestWhatOneConversationIsToldEveryOneWaitsFor(t *testing.T) {
	p := newPacer()
	s := serve(t, raw(429, ``, "Retry-After", "30"), good)
	c := client(t, s, p)
	if _, err := c.Chat(deadline{t.Context(), p.now.Add(time.Second)}, free()); classOf(err) != verdict.RateLimited {
		t.Fatal(err)
	}
	_, err := c.Chat(deadline{t.Context(), p.now.Add(30 * time.Second)}, free())
	if classOf(err) != verdict.RateLimited || !strings.Contains(err.Error(), "as another conversation was told") || len(s.sent()) != 1 {
		t.Errorf("%v after %d requests", err, len(s.sent()))
	}
	if _, err := c.Chat(deadline{t.Context(), p.now.Add(time.Minute)}, free()); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]time.Duration{30 * time.Second}, p.sleeps); diff != "" {
		t.Error(diff)
	}
	if _, err := c.Chat(t.Context(), free()); err != nil || len(p.sleeps) != 1 {
		t.Errorf("%v; slept %v", err, p.sleeps)
	}
}

// A busy is an endpoint that answers in a second, and takes so many requests
// in each minute.
type busy struct {
	room int

	mu       sync.Mutex
	began    time.Time // the minute
	taken    int
	refused  int
	answered []string    // the requests, in order
	at       []time.Time // when
}

func (b *busy) RoundTrip(r *http.Request) (*http.Response, error) {
	sent, err := io.ReadAll(r.Body)
	if err != nil {
		return nil, err
	}
	if left := b.take(); left > 0 {
		wait := http.Header{"Retry-After": {fmt.Sprint(left.Seconds())}}
		return &http.Response{StatusCode: 429, Header: wait, Body: io.NopCloser(strings.NewReader(""))}, nil
	}
	time.Sleep(time.Second)
	b.mu.Lock()
	defer b.mu.Unlock()
	b.answered, b.at = append(b.answered, string(sent)), append(b.at, time.Now())
	return &http.Response{StatusCode: 200, Header: http.Header{}, Body: io.NopCloser(strings.NewReader(message(`{"content":"hello"}`)))}, nil
}

// take takes a place in this minute, or returns how long it still is.
func (b *busy) take() time.Duration {
	b.mu.Lock()
	defer b.mu.Unlock()
	if time.Since(b.began) >= time.Minute {
		b.began, b.taken = time.Now(), 0
	}
	if b.taken >= b.room {
		b.refused++
		return time.Until(b.began.Add(time.Minute))
	}
	b.taken++
	return 0
}

func TestManyConversationsShareAnEndpointThatTakesFew(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := &busy{room: 20}
		c, err := endpoint.New(endpoint.Config{Wrap: func(http.RoundTripper) http.RoundTripper { return b }})
		if err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithTimeout(t.Context(), 15*time.Minute)
		defer cancel()
		var all sync.WaitGroup
		for range 32 {
			all.Go(func() {
				for range 5 {
					if _, err := c.Chat(ctx, free()); err != nil {
						t.Error(err)
					}
				}
			})
		}
		all.Wait()
		// Each told for itself, twelve would be refused in every of these minutes.
		if len(b.answered) != 160 || b.refused > 32 {
			t.Errorf("%d answered, %d refused", len(b.answered), b.refused)
		}
	})
}

func TestThoseThatWaitGoOnInTheOrderInWhichTheyCame(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := &busy{room: 0}
		c, err := endpoint.New(endpoint.Config{Wrap: func(http.RoundTripper) http.RoundTripper { return b }})
		if err != nil {
			t.Fatal(err)
		}
		given, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if _, err := c.Chat(given, free()); classOf(err) != verdict.RateLimited {
			t.Fatal(err)
		}
		b.room = 8
		var all sync.WaitGroup
		for _, name := range []string{"a", "b", "impatient", "c", "d", "e", "f"} {
			ctx := t.Context()
			if name == "impatient" {
				short, cancel := context.WithTimeout(ctx, 5*time.Second)
				defer cancel()
				ctx = short
			}
			all.Go(func() {
				r := free()
				r.Messages[1].Content = name
				if _, err := c.Chat(ctx, r); (err != nil) != (name == "impatient") {
					t.Errorf("%s: %v", name, err)
				}
			})
			synctest.Wait()
		}
		all.Wait()
		b.mu.Lock()
		defer b.mu.Unlock()
		// One alone, then two side by side, then three.
		order := make([][]string, 3)
		for i, sent := range b.answered {
			at := int(b.at[i].Sub(b.at[0]) / time.Second)
			for _, name := range []string{"a", "b", "impatient", "c", "d", "e", "f"} {
				if strings.Contains(sent, `"content":"`+name+`"`) {
					order[at] = append(order[at], name)
					slices.Sort(order[at])
				}
			}
		}
		if diff := cmp.Diff([][]string{{"a"}, {"b", "c"}, {"d", "e", "f"}}, order); diff != "" {
			t.Error(diff)
		}
	})
}
