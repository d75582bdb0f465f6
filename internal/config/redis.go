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

	// Sentinel knows which Redis is the master at this moment. Address is then that of
	// a sentinel.
	Master           string // its name; "": there is no sentinel
	Sentinels        string // the addresses of the others, separated by commas
	SentinelPassword string
}

// ParseRedis parses the address of a Redis. It refuses parts that would have no
// effect: a password that was silently ignored would be hard to find.
func ParseRedis(text string) (Redis, error) {
	u, err := url.Parse(text)
	if err != nil || u.Scheme != "redis" && u.Scheme != "rediss" || u.Hostname() == "" {
		return Redis{}, errors.New("--redis-url must begin with redis:// or rediss:// and name a host") // without the text: it may hold a password
	}
	if u.Fragment != "" {
		return Redis{}, errors.New("--redis-url must end with the number of the database")
	}
	r := Redis{Address: net.JoinHostPort(u.Hostname(), "6379"), Username: u.User.Username(), TLS: u.Scheme == "rediss"}
	if u.Port() != "" {
		r.Address = u.Host
	}
	r.Password, _ = u.User.Password()
	if err := r.parseSentinels(u.RawQuery); err != nil {
		return Redis{}, err
	}
	if path := strings.Trim(u.Path, "/"); path != "" {
		if r.Database, err = strconv.Atoi(path); err != nil || r.Database < 0 {
			return Redis{}, errors.New("--redis-url must name a database by its number: redis://HOST:PORT/NUMBER")
		}
	}
	return r, nil
}

// parseSentinels parses what follows the question mark.
func (r *Redis) parseSentinels(query string) error {
	if query == "" {
		return nil
	}
	values, err := url.ParseQuery(query)
	if err != nil || values.Get("master") == "" {
		return errors.New("--redis-url may only name sentinels after the database: redis://SENTINEL:26379/NUMBER?master=NAME")
	}
	var others []string
	for name, all := range values {
		switch {
		case name == "sentinel":
			others = all
		case len(all) != 1 || name != "master" && name != "sentinel_password":
			return errors.New("after the question mark, --redis-url takes master, sentinel_password, and one sentinel for each further sentinel")
		}
	}
	for _, address := range others {
		if _, _, err := net.SplitHostPort(address); err != nil || strings.Contains(address, ",") {
			return errors.New("--redis-url must name each sentinel with its port: sentinel=HOST:26379")
		}
	}
	r.Master, r.SentinelPassword, r.Sentinels = values.Get("master"), values.Get("sentinel_password"), strings.Join(others, ",")
	return nil
}
