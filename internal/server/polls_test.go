package server_test

import (
	"encoding/json"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/conclave-rooms/conclave/api"
	"github.com/conclave-rooms/conclave/internal/db"
)

// People vote in an anonymous poll, change their votes and are refused. No line
// of the log may hold a receipt, a choice, or a hash under which a vote or
// voter is stored. All of these are noted as secrets, for which the end of the
// test searches the log. The search only means something if votes are logged at
// all.
func (r *running) testVotesAreNotLogged(t *testing.T) {
	t.Parallel()
	room := r.room(t, nil)
	var asked api.Poll
	r.api(t, http.MethodPost, "/rooms/"+room.ID+"/polls", map[string]any{"question": "Tea?", "options": []string{"yes", "no"}, "anonymous": true}, &asked)
	vote := "/meet/v1/polls/" + asked.ID + "/vote"
	for _, name := range []string{"Vera", "Vito"} {
		token := r.token(t, room, name, "participant")
		var seat struct{ Ticket string }
		if status := r.call(t, http.MethodPost, "/meet/v1/tickets", "", map[string]any{"token": token.Token}, &seat); status != http.StatusOK {
			t.Fatalf("%s gets no ticket: %d", name, status)
		}
		r.issued(seat.Ticket)
		r.join(t, token)
		r.within(t, 10*time.Second, name+" is in", func() bool { return r.people(t, room)[name].Name != "" })
		receipt, another := "the receipt that "+name+" has made", "another receipt of "+name+"'s"
		r.issued(receipt, another)
		for _, v := range []struct {
			option  int
			receipt string
			status  int
		}{{0, receipt, http.StatusOK}, {1, receipt, http.StatusOK}, {0, another, http.StatusConflict}, {0, "short " + name, http.StatusBadRequest}} {
			body := map[string]any{"options": []string{asked.Options[v.option].ID}, "receipt": v.receipt}
			if status := r.call(t, http.MethodPost, vote, seat.Ticket, body, nil); status != v.status {
				t.Errorf("a vote of %s answers %d, want %d", name, status, v.status)
			}
		}
		r.issued("short " + name)
	}
	r.issued(asked.Options[0].ID, asked.Options[1].ID)
	r.issued(r.hashes(t, asked.ID)...)
	r.api(t, http.MethodPatch, "/polls/"+asked.ID, map[string]any{"status": "closed"}, &asked)
	if asked.TotalVoters != 2 || asked.Options[1].Votes != 2 {
		t.Errorf("the counts are %+v", asked)
	}
	if !strings.Contains(r.book.String(), "route=/meet/v1/polls/{poll_id}/vote status=409") {
		t.Error("votes are not logged at all")
	}
}

// hashes are the values under which an open poll stores voters and votes, and
// its sealed key.
func (r *running) hashes(t *testing.T, pollID string) []string {
	t.Helper()
	var secret, v, b string
	err := r.service.DB().Read(limited(t), func(tx *db.Tx) error {
		return tx.QueryRow(limited(t), `SELECT v.secret, b.voters, b.ballots FROM poll_voters v JOIN poll_ballots b ON b.poll_id = v.poll_id WHERE v.poll_id = $1`,
			pollID).Scan(&secret, &v, &b)
	})
	if err != nil {
		t.Fatal(err)
	}
	var (
		voters  []string
		ballots map[string]int
	)
	if json.Unmarshal([]byte(v), &voters) != nil || json.Unmarshal([]byte(b), &ballots) != nil || len(voters) != 2 || len(ballots) != 2 {
		t.Fatalf("the open box holds %s and %s", v, b)
	}
	all := append(slices.Clone(voters), secret)
	for hash := range ballots {
		all = append(all, hash)
	}
	return all
}
