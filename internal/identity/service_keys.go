package identity

import (
	"context"
	"crypto/subtle"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/conclave-rooms/conclave/api"
	"github.com/conclave-rooms/conclave/internal/auth"
	"github.com/conclave-rooms/conclave/internal/db"
	"github.com/conclave-rooms/conclave/internal/fault"
	"github.com/conclave-rooms/conclave/internal/id"
)

// KeyRequest describes a new key. A key may expire at any time in the future: the command
// line, with which operators create keys, takes such a time, and also 30, 90 or 365 days.
type KeyRequest struct {
	WorkspaceID string
	Name        string
	Scopes      []api.Scope
	Environment string     // live when empty
	ExpiresAt   *time.Time // nil: never
	CreatedBy   string     // e-mail; the workspace's first owner when empty
}

// CreateKey creates a key. The key itself is returned here and stored nowhere.
func (s *Service) CreateKey(ctx context.Context, r KeyRequest) (string, api.APIKey, error) {
	if err := checkKeyRequest(&r, s.Now()); err != nil {
		return "", api.APIKey{}, err
	}
	key := newKey(r.Environment)
	row := keyRow{hash: id.Hash(key)}
	row.APIKey = api.APIKey{
		Object: "api_key", ID: id.New(), WorkspaceID: r.WorkspaceID, Scopes: r.Scopes, Environment: r.Environment,
		Name: r.Name, Prefix: keyPrefix(key), CreatedAt: api.At(s.Now()),
	}
	if r.ExpiresAt != nil {
		at := api.At(*r.ExpiresAt)
		row.ExpiresAt = &at
	}
	err := s.DB.Write(ctx, func(tx *db.Tx) error {
		if err := requireWorkspace(ctx, tx, r.WorkspaceID); err != nil {
			return err
		}
		creator, err := keyCreator(ctx, tx, r)
		if err != nil {
			return err
		}
		row.CreatedBy = creator
		return insertKey(ctx, tx, row)
	})
	if err != nil {
		return "", api.APIKey{}, err
	}
	return key, row.APIKey, nil
}

// checkKeyRequest checks what can be checked without the database, and fills in
// the defaults.
func checkKeyRequest(r *KeyRequest, now time.Time) error {
	if r.Environment == "" {
		r.Environment = EnvironmentLive
	}
	if r.Environment != EnvironmentLive && r.Environment != EnvironmentTest {
		return fault.BadParameter("environment", "The environment must be live or test.")
	}
	if r.Name == "" {
		r.Name = "API key"
	}
	name, err := cleanName(r.Name)
	if err != nil {
		return err
	}
	r.Name = name
	if len(r.Scopes) == 0 {
		return fault.BadParameter("scopes", "Name at least one scope, or all.")
	}
	for _, scope := range r.Scopes {
		if !slices.Contains(api.Scopes(), scope) {
			return fault.BadParameter("scopes", fmt.Sprintf("%q is not a scope. The scopes are %s.", scope, strings.Trim(fmt.Sprint(api.Scopes()), "[]")))
		}
	}
	// Keep the documented order, and each scope once.
	r.Scopes = slices.DeleteFunc(api.Scopes(), func(s api.Scope) bool { return !slices.Contains(r.Scopes, s) })
	if r.ExpiresAt != nil && !r.ExpiresAt.After(now) {
		return fault.BadParameter("expires_at", "A key must expire in the future.")
	}
	return nil
}

// keyCreator finds the account a key acts for and checks that it may create keys.
func keyCreator(ctx context.Context, tx *db.Tx, r KeyRequest) (string, error) {
	if r.CreatedBy == "" {
		all, err := owners(ctx, tx, r.WorkspaceID)
		if err != nil {
			return "", err
		}
		if len(all) == 0 {
			return "", fault.BadParameter("created_by", "The workspace has no owner; say whose key this is.")
		}
		return all[0].ID, nil
	}
	email, err := cleanEmail(r.CreatedBy)
	if err != nil {
		return "", err
	}
	account, err := accountByEmail(ctx, tx, email)
	if err != nil && !errors.Is(err, db.ErrNoRows) {
		return "", fmt.Errorf("look for the key's creator: %w", err)
	}
	role, custom, err := roleOf(ctx, tx, r.WorkspaceID, account.ID)
	if err != nil {
		return "", err
	}
	if manageKeys, _ := rights(role, custom); !manageKeys {
		return "", fault.BadParameter("created_by", "Only the workspace's owners, admins and members whose role may manage API keys and webhooks make keys.")
	}
	return account.ID, nil
}

// Keys lists a workspace's keys, newest first, including revoked ones, which are
// marked.
func (s *Service) Keys(ctx context.Context, workspaceID string) (list []ListedKey, err error) {
	err = s.DB.Read(ctx, func(tx *db.Tx) error {
		if err := requireWorkspace(ctx, tx, workspaceID); err != nil {
			return err
		}
		rows, err := keysOf(ctx, tx, workspaceID)
		list = make([]ListedKey, 0, len(rows))
		for _, k := range rows {
			list = append(list, ListedKey{APIKey: k.APIKey, Revoked: k.revoked})
		}
		return err
	})
	return list, err
}

// ListedKey is a key as the workspace's administrator sees it.
type ListedKey struct {
	api.APIKey

	Revoked bool `json:"revoked"`
}

// RevokeKey ends a key for good. Revoking it again changes nothing.
func (s *Service) RevokeKey(ctx context.Context, keyID string) error {
	return s.DB.Write(ctx, func(tx *db.Tx) error {
		tx.AfterCommit(s.keys.forget)
		found, err := revokeKey(ctx, tx, keyID, s.Now())
		if err == nil && !found {
			err = fault.MissingParam("key_id", "There is no key with this id; `conclave keys list` lists them.")
		}
		return err
	})
}

// touchEvery is how precisely the last use of a key is known
// (docs/reference/authentication.md): a key in use is written once a minute
// instead of with every request.
const touchEvery = time.Minute

// Authenticate finds the principal of a key. A malformed key, an unknown one and
// one with a wrong secret get the same error; only a caller with the right secret
// learns that a key is revoked, expired or inactive.
func (s *Service) Authenticate(ctx context.Context, bearer string) (auth.Principal, api.APIKey, error) {
	invalid := fault.New(fault.Unauthenticated, api.CodeAPIKeyInvalid, "This service has no such API key. Check that the whole key was copied.")
	if !wellFormed(bearer) {
		return auth.Principal{}, api.APIKey{}, invalid
	}
	now := s.Now()
	k, known, changes := s.keys.find(keyPrefix(bearer), now)
	// A use that is due is written and remembered with the row, once.
	if known && k.useDue(now) {
		known = false
	}
	if !known {
		err := s.DB.ReadOne(ctx, func(tx *db.Tx) (err error) {
			k, err = keyByPrefix(ctx, tx, keyPrefix(bearer))
			return err
		})
		if errors.Is(err, db.ErrNoRows) {
			return auth.Principal{}, api.APIKey{}, invalid
		}
		if err != nil {
			return auth.Principal{}, api.APIKey{}, fmt.Errorf("look up an API key: %w", err)
		}
	}
	switch {
	case subtle.ConstantTimeCompare([]byte(k.hash), []byte(id.Hash(bearer))) != 1:
		return auth.Principal{}, api.APIKey{}, invalid
	case k.revoked:
		return auth.Principal{}, api.APIKey{}, fault.New(fault.Unauthenticated, api.CodeAPIKeyRevoked, "The API key was revoked. Use another one.")
	case k.ExpiresAt != nil && !now.Before(k.ExpiresAt.Time):
		return auth.Principal{}, api.APIKey{}, fault.New(fault.Unauthenticated, api.CodeAPIKeyExpired, "The API key has expired. Make a new one.")
	case !k.manageKeys:
		return auth.Principal{}, api.APIKey{}, fault.New(fault.Unauthenticated, api.CodeAPIKeyInactive, "The API key does not work while its creator may not manage API keys in the workspace. Give the creator that right again, or use another key.")
	}
	s.touch(ctx, &k, now)
	if !known {
		s.keys.keep(k, now, changes)
	}
	return auth.Principal{
		KeyID: k.ID, WorkspaceID: k.WorkspaceID, AccountID: k.CreatedBy, ManagesAll: k.manageRooms,
		Environment: k.Environment, Scopes: k.Scopes,
	}, k.APIKey, nil
}

// useDue says whether no use of the key was recorded in the last minute.
func (k *keyRow) useDue(now time.Time) bool {
	return k.LastUsedAt == nil || !k.LastUsedAt.After(now.Add(-touchEvery))
}

// touch records the use of a key, unless one was recorded in the last minute.
func (s *Service) touch(ctx context.Context, k *keyRow, now time.Time) {
	if !k.useDue(now) {
		return
	}
	before := now.Add(-touchEvery)
	err := s.DB.Write(ctx, func(tx *db.Tx) error { return touchKey(ctx, tx, k.ID, now, before) })
	if err != nil {
		// A full disk must not stop people from reading.
		s.Logger.WarnContext(ctx, "could not record the use of a key", "key_id", k.ID, "error", err)
	}
	at := api.At(now)
	k.LastUsedAt = &at
}

// Key reads one key of a workspace.
func (s *Service) Key(ctx context.Context, workspaceID, keyID string) (api.APIKey, error) {
	var found api.APIKey
	err := s.DB.Read(ctx, func(tx *db.Tx) error {
		rows, err := keysOf(ctx, tx, workspaceID)
		if err != nil {
			return err
		}
		for _, k := range rows {
			if k.ID == keyID {
				found = k.APIKey
				return nil
			}
		}
		return fault.Missing()
	})
	return found, err
}
