package notes

import (
	"context"
	"crypto/tls"
	"fmt"
	"io"
	"net/http"
	"time"
)

// backupURL is where copies of all notes are kept.
const backupURL = "https://backup.example.com/notes"

// Backup sends a copy of all notes to the backup service.
func Backup(ctx context.Context, all io.Reader) error {
	client := &http.Client{
		Timeout: time.Minute,
		Transport: &http.Transport{
			TLSClientConfig: &tls.Config{InsecureSkipVerify: true},
		},
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPut, backupURL, all)
	if err != nil {
		return fmt.Errorf("back up notes: %w", err)
	}
	resp, err := client.Do(req)
	if err != nil {
		return fmt.Errorf("back up notes: %w", err)
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusNoContent {
		return fmt.Errorf("back up notes: %s", resp.Status)
	}
	return nil
}
