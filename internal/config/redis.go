package config

import (
	"errors"
	"net"
	"net/url"
	"strconv"
	"strings"
)

// Redis is the content of --redis-url.
type Redis struct {
	Address  string // host and port
	Username string
	Password string
	Database int
	TLS      bool
}

// ParseRedis parses the address of a Redis. It refuses parts that would have no
// effect: a password that was silently ignored would be hard to find.
func ParseRedis(text string) (Redis, error) {
	u, err := url.Parse(text)
	if err != nil || u.Scheme != "redis" && u.Scheme != "rediss" || u.Hostname() == "" {
		return Redis{}, errors.New("--redis-url must begin with redis:// or rediss:// and name a host") // without the text: it may hold a password
	}
	if u.RawQuery != "" || u.Fragment != "" {
		return Redis{}, errors.New("--redis-url must end with the number of the database")
	}
	r := Redis{Address: net.JoinHostPort(u.Hostname(), "6379"), Username: u.User.Username(), TLS: u.Scheme == "rediss"}
	if u.Port() != "" {
		r.Address = u.Host
	}
	r.Password, _ = u.User.Password()
	if path := strings.Trim(u.Path, "/"); path != "" {
		if r.Database, err = strconv.Atoi(path); err != nil || r.Database < 0 {
			return Redis{}, errors.New("--redis-url must name a database by its number: redis://HOST:PORT/NUMBER")
		}
	}
	return r, nil
}
