package db_test

import (
	"bytes"
	"log/slog"
	"strings"
	"testing"

	"github.com/conclave-rooms/conclave/internal/db"
	"github.com/conclave-rooms/conclave/internal/db/dbtest"
)

// The log names every migration, also those that are functions.
func TestEveryMigrationIsLoggedWithItsName(t *testing.T) {
	t.Parallel()
	for _, engine := range []db.Engine{db.SQLite, db.PostgreSQL} {
		t.Run(string(engine), func(t *testing.T) {
			t.Parallel()
			where := dbtest.Empty(t, engine)
			var log bytes.Buffer
			where.Logger = slog.New(slog.NewTextHandler(&log, nil))
			dbtest.Open(t, where)
			lines := strings.Count(log.String(), "database migrated")
			if lines < 20 || strings.Count(log.String(), "migration=00") != lines {
				t.Errorf("of %d migrations, not all have a name:\n%s", lines, log.String())
			}
		})
	}
}
