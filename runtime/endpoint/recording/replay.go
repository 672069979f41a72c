package recording

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/snodo-lang/snodo/runtime/endpoint"
	"github.com/snodo-lang/snodo/runtime/verdict"
)

// A Recording answers in the place of an endpoint. It may be used side by
// side: what a request is answered depends on nothing but the request, and on
// how often it was made before.
type Recording struct {
	Header
	// CutShort says that the recording has no end: its run was ended from
	// outside, and the last of its exchanges may be missing.
	CutShort bool

	all   []asked
	byKey map[string][]*exchangeOnDisk // in the order in which they happened

	mu    sync.Mutex
	given map[string]int
}

// An asked is a request that was recorded, for comparing others with.
type asked struct {
	file      string
	canonical []byte
}

// Load reads the recording in a folder and proves every file of it.
func Load(dir string) (*Recording, error) {
	r, err := load(dir)
	if err != nil {
		return nil, fmt.Errorf("replay %s: %w", dir, err)
	}
	return r, nil
}

func load(dir string) (*Recording, error) {
	var header headerOnDisk
	content, err := readFile(dir, headerFile)
	if errors.Is(err, fs.ErrNotExist) {
		if _, missing := os.Stat(dir); missing != nil {
			return nil, missing
		}
		return nil, ErrNoRecording
	}
	if err != nil {
		return nil, err
	}
	if err := decode(headerFile, content, &header); err != nil {
		return nil, err
	}
	if header.Schema != Schema {
		return nil, &DamagedError{headerFile, fmt.Sprintf("has the schema %q, and only %s is known", header.Schema, Schema)}
	}
	r := &Recording{Header: header.Header, byKey: map[string][]*exchangeOnDisk{}, given: map[string]int{}}
	digests, err := r.exchanges(dir)
	if err != nil {
		return nil, err
	}
	return r, r.end(dir, digests)
}

// exchanges reads the folder of exchanges and returns their digests by file.
func (r *Recording) exchanges(dir string) (map[string]string, error) {
	entries, err := os.ReadDir(filepath.Join(dir, exchangesDir))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, &DamagedError{exchangesDir, "is missing"}
	}
	if err != nil {
		return nil, err
	}
	found := map[string]*exchangeOnDisk{}
	keys := map[string]string{}
	digests := map[string]string{}
	for _, entry := range entries {
		name := entry.Name()
		if beside(name) {
			continue
		}
		content, err := readFile(filepath.Join(dir, exchangesDir), name)
		if err != nil {
			return nil, err
		}
		e, canonical, key, err := exchange(name, content)
		if err != nil {
			return nil, err
		}
		found[name], keys[key], digests[name] = e, name, e.Digest
		r.all = append(r.all, asked{name, canonical})
	}
	for key, name := range keys {
		for n := 1; found[fileOf(key, n)] != nil; n++ {
			r.byKey[key] = append(r.byKey[key], found[fileOf(key, n)])
			delete(found, fileOf(key, n))
		}
		r.byKey[key] = lastSpelling(r.byKey[key])
		if len(r.byKey[key]) == 0 {
			return nil, &DamagedError{name, "follows an exchange that is missing"}
		}
	}
	for _, name := range slices.Sorted(maps.Keys(found)) {
		return nil, &DamagedError{name, "follows an exchange that is missing"}
	}
	return digests, nil
}

// exchange reads one file.
func exchange(name string, content []byte) (e *exchangeOnDisk, canonical []byte, key string, err error) {
	e = &exchangeOnDisk{}
	if err := decode(name, content, e); err != nil {
		return nil, nil, "", err
	}
	if err := e.valid(); err != nil {
		return nil, nil, "", &DamagedError{name, err.Error()}
	}
	canonical, key, err = keyOf(e.Request)
	if err != nil || !strings.HasPrefix(name, fmt.Sprintf("%.16s-", key)) {
		return nil, nil, "", &DamagedError{name, "does not hold the request that it is named by"}
	}
	return e, canonical, key, nil
}

// lastSpelling leaves out what was only answered in another spelling than the
// one in which the request was made last: an endpoint's refusal of a spelling
// says nothing about what is asked, and whether it was met depended on what
// other conversations had learnt.
func lastSpelling(all []*exchangeOnDisk) []*exchangeOnDisk {
	if len(all) == 0 {
		return nil
	}
	last := all[len(all)-1].Request
	return slices.DeleteFunc(all, func(e *exchangeOnDisk) bool { return !bytes.Equal(e.Request, last) })
}

// end holds the exchanges against the list that was written last.
func (r *Recording) end(dir string, digests map[string]string) error {
	content, err := readFile(dir, endFile)
	if errors.Is(err, fs.ErrNotExist) {
		r.CutShort = true
		return nil
	}
	if err != nil {
		return err
	}
	var end endOnDisk
	if err := decode(endFile, content, &end); err != nil {
		return err
	}
	for _, name := range slices.Sorted(maps.Keys(end.Exchanges)) {
		if digests[name] == "" {
			return &DamagedError{name, "is missing"}
		}
		if digests[name] != end.Exchanges[name] {
			return &DamagedError{name, "is another than " + endFile + " lists"}
		}
		delete(digests, name)
	}
	for _, name := range slices.Sorted(maps.Keys(digests)) {
		return &DamagedError{name, "was added: " + endFile + " does not list it"}
	}
	return nil
}

// Fits says in what the run that is to be played differs from the one that was
// recorded so far that they have nothing to say to each other.
func (r *Recording) Fits(h Header) error {
	switch {
	case h.Plan != r.Plan:
		return fmt.Errorf("the recording was made with another plan: %s there, %s now", r.Plan, h.Plan)
	case h.Stage != r.Stage:
		return fmt.Errorf("the recording was made in the stage %q, and this is %q", r.Stage, h.Stage)
	case h.Task != r.Task:
		return errors.New("the recording was made with another task")
	}
	return nil
}

// Wrap returns the layer that answers from the recording. What it is given is
// never used: nothing reaches a network.
func (r *Recording) Wrap(http.RoundTripper) http.RoundTripper { return (*served)(r) }

// NoWait waits not at all: in a replay, time is not what passed.
func NoWait(ctx context.Context, _ time.Duration) error { return ctx.Err() }

type served Recording

func (s *served) RoundTrip(q *http.Request) (*http.Response, error) {
	r := (*Recording)(s)
	request, err := io.ReadAll(q.Body)
	q.Body.Close()
	if err != nil {
		return nil, err
	}
	canonical, key, err := keyOf(request)
	if err != nil {
		return nil, &endpoint.Error{Class: verdict.Replay, Message: err.Error()}
	}
	e := r.next(key)
	if e == nil {
		return nil, &endpoint.Error{Class: verdict.Replay, Message: "no such request was recorded; " + r.nearest(canonical)}
	}
	return e.serve(q)
}

// next returns what comes of the request of a key: what was recorded, in order,
// and from then on the last of it. A client that gave up because its time was
// running out has more of it now.
func (r *Recording) next(key string) *exchangeOnDisk {
	r.mu.Lock()
	defer r.mu.Unlock()
	all := r.byKey[key]
	if len(all) == 0 {
		return nil
	}
	n := min(r.given[key], len(all)-1)
	r.given[key]++
	return all[n]
}
