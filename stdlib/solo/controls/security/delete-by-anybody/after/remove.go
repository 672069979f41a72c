package notes

import "net/http"

// remove deletes a note.
func (s *Server) remove(w http.ResponseWriter, r *http.Request) {
	if _, err := s.db.ExecContext(r.Context(), "DELETE FROM notes WHERE id = ?", r.PathValue("id")); err != nil {
		http.Error(w, "not deleted", http.StatusInternalServerError)
		return
	}
	w.WriteHeader(http.StatusNoContent)
}
