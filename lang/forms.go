package lang

// A form is how a statement is written, for people: as an error shows it.
type form struct {
	shows string // the statement, names in capitals
	value string // what its value is, with an article
	text  bool   // its values are texts, so that quotes may have been forgotten
}

// topForms are the forms of what stands outside every block.
var topForms = map[string]form{
	"snodo":    {shows: "snodo 1"},
	"import":   {shows: `import "std/solo" as NAME`, value: "a path in quotes", text: true},
	"protocol": {shows: `protocol NAME "TITLE" {`},
	"role":     {shows: `role NAME "WHO IT IS"`, text: true},
	"evidence": {shows: `evidence NAME(PARAMETER TYPE, …) from ROLE "REQUEST"`},
	"criteria": {shows: `criteria NAME "TITLE" {`},
	"judge":    {shows: `judge NAME "TITLE" {`},
	"check":    {shows: `check NAME "TITLE" {`},
	"rule":     {shows: `rule NAME "TITLE" {`},
	"controls": {shows: `controls VALIDATOR {`, value: "the name of a validator"},
	"coder":    {shows: `coder NAME "TITLE" {`},
	"mode":     {shows: `mode NAME "TITLE" {`},
	"review":   {shows: `review NAME "TITLE" {`},
	"task":     {shows: `task NAME "TITLE" {`},
}

// forms are the forms of what stands in blocks.
var forms = map[string]form{
	"starts":   {shows: "starts STAGE", value: "the name of a stage"},
	"protects": {shows: `protects "GLOB", …`, value: "a glob in quotes", text: true},
	"prepare":  {shows: `prepare "COMMAND" timeout 10m`, value: "a command in quotes", text: true},

	"obtain": {shows: `obtain "PROGRAM", "ARGUMENT", … timeout 5m`, value: "an argument in quotes", text: true},

	"criterion": {shows: `criterion NAME "WHAT HOLDS"`, value: "a sentence in quotes", text: true},

	"phase":    {shows: "phase pre_execute` or `phase post_execute", value: "`pre_execute` or `post_execute`"},
	"grants":   {shows: `grants TOOL, … in "GLOB", …`, value: "the name of a tool"},
	"requests": {shows: "requests EVIDENCE, …", value: "the name of an evidence"},
	"returns":  {shows: "returns pass, warn, unclear, blocker", value: "a verdict"},
	"model":    {shows: `model "NAME"`, value: "the name of a model in quotes", text: true},
	"turns":    {shows: "turns 12", value: "a number"},
	"tokens":   {shows: "tokens 4096", value: "a number"},
	"timeout":  {shows: "timeout 5m", value: "a duration"},
	"include":  {shows: "include CRITERIA, …", value: "the name of a list of criteria"},

	"run": {shows: `run "COMMAND" timeout 10m`, value: "a command in quotes", text: true},

	"files_in_scope":           {shows: `files_in_scope "GLOB", …`, value: "a glob in quotes", text: true},
	"tests_exist_for_modified": {shows: `tests_exist_for_modified "GLOB", … tested by "GLOB", …`, value: "a glob in quotes", text: true},
	"no_secrets_in_diff":       {shows: "no_secrets_in_diff"},

	"good":        {shows: `good "FOLDER"`, value: "a folder in quotes", text: true},
	"bad":         {shows: `bad "FOLDER" violates CRITERION, …`, value: "a folder in quotes", text: true},
	"undecidable": {shows: `undecidable "FOLDER" needs EVIDENCE`, value: "a folder in quotes", text: true},

	"coder": {shows: "coder NAME", value: "the name of a coder"},
	"goal":  {shows: `goal "WHAT IS TO BE DONE"`, value: "a text in quotes", text: true},
	"hands": {shows: "hands to STAGE, …", value: "the name of a stage"},

	"pre_execute":  {shows: `pre_execute "TITLE" {`},
	"post_execute": {shows: `post_execute "TITLE" {`},
	"panel":        {shows: "panel VALIDATOR, …", value: "the name of a validator"},
	"observe":      {shows: "observe VALIDATOR, …", value: "the name of a validator"},
	"proceed":      {shows: "proceed when all pass` or `proceed when K of N pass", value: "`all` or a number of passes"},
}

// routeForm is the form of a statement with an arrow.
var routeForm = form{shows: "VERDICT -> STEP then STEP", value: "a role or a number"}

// routeShows are the usual routes of the verdicts that have one, for those who
// wrote another arrow or none.
var routeShows = map[string]string{
	"warn":    "warn -> halt",
	"unclear": "unclear -> gather then ask ROLE",
	"blocker": "blocker -> recover 3 then halt",
}

// form returns the form of a known statement.
func (p *parser) form(s *shape, sc scope) form {
	word := p.lead(s)
	switch {
	case sc == fileScope:
		return topForms[word]
	case p.key(s, sc) == name:
		f := routeForm
		if usual := routeShows[word]; usual != "" {
			f.shows = usual
		}
		return f
	}
	return forms[word]
}
