package notes

import (
	"fmt"
	"net/http"

	"example.com/house/markup"
)

// page answers with a note as a page of HTML.
func (s *Server) page(w http.ResponseWriter, r *http.Request, user int64) {
	var n Note
	row := s.db.QueryRowContext(r.Context(), "SELECT id, text FROM notes WHERE id = ? AND owner = ?", r.PathValue("id"), user)
	if err := row.Scan(&n.ID, &n.Text); err != nil {
		http.Error(w, "no such note", http.StatusNotFound)
		return
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	if _, err := fmt.Fprintf(w, "<!doctype html><title>A note</title><p>%s</p>\n", markup.Inline(n.Text)); err != nil {
		panic(http.ErrAbortHandler)
	}
}
