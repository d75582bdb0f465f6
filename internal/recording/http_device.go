package recording

import (
	"context"
	"net/http"

	"github.com/conclave-rooms/conclave/api"
	"github.com/conclave-rooms/conclave/internal/identity"
	"github.com/conclave-rooms/conclave/internal/rest"
)

// target is a member's device as the recording device sees it.
type target struct {
	Object    string `json:"object" enum:"recording_device"`
	ID        string `json:"id" format:"uuid"`
	PublicKey string `json:"public_key" doc:"An uncompressed point of P-256, base64url."`
}

// ownDevice is a device as its owner sees it.
type ownDevice struct {
	Object     string   `json:"object" enum:"recording_device"`
	ID         string   `json:"id" format:"uuid"`
	Name       string   `json:"name"`
	PublicKey  string   `json:"public_key" doc:"An uncompressed point of P-256, base64url."`
	CreatedAt  api.Time `json:"created_at"`
	LastUsedAt api.Time `json:"last_used_at" doc:"To the hour."`
}

// missingDevice is a device that cannot open a recording yet.
type missingDevice struct {
	Object    string `json:"object" enum:"recording_device"`
	ID        string `json:"id" format:"uuid"`
	Name      string `json:"name"`
	Owner     string `json:"owner" doc:"Name of the member who owns it."`
	PublicKey string `json:"public_key" doc:"An uncompressed point of P-256, base64url."`
}

// deletedDevice is the answer to the revocation of a device.
type deletedDevice struct {
	Object  string `json:"object" enum:"recording_device"`
	ID      string `json:"id" format:"uuid"`
	Deleted bool   `json:"deleted" doc:"Always true."`
}

// wrappedKey is the key of a recording for one device.
type wrappedKey struct {
	Object     string `json:"object" enum:"recording_key"`
	DeviceID   string `json:"device_id" format:"uuid"`
	Enc        string `json:"enc" doc:"The encapsulated key, base64url."`
	Ciphertext string `json:"ciphertext" doc:"The recording's key, sealed for the device, base64url."`
}

// droppedKey is the answer to the deletion of a wrapped key.
type droppedKey struct {
	Object   string `json:"object" enum:"recording_key"`
	DeviceID string `json:"device_id" format:"uuid"`
	Deleted  bool   `json:"deleted" doc:"Always true."`
}

// shared is the answer to a member who shared the key.
type shared struct {
	Object string `json:"object" enum:"recording_wraps"`
	ID     string `json:"id" format:"uuid" doc:"Id of the recording."`
}

type wrapInput struct {
	DeviceID   string `json:"device_id" format:"uuid" doc:"Id of the device."`
	Enc        string `json:"enc" raw:"true" format:"base64url" minLength:"87" maxLength:"87" doc:"HPKE's encapsulated key, 65 bytes."`
	Ciphertext string `json:"ciphertext" raw:"true" format:"base64url" minLength:"64" maxLength:"64" doc:"The sealed key, 48 bytes: a key of 32 and a tag of 16."`
}

type wrapsInput struct {
	RecordingID string `path:"recording_id" doc:"Id of the recording." format:"uuid"`
	Body        struct {
		Wraps []wrapInput `json:"wraps" minItems:"1" maxItems:"100" doc:"The key of the recording, wrapped for one device each."`
	}
}

func (in *wrapsInput) wraps() []Wrap {
	list := make([]Wrap, len(in.Body.Wraps))
	for i, w := range in.Body.Wraps {
		list[i] = Wrap(w)
	}
	return list
}

func wrapRules(_ context.Context, in *wrapsInput, wrong func(string) bool) error {
	return checkWraps(in.wraps(), wrong)
}

type registerInput struct {
	Body struct {
		Name      string `json:"name" minLength:"1" maxLength:"80" doc:"Name by which its owner recognises it, such as Chrome on Linux."`
		PublicKey string `json:"public_key" raw:"true" format:"base64url" minLength:"87" maxLength:"87" doc:"An uncompressed point of P-256, 65 bytes."`
	}
}

type deviceInput struct {
	DeviceID string `path:"device_id" doc:"Id of the device." format:"uuid"`
}

type keyInput struct {
	RecordingID string `path:"recording_id" doc:"Id of the recording." format:"uuid"`
	DeviceID    string `query:"device_id" required:"true" doc:"Id of one's own device." format:"uuid"`
}

// mountMeetDevices registers the operations of a recording device on members' devices.
// op makes an operation that takes an upload secret.
func (s *Service) mountMeetDevices(d *rest.Group, op func(id, method, below, summary, description string, codes ...string) rest.Op) {
	rest.Handle(d, rest.Op{
		ID: "listRecordingDevices", Method: http.MethodGet, Path: "/recordings/devices", Tag: "Recordings",
		Summary: "List the devices for the key", Description: "For the room's own hosts: the devices of all members of the room's workspace, for which the key has to be wrapped.",
		Errors: []string{api.CodeHostOnly, api.CodeNotInMeeting},
	}, func(ctx context.Context, _ *struct{}) (api.List[target], error) {
		found, err := s.DevicesFor(ctx, rest.Bearer(ctx))
		return rest.ListOf(found, false, MemberDevice.target), err
	})
	rest.Handle(d, op("putRecordingWraps", http.MethodPost, "/wraps", "Give devices the key",
		"The key of an end_to_end recording, wrapped for devices of members. A device that has a wrapped key already keeps it; devices that were revoked are ignored."),
		func(ctx context.Context, in *wrapsInput) (upload, error) {
			r, err := s.Wrap(ctx, in.RecordingID, rest.Bearer(ctx), in.wraps())
			return uploadOf(r), err
		}, rest.Rules(wrapRules))
}

// MountAccount registers the operations on a member's own devices, and those with which
// the devices fetch recordings to play.
func (s *Service) MountAccount(d *rest.Group) {
	const tag = "Recordings"
	rest.Handle(d, rest.Op{
		ID: "listDevices", Method: http.MethodGet, Path: "/devices", Tag: tag,
		Summary: "List one's devices", Description: "Browsers for which the keys of end_to_end recordings can be wrapped, oldest first.",
	}, func(ctx context.Context, _ *struct{}) (api.List[ownDevice], error) {
		who, _ := identity.SignedIn(ctx)
		found, err := s.Devices(ctx, who.ID)
		return rest.ListOf(found, false, Device.own), err
	})
	rest.Handle(d, rest.Op{
		ID: "registerDevice", Method: http.MethodPost, Path: "/devices", Tag: tag, Summary: "Register a device",
		Description: "Registers a browser that keeps a private key. Registering the same public key again returns the same device.", Errors: []string{api.CodeLimitReached},
	}, func(ctx context.Context, in *registerInput) (ownDevice, error) {
		who, _ := identity.SignedIn(ctx)
		d, err := s.Register(ctx, who.ID, in.Body.Name, in.Body.PublicKey)
		return d.own(), err
	}, rest.Rules(func(_ context.Context, in *registerInput, wrong func(string) bool) error {
		if wrong("public_key") {
			return nil
		}
		return checkPoint("public_key", in.Body.PublicKey)
	}))
	rest.Handle(d, rest.Op{
		ID: "revokeDevice", Method: http.MethodDelete, Path: "/devices/{device_id}", Tag: tag, Summary: "Revoke a device",
		Description: "Deletes the keys that were wrapped for it. The device can no longer open recordings.", Errors: []string{api.CodeNotFound},
	}, func(ctx context.Context, in *deviceInput) (deletedDevice, error) {
		who, _ := identity.SignedIn(ctx)
		return deletedDevice{Object: "recording_device", ID: in.DeviceID, Deleted: true}, s.Revoke(ctx, who.ID, in.DeviceID)
	})
	s.mountAccountKeys(d, tag)
	s.mountAccountParts(d, tag)
}

func (d Device) own() ownDevice {
	return ownDevice{
		Object: "recording_device", ID: d.ID, Name: d.Name, PublicKey: d.PublicKey, CreatedAt: api.At(d.CreatedAt), LastUsedAt: api.At(d.LastUsedAt),
	}
}

func (d MemberDevice) target() target {
	return target{Object: "recording_device", ID: d.ID, PublicKey: d.PublicKey}
}

func (d MemberDevice) missing() missingDevice {
	return missingDevice{Object: "recording_device", ID: d.ID, Name: d.Name, Owner: d.Owner, PublicKey: d.PublicKey}
}

func (s *Service) mountAccountKeys(d *rest.Group, tag string) {
	const one = "/recordings/{recording_id}"
	rest.Handle(d, rest.Op{
		ID: "getRecordingKey", Method: http.MethodGet, Path: one + "/key", Tag: tag,
		Summary: "Get the key of a recording for one's device", Description: "The key as it was wrapped for the device. 404 when there is none.", Errors: []string{api.CodeNotFound},
	}, func(ctx context.Context, in *keyInput) (wrappedKey, error) {
		who, _ := identity.SignedIn(ctx)
		w, err := s.KeyFor(ctx, who.ID, in.RecordingID, in.DeviceID)
		return wrappedKey{Object: "recording_key", DeviceID: w.DeviceID, Enc: w.Enc, Ciphertext: w.Ciphertext}, err
	})
	rest.Handle(d, rest.Op{
		ID: "deleteRecordingKey", Method: http.MethodDelete, Path: one + "/key", Tag: tag,
		Summary:     "Give up the key of a recording for one's device",
		Description: "For a device that cannot unwrap it. The device is then listed as missing, and a device that can open the recording can wrap the key for it again.",
		Errors:      []string{api.CodeNotFound},
	}, func(ctx context.Context, in *keyInput) (droppedKey, error) {
		who, _ := identity.SignedIn(ctx)
		return droppedKey{Object: "recording_key", DeviceID: in.DeviceID, Deleted: true}, s.DropKey(ctx, who.ID, in.RecordingID, in.DeviceID)
	})
	rest.Handle(d, rest.Op{
		ID: "listMissingDevices", Method: http.MethodGet, Path: one + "/missing-devices", Tag: tag,
		Summary: "List the devices that cannot open a recording", Description: "Devices of members who may see an end_to_end recording. Empty for other recordings.", Errors: []string{api.CodeNotFound},
	}, func(ctx context.Context, in *recordingInput) (api.List[missingDevice], error) {
		who, _ := identity.SignedIn(ctx)
		found, err := s.Missing(ctx, who.ID, in.RecordingID)
		return rest.ListOf(found, false, MemberDevice.missing), err
	})
	rest.Handle(d, rest.Op{
		ID: "shareRecordingKey", Method: http.MethodPost, Path: one + "/wraps", Tag: tag,
		Summary:     "Let devices open a recording",
		Description: "For members with a device that has the key. A device that has a wrapped key already keeps it; devices that are not listed as missing are ignored.",
		Errors:      []string{api.CodeNotFound, api.CodeRecordingKeyMissing},
	}, func(ctx context.Context, in *wrapsInput) (shared, error) {
		who, _ := identity.SignedIn(ctx)
		return shared{Object: "recording_wraps", ID: in.RecordingID}, s.Share(ctx, who.ID, in.RecordingID, in.wraps())
	}, rest.Rules(wrapRules))
}

func (s *Service) mountAccountParts(d *rest.Group, tag string) {
	const one = "/recordings/{recording_id}"
	rest.HandleFile(d, rest.Op{
		ID: "getOwnRecordingPart", Method: http.MethodGet, Path: one + "/parts/{index}", Tag: tag,
		Summary: "Fetch a part of a recording", Description: "The encrypted part, exactly as it is stored. For every recording that the member may see.", Errors: []string{api.CodeNotFound},
	}, func(ctx context.Context, in *partInput) (rest.File, error) {
		who, _ := identity.SignedIn(ctx)
		content, p, err := s.PartFor(ctx, who.ID, in.RecordingID, in.Index)
		if err != nil {
			return rest.File{}, err
		}
		return rest.File{Content: content, SHA256: p.SHA256}, nil
	})
	rest.HandleFile(d, rest.Op{
		ID: "getOwnRecordingIndex", Method: http.MethodGet, Path: one + "/index", Tag: tag,
		Summary: "Fetch the index of a recording", Description: "The encrypted index, as it is stored. 404 when there is none.", Errors: []string{api.CodeNotFound},
	}, func(ctx context.Context, in *recordingInput) (rest.File, error) {
		who, _ := identity.SignedIn(ctx)
		content, err := s.IndexFor(ctx, who.ID, in.RecordingID)
		if err != nil {
			return rest.File{}, err
		}
		return rest.File{Content: content}, nil
	})
}
