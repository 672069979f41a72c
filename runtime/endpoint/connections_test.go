package endpoint_test

import (
	"net"
	"net/http"
	"net/http/httptest"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/snodo-lang/snodo/runtime/endpoint"
)

// A turn that begins with a handshake pays for it twice: in time, and in the
// endpoint's patience.
func TestJudgesThatSpeakSideBySideKeepTheirConnections(t *testing.T) {
	const judges = 16
	var begun atomic.Int64
	var together sync.WaitGroup
	s := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		together.Done()
		together.Wait() // each request has a connection to itself
		good(w, nil)
	}))
	s.Config.ConnState = func(_ net.Conn, state http.ConnState) {
		if state == http.StateNew {
			begun.Add(1)
		}
	}
	s.Start()
	defer s.Close()
	c, err := endpoint.New(endpoint.Config{BaseURL: s.URL})
	if err != nil {
		t.Fatal(err)
	}
	for range 5 {
		together.Add(judges)
		var all sync.WaitGroup
		for range judges {
			all.Go(func() {
				if _, err := c.Chat(t.Context(), endpoint.Request{Model: "m", Messages: []endpoint.Message{{Role: endpoint.User, Content: "x"}}}); err != nil {
					t.Error(err)
				}
			})
		}
		all.Wait()
	}
	if got := begun.Load(); got > 3*judges {
		t.Errorf("%d connections for %d judges", got, judges)
	}
}
