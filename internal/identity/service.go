package identity

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"time"

	"github.com/conclave-rooms/conclave/api"
	"github.com/conclave-rooms/conclave/internal/db"
	"github.com/conclave-rooms/conclave/internal/fault"
	"github.com/conclave-rooms/conclave/internal/id"
	"github.com/conclave-rooms/conclave/internal/mail"
	"github.com/conclave-rooms/conclave/internal/seal"
)

// Service creates and checks identities.
type Service struct {
	DB        *db.DB
	Now       func() time.Time
	Logger    *slog.Logger
	PublicURL string
	Mail      *mail.Sender // nil: invitations are not mailed, only shown to the person who invites
	OIDC      *OIDC        // nil: people sign in with passwords only

	// Sealer seals cookies: the flow of a sign-in through the identity provider,
	// and the mark of a known device. Commands that serve no requests leave it nil.
	Sealer *seal.Sealer

	// OnStanding is called when an account's place in a workspace changed: it
	// became a member, got another role, or is no longer a member. The call is part
	// of the same transaction.
	OnStanding func(ctx context.Context, tx *db.Tx, workspaceID, accountID string) error

	passwords hashing
	keys      keyring
}

// CreateWorkspace creates a workspace, and the account of its owner when the
// address is new.
func (s *Service) CreateWorkspace(ctx context.Context, name, ownerEmail string) (Workspace, Account, error) {
	name, err := cleanName(name)
	if err != nil {
		return Workspace{}, Account{}, err
	}
	email, err := cleanEmail(ownerEmail)
	if err != nil {
		return Workspace{}, Account{}, err
	}
	var (
		w     = Workspace{ID: id.New(), Name: name, CreatedAt: api.At(s.Now())}
		owner Account
	)
	err = s.DB.Write(ctx, func(tx *db.Tx) error {
		if owner, err = s.accountFor(ctx, tx, email); err != nil {
			return err
		}
		if err := insertWorkspace(ctx, tx, w, ""); err != nil {
			return err
		}
		return upsertMember(ctx, tx, w.ID, owner.ID, RoleOwner, w.CreatedAt.Time)
	})
	return w, owner, err
}

// accountFor finds the account of an address, or creates it together with its
// personal workspace.
func (s *Service) accountFor(ctx context.Context, tx *db.Tx, email string) (Account, error) {
	account, err := accountByEmail(ctx, tx, email)
	if err == nil {
		return account, nil
	}
	if !errors.Is(err, db.ErrNoRows) {
		return Account{}, fmt.Errorf("look for the account: %w", err)
	}
	account = Account{ID: id.New(), Email: email, Name: ""}
	personal := Workspace{ID: id.New(), Name: email, Personal: true, CreatedAt: api.At(s.Now())}
	if err := insertAccount(ctx, tx, account, personal.CreatedAt.Time); err != nil {
		return Account{}, err
	}
	if err := insertWorkspace(ctx, tx, personal, account.ID); err != nil {
		return Account{}, err
	}
	return account, upsertMember(ctx, tx, personal.ID, account.ID, RoleOwner, personal.CreatedAt.Time)
}

// Workspaces lists every workspace, personal ones included.
func (s *Service) Workspaces(ctx context.Context) (list []Workspace, err error) {
	err = s.DB.Read(ctx, func(tx *db.Tx) error {
		list, err = workspaces(ctx, tx)
		return err
	})
	return list, err
}

// AddMember puts an account into a workspace, or changes its role there. role
// is owner, admin, member, or the name of a role of the workspace. With "", members
// keep their role, and others become a member.
func (s *Service) AddMember(ctx context.Context, workspaceID, email, role string) (Member, error) {
	email, err := cleanEmail(email)
	if err != nil {
		return Member{}, err
	}
	if clean, err := cleanName(role); err == nil {
		role = clean // as CreateRole stored it
	}
	var m Member
	err = s.DB.Write(ctx, func(tx *db.Tx) error {
		if err := requireWorkspace(ctx, tx, workspaceID); err != nil {
			return err
		}
		stored, err := storedRole(ctx, tx, workspaceID, cmp.Or(role, RoleMember))
		if err != nil {
			return err
		}
		account, err := s.accountFor(ctx, tx, email)
		if err != nil {
			return err
		}
		m = Member{AccountID: account.ID, Email: account.Email, Role: cmp.Or(role, RoleMember), CreatedAt: api.At(s.Now())}
		all, err := members(ctx, tx, workspaceID)
		if err != nil {
			return err
		}
		if i := slices.IndexFunc(all, func(o Member) bool { return o.AccountID == account.ID }); i >= 0 {
			if m.CreatedAt = all[i].CreatedAt; role == "" {
				m = all[i]
				return nil
			}
		}
		if stored != RoleOwner {
			if err := keepAnOwner(ctx, tx, workspaceID, account.ID); err != nil {
				return err
			}
		}
		if err := upsertMember(ctx, tx, workspaceID, account.ID, stored, m.CreatedAt.Time); err != nil {
			return err
		}
		tx.AfterCommit(s.keys.forget)
		return s.OnStanding(ctx, tx, workspaceID, account.ID)
	})
	return m, err
}

// storedRole returns a role as a member's row names it: by its id, if it is one of the
// workspace's own.
func storedRole(ctx context.Context, tx *db.Tx, workspaceID, role string) (string, error) {
	if role == RoleOwner || role == RoleAdmin || role == RoleMember {
		return role, nil
	}
	stored, err := roleIDByName(ctx, tx, workspaceID, role)
	if err == nil && stored == "" {
		err = fault.BadParameter("role", "The role must be owner, admin, member, or the name of a role made with `conclave roles create`.")
	}
	return stored, err
}

// RemoveMember takes an account out of a workspace. Keys it made stop working
// within a second.
func (s *Service) RemoveMember(ctx context.Context, workspaceID, email string) error {
	email, err := cleanEmail(email)
	if err != nil {
		return err
	}
	return s.DB.Write(ctx, func(tx *db.Tx) error {
		if err := requireWorkspace(ctx, tx, workspaceID); err != nil {
			return err
		}
		account, err := accountByEmail(ctx, tx, email)
		if errors.Is(err, db.ErrNoRows) {
			return noMember()
		}
		if err != nil {
			return fmt.Errorf("look for the account: %w", err)
		}
		if err := keepAnOwner(ctx, tx, workspaceID, account.ID); err != nil {
			return err
		}
		removed, err := deleteMember(ctx, tx, workspaceID, account.ID)
		switch {
		case err != nil:
			return err
		case !removed:
			return noMember()
		}
		tx.AfterCommit(s.keys.forget)
		return s.OnStanding(ctx, tx, workspaceID, account.ID)
	})
}

func noMember() error {
	return fault.MissingParam("email", "Nobody with this address is a member of the workspace; `conclave members list` lists them.")
}

// keepAnOwner refuses to take the role from a workspace's last owner: no one
// would be left who could give it back.
func keepAnOwner(ctx context.Context, tx *db.Tx, workspaceID, leavingID string) error {
	all, err := owners(ctx, tx, workspaceID)
	if err != nil {
		return err
	}
	if len(all) == 1 && all[0].ID == leavingID {
		return fault.BadParameter("email", "This is the workspace's only owner. Make somebody else an owner first.")
	}
	return nil
}

// Members lists a workspace's members, oldest first.
func (s *Service) Members(ctx context.Context, workspaceID string) (list []Member, err error) {
	err = s.DB.Read(ctx, func(tx *db.Tx) error {
		if err := requireWorkspace(ctx, tx, workspaceID); err != nil {
			return err
		}
		list, err = members(ctx, tx, workspaceID)
		return err
	})
	return list, err
}

// CreateRole creates a role of a workspace with the given rights.
func (s *Service) CreateRole(ctx context.Context, workspaceID, name string, given []string) (Role, error) {
	name, err := cleanName(name)
	if err != nil {
		return Role{}, err
	}
	if slices.Contains([]string{RoleOwner, RoleAdmin, RoleMember}, name) {
		return Role{}, fault.BadParameter("name", "Every workspace has the roles owner, admin and member already. Choose another name.")
	}
	role := Role{ID: id.New(), Name: name, ManageKeys: slices.Contains(given, RightManageKeys), ManageRooms: slices.Contains(given, RightManageRooms)}
	for _, right := range given {
		if right != RightManageKeys && right != RightManageRooms {
			return Role{}, fault.BadParameter("rights", "A role may carry the rights manage_keys and manage_rooms, and no other.")
		}
	}
	err = s.DB.Write(ctx, func(tx *db.Tx) error {
		if err := requireWorkspace(ctx, tx, workspaceID); err != nil {
			return err
		}
		existing, err := roleIDByName(ctx, tx, workspaceID, name)
		if err != nil {
			return err
		}
		if existing != "" {
			return fault.BadParameter("name", "The workspace has a role of this name already. Choose another name.")
		}
		return insertRole(ctx, tx, workspaceID, role, s.Now())
	})
	return role, err
}

func requireWorkspace(ctx context.Context, tx *db.Tx, workspaceID string) error {
	there, err := workspaceExists(ctx, tx, workspaceID)
	if err == nil && !there {
		err = fault.MissingParam("workspace", "There is no workspace with this id; `conclave workspaces list` lists them.")
	}
	return err
}
