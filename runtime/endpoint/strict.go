package endpoint

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
)

// single says what makes an answer more than one: a member that stands twice,
// whatever its case, another answer behind the first, or more choices than the
// one that was asked for. Which of them counts would be anybody's guess. end is
// where the first answer ends. Arguments are left out: what a model writes there
// is looked at by whoever asked for it.
func single(body []byte, end int64) error {
	if rest := bytes.TrimSpace(body[end:]); len(rest) > 0 && (rest[0] == '{' || rest[0] == '[') {
		return errors.New("the answer is followed by another one")
	}
	d := json.NewDecoder(bytes.NewReader(body))
	d.UseNumber()
	return once(d, "")
}

// once walks the next value.
func once(d *json.Decoder, member string) error {
	token, err := d.Token()
	if err != nil {
		return fmt.Errorf("the answer cannot be read: %w", err)
	}
	switch token {
	case json.Delim('{'):
		return members(d, member)
	case json.Delim('['):
		for d.More() {
			if err := once(d, member); err != nil {
				return err
			}
		}
		_, err = d.Token()
		return err
	}
	return nil
}

// members walks an object.
func members(d *json.Decoder, of string) error {
	seen := map[string]bool{}
	for d.More() {
		token, err := d.Token()
		if err != nil {
			return fmt.Errorf("the answer cannot be read: %w", err)
		}
		name, _ := token.(string)
		folded := strings.ToLower(name)
		if seen[folded] && of != "arguments" {
			return fmt.Errorf("the answer says %q twice", name)
		}
		seen[folded] = true
		inner := name
		if of == "arguments" {
			inner = of
		}
		if err := once(d, inner); err != nil {
			return err
		}
	}
	_, err := d.Token()
	return err
}

// says reports whether an error member says that something failed. Some
// endpoints send an empty one beside every answer.
func says(raw json.RawMessage) bool {
	switch s := string(bytes.TrimSpace(raw)); s {
	case "", "null", "false", "0", `""`, "{}", "[]":
		return false
	}
	return true
}
