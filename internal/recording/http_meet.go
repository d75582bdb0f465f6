package recording

import (
	"context"
	"net/http"
	"time"

	"github.com/conclave-rooms/conclave/api"
	"github.com/conclave-rooms/conclave/internal/fault"
	"github.com/conclave-rooms/conclave/internal/rest"
	"github.com/conclave-rooms/conclave/internal/rest/limit"
)

// A device sends parts and the index one after the other. If it tries again while its
// first try still hangs, two are under way. After uploadRetry another upload may be
// tried.
const (
	uploadsAtOnce = 4
	uploadRetry   = 2 * time.Second
)

type startInput struct {
	Body struct {
		MIMEType string          `json:"mime_type" enum:"video/mp4,video/webm" doc:"Media type of the file that the parts make."`
		Key      api.Opt[string] `json:"key,omitzero" raw:"true" format:"base64url" minLength:"43" maxLength:"43" doc:"The key of the recording, 32 bytes: with protection workspace only."`
	}
}

type uploadPartInput struct {
	RecordingID string `path:"recording_id" doc:"Id of the recording." format:"uuid"`
	Index       string `path:"index" doc:"Which part, from 0."`
	EndsMS      int    `query:"ends_ms" required:"true" minimum:"0" maximum:"604800000" doc:"Where the part ends, in milliseconds from the beginning of the recording."`
}

type finishInput struct {
	RecordingID string `path:"recording_id" doc:"Id of the recording." format:"uuid"`
	Body        struct {
		Parts int `json:"parts" minimum:"0" maximum:"100000" doc:"How many parts there are."`
	}
}

// started is a recording that has begun.
type started struct {
	Object       string   `json:"object" enum:"recording_upload"`
	ID           string   `json:"id" format:"uuid"`
	Protection   string   `json:"protection" enum:"workspace,end_to_end"`
	UploadSecret string   `json:"upload_secret" doc:"Bearer token for sending parts. Keep it secret."`
	PartBytes    int      `json:"part_bytes" doc:"How large a part may be."`
	StartedAt    api.Time `json:"started_at"`
}

// upload is the state of a recording's upload.
type upload struct {
	Object string `json:"object" enum:"recording_upload"`
	ID     string `json:"id" format:"uuid"`
	Status string `json:"status" enum:"recording,processing,ready,failed"`
	Parts  int    `json:"parts" doc:"How many parts are stored, which is also the index of the next one."`
	Ended  bool   `json:"ended" doc:"Whether recording has ended. Recorded parts may still be sent."`
}

func uploadOf(r Recording) upload {
	return upload{Object: "recording_upload", ID: r.ID, Status: r.Status, Parts: r.Parts, Ended: r.Status != Running}
}

// MountMeet registers the operations of a recording device, which uses the ticket of
// its seat or the upload secret of its recording.
func (s *Service) MountMeet(d *rest.Group) {
	const tag, one = "Recordings", "/recordings/{recording_id}"
	rest.Handle(d, rest.Op{
		ID: "startRecording", Method: http.MethodPost, Path: "/recordings", Tag: tag, Status: http.StatusCreated,
		Summary: "Begin a recording", Description: "For the room's own hosts in the meeting. Everybody in the same media room is shown that it is recorded.",
		Errors: []string{api.CodeHostOnly, api.CodeNotInMeeting, api.CodeRecordingRunning, api.CodeNoRecordingDevice, api.CodeLimitReached},
	}, s.start)
	rest.Handle(d, rest.Op{
		ID: "stopRecording", Method: http.MethodPost, Path: one + "/stop", Tag: tag,
		Summary: "Stop a recording", Description: "For the room's own hosts. The recording device learns it from its stream and sends the remaining parts.",
		Errors: []string{api.CodeHostOnly, api.CodeNotInMeeting},
	}, func(ctx context.Context, in *recordingInput) (upload, error) {
		r, err := s.Stop(ctx, rest.Bearer(ctx), in.RecordingID)
		return uploadOf(r), err
	})
	op := func(id, method, below, summary, description string, codes ...string) rest.Op {
		return rest.Op{
			ID: id, Method: method, Path: one + below, Tag: tag, Public: true, Limit: rest.ClassRecordingUploads, Summary: summary,
			Description: description + " Takes the upload secret as the bearer.", Errors: append(codes, api.CodeUploadInvalid, api.CodeRecordingOver),
		}
	}
	rest.AddEvent(d, "recording", "The recording of the media room that this device is in; null when none is made.", (*RunningView)(nil))
	s.mountMeetDevices(d, op)
	full := []string{api.CodeLimitReached, api.CodeStorageFull}
	uploading := limit.NewTurns(uploadsAtOnce)
	rest.Handle(d, op("getRecordingUpload", http.MethodGet, "/upload", "See the state of an upload", "How many parts are stored, and whether recording goes on."),
		func(ctx context.Context, in *recordingInput) (upload, error) {
			r, err := s.Upload(ctx, in.RecordingID, rest.Bearer(ctx))
			return uploadOf(r), err
		})
	rest.HandleUpload(d, op("putRecordingPart", http.MethodPut, "/parts/{index}", "Store a part",
		"28 bytes to 16 MiB, with Content-Length, and its SHA-256 in Content-Digest. Parts must be sent in order. Sending a stored part again does nothing.",
		append(full, api.CodePartConflict, api.CodePartOutOfOrder)...), MaxPart,
		func(ctx context.Context, in *uploadPartInput, body *rest.Upload) (upload, error) {
			return s.put(ctx, uploading, in, body)
		})
	rest.HandleUpload(d, op("putRecordingIndex", http.MethodPut, "/index", "Store the index",
		"The encrypted index of the parts, up to 1 MiB, with Content-Length. It replaces an earlier one.", full...), MaxIndex,
		func(ctx context.Context, in *recordingInput, body *rest.Upload) (upload, error) {
			return s.putIndex(ctx, uploading, in, body)
		})
	rest.Handle(d, op("finishRecording", http.MethodPost, "/finish", "Finish a recording", "Ends the recording and gives its number of parts."),
		func(ctx context.Context, in *finishInput) (upload, error) {
			r, err := s.Finish(ctx, in.RecordingID, rest.Bearer(ctx), in.Body.Parts)
			return uploadOf(r), err
		})
	rest.Handle(d, op("keepRecordingAlive", http.MethodPost, "/alive", "Keep a recording alive", "For a device that has no part to send at the moment."),
		func(ctx context.Context, in *recordingInput) (upload, error) {
			r, err := s.Alive(ctx, in.RecordingID, rest.Bearer(ctx))
			return uploadOf(r), err
		})
}

func (s *Service) start(ctx context.Context, in *startInput) (started, error) {
	r, secret, err := s.Start(ctx, rest.Bearer(ctx), Request{MIMEType: in.Body.MIMEType, Key: in.Body.Key.Or("")})
	return started{Object: "recording_upload", ID: r.ID, Protection: r.Protection, UploadSecret: secret, PartBytes: MaxPart, StartedAt: api.At(r.StartedAt)}, err
}

// put stores a part that a device sends.
func (s *Service) put(ctx context.Context, uploading *limit.Turns, in *uploadPartInput, body *rest.Upload) (upload, error) {
	n, err := number(in.Index)
	if err != nil {
		return upload{}, err
	}
	if body.SHA256 == "" {
		return upload{}, fault.Parameter("Content-Digest", api.CodeParameterMissing, "Content-Digest is required, with the SHA-256 of the body.")
	}
	done, err := takeTurn(uploading, in.RecordingID, body)
	if err != nil {
		return upload{}, err
	}
	defer done()
	p := Part{RecordingID: in.RecordingID, Number: n, Bytes: body.Size, SHA256: body.SHA256, Ends: time.Duration(in.EndsMS) * time.Millisecond}
	r, err := s.Put(ctx, rest.Bearer(ctx), p, body)
	return uploadOf(r), err
}

// putIndex stores an index that a device sends.
func (s *Service) putIndex(ctx context.Context, uploading *limit.Turns, in *recordingInput, body *rest.Upload) (upload, error) {
	done, err := takeTurn(uploading, in.RecordingID, body)
	if err != nil {
		return upload{}, err
	}
	defer done()
	r, err := s.PutIndex(ctx, in.RecordingID, rest.Bearer(ctx), body.Size, body)
	return uploadOf(r), err
}

// takeTurn lets an upload begin if its size is valid and not too many uploads of its
// recording are under way.
func takeTurn(uploading *limit.Turns, recordingID string, body *rest.Upload) (done func(), err error) {
	switch {
	case body.Size < 0:
		return nil, fault.Parameter("Content-Length", api.CodeParameterMissing, "Content-Length is required: quotas are checked before the body is stored.")
	case body.Size < MinPart:
		return nil, fault.BadParameter("body", "The body has an IV of 12 bytes and a tag of 16 bytes, so at least 28 bytes.")
	}
	done, free := uploading.TakeNow(recordingID)
	if !free {
		f := fault.New(fault.RateLimited, api.CodeRateLimited, "Several uploads of this recording are arriving already. Try again in a few seconds.")
		f.RetryAfter = uploadRetry
		return nil, f
	}
	return done, nil
}
