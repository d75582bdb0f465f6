package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/alecthomas/kong"
)

// readEnvironment lets every flag of every command be said in the environment, too, by
// CONCLAVE_ and its name in capitals. Names in tags go on working behind that one. --help
// and --version are no settings.
func readEnvironment(k *kong.Kong) error {
	for _, flag := range allFlags(k.Model.Node) {
		if flag.Name == "help" || flag.Name == "version" {
			continue
		}
		name := "CONCLAVE_" + strings.ToUpper(strings.ReplaceAll(flag.Name, "-", "_"))
		flag.Envs = slices.Insert(flag.Envs, 0, name)
		flag.Tag.Envs = flag.Envs
	}
	return nil
}

// allFlags are the flags of a command and of those below it.
func allFlags(n *kong.Node) []*kong.Flag {
	all := slices.Clone(n.Flags)
	for _, child := range n.Children {
		all = append(all, allFlags(child)...)
	}
	return all
}

// settings is the file of --config: one JSON object with settings that are
// named like the flags. The parser's own reader of such files does not know
// names with a hyphen, ignores unknown names, and lets the file win over the
// environment.
type settings map[string]any

// readSettings parses the file of --config.
func readSettings(file io.Reader) (kong.Resolver, error) {
	decoder := json.NewDecoder(file)
	decoder.UseNumber() // keeps ports and other numbers as written
	var s settings
	if err := decoder.Decode(&s); err != nil {
		return nil, fmt.Errorf("the file of --config is not a JSON object: %w", err)
	}
	if _, err := decoder.Token(); !errors.Is(err, io.EOF) {
		return nil, errors.New("the file of --config holds more than one JSON object")
	}
	return s, nil
}

// Validate refuses settings that no command has. A setting that only another
// command has is fine, because one file serves all commands.
func (s settings) Validate(app *kong.Application) error {
	known := map[string]bool{}
	for _, flag := range allFlags(app.Node) {
		known[flag.Name] = true
	}
	var unknown []string
	for name := range s {
		if !known[name] {
			unknown = append(unknown, name)
		}
	}
	if len(unknown) > 0 {
		slices.Sort(unknown)
		return fmt.Errorf("the file of --config has settings that do not exist: %s", strings.Join(unknown, ", "))
	}
	return nil
}

// Resolve returns the value of a flag that was not on the command line, unless
// the environment has one.
func (s settings) Resolve(_ *kong.Context, _ *kong.Path, flag *kong.Flag) (any, error) {
	value, ok := s[flag.Name]
	if !ok || slices.ContainsFunc(flag.Envs, func(name string) bool { return os.Getenv(name) != "" }) {
		return nil, nil //nolint:nilnil // means that there is no value
	}
	return written(value)
}

// written is a value as it would be written behind a flag.
func written(value any) (string, error) {
	switch v := value.(type) {
	case string:
		return v, nil
	case json.Number:
		return v.String(), nil
	case bool:
		return strconv.FormatBool(v), nil
	case []any:
		var list []string
		for _, item := range v {
			one, err := written(item)
			if err != nil {
				return "", err
			}
			list = append(list, one)
		}
		return strings.Join(list, ","), nil
	default:
		return "", errors.New("in the file of --config it must be a string, a number, true, false or a list of them")
	}
}
