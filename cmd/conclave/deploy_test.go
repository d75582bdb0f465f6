package main

import (
	"bytes"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/alecthomas/kong"
	"go.yaml.in/yaml/v3"
)

// known are the flags of all commands, such as --listen, and the variables that say the
// same.
func known(t *testing.T) map[string]bool {
	t.Helper()
	parser, err := kong.New(&cli{})
	if err != nil {
		t.Fatal(err)
	}
	all := map[string]bool{}
	var collect func(n *kong.Node)
	collect = func(n *kong.Node) {
		for _, flag := range n.Flags {
			all["--"+flag.Name] = true
			for _, env := range flag.Envs {
				all[env] = true
			}
		}
		for _, child := range n.Children {
			collect(child)
		}
	}
	collect(parser.Model.Node)
	return all
}

// Every setting that a file for operators names exists: variables in deploy/ and the
// README, and the names of settings in the chart.
func TestSettingsOfDeployExist(t *testing.T) {
	t.Parallel()
	known := known(t)
	variable := regexp.MustCompile(`CONCLAVE_[A-Z0-9_]*[A-Z0-9]`)
	setting := regexp.MustCompile(`settings\.([a-z-]+)`)
	named := 0
	check := func(path, name string) {
		named++
		if !known[name] {
			t.Errorf("%s names %s, which no command has", path, name)
		}
	}
	for _, root := range []string{"../../deploy", "../../README.md"} {
		err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() {
				return err
			}
			text, err := os.ReadFile(path)
			for _, name := range variable.FindAllString(string(text), -1) {
				check(path, name)
			}
			for _, match := range setting.FindAllStringSubmatch(string(text), -1) {
				if strings.Contains(path, "helm") {
					check(path, "CONCLAVE_"+strings.ToUpper(strings.ReplaceAll(match[1], "-", "_")))
				}
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if named < 30 {
		t.Errorf("found %d names, which cannot be all", named)
	}
}

// The systemd unit is valid, and names only flags that exist.
func TestTheUnitIsValid(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../../deploy/conclave.service")
	if err != nil {
		t.Fatal(err)
	}
	known := known(t)
	for _, flag := range regexp.MustCompile(`--[a-z][a-z-]+`).FindAllString(string(text), -1) {
		if !known[flag] && flag != "--now" { // systemctl's
			t.Errorf("the unit names %s, which no command has", flag)
		}
	}
	line := regexp.MustCompile(`^(\[(Unit|Service|Install)\]|#.*|[A-Za-z]+=.*|)$`)
	for i, l := range strings.Split(string(text), "\n") {
		if !line.MatchString(l) {
			t.Errorf("line %d is neither a section, a setting nor a comment: %q", i+1, l)
		}
	}
	if !bytes.Contains(text, []byte("\nExecStart="+installed+" serve\n")) {
		t.Errorf("the unit does not start %s serve", installed)
	}
	// The unit restarts the service without limit, also when the process stands still.
	for _, setting := range []string{"Type=notify", "Restart=always", "StartLimitIntervalSec=0", "WatchdogSec=30s"} {
		if !bytes.Contains(text, []byte("\n"+setting+"\n")) {
			t.Errorf("the unit does not have %s", setting)
		}
	}
	analyze, err := exec.LookPath("systemd-analyze")
	if err != nil {
		t.Skip("systemd-analyze is not installed: only the form of the unit was looked at")
	}
	// The program is not installed here, and certificates are optional.
	here, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	for _, certificates := range []string{"#LoadCredential=", "LoadCredential="} {
		unit := filepath.Join(t.TempDir(), "conclave.service")
		copied := strings.NewReplacer(installed, here, "#LoadCredential=", certificates).Replace(string(text))
		if err := os.WriteFile(unit, []byte(copied), 0o600); err != nil {
			t.Fatal(err)
		}
		// systemd-analyze prints settings that it does not know, but does not fail.
		if out, err := exec.CommandContext(t.Context(), analyze, "verify", unit).CombinedOutput(); err != nil || len(out) > 0 {
			t.Errorf("with %s systemd says: %v\n%s", certificates, err, out)
		}
	}
}

// The image has a health check, which is a command that exists, and is built with a
// version of Node that has long-term support.
func TestTheImageChecksItsHealth(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../../deploy/Dockerfile")
	if err != nil {
		t.Fatal(err)
	}
	for _, line := range []string{`HEALTHCHECK .* CMD \["/conclave", "health"\]`, `COPY --from=node:(22|24)-bookworm `, `COPY --from=build /src/bin/conclave /conclave`} {
		if !regexp.MustCompile("(?m)^" + line).Match(text) {
			t.Errorf("the Dockerfile has no line %s", line)
		}
	}
	parser, err := kong.New(&cli{})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := parser.Parse([]string{"health"}); err != nil {
		t.Errorf("conclave health: %v", err)
	}
}

// installed is where the unit finds the program.
const installed = "/usr/local/bin/conclave"

// The files of Compose are YAML, their services of Conclave get only settings that
// exist, and the flags of Conclave that they name exist.
func TestTheComposeFilesAreValid(t *testing.T) {
	t.Parallel()
	known := known(t)
	paths, err := filepath.Glob("../../deploy/compose/*.yaml")
	if err != nil || len(paths) < 2 {
		t.Fatalf("found %v, %v", paths, err)
	}
	for _, path := range paths {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		var file struct {
			Services map[string]struct {
				Image       string
				Command     []string
				Environment map[string]string
			}
		}
		if err := yaml.Unmarshal(text, &file); err != nil {
			t.Errorf("%s: %v", path, err)
		}
		nodes := 0
		for name, service := range file.Services {
			if service.Image != "conclave" {
				continue
			}
			nodes++
			for setting := range service.Environment {
				if !known[setting] && !strings.HasPrefix(setting, "AWS_") {
					t.Errorf("%s: %s gets %s, which no command has", path, name, setting)
				}
			}
			for _, word := range service.Command {
				if flag, _, _ := strings.Cut(word, "="); strings.HasPrefix(flag, "--") && !known[flag] {
					t.Errorf("%s: %s gets %s, which no command has", path, name, flag)
				}
			}
		}
		if nodes == 0 {
			t.Errorf("%s has no service of Conclave", path)
		}
		for _, named := range regexp.MustCompile(`\((--[a-z-]+)\)`).FindAllStringSubmatch(string(text), -1) {
			if !known[named[1]] {
				t.Errorf("%s explains %s, which no command has", path, named[1])
			}
		}
	}
}
