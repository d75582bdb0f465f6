package bench

import (
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"testing"
	"time"

	"github.com/golang-jwt/jwt/v5"

	"github.com/conclave-rooms/conclave/api"
	"github.com/conclave-rooms/conclave/internal/db"
	"github.com/conclave-rooms/conclave/internal/id"
	"github.com/conclave-rooms/conclave/internal/room"
	"github.com/conclave-rooms/conclave/internal/schema"
	"github.com/conclave-rooms/conclave/internal/seal"
	"github.com/conclave-rooms/conclave/internal/server"
)

// floor answers the measured requests with as little work as possible: the same
// statements on the same database, one transaction for each request, and the
// same answer. It checks the key, but neither validates requests nor logs or
// counts them, and its errors are not useful.
type floor struct {
	db        *db.DB
	sealer    *seal.Sealer
	publicURL string
	address   string
}

// startFloor serves the bare handlers on another port.
func startFloor(b *testing.B, r *rig) *floor {
	b.Helper()
	sealer, err := server.OpenSealer(b.Context(), r.DB(), r.config.Data)
	if err != nil {
		b.Fatal(err)
	}
	listener, err := (&net.ListenConfig{}).Listen(b.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		b.Fatal(err)
	}
	f := &floor{db: r.DB(), sealer: sealer, publicURL: r.config.PublicURL, address: listener.Addr().String()}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /api/v1/rooms", f.answer(http.StatusOK, f.list))
	mux.HandleFunc("GET /api/v1/rooms/{room_id}", f.answer(http.StatusOK, f.get))
	mux.HandleFunc("POST /api/v1/rooms", f.answer(http.StatusCreated, f.create))
	mux.HandleFunc("POST /api/v1/rooms/{room_id}/tokens", f.answer(http.StatusCreated, f.token))
	web := &http.Server{Handler: mux, ReadHeaderTimeout: 10 * time.Second}
	go func() { _ = web.Serve(listener) }()
	b.Cleanup(func() { _ = web.Close() })
	return f
}

func (f *floor) answer(status int, h func(r *http.Request) (any, error)) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		out, err := h(r)
		if err != nil {
			http.Error(w, err.Error(), http.StatusInternalServerError)
			return
		}
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(status)
		enc := json.NewEncoder(w)
		enc.SetEscapeHTML(false)
		_ = enc.Encode(out)
	}
}

// caller checks the key of a request and returns its workspace and account.
func (f *floor) caller(ctx context.Context, tx *db.Tx, r *http.Request) (workspaceID, accountID string, err error) {
	key := r.Header.Get("Authorization")[len("Bearer "):]
	var (
		hash, scopes string
		role         db.Null[string]
		revoked      db.Null[int64]
	)
	err = tx.QueryRow(ctx, `
		SELECT k.workspace_id, k.secret_hash, k.scopes, k.created_by, k.revoked_at, m.role
		FROM api_key k
		LEFT JOIN member m ON m.workspace_id = k.workspace_id AND m.account_id = k.created_by
		LEFT JOIN workspace_role r ON r.id = m.role
		WHERE k.prefix = $1`, key[:len("svc_live_")+8]).Scan(&workspaceID, &hash, &scopes, &accountID, &revoked, &role)
	sum := sha256.Sum256([]byte(key))
	if err == nil && (subtle.ConstantTimeCompare([]byte(hex.EncodeToString(sum[:])), []byte(hash)) != 1 || revoked.Valid || !role.Valid) {
		err = errors.New("not a key")
	}
	return workspaceID, accountID, err
}

const roomColumns = `id, workspace_id, code, name, description, locked, settings, created_by, created_at, updated_at, deleted_at`

func (f *floor) scan(s db.Scanner) (api.Room, error) {
	var (
		r                   = api.Room{Object: "room"}
		settings, createdBy string
		description         db.Null[string]
		created, updated    int64
		deleted             db.Null[int64]
	)
	err := s.Scan(&r.ID, &r.WorkspaceID, &r.Code, &r.Name, &description, &r.Locked, &settings, &createdBy, &created, &updated, &deleted)
	if err != nil {
		return r, err
	}
	if description.Valid {
		r.Description = &description.V
	}
	r.URL, r.CreatedAt, r.UpdatedAt = f.publicURL+"/"+r.Code, api.Millis(created), api.Millis(updated)
	return r, json.Unmarshal([]byte(settings), &r.Settings)
}

func (f *floor) list(r *http.Request) (out any, err error) {
	err = f.db.Read(r.Context(), func(tx *db.Tx) error {
		workspaceID, _, err := f.caller(r.Context(), tx, r)
		if err != nil {
			return err
		}
		rooms, err := db.Query(r.Context(), tx, f.scan, `SELECT `+roomColumns+` FROM room WHERE workspace_id = $1 AND deleted_at IS NULL
			ORDER BY created_at DESC, id DESC LIMIT $2`, workspaceID, 26)
		more := len(rooms) > 25
		if more {
			rooms = rooms[:25]
		}
		out = api.ListOf(rooms, more)
		return err
	})
	return out, err
}

// find reads the room named by the path.
func (f *floor) find(tx *db.Tx, r *http.Request, workspaceID string) (api.Room, error) {
	return f.scan(tx.QueryRow(r.Context(), `SELECT `+roomColumns+` FROM room WHERE id = $1 AND workspace_id = $2 AND deleted_at IS NULL`,
		r.PathValue("room_id"), workspaceID))
}

func (f *floor) get(r *http.Request) (out any, err error) {
	err = f.db.Read(r.Context(), func(tx *db.Tx) error {
		workspaceID, _, err := f.caller(r.Context(), tx, r)
		if err != nil {
			return err
		}
		out, err = f.find(tx, r, workspaceID)
		return err
	})
	return out, err
}

func (f *floor) create(r *http.Request) (out any, err error) {
	var in api.RoomCreate
	if err := json.NewDecoder(r.Body).Decode(&in); err != nil {
		return nil, fmt.Errorf("read the body: %w", err)
	}
	ctx, now := r.Context(), api.At(time.Now())
	given, err := room.NewSettings(room.TypeMeeting, schema.Filled(in.Settings))
	if err != nil {
		return nil, err
	}
	made := api.Room{
		Object: "room", ID: id.New(), Name: in.Name, Code: id.Random(10, id.Lower), Settings: given, CreatedAt: now, UpdatedAt: now,
	}
	made.Code = made.Code[:3] + "-" + made.Code[3:7] + "-" + made.Code[7:]
	made.URL = f.publicURL + "/" + made.Code
	settings, _ := json.Marshal(made.Settings)
	err = f.db.Write(ctx, func(tx *db.Tx) error {
		workspaceID, accountID, err := f.caller(ctx, tx, r)
		if err != nil {
			return err
		}
		made.WorkspaceID = workspaceID
		_, err = tx.Exec(ctx, `INSERT INTO room (`+roomColumns+`) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, NULL)`,
			made.ID, made.WorkspaceID, made.Code, made.Name, made.Description, made.Locked, string(settings), accountID, now.UnixMilli(), now.UnixMilli())
		if err != nil {
			return err
		}
		event, _ := json.Marshal(api.RoomEvent{Room: made, OccurredAt: now})
		_, err = tx.Exec(ctx, `INSERT INTO event (id, workspace_id, type, created_at, data) VALUES ($1, $2, $3, $4, $5)`,
			"evt_"+id.Random(26, id.Lower), workspaceID, string(api.EventRoomCreated), now.UnixMilli(), string(event))
		return err
	})
	return made, err
}

// token writes nothing: the passphrase exists, and one that is used often is
// only written once a minute.
func (f *floor) token(r *http.Request) (out any, err error) {
	var in api.TokenCreate
	if err := json.NewDecoder(r.Body).Decode(&in); err != nil {
		return nil, fmt.Errorf("read the body: %w", err)
	}
	var (
		sealed string
		until  int64
		where  api.Room
	)
	err = f.db.Read(r.Context(), func(tx *db.Tx) error {
		workspaceID, _, err := f.caller(r.Context(), tx, r)
		if err != nil {
			return err
		}
		if where, err = f.find(tx, r, workspaceID); err != nil {
			return err
		}
		return tx.QueryRow(r.Context(), `SELECT passphrase, passphrase_until FROM live_room WHERE room_id = $1`, where.ID).Scan(&sealed, &until)
	})
	if err != nil {
		return nil, err
	}
	passphrase, err := f.sealer.Open(sealed, "live_room/passphrase/"+where.ID)
	if err != nil {
		return nil, err
	}
	identity, now := "api_"+id.Random(16, id.Lower)+"."+id.Random(8, id.Lower), time.Now()
	text, err := jwt.NewWithClaims(jwt.SigningMethodHS256, jwt.MapClaims{
		"iss": "conclave", "sub": identity, "nbf": now.Unix() - 60, "exp": now.Unix() + 600, "name": in.Name,
		"video": map[string]any{
			"room": where.ID, "roomJoin": true, "canPublish": true, "canSubscribe": true, "canPublishData": true,
			"canPublishSources": []string{"microphone", "camera", "screen_share", "screen_share_audio"},
		},
		"attributes": map[string]string{"role": in.Role.Or("")}, "conclave": map[string]string{"kind": "token", "role": in.Role.Or("")},
	}).SignedString(make([]byte, 32))
	return api.RoomToken{
		Object: "room_token", ServerURL: f.publicURL, Token: text, Identity: identity, E2EEPassphrase: string(passphrase), ExpiresIn: 600,
	}, err
}
