package livekit

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"net"
	"strings"
	"time"

	"github.com/redis/go-redis/v9"
)

// QuietRedis drops what the library of Redis logs by itself, beside the log and not
// in its form. Its callers get the same errors. It must be called before anything uses
// Redis.
func QuietRedis() { redis.SetLogger(silent{}) }

type silent struct{}

func (silent) Printf(context.Context, string, ...any) {}

// sentinels are the addresses of all sentinels.
func (r Redis) sentinels() []string {
	all := []string{r.Address}
	if r.Sentinels != "" {
		all = append(all, strings.Split(r.Sentinels, ",")...)
	}
	return all
}

// Client makes a client of the Redis, or of the master that the sentinels name. Each
// step of a question may take as long as within, and is not repeated. trust has the
// root certificates of the servers; nil: those that the system trusts.
func (r Redis) Client(within time.Duration, trust *x509.CertPool) *redis.Client {
	var secure *tls.Config
	if r.TLS {
		secure = &tls.Config{RootCAs: trust, MinVersion: tls.VersionTLS12}
	}
	if r.Master != "" {
		return redis.NewFailoverClient(&redis.FailoverOptions{
			MasterName: r.Master, SentinelAddrs: r.sentinels(), SentinelPassword: r.SentinelPassword,
			Username: r.Username, Password: r.Password, DB: r.Database, TLSConfig: secure,
			DialTimeout: within, ReadTimeout: within, WriteTimeout: within, MaxRetries: -1, DialerRetries: 1, PoolSize: 2,
		})
	}
	if host, _, err := net.SplitHostPort(r.Address); err == nil && r.TLS {
		secure.ServerName = host
	}
	return redis.NewClient(&redis.Options{
		Addr: r.Address, Username: r.Username, Password: r.Password, DB: r.Database, TLSConfig: secure,
		DialTimeout: within, ReadTimeout: within, WriteTimeout: within, MaxRetries: -1, DialerRetries: 1, PoolSize: 2,
	})
}
