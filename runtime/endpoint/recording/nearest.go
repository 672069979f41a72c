package recording

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"
)

// A comparable is the part of a request by which requests are told apart.
type comparable struct {
	Model    string            `json:"model"`
	Messages []json.RawMessage `json:"messages"`
	Tools    json.RawMessage   `json:"tools"`
}

// nearest names the recorded request that has most in common with one, from
// its beginning on, and where the two part.
func (r *Recording) nearest(canonical []byte) string {
	if len(r.all) == 0 {
		return "the recording holds no exchange"
	}
	now := read(canonical)
	var best asked
	var there comparable
	most := [2]int{-1, -1}
	for _, a := range r.all {
		c := read(a.canonical)
		n := common(c, now)
		if slices.Compare(n[:], most[:]) > 0 {
			best, there, most = a, c, n
		}
	}
	return fmt.Sprintf("the nearest is %s/%s, where %s", exchangesDir, best.file, part(there, now, most))
}

// read reads the canonical form of a request. What is no request has nothing
// in common with any.
func read(canonical []byte) comparable {
	var c comparable
	_ = json.Unmarshal(canonical, &c)
	return c
}

// common returns how many messages two requests begin with that are the same,
// and how many bytes of the next.
func common(a, b comparable) [2]int {
	n := 0
	for n < min(len(a.Messages), len(b.Messages)) && bytes.Equal(a.Messages[n], b.Messages[n]) {
		n++
	}
	if n == min(len(a.Messages), len(b.Messages)) {
		return [2]int{n, 0}
	}
	return [2]int{n, prefix(string(a.Messages[n]), string(b.Messages[n]))}
}

func prefix(a, b string) int {
	n := 0
	for n < min(len(a), len(b)) && a[n] == b[n] {
		n++
	}
	return n
}

// part says in what two requests differ first.
func part(there, now comparable, same [2]int) string {
	n := same[0]
	switch {
	case there.Model != now.Model:
		return fmt.Sprintf("the model is %q; now it is %q", there.Model, now.Model)
	case n < len(there.Messages) && n < len(now.Messages):
		a, b := said(there.Messages[n]), said(now.Messages[n])
		if a == b {
			a, b = string(there.Messages[n]), string(now.Messages[n])
		}
		at := prefix(a, b)
		return fmt.Sprintf("message %d (%s), from character %d on, is %q; now it is %q", n+1, role(now.Messages[n]), utf8.RuneCountInString(a[:at])+1, excerpt(a, at), excerpt(b, at))
	case len(there.Messages) != len(now.Messages):
		return fmt.Sprintf("the first %d messages are the same; there are %d of them, and now %d", n, len(there.Messages), len(now.Messages))
	case !bytes.Equal(there.Tools, now.Tools):
		return fmt.Sprintf("other tools are offered: %s; now %s", offered(there.Tools), offered(now.Tools))
	}
	return "members differ that are neither model, messages nor tools"
}

// excerpts are of so many bytes, a few of them before the difference.
const (
	excerptBefore = 16
	excerptAfter  = 64
)

func excerpt(s string, at int) string {
	cut := s[max(0, at-excerptBefore):min(len(s), at+excerptAfter)]
	return strings.ToValidUTF8(cut, "")
}

// said is the text of a message.
func said(message json.RawMessage) string {
	var m struct {
		Content string `json:"content"`
	}
	_ = json.Unmarshal(message, &m)
	return m.Content
}

func role(message json.RawMessage) string {
	var m struct {
		Role string `json:"role"`
	}
	_ = json.Unmarshal(message, &m)
	return m.Role
}

// offered lists the names of tools.
func offered(tools json.RawMessage) string {
	var list []struct {
		Function struct {
			Name string `json:"name"`
		} `json:"function"`
	}
	_ = json.Unmarshal(tools, &list)
	var names []string
	for _, t := range list {
		names = append(names, t.Function.Name)
	}
	if len(names) == 0 {
		return "none"
	}
	return strings.Join(names, ", ")
}
