package group

import (
	"context"
	"net/http"

	"github.com/conclave-rooms/conclave/api"
	"github.com/conclave-rooms/conclave/internal/fault"
	"github.com/conclave-rooms/conclave/internal/rest"
)

// commitBody is the largest body of a commit. In a group of a thousand devices, one
// that adds 64 takes half of it.
const commitBody = 2 << 20

type statementInput struct {
	Body struct {
		Place        api.Opt[string] `json:"place" required:"true" nullable:"true" doc:"Id of the breakout room; null: the main room."`
		SignatureKey string          `json:"signature_key" raw:"true" format:"base64url" minLength:"43" maxLength:"43" doc:"The device's Ed25519 public key, 32 bytes."`
	}
}

// keyPackageInput bounds a key package, because every device gets those of all that
// wait. One of our client has some 1,000 characters, and 2,200 with the longest name and
// identity.
type keyPackageInput struct {
	Body struct {
		Place      api.Opt[string] `json:"place" required:"true" nullable:"true" doc:"Id of the breakout room; null: the main room."`
		KeyPackage string          `json:"key_package" raw:"true" format:"base64url" minLength:"1" maxLength:"4096" doc:"The key package."`
	}
}

type createInput struct {
	Body struct {
		Place   api.Opt[string] `json:"place" required:"true" nullable:"true" doc:"Id of the breakout room; null: the main room."`
		GroupID string          `json:"group_id" raw:"true" format:"base64url" minLength:"22" maxLength:"86" doc:"Random, 16 to 64 bytes."`
	}
}

type commitInput struct {
	Body struct {
		Place   api.Opt[string] `json:"place" required:"true" nullable:"true" doc:"Id of the breakout room; null: the main room."`
		GroupID string          `json:"group_id" raw:"true" format:"base64url" minLength:"22" maxLength:"86" doc:"The group."`
		Epoch   int64           `json:"epoch" minimum:"0" doc:"The epoch in which the commit was made."`
		Commit  string          `json:"commit" raw:"true" format:"base64url" minLength:"1" maxLength:"524288" doc:"The commit."`
		Welcome api.Opt[string] `json:"welcome" required:"true" nullable:"true" raw:"true" format:"base64url" minLength:"1" maxLength:"1048576" doc:"The welcome for the added devices; null when the commit adds nobody."`
		Check   string          `json:"check" raw:"true" format:"base64url" minLength:"43" maxLength:"43" doc:"A digest of the secrets of the epoch to which the commit leads. Devices compare it."`
		Link    api.Opt[string] `json:"link" required:"true" nullable:"true" raw:"true" format:"base64url" minLength:"43" maxLength:"43" doc:"A digest of the link secret; null when the group has none. Devices compare it."`
		Adds    []addition      `json:"adds" maxItems:"128" doc:"Devices that the commit adds."`
		Removes []string        `json:"removes" raw:"true" maxItems:"2000" maxLength:"200" doc:"Identities of the devices that the commit removes."`
	}
}

type addition struct {
	Identity   string `json:"identity" raw:"true" minLength:"1" maxLength:"200" doc:"Identity of the device."`
	KeyPackage string `json:"key_package" raw:"true" format:"base64url" minLength:"43" maxLength:"43" doc:"SHA-256 digest of the device's key package."`
}

type messagesInput struct {
	GroupID string `query:"group_id" required:"true" doc:"The group."`
	After   int64  `query:"after" minimum:"0" doc:"The number of the newest message that the device has."`
}

type refusalInput struct {
	Body struct {
		Place   api.Opt[string] `json:"place" required:"true" nullable:"true" doc:"Id of the breakout room; null: the main room."`
		GroupID string          `json:"group_id" raw:"true" format:"base64url" minLength:"22" maxLength:"86" doc:"The group."`
		Seq     int64           `json:"seq" minimum:"0" doc:"The number of the message that the device cannot take; 0: it is not about one message."`
	}
}

type statementAnswer struct {
	Object     string `json:"object" enum:"group_statement"`
	Statement  string `json:"statement"`
	ServiceKey string `json:"service_key" doc:"The key with which the service signs statements: Ed25519, base64url."`
}

type doneAnswer struct {
	Object string `json:"object" enum:"done"`
	Done   bool   `json:"done"`
}

type createAnswer struct {
	Object string `json:"object" enum:"group"`
	Seq    int64  `json:"seq" doc:"The messages of the group have greater numbers."`
}

type commitAnswer struct {
	Object string `json:"object" enum:"group_commit"`
	Epoch  int64  `json:"epoch" doc:"The epoch to which the commit leads."`
	Seq    int64  `json:"seq" doc:"The number of the commit."`
}

// MountMeet registers the operations for the devices of a strict meeting.
func (s *Service) MountMeet(d *rest.Group) {
	op := func(id, path, summary, description string, codes ...string) rest.Op {
		return rest.Op{
			ID: id, Method: http.MethodPost, Path: "/group" + path, Tag: "Strict rooms", Summary: summary, Description: description, Limit: rest.ClassGroups,
			Errors: append(codes, api.CodeNotFound, api.CodePlaceChanged, api.CodeNotInMeeting, api.CodeEncryptionStrict),
		}
	}
	statement := op("signStatement", "/statement", "Get a signed statement about this device", "The credential of the device's leaf in the group.")
	statement.NoTurn = true
	rest.AddEvent(d, "group", "The group of the media room that this device is in; null where it has none to keep. In strict meetings.", (*view)(nil))
	rest.Handle(d, statement, s.sign)
	rest.Handle(d, op("sendKeyPackage", "/key-package", "Ask to be added", "If the device was in the group, its membership ends."), s.announce)
	rest.Handle(d, op("createGroup", "", "Make the group of a media room that has none", "Its founder is its only member.", api.CodeGroupExists, api.CodeNotInGroup), s.create)
	rest.Handle(d, op("refuseGroup", "/refusals", "Report that this device cannot join the group",
		"The device leaves the group. It waits to be added again once it sends a key package. The group is over when most people there cannot be in it."), s.refuse)
	commit := op("commit", "/commits", "Change the group", "The first commit of a member in an epoch is the group's.", api.CodeEpochTaken, api.CodeNotInGroup, api.CodePayloadTooLarge)
	commit.MaxBody = commitBody
	rest.Handle(d, commit, s.commit, rest.Rules(func(_ context.Context, in *commitInput, wrong func(string) bool) error {
		return checkCommit(in, wrong)
	}))
	rest.Handle(d, rest.Op{
		ID: "listGroupMessages", Method: http.MethodGet, Path: "/group/messages", Tag: "Strict rooms", Summary: "Read the commits and the welcome for a member",
		Description: "404 when the device is not a member of this group, or has not read for so long that messages were deleted: it asks to be added again.",
		Errors:      []string{api.CodeNotFound, api.CodePlaceChanged, api.CodeNotInMeeting, api.CodeEncryptionStrict},
	}, s.list)
}

func (s *Service) sign(ctx context.Context, in *statementInput) (statementAnswer, error) {
	key, err := decode(in.Body.SignatureKey)
	if err != nil {
		return statementAnswer{}, err
	}
	text, err := s.Statement(ctx, rest.Bearer(ctx), in.Body.Place.Or(""), key)
	return statementAnswer{Object: "group_statement", Statement: text, ServiceKey: s.publicKey()}, err
}

func (s *Service) announce(ctx context.Context, in *keyPackageInput) (doneAnswer, error) {
	data, err := decode(in.Body.KeyPackage)
	if err != nil {
		return doneAnswer{}, err
	}
	if err := rest.CountSize(ctx, rest.ClassGroupSize, rest.ClassRoomGroupSize, len(in.Body.KeyPackage)); err != nil {
		return doneAnswer{}, err
	}
	err = s.Announce(ctx, rest.Bearer(ctx), in.Body.Place.Or(""), in.Body.KeyPackage, digest(data))
	return doneAnswer{"done", true}, err
}

func (s *Service) create(ctx context.Context, in *createInput) (createAnswer, error) {
	seq, err := s.Create(ctx, rest.Bearer(ctx), in.Body.Place.Or(""), in.Body.GroupID)
	return createAnswer{Object: "group", Seq: seq}, err
}

func (s *Service) commit(ctx context.Context, in *commitInput) (commitAnswer, error) {
	c := proposal{
		GroupID: in.Body.GroupID, Epoch: in.Body.Epoch, Message: in.Body.Commit, Welcome: in.Body.Welcome.Or(""),
		Said: said{Check: in.Body.Check, Link: in.Body.Link.Or(""), Adds: in.Body.Adds, Removes: in.Body.Removes},
	}
	if err := checkCommit(in, func(string) bool { return false }); err != nil {
		return commitAnswer{}, err
	}
	if err := rest.CountSize(ctx, rest.ClassGroupSize, rest.ClassRoomGroupSize, len(c.Message)+len(c.Welcome)+c.Said.size()); err != nil {
		return commitAnswer{}, err
	}
	epoch, seq, err := s.Commit(ctx, rest.Bearer(ctx), in.Body.Place.Or(""), c)
	return commitAnswer{Object: "group_commit", Epoch: epoch, Seq: seq}, err
}

// checkCommit refuses a commit that lacks the welcome that it needs.
func checkCommit(in *commitInput, wrong func(param string) bool) error {
	if !wrong("welcome") && in.Body.Welcome.Or("") == "" && len(in.Body.Adds) > 0 {
		return fault.BadParameter("welcome", "welcome is needed by the devices that the commit adds.")
	}
	return nil
}

func (s *Service) refuse(ctx context.Context, in *refusalInput) (doneAnswer, error) {
	err := s.Refuse(ctx, rest.Bearer(ctx), in.Body.Place.Or(""), in.Body.GroupID, in.Body.Seq)
	return doneAnswer{"done", true}, err
}

func (s *Service) list(ctx context.Context, in *messagesInput) (api.List[message], error) {
	page, more, err := s.Messages(ctx, rest.Bearer(ctx), in.GroupID, in.After)
	return api.ListOf(page, more), err
}
