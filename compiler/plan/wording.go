package plan

import "strings"

// Wording holds every fixed sentence that a judge or a coder may be sent
// during a run. A sentence may hold placeholders in braces; the comment of a
// member names them, and Fill puts them in. Revision is the digest of the
// rest, so that a change of wording changes every validator's digest.
type Wording struct {
	Revision string       `json:"revision"`
	Judge    JudgeWording `json:"judge"`
	Coder    CoderWording `json:"coder"`
}

// JudgeWording is what a judge is told apart from its system message.
//
// The first user message is made of these parts in their final form. Markers
// open and close every piece of data.
type JudgeWording struct {
	// ReceiptLine: {half}. The last line of both first messages.
	ReceiptLine string `json:"receipt_line"`

	// TaskHeading, StageHeading, ChangesHeading, GovernedHeading, DiffHeading and
	// EvidenceHeading stand above their piece of data. EvidenceHeading:
	// {evidence} (the kind), {args}, {source}.
	TaskHeading     string `json:"task_heading"`
	StageHeading    string `json:"stage_heading"`
	ChangesHeading  string `json:"changes_heading"`
	GovernedHeading string `json:"governed_heading"`
	DiffHeading     string `json:"diff_heading"`
	EvidenceHeading string `json:"evidence_heading"`
	// Proposal and Result are the phase frames that open the first user
	// message, by the judge's phase.
	Proposal string `json:"proposal"`
	Result   string `json:"result"`
	// Begin says that the judge may begin; Ask that it must submit now,
	// where it has no read tools.
	Begin string `json:"begin"`
	Ask   string `json:"ask"`

	// MarkerOpen and MarkerClose: {token}, {what}.
	MarkerOpen  string `json:"marker_open"`
	MarkerClose string `json:"marker_close"`
	// DiffOmitted: {files} files, {bytes} bytes left out. DiffFileOmitted: {path}, {bytes}.
	DiffOmitted     string `json:"diff_omitted"`
	DiffFileOmitted string `json:"diff_file_omitted"`
	// EvidenceCut: {bytes} left out between head and tail.
	EvidenceCut string `json:"evidence_cut"`

	// VerdictTurn is the nudge that precedes the verdict turn, by reason.
	// VerdictTurnBudget: {turns}.
	VerdictTurnBudget  string `json:"verdict_turn_budget"`
	VerdictTurnProse   string `json:"verdict_turn_prose"`
	VerdictTurnRepeats string `json:"verdict_turn_repeats"`
	VerdictTurnTime    string `json:"verdict_turn_time"`

	// SubmitAlone answers a submission beside reads; SubmitDiffer each of
	// several submissions that differ; Invalid an invalid submission:
	// {reasons}, a list with one reason a line; Accepted is the answer to
	// the accepted one (recorded, never sent).
	SubmitAlone  string `json:"submit_alone"`
	SubmitDiffer string `json:"submit_differ"`
	Invalid      string `json:"invalid"`

	// Refusals of tool calls. UndeclaredTool: {tool}, {tools}. Withdrawn:
	// {tool}. OutsideScope: {path}, {globs}. NoSuchPath: {path}. IsFolder,
	// IsFile, IsBinary, IsLink: {path}, {bytes} for IsBinary, {target} for
	// IsLink. BadArguments: {tool}, {reason}. BadRevision: {rev}.
	// Repeated: {turn}. ReadingSpent: {bytes}.
	UndeclaredTool string `json:"undeclared_tool"`
	Withdrawn      string `json:"withdrawn"`
	OutsideScope   string `json:"outside_scope"`
	NoSuchPath     string `json:"no_such_path"`
	BadPath        string `json:"bad_path"`
	IsFolder       string `json:"is_folder"`
	IsFile         string `json:"is_file"`
	IsBinary       string `json:"is_binary"`
	IsLink         string `json:"is_link"`
	BadArguments   string `json:"bad_arguments"`
	BadRevision    string `json:"bad_revision"`
	Repeated       string `json:"repeated"`
	ReadingSpent   string `json:"reading_spent"`
	// NothingFound answers a search or a log without results; CutReply:
	// {bytes} left out; CutLine: {characters} left out.
	NothingFound string `json:"nothing_found"`
	CutReply     string `json:"cut_reply"`
	CutLine      string `json:"cut_line"`

	// Reasons for which a submission is invalid. {…} as named.
	ReasonJSON           string `json:"reason_json"`            // {error}
	ReasonMissingFinding string `json:"reason_missing_finding"` // {criterion}
	ReasonTwoFindings    string `json:"reason_two_findings"`    // {criterion}
	ReasonCriterion      string `json:"reason_criterion"`       // {criterion}
	ReasonVerdict        string `json:"reason_verdict"`         // {criterion}, {verdict}, {verdicts}
	ReasonBecause        string `json:"reason_because"`         // {criterion}
	ReasonNoMissing      string `json:"reason_no_missing"`      // {criterion}
	ReasonMissingUnasked string `json:"reason_missing_unasked"` // {criterion}
	ReasonEvidence       string `json:"reason_evidence"`        // {criterion}, {evidence}, {requests}
	ReasonArgs           string `json:"reason_args"`            // {criterion}, {evidence}, {reason}
	ReasonGiven          string `json:"reason_given"`           // {criterion}, {evidence}
	ReasonQuote          string `json:"reason_quote"`           // {criterion}, {path}, {text}
	ReasonReceipt        string `json:"reason_receipt"`         // no placeholder: never reveals the code

	// ChangesOmitted stands below a list of changed files that is cut:
	// {files}. DiffBinary stands for the difference of a binary file, and
	// Unchanged answers read_diff for a path without one: {path}. EmptyFile:
	// {path}. IsSubmodule: {path}. LinesBeyond answers read_file_lines past
	// the end of a file: {path}, {lines}. SearchSkipped stands below the
	// results of a search: {files} that are binary or too large. TooLarge
	// answers a read of a file that is too large to be shown at all: {path}.
	ChangesOmitted string `json:"changes_omitted"`
	DiffBinary     string `json:"diff_binary"`
	Unchanged      string `json:"unchanged"`
	EmptyFile      string `json:"empty_file"`
	IsSubmodule    string `json:"is_submodule"`
	LinesBeyond    string `json:"lines_beyond"`
	SearchSkipped  string `json:"search_skipped"`
	TooLarge       string `json:"too_large"`

	Arguments ArgumentWording `json:"arguments"`
}

// ArgumentWording says what is wrong with an argument of a tool. The
// sentences fill {reason} of BadArguments and of ReasonArgs, and {error} of
// ReasonJSON; several are joined by "; ". {name} is the member with the way to it, as in
// findings[0].quotes[1].line.
type ArgumentWording struct {
	NotJSON  string `json:"not_json"`  // no placeholder: not one JSON object
	Unknown  string `json:"unknown"`   // {name}
	Repeated string `json:"repeated"`  // {name}
	Required string `json:"required"`  // {name}
	NotText  string `json:"not_text"`  // {name}
	NotLine  string `json:"not_line"`  // {name}: a whole number from 1
	NotList  string `json:"not_list"`  // {name}
	NotTable string `json:"not_table"` // {name}: an object
	Blank    string `json:"blank"`     // {name}
	Long     string `json:"long"`      // {name}, {bytes}: the most
	Control  string `json:"control"`   // {name}: a text is one line without control characters
	BadName  string `json:"bad_name"`  // {name}
	BadPath  string `json:"bad_path"`  // {name}: not normalised, or not within the tree
	NoPath   string `json:"no_path"`   // {name}, {path}: nothing is there
	OneOf    string `json:"one_of"`    // {name}, {choices}
	Pattern  string `json:"pattern"`   // {name}: no regular expression of RE2
	Order    string `json:"order"`     // no placeholder: end comes before start
}

// CoderWording is what a coder is told: the frame of the brief, and what a
// coder that is a model is answered.
type CoderWording struct {
	// Task: {task}.
	Task string `json:"task"`
	// Findings heads what earlier attempts were found to lack; Attempt:
	// {attempt}; Finding: {validator}, {criterion}, {verdict}, {because};
	// Quote: {path}, {line}, {text}; Passed heads the list of what must
	// stay: {validators}.
	Findings string `json:"findings"`
	Attempt  string `json:"attempt"`
	Finding  string `json:"finding"`
	Quote    string `json:"quote"`
	Passed   string `json:"passed"`
	// Bounds: {grants}, {protects}. What the change may touch.
	Bounds string `json:"bounds"`

	Model ModelWording `json:"model"`
}

// ModelWording is what a coder that is a model is told apart from its system
// message and its brief. Its reads are answered and refused in the sentences
// of JudgeWording, but for NoSuchPath.
type ModelWording struct {
	// LastTurn is said before the last turn, and has no placeholder.
	LastTurn string `json:"last_turn"`

	// Written and Deleted answer what was done: {path}, {bytes} for Written.
	Written string `json:"written"`
	Deleted string `json:"deleted"`

	// Refusals. UndeclaredTool: {tool}, {tools}. BadArguments: {tool},
	// {reason}. NoSuchPath, BadPath, Protected, IsFolder, IsLink, Special,
	// NotText: {path}. OutsideScope: {tool}, {path}, {globs}. InTheWay:
	// {path}, and {blocking} is what should be a folder and is none. Large:
	// {path}, {bytes}: the most. Spent: {bytes}: the most of all writes.
	// CannotWrite: {path}, {error} in the words of the system.
	UndeclaredTool string `json:"undeclared_tool"`
	BadArguments   string `json:"bad_arguments"`
	NoSuchPath     string `json:"no_such_path"`
	BadPath        string `json:"bad_path"`
	Protected      string `json:"protected"`
	OutsideScope   string `json:"outside_scope"`
	IsFolder       string `json:"is_folder"`
	IsLink         string `json:"is_link"`
	Special        string `json:"special"`
	InTheWay       string `json:"in_the_way"`
	NotText        string `json:"not_text"`
	Large          string `json:"large"`
	Spent          string `json:"spent"`
	CannotWrite    string `json:"cannot_write"`
	// EditNone and EditLines say that old does not occur, the latter where it
	// would if its lines ended as those of the file: {path}. EditMany: {path},
	// {times}. EditSame: old and new are equal, no placeholder.
	EditNone  string `json:"edit_none"`
	EditLines string `json:"edit_lines"`
	EditMany  string `json:"edit_many"`
	EditSame  string `json:"edit_same"`
	// TooManyCalls answers each call beyond the most of a reply: {calls}.
	// ReplyFull answers a call when the answers to its reply hold no more: {bytes}.
	TooManyCalls string `json:"too_many_calls"`
	ReplyFull    string `json:"reply_full"`

	// CheckPassed, CheckFailed and CheckBroken head what a check came to:
	// {check}. Its output follows between markers. NoCheck: {check},
	// {checks}. WorkTooLarge: the work is more than can be looked at or
	// checked, {error}.
	CheckPassed  string `json:"check_passed"`
	CheckFailed  string `json:"check_failed"`
	CheckBroken  string `json:"check_broken"`
	NoCheck      string `json:"no_check"`
	WorkTooLarge string `json:"work_too_large"`
}

// Fill puts values in the place of {name} placeholders, pairs being names and
// values by turns. What a value holds is never looked at again.
func Fill(sentence string, pairs ...string) string {
	for i := 0; i < len(pairs); i += 2 {
		pairs[i] = "{" + pairs[i] + "}"
	}
	return strings.NewReplacer(pairs...).Replace(sentence)
}
