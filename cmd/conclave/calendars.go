package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/conclave-rooms/conclave/api"
	"github.com/conclave-rooms/conclave/internal/fault"
	"github.com/conclave-rooms/conclave/internal/outbound"
	"github.com/conclave-rooms/conclave/internal/schedule/mirror"
	"github.com/conclave-rooms/conclave/internal/server"
)

type calendarsCmd struct {
	Connect    calendarsConnect    `cmd:"" help:"Connect a CalDAV calendar to an account, or say where to connect Google Calendar and Microsoft 365."`
	List       calendarsList       `cmd:"" help:"List the connected calendars of an account."`
	Disconnect calendarsDisconnect `cmd:"" help:"Disconnect a calendar. The running service removes future meetings from it."`
}

type calendarsConnect struct {
	common

	Account      string `required:"" help:"E-mail address of the account." placeholder:"EMAIL"`
	Provider     string `default:"caldav" enum:"caldav,google,microsoft" help:"caldav, google or microsoft."`
	CaldavURL    string `name:"caldav-url" help:"Address of the CalDAV server, or of a calendar on it." placeholder:"URL"`
	Username     string `help:"User name on that server."`
	PasswordFile string `help:"File with the password; default: one line from standard input. An app password is best." type:"path" placeholder:"FILE"`
	Calendar     string `help:"Name of the calendar; default: the first one that can be written to."`
	AllowPrivate bool   `name:"calendars-allow-private" help:"Allow a server at a private address, and over http."`
}

func (c *calendarsConnect) Run(ctx context.Context, o *output) error {
	return c.with(ctx, o, func(d *desk) error {
		account, err := d.identity.AccountByEmail(ctx, c.Account)
		if err != nil {
			return err
		}
		if c.Provider != string(mirror.CalDAV) {
			return c.showConsentPage(o)
		}
		if c.CaldavURL == "" || c.Username == "" {
			return errors.New("a CalDAV calendar needs --caldav-url and --username")
		}
		password, err := c.password(o)
		if err != nil {
			return err
		}
		sealer, err := server.OpenSealer(ctx, d.db, c.Data)
		if err != nil {
			return err
		}
		client := outbound.New(outbound.Config{AllowPrivate: c.AllowPrivate, UserAgent: "Conclave-Calendars/" + version})
		defer client.Close()
		calendars := server.PromiseCalendars(d.db, d.identity, sealer, client, c.PublicURL, d.db.Now, o.logger("text", "warn"))
		made, err := calendars.ConnectCalDAV(ctx, account.ID, mirror.CalDAVRequest{URL: c.CaldavURL, User: c.Username, Password: password, Calendar: c.Calendar})
		if err != nil {
			return err
		}
		if c.JSON {
			return o.json(made)
		}
		o.line("The calendar %s is connected to %s: %s. The service writes future meetings to it.", made.Name, account.Email, made.ID)
		return nil
	})
}

// showConsentPage says where a person connects a calendar that needs their consent.
func (c *calendarsConnect) showConsentPage(o *output) error {
	address := c.PublicURL + "/account"
	if c.JSON {
		return o.json(map[string]string{"account_url": address})
	}
	o.line("%s asks the person in their browser. They sign in and connect it here:\n\n  %s\n", mirror.Provider(c.Provider).Title(), address)
	return nil
}

// password reads the password. It is not an argument, because other users of
// the machine can read arguments.
func (c *calendarsConnect) password(o *output) (string, error) {
	var in io.Reader = os.Stdin
	if c.PasswordFile != "" {
		file, err := os.Open(c.PasswordFile)
		if err != nil {
			return "", fmt.Errorf("read the password: %w", err)
		}
		defer func() { _ = file.Close() }()
		in = file
	} else if isTerminal(os.Stdin) {
		_, _ = fmt.Fprint(o.err, "Password (it shows as you type; --password-file reads it from a file): ")
	}
	line, err := bufio.NewReader(io.LimitReader(in, 4096)).ReadString('\n')
	if err != nil && !errors.Is(err, io.EOF) {
		return "", fmt.Errorf("read the password: %w", err)
	}
	if line = strings.TrimRight(line, "\r\n"); line == "" {
		return "", errors.New("the password is empty: write it to standard input, or name a file with --password-file")
	}
	return line, nil
}

// isTerminal says whether a person types into a file. The null device is a device like
// a terminal, and scripts read from it.
func isTerminal(f *os.File) bool {
	info, err := f.Stat()
	if err != nil || info.Mode()&os.ModeCharDevice == 0 {
		return false
	}
	null, err := os.Stat(os.DevNull)
	return err != nil || !os.SameFile(info, null)
}

type calendarsList struct {
	common

	Account string `required:"" help:"E-mail address of the account." placeholder:"EMAIL"`
}

func (c *calendarsList) Run(ctx context.Context, o *output) error {
	return c.with(ctx, o, func(d *desk) error {
		account, err := d.identity.AccountByEmail(ctx, c.Account)
		if err != nil {
			return err
		}
		list, err := d.calendars.List(ctx, account.ID)
		if err != nil {
			return err
		}
		if c.JSON {
			return o.json(api.ListOf(list, false))
		}
		rows := make([][]string, len(list))
		for i, l := range list {
			rows[i] = []string{l.ID, l.Provider.Title(), l.Name, calendarState(l), strconv.Itoa(l.Pending), strconv.Itoa(l.Failed)}
		}
		o.table([]string{"ID", "KIND", "NAME", "STATE", "PENDING", "REFUSED"}, rows)
		return nil
	})
}

// calendarState describes the state of a connection.
func calendarState(l mirror.ConnectionObject) string {
	state := string(l.Status)
	if l.Status == mirror.Connected && l.FailingSince != nil {
		state = "failing since " + l.FailingSince.UTC().Format(time.DateTime)
	}
	if l.Error != nil {
		state += ": " + *l.Error
	}
	return state
}

type calendarsDisconnect struct {
	common

	Account string `required:"" help:"E-mail address of the account." placeholder:"EMAIL"`
	ID      string `arg:"" help:"Id of the connected calendar, as conclave calendars list shows it."`
}

func (c *calendarsDisconnect) Run(ctx context.Context, o *output) error {
	return c.with(ctx, o, func(d *desk) error {
		account, err := d.identity.AccountByEmail(ctx, c.Account)
		if err != nil {
			return err
		}
		gone, err := d.calendars.Disconnect(ctx, account.ID, c.ID)
		if fault.HasCode(err, api.CodeNotFound) {
			return fault.MissingParam("id", "The account has no connected calendar with this id.")
		}
		if err != nil {
			return err
		}
		if c.JSON {
			return o.json(gone)
		}
		o.line("The calendar %s is disconnected. The service removes future meetings from it; past ones stay.", gone.Name)
		return nil
	})
}
