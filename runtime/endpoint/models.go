package endpoint

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strconv"

	"github.com/snodo-lang/snodo/runtime/verdict"
)

// A Model is how an endpoint lists a model.
type Model struct {
	ID      string
	Context int // the tokens that a conversation may have; 0: the list does not say
}

// Models asks an endpoint for its list of models, once. Many have none, so
// an error says little about conversations; it is an *Error.
func (c *Client) Models(ctx context.Context) ([]Model, error) {
	ctx, cancel := context.WithTimeout(ctx, maxExchange)
	defer cancel()
	list, err := c.models(ctx)
	if err != nil {
		err.Message = c.secrets.clean(fmt.Sprintf("%s/models: %s", c.baseURL, err.Message))
		return nil, err
	}
	return list, nil
}

func (c *Client) models(ctx context.Context) ([]Model, *Error) {
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, c.baseURL+"/models", nil)
	if err != nil {
		return nil, &Error{Class: verdict.BadRequest, Message: err.Error()}
	}
	r.Header.Set("Accept", "application/json")
	seam := &seam{client: c}
	response, err := c.http.Do(r)
	if err != nil {
		return nil, seam.lost(ctx, err)
	}
	body, err := readAnswer(response)
	switch {
	case err != nil:
		return nil, seam.lost(ctx, err)
	case len(body) > maxBody:
		return nil, tooLong(response)
	case response.StatusCode != http.StatusOK:
		return nil, seam.failure(response, body)
	}
	list, err := listed(body)
	if err != nil {
		return nil, &Error{Class: verdict.Protocol, Message: err.Error(), Status: response.StatusCode}
	}
	return list, nil
}

// listed reads a list of models: the member data or models of an object, or
// a list by itself.
func listed(body []byte) ([]Model, error) {
	var wire struct {
		Data   []json.RawMessage `json:"data"`
		Models []json.RawMessage `json:"models"`
	}
	if json.NewDecoder(bytes.NewReader(body)).Decode(&wire) != nil && json.Unmarshal(body, &wire.Data) != nil {
		return nil, errors.New("the answer is no list of models")
	}
	if wire.Data == nil {
		wire.Data = wire.Models
	}
	if wire.Data == nil {
		return nil, errors.New("the answer is no list of models")
	}
	list := []Model{}
	for _, raw := range wire.Data {
		var members map[string]json.RawMessage
		if json.Unmarshal(raw, &members) != nil {
			continue
		}
		if id := text(members["id"]); id != "" {
			list = append(list, Model{ID: id, Context: contextOf(members)})
		}
	}
	return list, nil
}

// contextNames are the members by which servers say how long a conversation
// may be: of what is loaded first, of what the model could have last. What a
// model was trained with says nothing about the server.
var contextNames = []string{"loaded_context_length", "n_ctx", "max_model_len", "context_length", "context_window", "max_context_length"}

// contextOf finds the size of the context among the members of a model, or
// among those of its member meta.
func contextOf(members map[string]json.RawMessage) int {
	for _, name := range contextNames {
		if n, err := strconv.Atoi(scalar(members[name])); err == nil && n > 0 {
			return n
		}
	}
	var meta map[string]json.RawMessage
	if json.Unmarshal(members["meta"], &meta) != nil || meta == nil {
		return 0
	}
	return contextOf(map[string]json.RawMessage{"n_ctx": meta["n_ctx"]})
}
