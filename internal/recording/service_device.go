package recording

import (
	"context"
	"errors"

	"github.com/conclave-rooms/conclave/api"
	"github.com/conclave-rooms/conclave/internal/actor"
	"github.com/conclave-rooms/conclave/internal/auth"
	"github.com/conclave-rooms/conclave/internal/blob"
	"github.com/conclave-rooms/conclave/internal/db"
	"github.com/conclave-rooms/conclave/internal/fault"
	"github.com/conclave-rooms/conclave/internal/id"
)

// Devices lists the devices of an account, oldest first.
func (s *Service) Devices(ctx context.Context, accountID string) (list []Device, err error) {
	err = s.DB.Read(ctx, func(tx *db.Tx) error {
		list, err = devicesOf(ctx, tx, accountID)
		return err
	})
	return list, err
}

// Register makes a browser a device of an account. If the account has a device with the
// same key, Register records its use and returns it.
func (s *Service) Register(ctx context.Context, accountID, name, publicKey string) (Device, error) {
	now := api.At(s.Now()).Time
	d := Device{ID: id.New(), AccountID: accountID, Name: name, PublicKey: publicKey, CreatedAt: now, LastUsedAt: now}
	if err := checkPoint("public_key", publicKey); err != nil {
		return d, err
	}
	err := s.DB.Write(ctx, func(tx *db.Tx) error {
		devices, err := devicesOf(ctx, tx, accountID)
		if err != nil {
			return err
		}
		for _, known := range devices {
			if known.PublicKey == publicKey {
				d, err = s.used(ctx, tx, known)
				return err
			}
		}
		if err := mayRegister(len(devices)); err != nil {
			return err
		}
		return insertDevice(ctx, tx, d)
	})
	return d, err
}

// used records that a device is used.
func (s *Service) used(ctx context.Context, tx *db.Tx, d Device) (Device, error) {
	at, worthIt := d.usedAt(api.At(s.Now()).Time)
	if !worthIt {
		return d, nil
	}
	d.LastUsedAt = at
	return d, useDevice(ctx, tx, d.ID, at)
}

// Revoke revokes a device of an account and deletes all keys wrapped for it.
func (s *Service) Revoke(ctx context.Context, accountID, deviceID string) error {
	return s.DB.Write(ctx, func(tx *db.Tx) error {
		d, err := deviceOf(ctx, tx, accountID, deviceID)
		if err == nil && d == nil {
			err = fault.Missing()
		}
		if err != nil {
			return err
		}
		return revokeDevice(ctx, tx, d.ID, s.Now())
	})
}

// DevicesFor lists the devices for which a host's device has to wrap the key of a new
// recording.
func (s *Service) DevicesFor(ctx context.Context, ticket string) (list []MemberDevice, err error) {
	err = s.DB.Read(ctx, func(tx *db.Tx) error {
		by, err := actor.ByHost(ticket, s.Now)(ctx, tx, actor.Owns)
		if err != nil {
			return err
		}
		list, err = devicesIn(ctx, tx, by.Room.WorkspaceID, "")
		return err
	})
	return list, err
}

// openable refuses to begin an end_to_end recording that no device could open.
func openable(ctx context.Context, tx *db.Tx, r Recording) error {
	if r.Protection != EndToEnd {
		return nil
	}
	found, err := hasDevice(ctx, tx, r.WorkspaceID)
	if err == nil && !found {
		err = fault.Conflicting(api.CodeNoRecordingDevice,
			"No member of the workspace has a device that could open this recording. Open the page Recordings, signed in as a member, and try again.")
	}
	return err
}

// Wrap stores the key of a recording as the recording device wrapped it for members'
// devices. It does not replace keys that were wrapped before.
func (s *Service) Wrap(ctx context.Context, recordingID, secret string, wraps []Wrap) (Recording, error) {
	return s.changeUpload(ctx, recordingID, secret, func(tx *db.Tx, r Recording) (Recording, error) {
		if r.Over() {
			return r, errOver()
		}
		devices, err := devicesIn(ctx, tx, r.WorkspaceID, r.ID)
		if err != nil {
			return r, err
		}
		return r, s.storeWraps(ctx, tx, r, r.MadeBy, wraps, devices)
	})
}

func (s *Service) storeWraps(ctx context.Context, tx *db.Tx, r Recording, madeBy string, wraps []Wrap, devices []MemberDevice) error {
	if err := errors.Join(r.takesWraps(), checkWraps(wraps, func(string) bool { return false })); err != nil {
		return err
	}
	return insertWraps(ctx, tx, r.ID, madeBy, forDevices(wraps, devices), s.Now())
}

// asMember returns the principal of an account in the workspace of a recording, and the
// recording, if the account may see it. It reads the membership from the database each
// time.
func (s *Service) asMember(ctx context.Context, tx *db.Tx, accountID, recordingID string) (auth.Principal, Recording, error) {
	r, err := byID(ctx, tx, recordingID)
	if err == nil && r == nil {
		err = fault.Missing()
	}
	if err != nil {
		return auth.Principal{}, Recording{}, err
	}
	standing, err := s.Identity.RoleIn(ctx, tx, r.WorkspaceID, accountID)
	if err == nil && !standing.Member {
		err = fault.Missing()
	}
	if err != nil {
		return auth.Principal{}, Recording{}, err
	}
	p := auth.Principal{WorkspaceID: r.WorkspaceID, AccountID: accountID, ManagesAll: standing.ManagesRooms, Session: true}
	found, err := Find(ctx, tx, p, recordingID)
	return p, found, err
}

// KeyFor returns the key of a recording as it was wrapped for a device of an account.
func (s *Service) KeyFor(ctx context.Context, accountID, recordingID, deviceID string) (Wrap, error) {
	var d *Device
	var w *Wrap
	err := s.DB.Read(ctx, func(tx *db.Tx) error {
		_, r, err := s.asMember(ctx, tx, accountID, recordingID)
		if err != nil {
			return err
		}
		if d, err = deviceOf(ctx, tx, accountID, deviceID); err == nil && d != nil {
			w, err = readWrap(ctx, tx, r.ID, d.ID)
		}
		if err == nil && w == nil {
			err = fault.Missing()
		}
		return err
	})
	if err != nil {
		return Wrap{}, err
	}
	if _, due := d.usedAt(s.Now()); due {
		err = s.DB.Write(ctx, func(tx *db.Tx) error {
			_, err := s.used(ctx, tx, *d)
			return err
		})
	}
	return *w, err
}

// DropKey deletes the key of a recording that was wrapped for a device of an account and
// that the device cannot open. Another device can wrap it again.
func (s *Service) DropKey(ctx context.Context, accountID, recordingID, deviceID string) error {
	return s.DB.Write(ctx, func(tx *db.Tx) error {
		_, r, err := s.asMember(ctx, tx, accountID, recordingID)
		if err != nil {
			return err
		}
		found := false
		d, err := deviceOf(ctx, tx, accountID, deviceID)
		if err == nil && d != nil {
			found, err = deleteWrap(ctx, tx, r.ID, d.ID)
		}
		if err == nil && !found {
			err = fault.Missing()
		}
		return err
	})
}

// Missing lists the devices without the key of an end_to_end recording whose owners may
// see the recording.
func (s *Service) Missing(ctx context.Context, accountID, recordingID string) (list []MemberDevice, err error) {
	err = s.DB.Read(ctx, func(tx *db.Tx) error {
		_, r, err := s.asMember(ctx, tx, accountID, recordingID)
		if err != nil {
			return err
		}
		list, err = s.missing(ctx, tx, r)
		return err
	})
	return list, err
}

func (s *Service) missing(ctx context.Context, tx *db.Tx, r Recording) ([]MemberDevice, error) {
	if r.Protection != EndToEnd {
		return nil, nil
	}
	devices, err := devicesIn(ctx, tx, r.WorkspaceID, r.ID)
	if err != nil {
		return nil, err
	}
	for i := range devices {
		if r.Visibility != SeenPrivately {
			break // all members see it, whatever their role
		}
		standing, err := s.Identity.RoleIn(ctx, tx, r.WorkspaceID, devices[i].AccountID)
		if err != nil {
			return nil, err
		}
		devices[i].managesAll = standing.ManagesRooms
	}
	return r.openedOn(devices), nil
}

// Share stores the key of a recording, wrapped for more devices by a member who has it.
func (s *Service) Share(ctx context.Context, accountID, recordingID string, wraps []Wrap) error {
	return s.DB.Write(ctx, func(tx *db.Tx) error {
		_, r, err := s.asMember(ctx, tx, accountID, recordingID)
		if err != nil {
			return err
		}
		may, err := canOpen(ctx, tx, r.ID, accountID)
		if err == nil && !may && r.Protection == EndToEnd {
			err = fault.New(fault.Forbidden, api.CodeRecordingKeyMissing,
				"None of your devices can open this recording. Only members with a device that can open it may share it.")
		}
		if err != nil {
			return err
		}
		devices, err := s.missing(ctx, tx, r)
		if err != nil {
			return err
		}
		return s.storeWraps(ctx, tx, r, accountID, wraps, devices)
	})
}

// PartFor opens a part of a recording for a member. It stays encrypted.
func (s *Service) PartFor(ctx context.Context, accountID, recordingID, index string) (*blob.Reader, Part, error) {
	p, _, err := s.member(ctx, accountID, recordingID)
	if err != nil {
		return nil, Part{}, err
	}
	return s.OpenPart(ctx, p, recordingID, index, func(Recording) error { return nil })
}

// IndexFor opens the stored index of a recording for a member.
func (s *Service) IndexFor(ctx context.Context, accountID, recordingID string) (*blob.Reader, error) {
	_, r, err := s.member(ctx, accountID, recordingID)
	if err != nil {
		return nil, err
	}
	key := r.indexKey()
	if key == "" {
		return nil, fault.Missing()
	}
	content, err := s.Blobs.Get(ctx, key)
	if errors.Is(err, blob.ErrNotFound) { // replaced by a newer one, or deleted with the recording
		err = fault.Missing()
	}
	return content, noAnswer(err)
}

func (s *Service) member(ctx context.Context, accountID, recordingID string) (p auth.Principal, r Recording, err error) {
	err = s.DB.Read(ctx, func(tx *db.Tx) error {
		p, r, err = s.asMember(ctx, tx, accountID, recordingID)
		return err
	})
	return p, r, err
}
