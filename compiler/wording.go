package compiler

import "github.com/snodo-lang/snodo/compiler/plan"

// wording returns every fixed sentence that a judge or a coder may be sent.
// It goes into the plan as it stands here: a change of a sentence changes the
// digest of every validator, as it should, since it may change its verdicts.
func wording() plan.Wording {
	return plan.Wording{Judge: judgeWording(), Coder: coderWording()}
}

func judgeWording() plan.JudgeWording {
	return plan.JudgeWording{
		ReceiptLine: "receipt: {half}",

		TaskHeading:     "The task, as it was given to the one who does the work:",
		StageHeading:    "The stage of the protocol in which this is judged, and its siblings:",
		ChangesHeading:  "The files that the work changed, with the numbers of lines added and removed:",
		GovernedHeading: "Checks that run by files which the work itself changed, and those files. That such a check passes is what the author's own files say:",
		DiffHeading:     "The difference that the work made:",
		EvidenceHeading: "Evidence supplied to you: {evidence} {args}, from {source}:",
		Proposal:        "A proposal is under review. Nothing of what it describes has been made yet, and you look at the tree as it is before the work. That something the proposal describes is absent is never a finding.",
		Result:          "A finished result is under inspection. You look at the tree as it is after the work. That something which a criterion asks for is absent is a finding.",
		Begin:           "Read what you need, then call submit_verdict with one finding for each criterion.",
		Ask:             "You have no tools to read with. Call submit_verdict now, with one finding for each criterion.",

		MarkerOpen:      "<<<{what} {token}",
		MarkerClose:     "{token} {what}>>>",
		DiffOmitted:     "[the difference of {files} more files, {bytes} bytes, is left out here: read_diff shows it file by file]",
		DiffFileOmitted: "[the difference of {path}, {bytes} bytes, is left out here]",
		EvidenceCut:     "[{bytes} bytes left out here]",

		VerdictTurnBudget:  "Your {turns} turns are used up. This is the verdict turn: call submit_verdict now. Where what you have read does not settle a criterion, unclear with the evidence that would settle it is the correct finding.",
		VerdictTurnProse:   "A reply without a call decides nothing. This is the verdict turn: call submit_verdict now. Where what you have read does not settle a criterion, unclear with the evidence that would settle it is the correct finding.",
		VerdictTurnRepeats: "You have asked only for what you were shown before. This is the verdict turn: call submit_verdict now. Where what you have read does not settle a criterion, unclear with the evidence that would settle it is the correct finding.",
		VerdictTurnTime:    "Your time is almost used up. This is the verdict turn: call submit_verdict now. Where what you have read does not settle a criterion, unclear with the evidence that would settle it is the correct finding.",

		SubmitAlone:  "Not accepted: the same reply holds other calls. Submit alone.",
		SubmitDiffer: "Not accepted: this reply holds several submissions that differ. Submit once.",
		Invalid:      "Not accepted. Every reason is listed here; mend all of them and submit again:\n{reasons}",

		UndeclaredTool: "There is no tool {tool} here. You have: {tools}.",
		Withdrawn:      "{tool} is no longer offered. Call submit_verdict.",
		OutsideScope:   "{path} lies outside of what you may read: {globs}.",
		NoSuchPath:     "There is no {path} in the tree under judgement.",
		BadPath:        "{path} is not a path that can be read here: paths are relative to the root of the repository, with no .., no leading - and nothing of .git.",
		IsFolder:       "{path} is a folder: list_files shows what is in it.",
		IsFile:         "{path} is a file: read_file shows it.",
		IsBinary:       "{path} is a binary file of {bytes} bytes. It is not shown.",
		IsLink:         "{path} is a symbolic link to {target}. Links are not followed.",
		BadArguments:   "The arguments of {tool} do not fit: {reason}.",
		BadRevision:    "{rev} is no commit that can be read here: the base of the work and its ancestors are, by full or short id, or as HEAD~n counted from the base.",
		Repeated:       "You were shown exactly this in turn {turn}. Look there.",
		ReadingSpent:   "You have been shown {bytes} bytes, the most that a judge may read. Submit your verdict.",
		NothingFound:   "Nothing found.",
		EmptyFile:      "{path} is empty.",
		IsSubmodule:    "{path} is a submodule: what it holds is no part of this tree.",
		LinesBeyond:    "{path} has {lines} lines, and none of those asked for.",
		TooLarge:       "{path} is too large to be shown or searched.",
		Unchanged:      "{path} was not changed by the work.",
		DiffBinary:     "{path} is binary: its difference is not shown.",
		ChangesOmitted: "[{files} more changed files are left out here]",
		SearchSkipped:  "[{files} files were not searched: they are binary or too large]",
		CutReply:       "[{bytes} bytes left out here]",
		CutLine:        "[{characters} characters of this line left out]",

		Arguments: plan.ArgumentWording{
			NotJSON:  "they are not one JSON object",
			Unknown:  "there is no {name}",
			Repeated: "{name} is given twice",
			Required: "{name} is missing",
			NotText:  "{name} is no text",
			NotLine:  "{name} is no whole number from 1",
			NotList:  "{name} is no list",
			NotTable: "{name} is no object",
			Blank:    "{name} is blank",
			Long:     "{name} is longer than {bytes} bytes",
			Control:  "{name} is not one line without control characters",
			BadName:  "{name} is no name of letters, digits and _./:@+-, not beginning with - and without ..",
			BadPath:  "{name} is no path within the tree",
			NoPath:   "{name}: there is no {path} in the tree",
			OneOf:    "{name} is not one of {choices}",
			Pattern:  "{name} is no regular expression (RE2)",
			Order:    "the end comes before the start",
		},

		ReasonJSON:           "the arguments are not what submit_verdict takes: {error}",
		ReasonMissingFinding: "criterion {criterion} has no finding",
		ReasonTwoFindings:    "criterion {criterion} has more than one finding",
		ReasonCriterion:      "there is no criterion {criterion}",
		ReasonVerdict:        "criterion {criterion}: {verdict} is not one of {verdicts}",
		ReasonBecause:        "criterion {criterion}: because is blank",
		ReasonNoMissing:      "criterion {criterion}: unclear names at least one evidence in missing",
		ReasonMissingUnasked: "criterion {criterion}: missing belongs to unclear and to no other verdict",
		ReasonEvidence:       "criterion {criterion}: {evidence} is not among the evidence that can be requested: {requests}",
		ReasonArgs:           "criterion {criterion}: the arguments of {evidence} do not fit: {reason}",
		ReasonGiven:          "criterion {criterion}: {evidence} with these arguments was given to you already; look at it, or request something else",
		ReasonQuote:          "criterion {criterion}: the quotation {text} does not occur in what you were shown of {path}; quote exactly, or leave it out",
		ReasonReceipt:        "the receipt is not the two halves that end your first two messages, joined by -",
	}
}

func coderWording() plan.CoderWording {
	return plan.CoderWording{
		Task:     "{task}\n",
		Bounds:   "\nWhat your change may touch: {grants}. What it may not touch: {protects}. A change outside of that is refused as a whole.\n",
		Findings: "\nYour earlier work was judged and not accepted. It stands in the folder as you left it. Repair what was found:\n",
		Attempt:  "\nAttempt {attempt}:\n",
		Finding:  "- {validator}, {criterion} ({verdict}): {because}\n",
		Quote:    "    {path}:{line}: {text}\n",
		Passed:   "\nThese passed and must stay as they are: {validators}.\n",
		Model:    modelWording(),
	}
}

// modelWording is what a coder that is a model is answered. Every refusal says
// what would be right.
func modelWording() plan.ModelWording {
	return plan.ModelWording{
		LastTurn: "This is your last turn. Calls in it are still carried out, and then your work is taken as it stands. If it is done, reply without a call and say what you did.",

		Written: "Written: {path}, {bytes} bytes.",
		Deleted: "Deleted: {path}.",

		UndeclaredTool: "There is no tool {tool} here. You have: {tools}.",
		BadArguments:   "Nothing was done: the arguments of {tool} do not fit: {reason}.",
		NoSuchPath:     "There is no {path} in your work. What .gitignore leaves out is no part of it and is not shown.",
		BadPath:        "Nothing was done: {path} is no path that can be written here. Paths are relative to the root of the repository, with no .., no leading -, and nothing of .git.",
		Protected:      "Nothing was done: {path} is protected, and only people change it. A change to it would end the run.",
		OutsideScope:   "Nothing was done: {tool} is not granted for {path}. It is granted in: {globs}.",
		IsFolder:       "Nothing was done: {path} is a folder.",
		IsLink:         "Nothing was done: {path} is a symbolic link. Links are not followed and not replaced.",
		Special:        "Nothing was done: {path} is no regular file.",
		InTheWay:       "Nothing was done: {path} would lie below {blocking}, which is no folder.",
		NotText:        "Nothing was done: {path} is no text in UTF-8, and cannot be edited. write_file replaces it as a whole, where that is granted.",
		Large:          "Nothing was done: {path} would be or is larger than {bytes} bytes, the most that a file may have here.",
		Spent:          "Nothing was done: you have written {bytes} bytes in all, the most that may be written.",
		CannotWrite:    "Nothing was done: {path} cannot be written: {error}.",
		EditNone:       "Nothing was done: old does not occur in {path}. It must be exact, with its blanks and tabs, and without the numbers of lines and the tab behind them.",
		EditLines:      "Nothing was done: old does not occur in {path}, whose lines end in CR LF. Write \\r\\n for the ends of lines in old and in new.",
		EditMany:       "Nothing was done: old occurs {times} times in {path}, and must occur once. Take in more of what stands around it.",
		EditSame:       "Nothing was done: old and new are the same.",
		TooManyCalls:   "Not carried out: at most {calls} calls of one reply are.",
		ReplyFull:      "Not carried out: the answers to one reply hold at most {bytes} bytes. Ask again in your next reply.",

		CheckPassed:  "{check} passes on your work as it stands. This is no verdict: it is run again when you are done.",
		CheckFailed:  "{check} fails on your work as it stands:",
		CheckBroken:  "{check} came to no result, which says nothing about your work:",
		NoCheck:      "There is no check {check} here. You can run: {checks}.",
		WorkTooLarge: "Your work cannot be looked at or checked as it stands: {error}. Delete what does not belong to it.",
	}
}
