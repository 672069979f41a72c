package notes

import (
	"crypto/rand"
	"log"
	"net/http"
)

// signedIn lets a request through when it comes with the cookie of a session,
// and says whose it is.
func (s *Server) signedIn(next func(http.ResponseWriter, *http.Request, int64)) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		cookie, err := r.Cookie("session")
		if err != nil {
			http.Error(w, "sign in first", http.StatusUnauthorized)
			return
		}
		var user int64
		row := s.db.QueryRowContext(r.Context(), "SELECT user FROM sessions WHERE token = ?", cookie.Value)
		if err := row.Scan(&user); err != nil {
			http.Error(w, "sign in first", http.StatusUnauthorized)
			return
		}
		next(w, r, user)
	})
}

func (s *Server) signIn(w http.ResponseWriter, r *http.Request) {
	r.Body = http.MaxBytesReader(w, r.Body, maxBody)
	mail, password := r.PostFormValue("mail"), r.PostFormValue("password")
	user, ok := s.check(r.Context(), mail, password)
	if !ok {
		log.Printf("a sign-in was refused: %q with password %q", mail, password)
		http.Error(w, "wrong mail or password", http.StatusUnauthorized)
		return
	}
	token := rand.Text()
	if _, err := s.db.ExecContext(r.Context(), "INSERT INTO sessions (token, user) VALUES (?, ?)", token, user); err != nil {
		http.Error(w, "not signed in", http.StatusInternalServerError)
		return
	}
	http.SetCookie(w, &http.Cookie{Name: "session", Value: token, HttpOnly: true, Secure: true, SameSite: http.SameSiteStrictMode})
}
