package config_test

import (
	"strings"
	"testing"

	"github.com/conclave-rooms/conclave/internal/config"
)

func TestInvalidSignInAndMailSettingsAreRefusedByName(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		flag  string
		spoil func(*config.Serve)
	}{
		{"--smtp-url", func(c *config.Serve) { c.SMTPURL, c.MailFrom = "mail.example.com:25", "meet@example.com" }},
		{"--mail-from", func(c *config.Serve) { c.SMTPURL = "smtp://mail.example.com" }},
		{"--mail-from", func(c *config.Serve) { c.SMTPURL, c.MailFrom = "smtp://mail.example.com", "meet" }},
		{"--oidc-issuer", func(c *config.Serve) { c.OIDCIssuer = "accounts.example.com" }},
		{"--oidc-client-id", func(c *config.Serve) { c.OIDCIssuer = "https://accounts.example.com" }},
		{"--oidc-client-secret", func(c *config.Serve) { c.OIDCIssuer, c.OIDCClientID = "https://accounts.example.com", "x" }},
	} {
		s := good()
		c.spoil(&s)
		if err := s.Check(); err == nil || !strings.Contains(err.Error(), c.flag) {
			t.Errorf("%s: %v; want a sentence that names it", c.flag, err)
		}
	}
	s := good()
	s.SMTPURL, s.MailFrom = "smtps://u:p@mail.example.com", "Conclave <meet@example.com>"
	s.OIDCIssuer, s.OIDCClientID, s.OIDCClientSecret = "https://accounts.example.com/realm", "x", "y"
	if err := s.Check(); err != nil {
		t.Error(err)
	}
	s.SMTPURL = "smtp://u:s3cret@ma il"
	if err := s.Check(); err == nil || strings.Contains(err.Error(), "s3cret") {
		t.Errorf("got %v; want a sentence without the password", err)
	}
}
