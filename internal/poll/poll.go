package poll

import (
	"fmt"
	"math/bits"
	"slices"
	"time"

	"github.com/conclave-rooms/conclave/api"
	"github.com/conclave-rooms/conclave/internal/fault"
	"github.com/conclave-rooms/conclave/internal/id"
)

// Values of a poll's fields, as the API writes them.
const (
	Single   = "single"
	Multiple = "multiple"

	Open   = "open"
	Closed = "closed"

	Live       = "live"
	AfterVote  = "after_vote"
	AfterClose = "after_close"

	// ByAPI is the creator of polls that were asked with an API key.
	ByAPI = "API"
)

// listedFor is how long a poll is listed after it was asked
// (docs/reference/polls.md).
const listedFor = 24 * time.Hour

// mostListed limits the list of a room's polls, which has no pages. It is far
// more than people ask in a day, but an API key can ask several polls a second.
const mostListed = 500

// Poll is a question with its answers and, once it was loaded, their counts.
type Poll struct {
	ID          string
	RoomID      string
	WorkspaceID string
	Question    string
	Kind        string
	Anonymous   bool
	Results     string
	Status      string
	CreatedBy   string
	CreatedAt   time.Time
	ClosedAt    time.Time // zero while it is open
	Options     []Option
	Voters      int

	box *box // nil unless the poll is anonymous
}

// Option is one answer.
type Option struct {
	ID      string
	Label   string
	Counted int // anonymous votes that were counted by closings
	Votes   int
}

// Picks is the set of options that a person picked: bit n is the option at
// position n.
type Picks int64

// newPoll makes an open poll from a request.
func newPoll(roomID, workspaceID string, c api.PollCreate, createdBy string, now time.Time) Poll {
	p := Poll{
		ID: id.New(), RoomID: roomID, WorkspaceID: workspaceID, Question: c.Question,
		Kind: c.Kind.Value, Anonymous: c.Anonymous.Value, Results: c.Results.Value, Status: Open,
		CreatedBy: createdBy, CreatedAt: api.At(now).Time,
	}
	for _, label := range c.Options {
		p.Options = append(p.Options, Option{ID: id.New(), Label: label})
	}
	return p
}

// Object is the poll as the API shows it.
func (p Poll) Object() api.Poll {
	o := api.Poll{
		Object: "poll", ID: p.ID, RoomID: p.RoomID, Question: p.Question, Kind: p.Kind, Anonymous: p.Anonymous, Results: p.Results,
		Status: p.Status, CreatedBy: p.CreatedBy, CreatedAt: api.At(p.CreatedAt), ClosedAt: api.TimeOrNull(p.ClosedAt), TotalVoters: p.Voters,
		Options: make([]api.PollOption, len(p.Options)),
	}
	for i, option := range p.Options {
		o.Options[i] = api.PollOption{ID: option.ID, Label: option.Label, Votes: option.Votes}
	}
	return o
}

// picks turns the chosen options of a ballot into Picks. It refuses ids of other polls,
// more or less than one option if the poll takes a single answer, and a ballot without a
// receipt if the poll is anonymous.
func (p Poll) picks(b Ballot) (Picks, error) {
	var (
		picked Picks
		wrong  []fault.Field
	)
	for i, optionID := range b.Options {
		n := slices.IndexFunc(p.Options, func(o Option) bool { return o.ID == optionID })
		if n < 0 {
			at := fmt.Sprintf("options[%d]", i)
			wrong = append(wrong, fault.Field{Param: at, Code: api.CodeParameterInvalid, Message: at + " must be the id of an option of this poll."})
			continue
		}
		picked |= 1 << n
	}
	if len(wrong) == 0 && p.Kind == Single && picked.count() != 1 {
		wrong = append(wrong, fault.Field{Param: "options", Code: api.CodeParameterInvalid, Message: "options must have exactly one entry: this poll takes one answer."})
	}
	if p.Anonymous && b.Receipt == "" {
		wrong = append(wrong, fault.Field{Param: "receipt", Code: api.CodeParameterMissing, Message: "receipt is required: this poll is anonymous."})
	}
	if len(wrong) > 0 {
		return 0, fault.Parameters(wrong)
	}
	return picked, nil
}

// chosen turns Picks back into ids of options.
func (p Poll) chosen(picked Picks) []string {
	var ids []string
	for n, option := range p.Options {
		if picked.has(n) {
			ids = append(ids, option.ID)
		}
	}
	return ids
}

func (v Picks) has(n int) bool { return v>>n&1 == 1 }
func (v Picks) count() int     { return bits.OnesCount64(uint64(v)) }
