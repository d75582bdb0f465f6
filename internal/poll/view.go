package poll

import (
	"slices"

	"github.com/conclave-rooms/conclave/api"
)

// View is a poll as somebody in the meeting sees it
// (docs/reference/meeting-protocol.md).
type View struct {
	ID          string       `json:"id" format:"uuid"`
	Question    string       `json:"question"`
	Kind        string       `json:"kind" enum:"single,multiple"`
	Anonymous   bool         `json:"anonymous"`
	Results     string       `json:"results" enum:"live,after_vote,after_close"`
	Status      string       `json:"status" enum:"open,closed"`
	CreatedBy   string       `json:"created_by"`
	CreatedAt   api.Time     `json:"created_at"`
	ClosedAt    *api.Time    `json:"closed_at" nullable:"true"`
	TotalVoters *int         `json:"total_voters" nullable:"true" doc:"Null for people who may not see counts."`
	Options     []OptionView `json:"options"`
	Voted       bool         `json:"voted" doc:"Whether the person has voted."`
	Final       bool         `json:"final" doc:"Their anonymous vote was counted when the poll was closed: it cannot be changed any more."`
	Choice      []string     `json:"choice,omitempty" doc:"What the person picked. Absent in anonymous polls."`
}

// OptionView is one answer as somebody in the meeting sees it.
type OptionView struct {
	ID     string   `json:"id" format:"uuid"`
	Label  string   `json:"label"`
	Votes  *int     `json:"votes" nullable:"true" doc:"Null for people who may not see counts."`
	Voters []string `json:"voters,omitempty" doc:"Names of the people who picked it. Only for hosts, in polls that are not anonymous."`
}

// viewer is what decides what a person sees of a poll: whether they are a host,
// and how they voted.
type viewer struct {
	host  bool
	voted bool
	final bool
	picks Picks // zero in anonymous polls
}

// seesCounts applies the poll's results setting: it decides whether a person sees
// how many votes each answer has and how many people voted. Hosts always do, and
// everybody does once the poll is closed.
func seesCounts(results, status string, s viewer) bool {
	switch {
	case s.host || status == Closed:
		return true
	case results == AfterVote:
		return s.voted
	default:
		return results == Live
	}
}

// seesNames decides whether a person sees who picked what.
func seesNames(p Poll, s viewer) bool { return s.host && !p.Anonymous }

// viewFor returns the poll as one person sees it. names are the names of the
// people who picked each option; nil when the person may not see them.
func (p Poll) viewFor(s viewer, names [][]string) View {
	v := View{
		ID: p.ID, Question: p.Question, Kind: p.Kind, Anonymous: p.Anonymous, Results: p.Results, Status: p.Status,
		CreatedBy: p.CreatedBy, CreatedAt: api.At(p.CreatedAt), ClosedAt: api.TimeOrNull(p.ClosedAt),
		Options: make([]OptionView, len(p.Options)), Voted: s.voted, Final: s.final, Choice: p.chosen(s.picks),
	}
	counts := seesCounts(p.Results, p.Status, s)
	if counts {
		v.TotalVoters = &p.Voters
	}
	for i, option := range p.Options {
		v.Options[i] = OptionView{ID: option.ID, Label: option.Label}
		if counts {
			v.Options[i].Votes = &option.Votes
		}
		if seesNames(p, s) && names != nil {
			v.Options[i].Voters = names[i]
		}
	}
	return v
}

// vote is a vote in a poll that is not anonymous.
type vote struct {
	Voter string
	Name  string
	Picks Picks
}

// namesOf lists for each option the names of the people who picked it, sorted.
func (p Poll) namesOf(votes []vote) [][]string {
	names := make([][]string, len(p.Options))
	for i := range p.Options {
		for _, v := range votes {
			if v.Picks.has(i) {
				names[i] = append(names[i], v.Name)
			}
		}
		slices.Sort(names[i])
	}
	return names
}
