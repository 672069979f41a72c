package plan

import (
	"encoding/json"
	"fmt"
	"slices"
)

// What a coder that is a model is told must be whole before anything is spent
// on it: a prompt, a budget, and exactly the tools that its stage grants.

func isCommand(c Coder) bool {
	return c.Kind == CoderCommand && c.Run != "" && c.Model == "" && c.Turns == 0 && c.Tokens == 0 && c.Prompt == ""
}

func isModel(c Coder) bool {
	return c.Kind == CoderModel && c.Run == "" && c.Model != "" && c.Prompt != "" &&
		c.Turns >= 1 && c.Turns <= 200 && c.Tokens >= 1 && c.Tokens <= 200000
}

// verifyCoderTools proves that a stage offers what it grants and nothing else,
// where a model may be sent. Any coder of the plan may be.
func verifyCoderTools(p *Plan, s Stage) error {
	models := false
	for _, c := range p.Coders {
		models = models || c.Kind == CoderModel
	}
	if s.Kind == Review || !models {
		if len(s.CoderTools) > 0 {
			return fmt.Errorf("it offers tools, and sends no coder that is a model")
		}
		return nil
	}
	granted := func(name string) bool {
		return slices.ContainsFunc(s.Grants, func(g Grant) bool { return g.Tool == name })
	}
	offered := map[string]bool{}
	for _, t := range s.CoderTools {
		switch {
		case !granted(t.Name):
			return fmt.Errorf("its coder is offered %q, which it does not grant", t.Name)
		case offered[t.Name]:
			return fmt.Errorf("its coder is offered %q twice", t.Name)
		case t.Description == "" || !isObject(t.Parameters):
			return fmt.Errorf("its coder is offered %q without saying what it does and takes", t.Name)
		case t.Name == RunCheck && !offersChecks(t, p.Checks(s)):
			return fmt.Errorf("its coder is offered %q for other checks than those of its gates", t.Name)
		}
		offered[t.Name] = true
	}
	for _, g := range s.Grants {
		if !offered[g.Tool] {
			return fmt.Errorf("it grants %q, which its coder is not offered", g.Tool)
		}
	}
	return nil
}

func isObject(schema JSONSchema) bool {
	var members map[string]json.RawMessage
	return json.Unmarshal(schema, &members) == nil && members != nil
}

// offersChecks says whether run_check names exactly these checks.
func offersChecks(t Tool, checks []string) bool {
	var schema struct {
		Properties struct {
			Check struct {
				Enum []string `json:"enum"`
			} `json:"check"`
		} `json:"properties"`
	}
	return json.Unmarshal(t.Parameters, &schema) == nil && len(checks) > 0 && slices.Equal(schema.Properties.Check.Enum, checks)
}
