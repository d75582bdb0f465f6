package load

import (
	"context"
	"fmt"
	"net/http"
	"strconv"
	"time"

	"github.com/conclave-rooms/conclave/api"
	"github.com/conclave-rooms/conclave/internal/id"
	"github.com/conclave-rooms/conclave/internal/media"
	"github.com/conclave-rooms/conclave/internal/media/livekit"
)

// host is what a load is put on: it has rooms, and tokens for them.
type host interface {
	makeRoom(ctx context.Context, n int) (api.Room, error)
	deleteRoom(ctx context.Context, roomID string) error
	token(ctx context.Context, roomID, name, role string) (api.RoomToken, error)
}

// service is a service, asked through its API.
type service struct {
	*caller

	knocks bool
}

func (s service) makeRoom(ctx context.Context, n int) (api.Room, error) {
	settings := api.RoomSettingsUpdate{}
	if s.knocks {
		settings.Admission = api.Set("knock") // does not stop people with tokens
	}
	var made api.Room
	err := s.do(ctx, http.MethodPost, "/api/v1/rooms", api.RoomCreate{Name: "Load " + strconv.Itoa(n), Settings: settings}, &made)
	return made, err
}

func (s service) deleteRoom(ctx context.Context, roomID string) error {
	return s.do(ctx, http.MethodDelete, "/api/v1/rooms/"+roomID, nil, nil)
}

func (s service) token(ctx context.Context, roomID, name, role string) (api.RoomToken, error) {
	var token api.RoomToken
	err := s.do(ctx, http.MethodPost, "/api/v1/rooms/"+roomID+"/tokens", api.TokenCreate{Name: name, Role: api.Set(role)}, &token)
	return token, err
}

// bareServer is a media server without a service. The run signs the tokens itself.
type bareServer struct{ *livekit.Server }

func (s bareServer) makeRoom(ctx context.Context, n int) (api.Room, error) {
	made, err := s.EnsureRoom(ctx, fmt.Sprintf("load-%d-%s", n, id.Random(8, id.Lower)))
	return api.Room{ID: made.Name}, err
}

func (s bareServer) deleteRoom(ctx context.Context, roomID string) error {
	return s.CloseRoom(ctx, roomID)
}

// tokenLife is longer than people take to come in.
const tokenLife = time.Hour

func (s bareServer) token(_ context.Context, roomID, name, _ string) (api.RoomToken, error) {
	identity := "load_" + id.Random(16, id.Lower)
	token, err := s.MintToken(media.Grant{
		Room: roomID, Identity: identity, Name: name, PublishSources: []media.Source{media.Microphone, media.Camera}, PublishData: true, TTL: tokenLife,
	})
	return api.RoomToken{ServerURL: s.Upstream(), Token: token, Identity: identity, E2EEPassphrase: "of " + roomID}, err
}

// hostOf returns the host that the options name.
func hostOf(o *Options, c *caller) (host, error) {
	if o.Bare == nil {
		return service{caller: c, knocks: o.Knocks > 0}, nil
	}
	s, err := livekit.Connect(o.Bare.URL, o.Bare.Key, o.Bare.Secret, time.Now)
	return bareServer{s}, err
}
