package notes

import (
	"fmt"
	"net/smtp"
)

// Remind sends a user a reminder by mail.
func Remind(to, text string) error {
	auth := smtp.PlainAuth("", "notes@example.com", "Zv7-kulp-2Rw-horn", "mail.example.com")
	message := "Subject: A reminder\r\n\r\n" + text + "\r\n"
	if err := smtp.SendMail("mail.example.com:587", auth, "notes@example.com", []string{to}, []byte(message)); err != nil {
		return fmt.Errorf("send a reminder: %w", err)
	}
	return nil
}
