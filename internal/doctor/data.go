package doctor

import (
	"context"
	"crypto/rand"
	"crypto/tls"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"os"
	"strings"
	"time"

	"github.com/conclave-rooms/conclave/internal/blob"
	"github.com/conclave-rooms/conclave/internal/config"
	"github.com/conclave-rooms/conclave/internal/db"
	"github.com/conclave-rooms/conclave/internal/mail"
	"github.com/conclave-rooms/conclave/internal/media/livekit"
)

func (o *Options) examineDatabase(ctx context.Context) (db.Examination, error) {
	return db.Examine(ctx, db.Config{URL: o.Config.DatabaseURL, Dir: o.Config.Data.Data, Wall: o.Now})
}

func database(ctx context.Context, o *Options) Finding {
	x, err := o.examineDatabase(ctx)
	switch {
	case err != nil && o.Config.DatabaseURL != "":
		return failed("Is PostgreSQL running, does --database-url name its address, account and password, and may this machine connect (pg_hba.conf)?", "The database does not answer: %v.", err)
	case err != nil:
		return failed("Let the account that runs the service own the files in the data directory. If the file is damaged, restore a backup.", "The database cannot be read: %v.", err)
	case x.Schema == 0:
		return ok("%s is there, without data: the first start makes the tables.", x.Server)
	case x.Schema > x.Known:
		return failed("Use the newer program, or restore a backup from before the upgrade.", "%s has schema %d, from a newer program; this one knows up to %d.", x.Server, x.Schema, x.Known)
	case x.Schema < x.Known:
		return ok("%s has schema %d; the next start brings it up to %d.", x.Server, x.Schema, x.Known)
	case !x.Durable:
		return warning("Set fsync = on and synchronous_commit = on: otherwise a power cut loses what was acknowledged.", "%s does not wait for its disk.", x.Server)
	}
	return ok("%s has schema %d, which this program uses.", x.Server, x.Schema)
}

// mostSkew is the difference from which on a running service tells operators that a clock
// is wrong.
const mostSkew = 2500 * time.Millisecond

func clock(ctx context.Context, o *Options) Finding {
	if o.Config.DatabaseURL == "" {
		isSet, known := clockIsSet()
		return clockAlone(isSet, known, o.Now())
	}
	x, err := o.examineDatabase(ctx)
	if err != nil {
		return failed("Look at the database first.", "The database does not tell its time: %v.", err)
	}
	if x.Skew.Abs() > mostSkew {
		return failed("Let NTP set both: media servers with Redis need clocks that agree within a second or two, and certificates and TURN need the right time.",
			"This machine's clock is %s ahead of the database's.", x.Skew.Round(100*time.Millisecond))
	}
	return ok("This machine's clock agrees with the database's.")
}

// clockAlone judges the clock of a machine with SQLite. There the service has no other
// clock: what it stores and what it answers go by this one. So the question is whether
// something keeps it right.
func clockAlone(isSet, known bool, now time.Time) Finding {
	says := now.UTC().Format(time.RFC3339)
	switch {
	case !known:
		return skipped("Not compared: with SQLite there is no other clock, and this system does not say whether something keeps its own right, which says %s.", says)
	case !isSet:
		return warning("Let NTP set it (systemd-timesyncd, chrony): certificates and TURN need the right time. Where the host of a virtual machine sets the clock, ignore this.",
			"Not compared, as with SQLite there is no other clock, and the system knows of nothing that keeps its own right, which says %s.", says)
	}
	return ok("The system keeps its clock right, which says %s; with SQLite there is no other one to compare with.", says)
}

func redisAnswers(ctx context.Context, o *Options) Finding {
	if o.Config.RedisURL == "" {
		return skipped("No --redis-url: this is one node.")
	}
	c, err := config.ParseRedis(o.Config.RedisURL)
	if err != nil {
		return failed("Correct --redis-url.", "%v.", err)
	}
	client := livekit.Redis(c).Client(5*time.Second, o.Trust)
	defer func() { _ = client.Close() }()
	info, err := client.Info(ctx).Result() // of all sections: before Redis 7 one cannot ask for several
	if err != nil {
		return failed("Is Redis running, and does --redis-url name its address, account and password? Without it nobody can join.", "Redis does not answer: %v.", err)
	}
	version := infoField(info, "redis_version")
	advice := "Set appendonly yes and maxmemory-policy noeviction: a Redis that forgets can split meetings for seconds."
	switch {
	case infoField(info, "aof_enabled") != "1":
		return warning(advice, "Redis %s answers, and does not write to disk (appendonly).", version)
	case infoField(info, "maxmemory_policy") != "noeviction" && infoField(info, "maxmemory") != "0":
		return warning(advice, "Redis %s answers, and may drop keys when memory is short (%s).", version, infoField(info, "maxmemory_policy"))
	}
	return ok("Redis %s answers, and writes to disk.", version)
}

// infoField finds a field in the answer to INFO.
func infoField(info, name string) string {
	for line := range strings.Lines(info) {
		if value, found := strings.CutPrefix(line, name+":"); found {
			return strings.TrimSpace(value)
		}
	}
	return ""
}

// deleteWithin limits how long deleting the probe takes when writing it failed.
const deleteWithin = 5 * time.Second

func bucket(ctx context.Context, o *Options) Finding {
	if o.Config.BlobURL == "" {
		return skipped("No --blob-url: recordings are files in the data directory.")
	}
	advice := "Check the bucket's name, region and endpoint, the credentials (AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY), and its policy: it must allow ListBucket, PutObject, GetObject and DeleteObject."
	room := "Make room for temporary files, or set TMPDIR."
	// The working directory, where a file would wait otherwise, may belong to somebody else.
	dir, err := os.MkdirTemp("", "conclave-doctor-")
	if err != nil {
		return failed(room, "No temporary directory can be made: %v.", err)
	}
	defer func() { _ = os.RemoveAll(dir) }()
	store, err := blob.Open(ctx, blob.Config{URL: o.Config.BlobURL, Dir: dir})
	if err != nil {
		return failed(advice, "The bucket cannot be opened: %v.", err)
	}
	defer func() { _ = store.Close() }()
	key := "doctor/" + strings.ToLower(rand.Text())
	_, err = store.Put(ctx, key, strings.NewReader("probe"))
	if err != nil && !errors.Is(err, blob.ErrNoSpaceToWait) { // the bucket may have it all the same
		soon, cancel := context.WithTimeout(context.WithoutCancel(ctx), deleteWithin)
		defer cancel()
		_ = store.Delete(soon, key)
	}
	switch {
	case errors.Is(err, blob.ErrNoSpaceToWait):
		return failed(room, "There is too little space for temporary files in %s: %v.", os.TempDir(), err)
	case err != nil:
		return failed(advice, "Nothing can be written to the bucket: %v.", err)
	}
	r, unread := store.Get(ctx, key)
	if unread == nil {
		_ = r.Close()
	}
	// The probe must not stay there, even if it cannot be read or the time is over.
	ctx = context.WithoutCancel(ctx)
	undeleted := store.Delete(ctx, key)
	switch {
	case unread != nil && undeleted != nil:
		return failed(advice, "What was written to the bucket can be neither read nor deleted: %v; %v.", unread, undeleted)
	case unread != nil:
		return failed(advice, "What was written to the bucket cannot be read: %v.", unread)
	case undeleted != nil:
		return failed(advice, "What was written to the bucket cannot be deleted: %v.", undeleted)
	}
	return ok("A probe was written to the bucket, read and deleted.")
}

func mailServer(ctx context.Context, o *Options) Finding {
	if o.Config.SMTPURL == "" {
		return skipped("No --smtp-url: people who invite get the link to pass on.")
	}
	sender, err := mail.New(o.Config.SMTPURL, o.Config.MailFrom, o.Now)
	if err != nil {
		return failed("Correct --smtp-url and --mail-from.", "%v.", err)
	}
	sender.TLS = &tls.Config{RootCAs: o.Trust, MinVersion: tls.VersionTLS12}
	if err := sender.Check(ctx); err != nil {
		return failed("Check the address, the account and the password in --smtp-url, and whether this network lets mail out.", "The mail server does not take mail from this service: %v.", err)
	}
	return ok("The mail server answers and accepts the account.")
}

func identityProvider(ctx context.Context, o *Options) Finding {
	if o.Config.OIDCIssuer == "" {
		return skipped("No --oidc-issuer: members sign in with a password.")
	}
	advice := "--oidc-issuer must be exactly the issuer that the provider names, and reachable from this machine."
	address := strings.TrimSuffix(o.Config.OIDCIssuer, "/") + "/.well-known/openid-configuration"
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, address, http.NoBody)
	if err != nil {
		return failed(advice, "%v.", err)
	}
	res, err := o.client().Do(req)
	if err != nil {
		return failed(advice, "The identity provider does not answer: %v.", err)
	}
	defer func() { _ = res.Body.Close() }()
	var document struct{ Issuer string }
	if err := json.NewDecoder(io.LimitReader(res.Body, 1<<20)).Decode(&document); err != nil || res.StatusCode != http.StatusOK {
		return failed(advice, "%s answers %s, and not with its configuration.", address, res.Status)
	}
	if document.Issuer != o.Config.OIDCIssuer {
		return failed(advice, "The provider calls itself %q.", document.Issuer)
	}
	return ok("The identity provider answers.")
}

// client asks other servers.
func (o *Options) client() *http.Client {
	return &http.Client{Timeout: 10 * time.Second, Transport: &http.Transport{
		Proxy: http.ProxyFromEnvironment, TLSClientConfig: &tls.Config{RootCAs: o.Trust, MinVersion: tls.VersionTLS12}, DisableKeepAlives: true,
	}}
}
