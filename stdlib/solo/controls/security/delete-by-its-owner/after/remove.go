package notes

import "net/http"

// remove deletes a note.
func (s *Server) remove(w http.ResponseWriter, r *http.Request, user int64) {
	if _, err := s.db.ExecContext(r.Context(), "DELETE FROM notes WHERE id = ? AND owner = ?", r.PathValue("id"), user); err != nil {
		http.Error(w, "not deleted", http.StatusInternalServerError)
		return
	}
	w.WriteHeader(http.StatusNoContent)
}
