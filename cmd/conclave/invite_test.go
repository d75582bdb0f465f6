package main_test

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"github.com/conclave-rooms/conclave/api"
	"github.com/conclave-rooms/conclave/internal/db"
)

// checkInvitation follows the invitation of a new member until they have a
// password. After that, adding them to another workspace sends no invitation.
func checkInvitation(t *testing.T, p *process, where db.Config, member map[string]any) {
	t.Helper()
	if member["invitation_mailed"] != false {
		t.Errorf("mailed without a mail server: %v", member)
	}
	secret := func(m map[string]any) string {
		t.Helper()
		link, _ := m["invitation_url"].(string)
		_, secret, found := strings.Cut(link, "/invitation#")
		if !found {
			t.Fatalf("the invitation is %v", m)
		}
		return secret
	}
	accept := func(secret string) (int, string) {
		t.Helper()
		body, err := json.Marshal(map[string]string{"secret": secret, "name": "Bob", "password": "battery staple"})
		if err != nil {
			t.Fatal(err)
		}
		status, answer := p.call(http.MethodPost, "/account/v1/invitations/accept", "", string(body))
		return status, string(answer)
	}
	var again map[string]any
	administrate(t, where, &again, "members", "invite", "--email", "bob@acme.example")
	wantShape(t, "an invitation", again, "email invitation_url invitation_expires_at invitation_mailed")
	if status, answer := accept(secret(member)); status != http.StatusForbidden || !strings.Contains(answer, api.CodeInvitationInvalid) {
		t.Errorf("an invitation that was replaced is answered %d %s", status, answer)
	}
	if status, answer := accept(secret(again)); status != http.StatusOK || !strings.Contains(answer, "bob@acme.example") {
		t.Errorf("an invitation is answered %d %s", status, answer)
	}
	var other, known map[string]any
	administrate(t, where, &other, "workspaces", "create", "--name", "Other", "--owner", "cid@acme.example")
	administrate(t, where, &known, "members", "add", "--workspace", other["id"].(string), "--email", "bob@acme.example")
	wantShape(t, "a member with a password", known, "account_id email role created_at")
	// For people the link is on its own line. It is printed even if the mail
	// server is down.
	for _, more := range [][]string{nil, {"--smtp-url", "smtp://127.0.0.1:1", "--mail-from", "meet@example.com"}} {
		r := command(t, append(append([]string{"members", "invite", "--email", "cid@acme.example"}, more...), at(where)...)...)
		if !strings.Contains(r.stdout, "\n  https://meet.example.com/invitation#") || (more != nil) != strings.Contains(r.stderr, "could not be mailed") {
			t.Errorf("%v: %s%s", more, r.stdout, r.stderr)
		}
	}
}
