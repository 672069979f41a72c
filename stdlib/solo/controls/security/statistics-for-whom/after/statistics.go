package notes

import "net/http"

// statistics answers with how many notes and users there are.
func (s *Server) statistics(w http.ResponseWriter, r *http.Request) {
	var count struct {
		Notes int64 `json:"notes"`
		Users int64 `json:"users"`
	}
	row := s.db.QueryRowContext(r.Context(), "SELECT (SELECT count(*) FROM notes), (SELECT count(*) FROM users)")
	if err := row.Scan(&count.Notes, &count.Users); err != nil {
		http.Error(w, "no statistics", http.StatusInternalServerError)
		return
	}
	answer(w, count)
}
