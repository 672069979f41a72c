package notes

import (
	"net/http"
)

// search answers with the user's notes that hold a text.
func (s *Server) search(w http.ResponseWriter, r *http.Request, user int64) {
	rows, err := s.db.QueryContext(r.Context(),
		"SELECT id, text FROM notes WHERE owner = ? AND instr(text, ?) > 0 LIMIT 50", user, r.FormValue("text"))
	if err != nil {
		http.Error(w, "no search", http.StatusInternalServerError)
		return
	}
	defer rows.Close()
	found := []Note{}
	for rows.Next() {
		var n Note
		if err := rows.Scan(&n.ID, &n.Text); err != nil {
			http.Error(w, "no search", http.StatusInternalServerError)
			return
		}
		found = append(found, n)
	}
	if rows.Err() != nil {
		http.Error(w, "no search", http.StatusInternalServerError)
		return
	}
	answer(w, found)
}
