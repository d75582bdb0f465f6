package db

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/conclave-rooms/conclave/internal/fault"
)

// postgresTool runs a program of PostgreSQL's client package on a database. No secret
// appears in the arguments, which every user of the machine can read.
func postgresTool(ctx context.Context, address, name string, args ...string) error {
	program, err := exec.LookPath(name)
	if err != nil {
		return fault.BadParameter("database-url", name+" is needed for PostgreSQL and is not installed: install the package postgresql-client.")
	}
	u, err := url.Parse(address)
	if err != nil {
		return errors.New("the database URL is not a URL") // without the text: it may hold a password
	}
	shown, secrets := withoutSecrets(u)
	dir, err := os.MkdirTemp("", "conclave-postgresql-") // for this user only
	if err != nil {
		return fmt.Errorf("make a temporary directory: %w", err)
	}
	defer func() { _ = os.RemoveAll(dir) }()
	hidden, err := handOver(u, secrets, dir)
	if err != nil {
		return err
	}
	run := exec.CommandContext(ctx, program, append(args, "--dbname="+shown)...) //nolint:gosec // the operator's own database
	run.Env = append(os.Environ(), hidden...)
	var said bytes.Buffer
	run.Stderr = &said
	if err := run.Run(); err != nil {
		return fmt.Errorf("%s: %w: %s", name, err, bytes.TrimSpace(said.Bytes()))
	}
	return nil
}

// secretParameter says whether the value of a parameter of libpq is a secret. The files
// that other parameters name are not shown.
func secretParameter(name string) bool {
	return slices.Contains([]string{"password", "sslpassword", "oauth_client_secret", "scram_client_key", "scram_server_key"}, name)
}

// withoutSecrets returns an address without its secrets: the password, which stands
// before the host or among the parameters, and other secret parameters. Among the
// parameters a password counts more, as with libpq. The other parameters stay as they
// are written: libpq does not read + as a space.
func withoutSecrets(u *url.URL) (address string, secrets map[string]string) {
	shown := *u
	secrets = map[string]string{}
	if given, ok := u.User.Password(); ok {
		secrets["password"], shown.User = given, url.User(u.User.Username())
	}
	var rest []string
	for parameter := range strings.SplitSeq(u.RawQuery, "&") {
		name, value, _ := strings.Cut(parameter, "=")
		if plain, err := url.PathUnescape(name); err != nil || !secretParameter(plain) {
			rest = append(rest, parameter)
		} else if value, err = url.PathUnescape(value); err == nil {
			secrets[plain] = value
		}
	}
	shown.RawQuery = strings.Join(rest, "&")
	return shown.String(), secrets
}

// handOver returns the environment in which libpq finds the secrets of an address. It
// has a variable for the password only. It reads all others from a service file, which
// is written into dir.
func handOver(u *url.URL, secrets map[string]string, dir string) (environment []string, err error) {
	lines := []string{"[conclave]"}
	for name, value := range secrets {
		if name == "password" {
			environment = append(environment, "PGPASSWORD="+value)
			continue
		}
		if value != strings.TrimSpace(value) || strings.ContainsAny(value, "\r\n") {
			return nil, fault.BadParameter("database-url", name+" in the database URL begins or ends with a space or holds a line break, so it cannot be given to PostgreSQL's programs without showing it to all users of this machine. Use another one.")
		}
		lines = append(lines, name+"="+value)
	}
	if len(secrets) == len(environment) {
		return environment, nil
	}
	if os.Getenv("PGSERVICE") != "" || u.Query().Has("service") {
		return nil, fault.BadParameter("database-url", "A database URL with a connection service (service, or PGSERVICE) can hold no secret but the password here. Put sslpassword and the like into the service's file.")
	}
	file := filepath.Join(dir, "service.conf")
	if err := os.WriteFile(file, []byte(strings.Join(lines, "\n")+"\n"), 0o600); err != nil {
		return nil, fmt.Errorf("write the service file: %w", err)
	}
	return append(environment, "PGSERVICE=conclave", "PGSERVICEFILE="+file), nil
}
