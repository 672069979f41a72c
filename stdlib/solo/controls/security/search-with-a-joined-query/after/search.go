package notes

import (
	"net/http"
	"strconv"
)

// search answers with the user's notes that hold a text.
func (s *Server) search(w http.ResponseWriter, r *http.Request, user int64) {
	query := "SELECT id, text FROM notes WHERE owner = " + strconv.FormatInt(user, 10) +
		" AND text LIKE '%" + r.FormValue("text") + "%' LIMIT 50"
	rows, err := s.db.QueryContext(r.Context(), query)
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
