package judge_test

import "strings"

// How turns are counted, and what ends a conversation.
var turnScenarios = []scenario{
	// The table of the design, row by row.
	{"design: 1, prose", 1, prose, "no_verdict", 1, 0, "", nil},
	{"design: 1, invalid, invalid", 1, lines(wrong, wrong), "invalid_verdict", 2, 0, "ReasonVerdict", nil},
	{"design: 2, prose, prose", 2, lines(prose, prose), "no_verdict", 2, 0, "VerdictTurnProse", nil},
	{"design: 2, invalid three times", 2, lines(wrong, wrong, wrong), "invalid_verdict", 3, 0, "ReasonVerdict", nil},
	{"design: 5, read ×5", 5, lines(readA, readB, readC, readD, `{"call":"read_file","args":{"path":"new.go"}}`), "no_verdict", 5, 4, "VerdictTurnBudget", nil},
	{"design: 40, read, the same read ×3, submit", 40, lines(readA, repeat(readA, 3), pass), "pass", 5, 1, "VerdictTurnRepeats", nil},

	// Accepted at once.
	{"pass", 5, pass, "pass", 1, 0, "", nil},
	{"blocker", 5, block, "blocker", 1, 0, "", nil},
	{"unclear", 5, unclear, "unclear", 1, 0, "", nil},
	{"a blocker is graver than an unclear", 5, `{"submit":{"tidy":"blocker","safe":{"verdict":"unclear","missing":[{"evidence":"test-run","args":{"target":"x"}}]}}}`, "blocker", 1, 0, "", nil},
	{"pass beside prose", 5, `{"say":"done","submit":"pass"}`, "pass", 1, 0, "", nil},
	{"read, pass", 5, lines(readA, pass), "pass", 2, 1, "package a", nil},
	{"two reads at once", 5, lines(readAB, pass), "pass", 2, 2, "package b", nil},
	{"one turn, pass", 1, pass, "pass", 1, 0, "", nil},
	{"equal submissions are one", 5, twice, "pass", 1, 0, "", nil},
	{"equal submissions are one on the verdict turn", 1, twice, "pass", 1, 0, "", nil},

	// Nothing comes of anything but a submission.
	{"prose, pass", 5, lines(prose, pass), "pass", 2, 0, "VerdictTurnProse", nil},
	{"silence, pass", 5, lines(silence, pass), "pass", 2, 0, "VerdictTurnProse", nil},
	{"silence twice", 5, lines(silence, silence), "no_verdict", 2, 0, "", nil},
	{"JSON in prose, twice", 5, lines(claim, claim), "no_verdict", 2, 0, "", nil},
	{"a verdict in the reasoning, twice", 5, lines(thought, thought), "no_verdict", 2, 0, "", nil},
	{"a call of another tool named like a verdict", 1, `{"call":"pass","args":` + submission + `}`, "no_verdict", 1, 0, "", nil},
	{"a submission under a name of other case", 1, `{"call":"Submit_Verdict","args":` + submission + `}`, "no_verdict", 1, 0, "", nil},

	// Repeated reads.
	{"a repeated read is free", 2, lines(readA, pass), "pass", 2, 1, "VerdictTurnBudget", nil},
	{"two repeats, another read, two repeats", 5, lines(readA, readA, readA2, readB, readB, readA, readC, pass), "pass", 8, 3, "package c", nil},
	{"a repeat points at its turn", 5, lines(readB, readA, readA, pass), "pass", 4, 2, "Repeated 2", nil},
	{"a path spelled differently is a repeat", 5, lines(readA, readA2, pass), "pass", 3, 1, "Repeated 1", nil},
	{"the same twice in one reply", 5, lines(readAA, pass), "pass", 2, 1, "Repeated 1", nil},
	{"a repeat beside a new read costs a turn", 3, lines(readA, readAB, pass), "pass", 3, 2, "VerdictTurnBudget", nil},
	{"repeats alone, then prose", 5, lines(readA, repeat(readA, 3), prose), "no_verdict", 5, 1, "", nil},
	{"a refused read repeated is a repeat", 9, lines(repeat(`{"call":"read_file","args":{"path":"gone.go"}}`, 4), pass), "pass", 5, 0, "VerdictTurnRepeats", nil},

	// Calls that are not carried out.
	{"an undeclared tool, pass", 5, lines(nothing, pass), "pass", 2, 0, "UndeclaredTool", nil},
	{"undeclared tools until the turns are spent", 3, repeat(nothing, 3), "no_verdict", 3, 0, "VerdictTurnBudget", nil},
	{"a withdrawn tool is not carried out", 2, lines(readA, readB), "no_verdict", 2, 1, "VerdictTurnBudget", nil},
	{"a read after prose is not carried out", 9, lines(prose, readA), "no_verdict", 2, 0, "VerdictTurnProse", nil},
	{"arguments that are no JSON", 5, lines(`{"calls":[{"tool":"read_file","raw":"{oops"}]}`, pass), "pass", 2, 0, "BadArguments read_file NotJSON", nil},
	{"arguments of another type", 5, lines(`{"call":"read_file","args":{"path":1}}`, pass), "pass", 2, 0, "NotText path", nil},
	{"arguments that are unknown", 5, lines(`{"call":"read_file","args":{"path":"a.go","mode":"all"}}`, pass), "pass", 2, 0, "Unknown mode", nil},
	{"arguments that are repeated", 5, lines(`{"calls":[{"tool":"read_file","raw":"{\"path\":\"a.go\",\"path\":\"b.go\"}"}]}`, pass), "pass", 2, 0, "Repeated path", nil},
	{"a tree that cannot be read", 5, `{"call":"read_file","args":{"path":"broken.go"}}`, "tool", 1, 0, "", nil},
	{"a defect", 5, `{"call":"read_file","args":{"path":"panic"}}`, "internal", 1, 0, "", nil},

	// Every way to go on for ever is bounded.
	{"new reads for ever", 3, lines(readA, readB, readC), "no_verdict", 3, 2, "VerdictTurnBudget", nil},
	{"two repeats between every two reads", 3, lines(readA, readA, readA, readB, readC), "no_verdict", 5, 2, "VerdictTurnBudget", nil},
	{"refusals for ever", 4, repeat(`{"call":"read_file","args":{"path":"../x"}}`, 4), "no_verdict", 4, 0, "VerdictTurnBudget", nil},
	{"links for ever are repeats", 9, lines(repeat(`{"call":"read_file","args":{"path":"link"}}`, 4), pass), "pass", 5, 0, "VerdictTurnRepeats", nil},
	{"refusals by turns with prose", 9, lines(nothing, prose, prose), "no_verdict", 3, 0, "VerdictTurnProse", nil},
	{"repeats on the verdict turn", 2, lines(readA, readA), "no_verdict", 2, 1, "VerdictTurnBudget", nil},
	{"a submission beside every read", 3, lines(both, both, both, both), "invalid_verdict", 4, 1, "Withdrawn", nil},
	{"a budget of one turn with tools", 1, readA, "no_verdict", 1, 0, "", nil},
	{"a budget of two hundred turns, prose", 200, lines(prose, prose), "no_verdict", 2, 0, "VerdictTurnProse", nil},

	// Reads that show nothing are not examined, and do not end anything.
	{"a binary file", 5, lines(`{"call":"read_file","args":{"path":"logo.png"}}`, pass), "pass", 2, 0, "IsBinary", nil},
	{"a folder for a file", 5, lines(`{"call":"read_file","args":{"path":"api"}}`, pass), "pass", 2, 0, "IsFolder", nil},
	{"a file for a folder", 5, lines(`{"call":"list_files","args":{"path":"a.go"}}`, pass), "pass", 2, 0, "IsFile", nil},
	{"the git directory", 5, lines(`{"call":"read_file","args":{"path":".git/config"}}`, pass), "pass", 2, 0, "BadPath", nil},
	{"an option for a path", 5, lines(`{"call":"git_log","args":{"path":"--output=x","count":1}}`, pass), "pass", 2, 0, "BadPath", nil},
	{"an option for a revision", 5, lines(`{"call":"git_show","args":{"rev":"--output=x","path":"a.go"}}`, pass), "pass", 2, 0, "BadRevision", nil},
	{"a pattern of another dialect", 5, lines(`{"call":"search_text","args":{"pattern":"(?=x)","path":"."}}`, pass), "pass", 2, 0, "Pattern", nil},
	{"a pattern that explodes elsewhere", 5, lines(`{"call":"search_text","args":{"pattern":"(x+x+)+y","path":"."}}`, pass), "pass", 2, 1, "NothingFound", nil},
	{"a search that fails in the tree", 5, `{"call":"search_text","args":{"pattern":"x","path":"broken"}}`, "tool", 1, 0, "", nil},
	{"a failure beside reads that worked", 5, `{"calls":[{"tool":"read_file","args":{"path":"a.go"}},{"tool":"read_file","args":{"path":"broken.go"}}]}`, "tool", 1, 1, "", nil},
	{"a count of a million", 5, lines(`{"call":"git_log","args":{"path":".","count":1000000}}`, pass), "pass", 2, 1, "c0ffee1", nil},
	{"a count that is no number", 5, lines(`{"call":"git_log","args":{"path":".","count":1e3}}`, pass), "pass", 2, 0, "NotLine count", nil},
	{"a number too large for any line", 5, lines(`{"call":"read_file_lines","args":{"path":"a.go","start":1,"end":99999999999999999999}}`, pass), "pass", 2, 0, "NotLine end", nil},
	{"a path of 5,000 letters", 5, lines(`{"call":"read_file","args":{"path":"`+strings.Repeat("x", 5000)+`"}}`, pass), "pass", 2, 0, "Long path", nil},
}
