package recording

import (
	"context"
	"net/http"

	"github.com/conclave-rooms/conclave/api"
	"github.com/conclave-rooms/conclave/internal/auth"
	"github.com/conclave-rooms/conclave/internal/rest"
)

type listInput struct {
	RoomID        string `query:"room_id" doc:"Only recordings of this room." format:"uuid"`
	Limit         int    `query:"limit" minimum:"1" maximum:"100" default:"50" doc:"How many recordings at most."`
	StartingAfter string `query:"starting_after" doc:"Id of a recording: only recordings begun before it." format:"uuid"`
}

type recordingInput struct {
	RecordingID string `path:"recording_id" doc:"Id of the recording." format:"uuid"`
}

type partInput struct {
	RecordingID string `path:"recording_id" doc:"Id of the recording." format:"uuid"`
	Index       string `path:"index" doc:"Which part, from 0."`
}

type updateInput struct {
	RecordingID string `path:"recording_id" doc:"Id of the recording." format:"uuid"`
	Body        api.RecordingUpdate
}

// Mount registers the operations of the API.
func (s *Service) Mount(d *rest.Group) {
	const tag, one = "Recordings", "/recordings/{recording_id}"
	rest.Handle(d, rest.Op{
		ID: "listRecordings", Method: http.MethodGet, Path: "/recordings", Tag: tag, Scope: api.ScopeRecordingsRead,
		Summary: "List recordings", Description: "Recordings of the workspace's rooms, including deleted rooms, newest first. A signed-in member gets the recordings they may see.",
	}, s.list)
	rest.Handle(d, rest.Op{
		ID: "getRecording", Method: http.MethodGet, Path: one, Tag: tag, Scope: api.ScopeRecordingsRead, Summary: "Retrieve a recording",
	}, s.get)
	rest.Handle(d, rest.Op{
		ID: "downloadRecording", Method: http.MethodPost, Path: one + "/download", Tag: tag, Scope: api.ScopeRecordingsRead, Again: true,
		Summary: "Get a recording's key and parts",
		Description: "How to rebuild the file: fetch the parts in order, decrypt each, and concatenate them. " +
			"The key is secret like a password.",
		Errors: []string{api.CodeRecordingEndToEnd, api.CodeRecordingNotReady},
	}, s.download)
	rest.HandleFile(d, rest.Op{
		ID: "getRecordingPart", Method: http.MethodGet, Path: one + "/parts/{index}", Tag: tag, Scope: api.ScopeRecordingsRead,
		Summary:     "Fetch a part of a recording",
		Description: "Exactly as it is stored: an IV of 12 bytes, then AES-256-GCM ciphertext and tag, with the additional data `service-recording:<recording id>:<index>`.",
		Errors:      []string{api.CodeRecordingEndToEnd, api.CodeRecordingNotReady},
	}, s.part)
	rest.Handle(d, rest.Op{
		ID: "updateRecording", Method: http.MethodPatch, Path: one, Tag: tag, Scope: api.ScopeRecordingsWrite, Object: api.Recording{},
		Summary:     "Change a recording's title or who sees it",
		Description: "A JSON merge patch: what is left out stays. A signed-in member may change recordings they made; owners and admins may change all.",
		Errors:      []string{api.CodeRecordingNotManaged},
	}, s.update, rest.Current(s.current))
	rest.Handle(d, rest.Op{
		ID: "deleteRecording", Method: http.MethodDelete, Path: one, Tag: tag, Scope: api.ScopeRecordingsWrite,
		Summary:     "Delete a recording",
		Description: "Deletes the recording, its key and its parts for good. A running recording stops.",
		Errors:      []string{api.CodeRecordingNotManaged},
	}, s.remove)
}

func (s *Service) list(ctx context.Context, in *listInput) (api.List[api.Recording], error) {
	found, more, err := s.List(ctx, auth.From(ctx), in.RoomID, in.Limit, in.StartingAfter)
	return rest.ListOf(found, more, func(r Recording) api.Recording { return r.shownTo(auth.From(ctx)) }), err
}

func (s *Service) get(ctx context.Context, in *recordingInput) (api.Recording, error) {
	r, err := s.Get(ctx, auth.From(ctx), in.RecordingID)
	return r.shownTo(auth.From(ctx)), err
}

func (s *Service) download(ctx context.Context, in *recordingInput) (api.RecordingDownload, error) {
	return s.Download(ctx, auth.From(ctx), in.RecordingID)
}

func (s *Service) part(ctx context.Context, in *partInput) (rest.File, error) {
	content, p, err := s.OpenPart(ctx, auth.From(ctx), in.RecordingID, in.Index, Recording.opened)
	if err != nil {
		return rest.File{}, err
	}
	return rest.File{Content: content, SHA256: p.SHA256}, nil
}

func (s *Service) update(ctx context.Context, in *updateInput) (api.Recording, error) {
	r, err := s.Update(ctx, auth.From(ctx), in.RecordingID, in.Body)
	return r.shownTo(auth.From(ctx)), err
}

func (s *Service) current(ctx context.Context, in *updateInput) (any, error) {
	return s.get(ctx, &recordingInput{RecordingID: in.RecordingID})
}

func (s *Service) remove(ctx context.Context, in *recordingInput) (api.RecordingDeleted, error) {
	r, err := s.Delete(ctx, auth.From(ctx), in.RecordingID)
	return api.RecordingDeleted{Object: "recording", ID: r.ID, Deleted: true}, err
}
