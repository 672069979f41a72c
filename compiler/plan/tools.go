package plan

import "slices"

// SubmitVerdict is the name of the tool with which a judge decides.
const SubmitVerdict = "submit_verdict"

// ReadTools are the tools that look and change nothing.
var ReadTools = []string{"read_file", "read_file_lines", "list_files", "search_text", "git_log", "git_show", "read_diff"}

// WriteTools are the tools that change the work.
var WriteTools = []string{"write_file", "edit_file", "delete_file"}

// RunCheck is the tool with which a model coder runs a check of a gate.
const RunCheck = "run_check"

// Powers are what the runtime itself does after the last gate, in the order
// in which it does them.
var Powers = []string{"commit", "approve", "merge", "publish"}

// Tools are all the tools of the language.
var Tools = append(append(append(append([]string{}, ReadTools...), WriteTools...), RunCheck), Powers...)

// Checks are the checks that stand in the gates of a stage, by name: those
// that run_check runs there.
func (p *Plan) Checks(s Stage) []string {
	names := []string{}
	for _, step := range s.Steps {
		g, ok := step.(*Gate)
		if !ok {
			continue
		}
		for _, name := range slices.Concat(g.Panel, g.Observe) {
			if _, ok := p.Validators[name].(*Check); ok {
				names = append(names, name)
			}
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}
