package judge_test

import "strings"

// What a submission must be, and what stands beside it.
var submissionScenarios = []scenario{
	// Invalid submissions.
	{"invalid, pass", 5, lines(wrong, pass), "pass", 2, 0, "ReasonVerdict", nil},
	{"invalid, read, pass", 5, lines(wrong, readA, pass), "pass", 3, 1, "package a", nil},
	{"invalid on the verdict turn, pass", 1, lines(wrong, pass), "pass", 2, 0, "Invalid", nil},
	{"invalid on the verdict turn, prose", 1, lines(wrong, prose), "no_verdict", 2, 0, "Invalid", nil},
	{"invalid on the verdict turn, another call", 1, lines(wrong, readA), "no_verdict", 2, 0, "Invalid", nil},
	{"invalid on the verdict turn, beside a read", 1, lines(wrong, both), "invalid_verdict", 2, 0, "Invalid", nil},
	{"invalid until the turns are spent", 4, repeat(wrong, 5), "invalid_verdict", 5, 0, "ReasonVerdict", nil},
	{"invalid, prose, pass", 5, lines(wrong, prose, pass), "pass", 3, 0, "VerdictTurnProse", nil},
	{"invalid, prose, invalid, invalid", 5, lines(wrong, prose, wrong, wrong), "invalid_verdict", 4, 0, "", nil},
	{"no JSON, pass", 5, lines(`{"calls":[{"tool":"submit_verdict","raw":"{oops"}]}`, pass), "pass", 2, 0, "NotJSON", nil},
	{"cut off arguments, twice", 1, repeat(`{"calls":[{"tool":"submit_verdict","raw":"{\"findings\":[{\"crit"}],"finish":"length"}`, 2), "invalid_verdict", 2, 0, "NotJSON", nil},
	{"empty arguments, pass", 5, lines(`{"calls":[{"tool":"submit_verdict","raw":""}]}`, pass), "pass", 2, 0, "NotJSON", nil},

	// Submissions that do not stand alone.
	{"submit beside a read, submit", 5, lines(both, pass), "pass", 2, 1, "SubmitAlone", nil},
	{"submit beside a read counts", 2, lines(both, both, both), "invalid_verdict", 3, 1, "Withdrawn", nil},
	{"submit beside a read on the verdict turn, submit", 1, lines(both, pass), "pass", 2, 0, "SubmitAlone", nil},
	{"submit beside an undeclared tool", 5, lines(`{"call":"nope","submit":"pass"}`, pass), "pass", 2, 0, "UndeclaredTool", nil},
	{"differing submissions, pass", 5, lines(differ, pass), "pass", 2, 0, "SubmitDiffer", nil},
	{"differing submissions on the verdict turn, pass", 1, lines(differ, pass), "pass", 2, 0, "SubmitDiffer", nil},
	{"differing submissions on the verdict turn, again", 1, lines(differ, differ), "invalid_verdict", 2, 0, "SubmitDiffer", nil},
	{"differing submissions beside a read", 5, lines(`{"calls":[{"tool":"submit_verdict","args":{}},{"tool":"read_file","args":{"path":"a.go"}}],"submit":"pass"}`, pass), "pass", 2, 1, "SubmitAlone", nil},
	{"all reasons at once on the verdict turn", 1, lines(`{"calls":[{"tool":"submit_verdict","args":{"findings":[]}}],"submit":"pass"}`, pass), "pass", 2, 0, "ReasonMissingFinding", nil},

	// The receipt.
	{"a wrong receipt", 5, cut, "context_truncated", 1, 0, "", nil},
	{"a wrong receipt on the verdict turn", 1, cut, "context_truncated", 1, 0, "", nil},
	{"a wrong receipt on an invalid submission", 5, lines(cutBad, pass), "pass", 2, 0, "ReasonReceipt", nil},
	{"a wrong receipt once corrected", 1, lines(wrong, cut), "context_truncated", 2, 0, "", nil},
	{"a wrong receipt beside a read", 5, lines(`{"call":"read_file","args":{"path":"a.go"},"submit":"pass","receipt":"x"}`, pass), "pass", 2, 1, "SubmitAlone", nil},
	{"halves without the hyphen", 5, `{"submit":"pass","receipt":"ab12cd34"}`, "context_truncated", 1, 0, "", nil},
	{"half a receipt", 5, `{"submit":"pass","receipt":"ab12"}`, "context_truncated", 1, 0, "", nil},
	{"no receipt at all", 5, `{"submit":"pass","receipt":"-"}`, "context_truncated", 1, 0, "", nil},
	{"halves the other way", 5, `{"submit":"pass","receipt":"cd34-ab12"}`, "context_truncated", 1, 0, "", nil},
	{"a receipt in capitals", 5, `{"submit":"pass","receipt":"AB12-CD34"}`, "context_truncated", 1, 0, "", nil},
	{"a receipt with more", 5, `{"submit":"pass","receipt":"receipt: ab12-cd34"}`, "context_truncated", 1, 0, "", nil},
	{"a receipt among blanks", 5, `{"submit":"pass","receipt":" ab12-cd34 "}`, "pass", 1, 0, "", nil},
	{"a blocker with a wrong receipt", 5, `{"submit":"blocker","receipt":"x"}`, "context_truncated", 1, 0, "", nil},
	{"a wrong receipt on the corrected submission, which is invalid", 1, lines(wrong, cutBad), "invalid_verdict", 2, 0, "", nil},

	// Arguments that say nothing definite.
	{"a receipt given twice", 5, lines(`{"calls":[{"tool":"submit_verdict","raw":`+text(`{`+findings+`,"receipt":"x","receipt":"$RECEIPT"}`)+`}]}`, pass), "pass", 2, 0, "Repeated receipt", nil},
	{"findings given twice", 5, lines(`{"calls":[{"tool":"submit_verdict","raw":`+text(`{"findings":[],`+findings+`,"receipt":"$RECEIPT"}`)+`}]}`, pass), "pass", 2, 0, "Repeated findings", nil},
	{"verdicts given twice", 1, repeat(`{"calls":[{"tool":"submit_verdict","raw":`+text(strings.Replace(submission, `"verdict":"pass"`, `"verdict":"blocker","verdict":"pass"`, 1))+`}]}`, 2), "invalid_verdict", 2, 0, "Repeated findings[0].verdict", nil},
	{"equal submissions with repeated members", 1, lines(`{"calls":[{"tool":"submit_verdict","raw":`+text(`{"receipt":"a","receipt":"b"}`)+`},{"tool":"submit_verdict","raw":`+text(`{"receipt":"b","receipt":"b"}`)+`}]}`, pass), "pass", 2, 0, "SubmitDiffer", nil},
	{"an overall verdict besides", 1, lines(`{"calls":[{"tool":"submit_verdict","raw":`+text(strings.Replace(submission, `{`, `{"verdict":"pass",`, 1))+`}]}`, pass), "pass", 2, 0, "Unknown verdict", nil},
	{"an overall verdict only", 1, repeat(`{"calls":[{"tool":"submit_verdict","raw":"{\"verdict\":\"pass\",\"receipt\":\"$RECEIPT\"}"}]}`, 2), "invalid_verdict", 2, 0, "Required findings", nil},
	{"one criterion left out", 1, repeat(`{"calls":[{"tool":"submit_verdict","raw":`+text(`{"findings":[{"criterion":"safe","because":"b","verdict":"pass"}],"receipt":"$RECEIPT"}`)+`}]}`, 2), "invalid_verdict", 2, 0, "ReasonMissingFinding", nil},
	{"a criterion of its own", 1, lines(`{"submit":{"nice":"pass"}}`, pass), "pass", 2, 0, "ReasonCriterion", nil},
	{"two opinions on one criterion", 1, lines(`{"calls":[{"tool":"submit_verdict","raw":`+text(strings.Replace(submission, `"tidy"`, `"safe"`, 1))+`}]}`, pass), "pass", 2, 0, "ReasonTwoFindings", nil},
	{"a warn that it may not return", 1, repeat(`{"submit":"warn"}`, 2), "invalid_verdict", 2, 0, "ReasonVerdict", nil},
	{"an error for a verdict", 1, repeat(`{"submit":"error"}`, 2), "invalid_verdict", 2, 0, "ReasonVerdict", nil},
	{"an unclear that requests nothing", 1, repeat(`{"submit":"unclear"}`, 2), "invalid_verdict", 2, 0, "ReasonNoMissing", nil},
	{"a quotation of what was never shown", 1, repeat(`{"submit":{"safe":{"verdict":"blocker","quotes":[{"path":"a.go","line":1,"text":"package a"}]}}}`, 2), "invalid_verdict", 2, 0, "ReasonQuote", nil},
	{"a quotation of what was shown later", 5, lines(`{"submit":{"safe":{"verdict":"blocker","quotes":[{"path":"a.go","line":1,"text":"package a"}]}}}`, readA, `{"submit":{"safe":{"verdict":"blocker","quotes":[{"path":"a.go","line":9,"text":"package a"}]}}}`), "blocker", 3, 1, "package a", nil},
	{"a submission of half a megabyte", 1, lines(`{"calls":[{"tool":"submit_verdict","raw":`+text(submission+strings.Repeat(" ", 520<<10))+`}]}`, pass), "pass", 2, 0, "Long findings", nil},
	{"three equal submissions", 5, `{"calls":[{"tool":"submit_verdict","args":` + submission + `},{"tool":"submit_verdict","args":` + submission + `}],"submit":{"safe":{"verdict":"pass","because":"x"},"tidy":{"verdict":"pass","because":"x"}}}`, "pass", 1, 0, "", nil},
	{"a submission beside its own withdrawal", 1, lines(`{"call":"withdraw","submit":"pass"}`, pass), "pass", 2, 0, "SubmitAlone", nil},
	{"corrected by prose that submits", 1, lines(wrong, claim), "no_verdict", 2, 0, "Invalid", nil},
}
