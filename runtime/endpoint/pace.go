package endpoint

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/snodo-lang/snodo/runtime/verdict"
)

// A pace is shared by all conversations of a client. Until an endpoint says
// that it takes no more requests, everybody asks at will. Then everybody waits
// as long as it asked for, and goes on in the order in which they came: half
// as many at once as had asked, and one more whenever as many were answered as
// may ask at once.
type pace struct {
	now   func() time.Time
	sleep func(context.Context, time.Duration) error

	mu      sync.Mutex
	until   time.Time // nobody asks before
	width   int       // how many may ask at once; 0: any number
	grown   int       // answers since the width last changed
	asking  int
	waiting []chan struct{} // each is closed when it is its turn
}

// enter returns when a request may be made; leave must follow. An error means
// that the conversation has no time left to wait, and that it did not enter.
func (p *pace) enter(ctx context.Context) *Error {
	if err := p.queue(ctx); err != nil {
		return err
	}
	var slept time.Time
	for {
		p.mu.Lock()
		until := p.until
		p.mu.Unlock()
		wait := until.Sub(p.now())
		if wait <= 0 || until.Equal(slept) {
			return nil
		}
		if deadline, ok := ctx.Deadline(); ok && !until.Before(deadline) {
			p.free()
			return &Error{
				Class:   verdict.RateLimited,
				Message: fmt.Sprintf("the endpoint takes no more requests for %s, as another conversation was told, and there is less time left", wait.Round(time.Millisecond)),
			}
		}
		slept = until
		if p.sleep(ctx, wait) != nil {
			p.free()
			return ended(ctx)
		}
	}
}

// queue waits for a place among those that ask.
func (p *pace) queue(ctx context.Context) *Error {
	p.mu.Lock()
	if p.open() {
		p.asking++
		p.mu.Unlock()
		return nil
	}
	turn := make(chan struct{})
	p.waiting = append(p.waiting, turn)
	p.mu.Unlock()
	select {
	case <-turn:
		return nil
	case <-ctx.Done():
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if i := slices.Index(p.waiting, turn); i >= 0 {
		p.waiting = slices.Delete(p.waiting, i, i+1)
	} else {
		// The turn came at the same moment: it goes to the next.
		p.asking--
		p.admit()
	}
	return ended(ctx)
}

// open says whether one more may ask. While somebody waits, it is not: those
// who wait are let in wherever a place is given back.
func (p *pace) open() bool { return p.width == 0 || p.asking < p.width }

// admit lets those in for whom there is a place.
func (p *pace) admit() {
	for len(p.waiting) > 0 && p.open() {
		p.asking++
		close(p.waiting[0])
		p.waiting = p.waiting[1:]
	}
}

// leave ends a request. One refused because there are too many holds everybody
// back; answers to all show that one more at once can be had.
func (p *pace) leave(err *Error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	switch {
	case err == nil && p.width > 0:
		if p.grown++; p.grown >= p.width {
			p.width, p.grown = p.width+1, 0
		}
	case err != nil && err.Class == verdict.RateLimited:
		p.width, p.grown = max(1, p.asking/2), 0
		if until := p.now().Add(max(err.after, firstPause)); until.After(p.until) {
			p.until = until
		}
	}
	p.asking--
	p.admit()
}

// free gives a place back that led to no request.
func (p *pace) free() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.asking--
	p.admit()
}
