package judge_test

import (
	"encoding/json"
	"fmt"
	"strings"
)

// text writes a JSON string.
func text(s string) string {
	raw, err := json.Marshal(s)
	if err != nil {
		panic(err)
	}
	return string(raw)
}

// status is a bare answer.
func status(code int, body string) string {
	return fmt.Sprintf(`{"status":%d,"body":%s}`, code, text(body))
}

// bare is an answer of 200 that says the given bytes.
func bare(body string) string { return status(200, body) }

// complaint is an answer with an error.
func complaint(code int, members string) string { return status(code, `{"error":{`+members+`}}`) }

// message is a completion with the given message.
func message(m string) string { return bare(`{"choices":[{"index":0,"message":` + m + `}]}`) }

// called is a completion that makes the given calls.
func called(calls string) string { return message(`{"role":"assistant","tool_calls":` + calls + `}`) }

// function is a call; arguments are as they stand on the wire.
func function(name, arguments string) string {
	return `{"id":"1","type":"function","function":{"name":` + name + `,"arguments":` + arguments + `}}`
}

var submits = function(`"submit_verdict"`, text(submission))

// What endpoints do that is no Chat Completion, or is one of a strange shape.
var endpointScenarios = []scenario{
	// Ids, and the shape of what is called.
	{"no ids", 5, lines(`{"calls":[{"tool":"read_file","args":{"path":"a.go"}},{"tool":"read_file","args":{"path":"b.go"}}],"quirks":["no ids"]}`, pass), "pass", 2, 2, "", nil},
	{"the same id for all", 5, lines(`{"calls":[{"tool":"read_file","args":{"path":"a.go"}},{"tool":"read_file","args":{"path":"b.go"}}],"quirks":["same ids"]}`, `{"call":"read_file","args":{"path":"c.go"},"quirks":["same ids"]}`, pass), "pass", 3, 3, "", nil},
	{"integer ids", 5, lines(`{"call":"read_file","args":{"path":"a.go"},"quirks":["integer ids"]}`, `{"call":"read_file","args":{"path":"b.go"},"quirks":["integer ids"]}`, pass), "pass", 3, 2, "", nil},
	{"object arguments", 5, `{"submit":"pass","quirks":["object arguments","null content"]}`, "pass", 1, 0, "", nil},
	{"a finish that disagrees", 5, `{"submit":"pass","finish":"length"}`, "pass", 1, 0, "", nil},
	{"tool_calls announced and none made", 5, lines(`{"say":"hm","finish":"tool_calls"}`, pass), "pass", 2, 0, "VerdictTurnProse", nil},
	{"failures that pass", 5, lines(`{"status":500}`, `{"drop":true}`, `{"status":429}`, `{"status":200,"body":"busy"}`, pass), "pass", 5, 0, "", nil},
	{"failures that stay", 5, repeat(`{"status":503}`, 5), "transport", 5, 0, "", nil},
	{"a lost connection in the middle", 5, lines(readA, repeat(`{"drop":true}`, 5)), "transport", 6, 1, "", nil},
	{"no message", 5, lines(`{"say":"x","quirks":["null message"]}`, `{"say":"x","quirks":["no choices"]}`, pass), "pass", 3, 0, "", nil},
	{"a wrong key", 5, `{"status":401}`, "auth", 1, 0, "", nil},
	{"no such model", 5, `{"status":404}`, "bad_request", 1, 0, "", nil},
	{"a refusal", 5, `{"say":"I will not.","quirks":["refusal"]}`, "refusal", 1, 0, "", nil},
	{"a filter", 5, `{"say":"","finish":"content_filter"}`, "content_filter", 1, 0, "", nil},
	{"overflow", 5, lines(readA, `{"status":400,"body":"{\"error\":{\"code\":\"context_length_exceeded\",\"message\":\"too long\"}}"}`), "context_overflow", 2, 1, "", nil},

	// Answers that are no completion: tried again, and then an error.
	{"204, then pass", 5, lines(`{"status":204}`, pass), "pass", 2, 0, "", nil},
	{"204 for ever", 5, repeat(`{"status":204}`, 5), "protocol", 5, 0, "", nil},
	{"nothing with 200", 5, repeat(`{"status":200}`, 5), "protocol", 5, 0, "", nil},
	{"HTML with 200", 5, repeat(bare("<html>pass</html>"), 5), "protocol", 5, 0, "", nil},
	{"HTML with 502", 5, repeat(status(502, "<html>Bad gateway</html>"), 5), "transport", 5, 0, "", nil},
	{"HTML with 403", 5, status(403, "<html>no</html>"), "auth", 1, 0, "", nil},
	{"a stream", 5, repeat(bare("data: "+`{"choices":[{"delta":{"content":"pass"}}]}`+"\n\ndata: [DONE]\n"), 5), "protocol", 5, 0, "", nil},
	{"a stream that submits", 5, repeat(bare("data: "+`{"choices":[{"delta":{"tool_calls":[`+submits+`]}}]}`+"\n\n"), 5), "protocol", 5, 0, "", nil},
	{"a completion in pieces", 5, lines(repeat(bare(`{"choices":[{"delta":{"tool_calls":[`+submits+`]}}]}`), 4), pass), "pass", 5, 0, "", nil},
	{"null", 5, repeat(bare("null"), 5), "protocol", 5, 0, "", nil},
	{"a list", 5, repeat(bare("[]"), 5), "protocol", 5, 0, "", nil},
	{"a number", 5, repeat(bare("42"), 5), "protocol", 5, 0, "", nil},
	{"a text", 5, repeat(bare(`"pass"`), 5), "protocol", 5, 0, "", nil},
	{"the submission itself", 5, repeat(bare(submission), 5), "protocol", 5, 0, "", nil},
	{"a byte order mark", 5, lines(bare("\ufeff"+`{"choices":[]}`), pass), "pass", 2, 0, "", nil},
	{"cut off JSON", 5, lines(bare(`{"choices":[{"message":{"tool_calls":[`+submits), pass), "pass", 2, 0, "", nil},
	{"cut off bytes", 5, lines(`{"status":200,"header":{"Content-Length":"99"},"body":"{"}`, pass), "pass", 2, 0, "", nil},
	{"cut off bytes for ever", 5, repeat(`{"status":200,"header":{"Content-Length":"99"},"body":"{"}`, 5), "transport", 5, 0, "", nil},
	{"16 MiB and more", 5, `{"status":200,"body":"{","pad":16777216}`, "protocol", 1, 0, "", nil},
	{"blanks before the end of 16 MiB", 5, fmt.Sprintf(`{"status":200,"body":%s,"pad":16000000}`, text(`{"choices":[{"message":{"tool_calls":[`+submits+`]}}]}`)), "pass", 1, 0, "", nil},
	{"an error of 16 MiB", 5, `{"status":400,"body":"{","pad":16777216}`, "protocol", 1, 0, "", nil},
	{"choices null", 5, lines(bare(`{"choices":null}`), pass), "pass", 2, 0, "", nil},
	{"a choice null", 5, lines(bare(`{"choices":[null]}`), pass), "pass", 2, 0, "", nil},
	{"choices that are none", 5, lines(bare(`{"choices":{"message":{}}}`), pass), "pass", 2, 0, "", nil},
	{"calls that are no list", 5, lines(called(`{"0":`+submits+`}`), pass), "pass", 2, 0, "", nil},
	{"calls that are no list for ever", 5, repeat(called(`"submit_verdict"`), 5), "protocol", 5, 0, "", nil},
	{"no JSON in the middle of reading", 5, lines(readA, repeat(bare("busy"), 5)), "protocol", 6, 1, "", nil},
	{"no JSON on the verdict turn", 2, lines(readA, repeat(bare("busy"), 5)), "protocol", 6, 1, "", nil},
	{"no JSON for the correction", 1, lines(wrong, repeat(bare("busy"), 5)), "protocol", 6, 0, "", nil},

	// Redirects lead nowhere.
	{"a redirect", 5, `{"status":302,"header":{"Location":"/v1/elsewhere"}}`, "protocol", 1, 0, "", nil},
	{"a redirect that keeps the method", 5, `{"status":307,"header":{"Location":"/v1/chat/completions"}}`, "protocol", 1, 0, "", nil},
	{"a redirect for good, to another host", 5, `{"status":308,"header":{"Location":"http://127.0.0.1:1/v1"}}`, "protocol", 1, 0, "", nil},
	{"304", 5, `{"status":304}`, "protocol", 1, 0, "", nil},

	// Messages with nothing in them, or with something else.
	{"an empty message, pass", 5, lines(message(`{}`), pass), "pass", 2, 0, "VerdictTurnProse", nil},
	{"an empty list of calls, pass", 5, lines(called(`[]`), pass), "pass", 2, 0, "VerdictTurnProse", nil},
	{"calls null", 5, lines(called(`null`), pass), "pass", 2, 0, "VerdictTurnProse", nil},
	{"content in parts that look like calls", 1, message(`{"content":[{"type":"tool_use","name":"submit_verdict","input":` + submission + `}]}`), "no_verdict", 1, 0, "", nil},
	{"content that is a submission", 1, message(`{"content":` + text(submission) + `}`), "no_verdict", 1, 0, "", nil},
	{"content that is a call in XML", 1, message(`{"content":` + text("<tool_call>"+submission+"</tool_call>") + `}`), "no_verdict", 1, 0, "", nil},
	{"content that is an object", 1, message(`{"content":` + submission + `}`), "no_verdict", 1, 0, "", nil},
	{"reasoning that submits", 1, message(`{"content":"","reasoning_content":` + text(submission) + `}`), "no_verdict", 1, 0, "", nil},
	{"the old function_call", 1, message(`{"content":null,"function_call":{"name":"submit_verdict","arguments":` + text(submission) + `}}`), "no_verdict", 1, 0, "", nil},
	{"parsed instead of calls", 1, message(`{"content":null,"parsed":` + submission + `}`), "no_verdict", 1, 0, "", nil},
	{"calls beside the message", 1, bare(`{"choices":[{"message":{"content":""},"tool_calls":[` + submits + `]}]}`), "no_verdict", 1, 0, "", nil},
	{"two choices, and only one was asked for", 1, repeat(bare(`{"choices":[{"message":{"content":"hm"}},{"message":{"tool_calls":[`+submits+`]}}]}`), 5), "protocol", 5, 0, "", nil},
	{"a second choice that differs", 1, repeat(bare(`{"choices":[{"message":{"tool_calls":[`+submits+`]}},{"message":{"content":"blocker"}}]}`), 5), "protocol", 5, 0, "", nil},
	{"the calls twice", 1, repeat(bare(`{"choices":[{"message":{"tool_calls":[],"tool_calls":[`+submits+`]}}]}`), 5), "protocol", 5, 0, "", nil},
	{"the choices twice, in another case", 1, repeat(bare(`{"choices":[{"message":{"content":"hm"}}],"Choices":[{"message":{"tool_calls":[`+submits+`]}}]}`), 5), "protocol", 5, 0, "", nil},
	{"another answer behind the first", 1, repeat(bare(`{"choices":[{"message":{"tool_calls":[`+submits+`]}}]} {"error":{"message":"disregard"}}`), 5), "protocol", 5, 0, "", nil},
	{"an error beside a submission", 1, repeat(bare(`{"error":{"message":"boom","code":500},"choices":[{"message":{"tool_calls":[`+submits+`]}}]}`), 5), "transport", 5, 0, "", nil},
	{"a choice that failed", 1, repeat(bare(`{"choices":[{"error":{"code":502},"message":{"tool_calls":[`+submits+`]}}]}`), 5), "protocol", 5, 0, "", nil},
	{"a finish that is an error", 1, repeat(bare(`{"choices":[{"finish_reason":"error","message":{"tool_calls":[`+submits+`]}}]}`), 5), "protocol", 5, 0, "", nil},
	{"an error of nothing beside a submission", 1, bare(`{"error":{},"choices":[{"message":{"tool_calls":[` + submits + `]}}]}`), "pass", 1, 0, "", nil},
	{"another role", 1, bare(`{"choices":[{"message":{"role":"tool","tool_calls":[` + submits + `]}}]}`), "pass", 1, 0, "", nil},
	{"a refusal beside a submission", 1, message(`{"refusal":"no","tool_calls":[` + submits + `]}`), "pass", 1, 0, "", nil},
	{"a filter beside a submission", 1, `{"submit":"pass","finish":"content_filter"}`, "pass", 1, 0, "", nil},
	{"a filter beside half a submission", 1, lines(`{"calls":[{"tool":"submit_verdict","raw":"{\"findings\":[{"}],"finish":"content_filter"}`, pass), "pass", 2, 0, "NotJSON", nil},
	{"a refusal of nothing", 5, lines(message(`{"refusal":"","content":"hm"}`), pass), "pass", 2, 0, "VerdictTurnProse", nil},
	{"a refusal on the verdict turn", 1, `{"say":"I will not.","quirks":["refusal"]}`, "refusal", 1, 0, "", nil},
	{"a filter on the verdict turn", 2, lines(readA, `{"say":"","finish":"content_filter"}`), "content_filter", 2, 1, "", nil},
	{"an error beside a choice", 1, repeat(bare(`{"error":{"message":"half"},"choices":[{"message":{"content":"pass"}}]}`), 5), "protocol", 5, 0, "", nil},
	{"bytes behind the completion", 1, `{"submit":"pass","quirks":["trailing bytes"]}`, "pass", 1, 0, "", nil},
	{"content in parts", 1, `{"say":"It all passes.","quirks":["array content"]}`, "no_verdict", 1, 0, "", nil},

	// Calls of a strange shape.
	{"a call without a function", 5, lines(called(`[{"id":"1"}]`), pass), "pass", 2, 0, "UndeclaredTool", nil},
	{"a call without a function on the verdict turn", 1, called(`[{"id":"1"}]`), "no_verdict", 1, 0, "", nil},
	{"a call that is null", 5, lines(called(`[null]`), pass), "pass", 2, 0, "UndeclaredTool", nil},
	{"a name that is a number", 1, called("[" + function("7", text(submission)) + "]"), "no_verdict", 1, 0, "", nil},
	{"a name with a blank", 1, called("[" + function(`"submit_verdict "`, text(submission)) + "]"), "no_verdict", 1, 0, "", nil},
	{"a name with a prefix", 1, called("[" + function(`"functions.submit_verdict"`, text(submission)) + "]"), "no_verdict", 1, 0, "", nil},
	{"a name of 10,000 letters", 5, lines(called("["+function(text(strings.Repeat("x", 10000)), `"{}"`)+"]"), pass), "pass", 2, 0, "UndeclaredTool", nil},
	{"arguments that are an object", 1, called("[" + function(`"submit_verdict"`, submission) + "]"), "pass", 1, 0, "", nil},
	{"arguments encoded twice", 1, called("[" + function(`"submit_verdict"`, text(text(submission))) + "]"), "pass", 1, 0, "", nil},
	{"arguments encoded three times", 1, repeat(called("["+function(`"submit_verdict"`, text(text(text(submission))))+"]"), 2), "invalid_verdict", 2, 0, "NotJSON", nil},
	{"a read encoded twice", 5, lines(called("["+function(`"read_file"`, text(text(`{"path":"a.go"}`)))+"]"), pass), "pass", 2, 1, "package a", nil},
	{"arguments in a fence", 1, repeat(called("["+function(`"submit_verdict"`, text("```json\n"+submission+"\n```"))+"]"), 2), "invalid_verdict", 2, 0, "NotJSON", nil},
	{"arguments null", 1, lines(called("["+function(`"submit_verdict"`, "null")+"]"), pass), "pass", 2, 0, "NotJSON", nil},
	{"arguments true", 1, lines(called("["+function(`"submit_verdict"`, "true")+"]"), pass), "pass", 2, 0, "NotJSON", nil},
	{"arguments in a list", 1, lines(called("["+function(`"submit_verdict"`, "["+submission+"]")+"]"), pass), "pass", 2, 0, "NotJSON", nil},
	{"arguments under another name", 1, lines(called(`[{"function":{"name":"submit_verdict","input":`+submission+`}}]`), pass), "pass", 2, 0, "NotJSON", nil},
	{"400 calls at once", 5, lines(called("["+strings.TrimSuffix(strings.Repeat(function(`"read_file"`, `"{\"path\":\"a.go\"}"`)+",", 400), ",")+"]"), pass), "pass", 2, 1, "Repeated 1", nil},
	{"an id of an object", 5, lines(called(`[{"id":{"x":1},"function":{"name":"read_file","arguments":"{\"path\":\"a.go\"}"}}]`), pass), "pass", 2, 1, "package a", nil},
	{"a call of another type", 1, called(`[{"id":"1","type":"custom","custom":{"name":"submit_verdict","input":` + text(submission) + `}}]`), "no_verdict", 1, 0, "", nil},

	// Usage is never a reason.
	{"usage in fractions", 1, bare(`{"choices":[{"message":{"tool_calls":[` + submits + `]}}],"usage":{"prompt_tokens":1.5,"completion_tokens":"7"}}`), "pass", 1, 0, "", nil},
	{"usage below nothing", 1, bare(`{"choices":[{"message":{"tool_calls":[` + submits + `]}}],"usage":{"prompt_tokens":-1,"completion_tokens":1e400}}`), "pass", 1, 0, "", nil},
	{"usage in words", 1, bare(`{"choices":[{"message":{"tool_calls":[` + submits + `]}}],"usage":"plenty"}`), "pass", 1, 0, "", nil},

	// Errors with a status.
	{"400", 5, complaint(400, `"message":"no"`), "bad_request", 1, 0, "", nil},
	{"402", 5, `{"status":402}`, "quota", 1, 0, "", nil},
	{"403", 5, `{"status":403}`, "auth", 1, 0, "", nil},
	{"405", 5, `{"status":405}`, "bad_request", 1, 0, "", nil},
	{"408, then pass", 5, lines(`{"status":408}`, pass), "pass", 2, 0, "", nil},
	{"409, then pass", 5, lines(`{"status":409}`, pass), "pass", 2, 0, "", nil},
	{"413", 5, `{"status":413}`, "context_overflow", 1, 0, "", nil},
	{"422", 5, status(422, `{"detail":[{"msg":"field required"}]}`), "bad_request", 1, 0, "", nil},
	{"429 for ever", 5, repeat(`{"status":429}`, 5), "rate_limited", 5, 0, "", nil},
	{"501 for ever", 5, repeat(`{"status":501}`, 5), "transport", 5, 0, "", nil},
	{"529, then pass", 5, lines(`{"status":529}`, pass), "pass", 2, 0, "", nil},
	{"a quota behind 429", 5, complaint(429, `"code":"insufficient_quota","message":"no money"`), "quota", 1, 0, "", nil},
	{"a quota behind 403", 5, complaint(403, `"message":"Insufficient balance"`), "quota", 1, 0, "", nil},
	{"a limit of the account", 5, complaint(400, `"code":"billing_hard_limit_reached"`), "quota", 1, 0, "", nil},
	{"a filter behind 400", 5, complaint(400, `"code":"content_filter","message":"the prompt"`), "content_filter", 1, 0, "", nil},
	{"an overflow in words", 5, complaint(400, `"message":"This model's maximum context length is 8192 tokens"`), "context_overflow", 1, 0, "", nil},
	{"an overflow of a local server", 5, complaint(400, `"type":"exceed_context_size_error","message":"too big"`), "context_overflow", 1, 0, "", nil},
	{"an overflow on the verdict turn", 2, lines(readA, complaint(400, `"message":"prompt is too long"`)), "context_overflow", 2, 1, "", nil},
	{"an error in a list", 5, status(401, `[{"error":{"message":"bad key"}}]`), "auth", 1, 0, "", nil},

	// Errors with 200.
	{"a numeric code of 429", 5, lines(bare(`{"error":{"code":429,"message":"slow down"}}`), pass), "pass", 2, 0, "", nil},
	{"a text code of 429 for ever", 5, repeat(bare(`{"error":{"code":"429","message":"slow down"}}`), 5), "rate_limited", 5, 0, "", nil},
	{"a numeric code of 401", 5, bare(`{"error":{"code":401}}`), "auth", 1, 0, "", nil},
	{"a numeric code of 503 for ever", 5, repeat(bare(`{"error":{"code":503}}`), 5), "transport", 5, 0, "", nil},
	{"a code in words", 5, bare(`{"error":{"code":"insufficient_quota"}}`), "quota", 1, 0, "", nil},
	{"a code that is no status", 5, repeat(bare(`{"error":{"code":1337}}`), 5), "protocol", 5, 0, "", nil},
	{"an error that is a text", 5, repeat(bare(`{"error":"pass"}`), 5), "protocol", 5, 0, "", nil},
	{"an error and no choices", 5, lines(bare(`{"choices":[],"error":{"code":502}}`), pass), "pass", 2, 0, "", nil},
	{"an error of null", 5, repeat(bare(`{"error":null,"choices":[]}`), 5), "protocol", 5, 0, "", nil},

	// How long to wait is the endpoint's to say, within the judge's time.
	{"Retry-After in seconds", 5, lines(`{"status":429,"header":{"Retry-After":"2"}}`, pass), "pass", 2, 0, "", nil},
	{"Retry-After beyond the judge's time", 5, `{"status":429,"header":{"Retry-After":"400"}}`, "rate_limited", 1, 0, "", nil},
	{"Retry-After beyond all time", 5, `{"status":503,"header":{"Retry-After":"1e300"}}`, "transport", 1, 0, "", nil},
	{"Retry-After in a year", 5, `{"status":429,"header":{"Retry-After":"Mon, 30 Nov 2099 12:00:00 GMT"}}`, "rate_limited", 1, 0, "", nil},
	{"Retry-After in the past", 5, lines(`{"status":429,"header":{"Retry-After":"Mon, 30 Nov 2009 12:00:00 GMT"}}`, pass), "pass", 2, 0, "", nil},
	{"Retry-After that says nothing", 5, lines(`{"status":429,"header":{"Retry-After":"soon"}}`, pass), "pass", 2, 0, "", nil},
	{"Retry-After below nothing", 5, lines(`{"status":429,"header":{"Retry-After":"-5"}}`, pass), "pass", 2, 0, "", nil},
	{"Retry-After that is no number", 5, lines(`{"status":429,"header":{"Retry-After":"NaN"}}`, pass), "pass", 2, 0, "", nil},

	// The key comes back in many ways and goes nowhere.
	{"the key in an error", 5, `{"status":401,"body":"bad key ` + key + `"}`, "auth", 1, 0, "", nil},
	{"the key in what is no completion", 5, repeat(bare(key), 5), "protocol", 5, 0, "", nil},
	{"the key in prose", 5, lines(`{"say":"your key is `+key+`"}`, `{"say":"`+key+`"}`), "no_verdict", 2, 0, "", nil},
	{"the key as a tool and its arguments", 5, lines(`{"calls":[{"tool":"`+key+`","raw":"`+key+`"}]}`, pass), "pass", 2, 0, "UndeclaredTool", nil},
	{"the key as a path", 5, lines(`{"call":"read_file","args":{"path":"`+key+`"}}`, pass), "pass", 2, 0, "NoSuchPath", nil},
	{"the key in a finding", 5, `{"submit":{"safe":{"verdict":"blocker","because":"` + key + `"}}}`, "blocker", 1, 0, "", nil},
	{"the key in a refusal", 5, `{"say":"` + key + `","quirks":["refusal"]}`, "refusal", 1, 0, "", nil},
	{"the key as an id", 5, lines(called(`[{"id":"`+key+`","function":{"name":"read_file","arguments":"{\"path\":\"a.go\"}"}}]`), pass), "pass", 2, 1, "package a", nil},
	{"the key in reasoning", 5, lines(message(`{"content":"x","reasoning_content":"`+key+`"}`), pass), "pass", 2, 0, "VerdictTurnProse", nil},
	{"half of the key escaped", 1, message(`{"content":"\\u0073k-test-2f6b1c9de8a7450b"}`), "no_verdict", 1, 0, "", nil},
}
