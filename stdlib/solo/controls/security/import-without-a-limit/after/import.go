package notes

import (
	"io"
	"net/http"
	"strings"
)

// load keeps every line of a request as a note.
func (s *Server) load(w http.ResponseWriter, r *http.Request, user int64) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		http.Error(w, "no notes", http.StatusBadRequest)
		return
	}
	for line := range strings.Lines(string(body)) {
		if _, err := s.db.ExecContext(r.Context(), "INSERT INTO notes (owner, text) VALUES (?, ?)", user, strings.TrimSpace(line)); err != nil {
			http.Error(w, "not all are kept", http.StatusInternalServerError)
			return
		}
	}
	w.WriteHeader(http.StatusCreated)
}
