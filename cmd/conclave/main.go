package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"os"
	"os/signal"
	"syscall"

	"github.com/alecthomas/kong"

	"github.com/conclave-rooms/conclave/internal/fault"
	"github.com/conclave-rooms/conclave/internal/media/livekit"
)

// version is set by the build.
var version = "dev"

// cli is the command line.
type cli struct {
	Config  kong.ConfigFlag  `help:"JSON file with settings, named like the flags." placeholder:"FILE"`
	Version kong.VersionFlag `help:"Print the version."`

	Serve      serveCmd      `cmd:"" help:"Serve the API, the meeting interface and the media."`
	Dev        devCmd        `cmd:"" help:"Serve on this machine with a demo workspace, and print an address, an API key and a room."`
	Workspaces workspacesCmd `cmd:"" help:"Make and list workspaces."`
	Members    membersCmd    `cmd:"" help:"Add, remove and list a workspace's members."`
	Roles      rolesCmd      `cmd:"" help:"Make roles that carry rights."`
	Keys       keysCmd       `cmd:"" help:"Make, list and revoke API keys."`
	Rooms      roomsCmd      `cmd:"" help:"Make and list rooms."`
	Events     eventsCmd     `cmd:"" help:"Read and follow the event log."`
	Webhooks   webhooksCmd   `cmd:"" help:"List webhook endpoints, send events again, and forward events to a receiver on this machine."`
	Calendars  calendarsCmd  `cmd:"" help:"Connect people's own calendars, list and disconnect them."`
	Recordings recordingsCmd `cmd:"" help:"List recordings, and download them decrypted."`
	Assets     assetsCmd     `cmd:"" help:"List the files of the meeting interface, and compare a running service with them."`
	Doctor     doctorCmd     `cmd:"" help:"Find out what fails, or would fail, with the settings of serve, and what to do."`
	Health     healthCmd     `cmd:"" help:"Ask the service on this machine whether it can do its work; for container health checks."`
	Nodes      nodesCmd      `cmd:"" help:"List the nodes that serve the same data, and drain one before it stops."`
	Backup     backupCmd     `cmd:"" help:"Copy the database, the master key and the recordings into a directory, while the service runs."`
	Restore    restoreCmd    `cmd:"" help:"Make the data of a service from a backup. The data directory must be empty."`
	Load       loadCmd       `cmd:"" help:"Put a running service under load, with people who send real sound and pictures, and report how it did."`
	OpenAPI    openapiCmd    `cmd:"" name:"openapi" help:"Print the OpenAPI 3.1 document of the API."`
}

func main() {
	livekit.QuietRedis()
	livekit.RunIfChild()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop) // a second signal ends the process at once
	code := run(ctx, os.Args[1:], os.Stdout, os.Stderr)
	stop()
	os.Exit(code)
}

// run is the program: it parses the arguments, runs one command, and returns
// the exit status.
func run(ctx context.Context, args []string, stdout, stderr io.Writer) (code int) {
	defer func() {
		// The parser exits by a panic after it has printed help or the version.
		if p := recover(); p != nil {
			exit, ok := p.(exited)
			if !ok {
				panic(p)
			}
			code = int(exit)
		}
	}()
	var c cli
	parser, err := newParser(&c, stdout, stderr)
	if err != nil {
		_, _ = fmt.Fprintln(stderr, "conclave:", err)
		return 2
	}
	parsed, err := parser.Parse(args)
	if err != nil {
		_, _ = fmt.Fprintf(stderr, "conclave: %v. See %s --help\n", aboutFile(err), commandOf(err))
		return 2
	}
	parsed.BindTo(ctx, (*context.Context)(nil))
	if err := parsed.Run(&output{out: stdout, err: stderr}); err != nil {
		_, _ = fmt.Fprintln(stderr, "conclave:", sentence(err))
		return 1
	}
	return 0
}

// newParser makes the parser of the command line.
func newParser(c *cli, stdout, stderr io.Writer) (*kong.Kong, error) {
	return kong.New(c, kong.Name("conclave"), kong.Description("Video meeting rooms on your own machine."), //nolint:wrapcheck // a fault of the tags
		kong.Vars{"version": version}, kong.Configuration(readSettings), kong.PostBuild(readEnvironment), kong.Writers(stdout, stderr),
		kong.Exit(func(code int) { panic(exited(code)) }), kong.ConfigureHelp(kong.HelpOptions{Compact: true}))
}

// aboutFile names the flag where a file could not be opened. While the parser
// reads the arguments, it opens only the file of --config.
func aboutFile(err error) error {
	if file, ok := errors.AsType[*fs.PathError](err); ok {
		return fmt.Errorf("the file of --config cannot be read: %w", file)
	}
	return err
}

// commandOf is the command whose arguments could not be read, or the group of
// commands.
func commandOf(err error) string {
	if p, ok := errors.AsType[*kong.ParseError](err); ok && p.Context != nil && p.Context.Selected() != nil {
		return p.Context.Selected().FullPath()
	}
	return "conclave"
}

// exited is the parser's exit, with a status.
type exited int

// sentence is the text of an error for people: a refusal without its code, or
// the whole chain of any other error.
func sentence(err error) string {
	if f, ok := fault.As(err); ok {
		return f.Message
	}
	if errors.Is(err, context.Canceled) {
		return "interrupted"
	}
	return err.Error()
}

// output is where commands write.
type output struct {
	out io.Writer
	err io.Writer
}

// logger makes the log of a command. It goes to standard error, so that
// standard output only has the result.
func (o *output) logger(format, level string) *slog.Logger {
	var l slog.Level
	if err := l.UnmarshalText([]byte(level)); err != nil {
		l = slog.LevelInfo
	}
	options := &slog.HandlerOptions{Level: l}
	if format == "json" {
		return slog.New(slog.NewJSONHandler(o.err, options))
	}
	return slog.New(slog.NewTextHandler(o.err, options))
}
