package testendpoint

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
)

// A watch remembers the conversations that it has seen, by their beginning,
// and holds every request against what no client may ever do.
type watch map[string]*conversation

type conversation struct {
	messages []json.RawMessage
	verdict  bool // its verdict turn has been reached
}

// submitVerdict is the tool with which judges decide; a conversation that
// offers it is a judge's.
const submitVerdict = "submit_verdict"

// look says what is wrong with a request, a sentence each.
func (w watch) look(r *http.Request, body []byte, asked *wireRequest, messages []wireMessage) []string {
	var wrong []string
	wrong = append(wrong, leaks(r, body)...)
	wrong = append(wrong, unanswered(messages)...)
	c := w.follow(asked, messages)
	if !begins(asked.Messages, c.messages) {
		wrong = append(wrong, "the messages do not begin with those of the request before")
	}
	c.messages = asked.Messages
	offered := asked.offered()
	if !slices.Contains(offered, submitVerdict) {
		return wrong
	}
	wrong = append(wrong, systemMessages(messages)...)
	alone := len(offered) == 1
	if asked.forces() && !alone {
		wrong = append(wrong, fmt.Sprintf("a call is forced while %s are offered", strings.Join(offered, ", ")))
	}
	if c.verdict && !alone {
		wrong = append(wrong, fmt.Sprintf("%s are offered after the verdict turn", strings.Join(offered, ", ")))
	}
	c.verdict = c.verdict || alone
	return wrong
}

// follow finds the conversation of a request. One without a reply yet has
// just begun, or begins anew.
func (w watch) follow(asked *wireRequest, messages []wireMessage) *conversation {
	begun := slices.IndexFunc(messages, func(m wireMessage) bool { return m.Role == "assistant" })
	first := begun
	if begun < 0 {
		first = len(messages)
	}
	var key string
	for _, m := range asked.Messages[:first] {
		key += string(m) + "\n"
	}
	if begun < 0 || w[key] == nil {
		w[key] = &conversation{}
	}
	return w[key]
}

func begins(messages, before []json.RawMessage) bool {
	return len(messages) >= len(before) && slices.EqualFunc(messages[:len(before)], before,
		func(a, b json.RawMessage) bool { return bytes.Equal(a, b) })
}

func leaks(r *http.Request, body []byte) []string {
	key := strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer ")
	if key == "" {
		return nil
	}
	others := r.Header.Clone()
	others.Del("Authorization")
	if bytes.Contains(body, []byte(key)) || strings.Contains(r.URL.String()+fmt.Sprint(others), key) {
		return []string{"the API key stands outside of its header"}
	}
	return nil
}

func systemMessages(messages []wireMessage) []string {
	n := 0
	for _, m := range messages {
		if m.Role == "system" {
			n++
		}
	}
	if n != 1 || messages[0].Role != "system" {
		return []string{fmt.Sprintf("there are %d system messages, where there is to be one, the first", n)}
	}
	return nil
}

// unanswered says which calls were not answered exactly once, right behind
// the message that made them.
func unanswered(messages []wireMessage) []string {
	var wrong []string
	seen := map[string]bool{}
	for i := 0; i < len(messages); i++ {
		if messages[i].Role == "tool" {
			wrong = append(wrong, fmt.Sprintf("message %d answers no call: %q", i, messages[i].CallID))
		}
		var open []string
		for _, call := range messages[i].Calls {
			if call.ID == "" || seen[call.ID] {
				wrong = append(wrong, fmt.Sprintf("message %d: the id %q is empty or repeated", i, call.ID))
			}
			seen[call.ID] = true
			open = append(open, call.ID)
		}
		for len(open) > 0 {
			i++
			if i == len(messages) || messages[i].Role != "tool" {
				wrong = append(wrong, fmt.Sprintf("message %d: calls are not answered: %q", i, open))
				i--
				break
			}
			at := slices.Index(open, messages[i].CallID)
			if at < 0 {
				wrong = append(wrong, fmt.Sprintf("message %d answers no open call: %q", i, messages[i].CallID))
				continue
			}
			open = slices.Delete(open, at, at+1)
		}
	}
	return wrong
}
