package testendpoint

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"sort"
	"strings"
)

// ReceiptWord stands in arguments for the right receipt.
const ReceiptWord = "$RECEIPT"

func writeError(w http.ResponseWriter, status int, param, message string) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	body := map[string]any{"message": message, "type": "invalid_request_error", "param": nil, "code": status}
	if param != "" {
		body["param"] = param
	}
	json.NewEncoder(w).Encode(map[string]any{"error": body}) // a client that has gone does not matter
}

// answer plays one reply.
func (s *Server) answer(w http.ResponseWriter, reply *Reply, asked *wireRequest, messages []wireMessage) {
	for name, value := range reply.Header {
		w.Header().Set(name, value)
	}
	switch {
	case reply.Drop:
		if conn, _, err := http.NewResponseController(w).Hijack(); err == nil {
			conn.Close()
		}
	case reply.Status != 0:
		if reply.Body == "" && reply.Status >= 400 {
			writeError(w, reply.Status, "", "scripted")
			return
		}
		w.WriteHeader(reply.Status)
		fmt.Fprint(w, strings.ReplaceAll(reply.Body, ReceiptWord, receipt(messages)), strings.Repeat(" ", reply.Pad))
	default:
		completion, err := reply.completion(asked, messages)
		if err != nil {
			s.violated("the script cannot be played: %v", err)
			writeError(w, http.StatusBadRequest, "", err.Error())
			return
		}
		w.Header().Set("Content-Type", "application/json")
		w.Write(completion)
		if reply.has(QuirkTrailing) {
			fmt.Fprint(w, "\n\ndata: [DONE]\n")
		}
	}
}

func (r *Reply) has(quirk string) bool { return slices.Contains(r.Quirks, quirk) }

// completion writes a reply as Chat Completions has it, but for its quirks.
func (r *Reply) completion(asked *wireRequest, messages []wireMessage) ([]byte, error) {
	message := map[string]any{"role": "assistant", "content": r.Say}
	switch {
	case r.has(QuirkNullContent):
		message["content"] = nil
	case r.has(QuirkArrayContent):
		message["content"] = []any{map[string]any{"type": "text", "text": r.Say}}
	case r.has(QuirkRefusal):
		message["content"], message["refusal"] = nil, r.Say
	case r.has(QuirkReasoning):
		message["content"], message["reasoning_content"] = "", r.Say
	}
	calls, err := r.calls(asked, messages)
	if err != nil {
		return nil, err
	}
	finish := "stop"
	if len(calls) > 0 {
		message["tool_calls"] = calls
		finish = "tool_calls"
	}
	if r.Finish != "" {
		finish = r.Finish
	}
	choice := map[string]any{"index": 0, "message": message, "finish_reason": finish}
	if r.has(QuirkNullMessage) {
		choice["message"] = nil
	}
	out := map[string]any{
		"object": "chat.completion", "choices": []any{choice},
		"usage": map[string]any{"prompt_tokens": 100, "completion_tokens": 10, "total_tokens": 110},
	}
	if r.has(QuirkNoChoices) {
		out["choices"] = []any{}
	}
	if r.has(QuirkNoUsage) {
		delete(out, "usage")
	}
	return json.Marshal(out)
}

func (r *Reply) calls(asked *wireRequest, messages []wireMessage) ([]any, error) {
	all := slices.Clone(r.Calls)
	if r.Call != "" {
		all = append(all, Call{Tool: r.Call, Args: r.Args})
	}
	if len(r.Submit) > 0 {
		submission, err := r.submission(asked)
		if err != nil {
			return nil, err
		}
		all = append(all, Call{Tool: submitVerdict, Args: submission})
	}
	made := 0
	for _, m := range messages {
		made += len(m.Calls)
	}
	code := receipt(messages)
	if r.Receipt != "" {
		code = r.Receipt
	}
	var out []any
	for i, call := range all {
		arguments := call.Raw
		if arguments == "" {
			arguments = string(call.Args)
		}
		arguments = strings.ReplaceAll(arguments, ReceiptWord, code)
		function := map[string]any{"name": call.Tool, "arguments": arguments}
		if r.has(QuirkObjects) && json.Valid([]byte(arguments)) {
			function["arguments"] = json.RawMessage(arguments)
		}
		made := map[string]any{"type": "function", "function": function, "id": fmt.Sprintf("call_%d", made+i)}
		switch {
		case r.has(QuirkNoIDs):
			delete(made, "id")
		case r.has(QuirkSameIDs):
			made["id"] = "call_0"
		case r.has(QuirkIntegerIDs):
			made["id"] = i
		}
		out = append(out, made)
	}
	return out, nil
}

// A finding is one ruling of a submission, in the order of its members.
type finding struct {
	Criterion string          `json:"criterion"`
	Quotes    json.RawMessage `json:"quotes"`
	Because   string          `json:"because"`
	Verdict   string          `json:"verdict"`
	Missing   json.RawMessage `json:"missing,omitempty"`
}

// submission writes what Submit says in short as submit_verdict takes it.
func (r *Reply) submission(asked *wireRequest) (json.RawMessage, error) {
	criteria := asked.criteria()
	verdict := "pass"
	given := map[string]json.RawMessage{}
	if json.Unmarshal(r.Submit, &verdict) != nil {
		if err := json.Unmarshal(r.Submit, &given); err != nil {
			return nil, fmt.Errorf("submit: %w", err)
		}
	}
	var others []string
	for name := range given {
		if !slices.Contains(criteria, name) {
			others = append(others, name)
		}
	}
	sort.Strings(others)
	out := struct {
		Findings []finding `json:"findings"`
		Receipt  string    `json:"receipt"`
	}{Findings: []finding{}, Receipt: ReceiptWord}
	for _, name := range append(slices.Clone(criteria), others...) {
		f := finding{Criterion: name, Verdict: verdict}
		if raw, ok := given[name]; ok && json.Unmarshal(raw, &f.Verdict) != nil {
			if err := json.Unmarshal(raw, &f); err != nil {
				return nil, fmt.Errorf("submit: %s: %w", name, err)
			}
		}
		if len(f.Quotes) == 0 {
			f.Quotes = json.RawMessage("[]")
		}
		if f.Because == "" {
			f.Because = "as scripted"
		}
		out.Findings = append(out.Findings, f)
	}
	return json.Marshal(out)
}
