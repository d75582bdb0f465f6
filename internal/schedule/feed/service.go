package feed

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/conclave-rooms/conclave/api"
	"github.com/conclave-rooms/conclave/internal/db"
	"github.com/conclave-rooms/conclave/internal/fault"
	"github.com/conclave-rooms/conclave/internal/id"
	"github.com/conclave-rooms/conclave/internal/identity"
	"github.com/conclave-rooms/conclave/internal/schedule"
	"github.com/conclave-rooms/conclave/internal/schedule/calendar"
	"github.com/conclave-rooms/conclave/internal/schedule/mirror"
	"github.com/conclave-rooms/conclave/internal/seal"
)

const (
	// past and ahead are the window of a feed.
	past  = 30 * 24 * time.Hour
	ahead = 366 * 24 * time.Hour
	// mostEntries limits the entries of a feed, with the soonest of each workspace.
	mostEntries = 1000
)

// Service stores the addresses of feeds and writes their text.
type Service struct {
	DB        *db.DB
	Schedule  *schedule.Service
	Identity  *identity.Service
	Sealer    *seal.Sealer
	Now       func() time.Time
	PublicURL string
}

// Feed is a person's feed as they see it.
type Feed struct {
	Object    string    `json:"object" enum:"calendar_feed"`
	Address   *string   `json:"address" nullable:"true" doc:"Address from which calendar programs fetch the feed; null until it is first made. Everybody who has it sees the meetings."`
	CreatedAt *api.Time `json:"created_at" nullable:"true" doc:"When this address was made."`
}

// Get reads the feed of an account.
func (s *Service) Get(ctx context.Context, accountID string) (Feed, error) {
	var (
		sealed  string
		created time.Time
	)
	err := s.DB.Read(ctx, func(tx *db.Tx) (err error) {
		sealed, created, err = readFeed(ctx, tx, accountID)
		return err
	})
	if errors.Is(err, db.ErrNoRows) {
		return Feed{Object: "calendar_feed", Address: nil, CreatedAt: nil}, nil
	}
	if err != nil {
		return Feed{}, fmt.Errorf("read the feed of an account: %w", err)
	}
	secret, err := s.Sealer.Open(sealed, binding(accountID))
	if err != nil {
		return Feed{}, fmt.Errorf("open the secret of a feed: %w", err)
	}
	return s.feed(string(secret), created), nil
}

func (s *Service) feed(secret string, created time.Time) Feed {
	address, at := s.PublicURL+pathPrefix+secret+pathSuffix, api.At(created)
	return Feed{Object: "calendar_feed", Address: &address, CreatedAt: &at}
}

// Reset gives an account's feed its first or a new address. The old one no longer works.
func (s *Service) Reset(ctx context.Context, accountID string) (Feed, error) {
	secret, now := id.Secret(), api.At(s.Now()).Time
	sealed, err := s.Sealer.Seal([]byte(secret), binding(accountID))
	if err != nil {
		return Feed{}, fmt.Errorf("seal the secret of a feed: %w", err)
	}
	err = s.DB.Write(ctx, func(tx *db.Tx) error {
		return saveFeed(ctx, tx, accountID, id.Hash(secret), sealed, now)
	})
	return s.feed(secret, now), err
}

// binding names the row and column of a feed's secret, so that it can only be opened there.
func binding(accountID string) string { return "calendar_feed/secret/" + accountID }

// accountOf returns the account whose feed has a secret; "" when there is none.
func (s *Service) accountOf(ctx context.Context, secret string) (accountID string, err error) {
	if secret == "" {
		return "", nil
	}
	err = s.DB.Read(ctx, func(tx *db.Tx) error {
		accountID, err = feedAccount(ctx, tx, id.Hash(secret))
		return err
	})
	if errors.Is(err, db.ErrNoRows) {
		return "", nil
	}
	if err != nil {
		return "", fmt.Errorf("look for a feed: %w", err)
	}
	return accountID, nil
}

// text writes the feed of an account.
func (s *Service) text(ctx context.Context, accountID string) ([]byte, error) {
	var entries []calendar.Entry
	err := s.DB.Read(ctx, func(tx *db.Tx) error {
		workspaces, err := identity.WorkspacesOf(ctx, tx, accountID)
		if err != nil {
			return err
		}
		now := s.Now()
		for _, w := range workspaces {
			meetings, err := s.Schedule.Within(ctx, tx, w.ID, now.Add(-past), now.Add(ahead), mostEntries)
			if err != nil {
				return err
			}
			for _, m := range meetings {
				entries = append(entries, mirror.EntryOf(m, s.PublicURL))
			}
		}
		return nil
	})
	if err != nil {
		return nil, err //nolint:wrapcheck // wrapped already
	}
	raw, err := calendar.Feed("Conclave", entries, mirror.Host(s.PublicURL))
	if err != nil {
		return nil, fmt.Errorf("write a feed: %w", err)
	}
	return raw, nil
}

// One writes one meeting of a workspace of which an account is a member.
func (s *Service) One(ctx context.Context, accountID, meetingID string) ([]byte, error) {
	var m schedule.Meeting
	err := s.DB.Read(ctx, func(tx *db.Tx) (err error) {
		there := false
		if id.Valid(meetingID) {
			if m, there, err = s.Schedule.Any(ctx, tx, meetingID); err != nil {
				return err
			}
		}
		if !there || m.Deleted() {
			return fault.Missing()
		}
		standing, err := s.Identity.RoleIn(ctx, tx, m.WorkspaceID, accountID)
		if err == nil && !standing.Member {
			return fault.Missing()
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	raw, err := calendar.Object(mirror.EntryOf(m, s.PublicURL), mirror.Host(s.PublicURL))
	if err != nil {
		return nil, fmt.Errorf("write a meeting as a file: %w", err)
	}
	return raw, nil
}

// The path of a feed: /calendar/<secret>.ics.
const (
	pathPrefix = "/calendar/"
	pathSuffix = ".ics"
)

// secretOf returns the secret in a feed's path; "" for another path.
func secretOf(path string) string {
	secret, ok := strings.CutPrefix(path, pathPrefix)
	if secret, is := strings.CutSuffix(secret, pathSuffix); ok && is && len(secret) <= 100 {
		return secret
	}
	return ""
}
