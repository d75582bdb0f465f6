package main

import (
	"bytes"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/alecthomas/kong"
	"go.yaml.in/yaml/v3"

	"github.com/conclave-rooms/conclave/internal/tooltest"
)

// known are the flags of all commands, such as --listen, and the variables that say the
// same.
func known(t *testing.T) map[string]bool {
	t.Helper()
	parser, err := newParser(&cli{}, io.Discard, io.Discard)
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
	parser, err := newParser(&cli{}, io.Discard, io.Discard)
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

// chart renders the chart with helm, and returns its objects by their kind, or what helm
// says against the values.
func chart(t *testing.T, values string, more ...string) (map[string]string, string) {
	t.Helper()
	file := filepath.Join(t.TempDir(), "values.yaml")
	if err := os.WriteFile(file, []byte(values), 0o600); err != nil {
		t.Fatal(err)
	}
	var out, refused bytes.Buffer
	cmd := exec.CommandContext(t.Context(), tooltest.Path(t, "helm"), "template", "meet", "../../deploy/helm/conclave", "--kube-version", "1.34.0", "--values", file,
		"--set", "image.repository=conclave,publicURL=https://meet.example.com,secret=conclave,settings.blob-url=s3://recordings")
	cmd.Args = append(cmd.Args, more...)
	cmd.Stdout, cmd.Stderr = &out, &refused
	if err := cmd.Run(); err != nil {
		return nil, refused.String()
	}
	objects := map[string]string{}
	for text := range strings.SplitSeq(out.String(), "\n---\n") {
		var object struct{ Kind string }
		if err := yaml.Unmarshal([]byte(text), &object); err != nil {
			t.Fatalf("%v in\n%s", err, text)
		}
		objects[object.Kind] = text
	}
	return objects, ""
}

// pods is what the tests read of a StatefulSet.
type pods struct {
	Spec struct {
		Template struct {
			Spec struct {
				TerminationGracePeriodSeconds int `yaml:"terminationGracePeriodSeconds"`
				SecurityContext               struct {
					Sysctls []struct{ Name, Value string }
				} `yaml:"securityContext"`
				Containers []struct {
					LivenessProbe struct {
						TerminationGracePeriodSeconds int `yaml:"terminationGracePeriodSeconds"`
					} `yaml:"livenessProbe"`
					Env   []struct{ Name, Value string }
					Ports []struct {
						Name, Protocol string
						ContainerPort  int `yaml:"containerPort"`
						HostPort       int `yaml:"hostPort"`
					}
				}
			}
		}
	}
}

// Values of the chart reach the nodes as they are meant: numbers of any size, lists,
// ports of the machine, and how long a stop may take.
func TestTheChartPassesOnItsValues(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, values string
		env          map[string]string
		ports        string // of the machine
		lowPorts     bool
		grace        int
	}{
		{"none", ``, map[string]string{"CONCLAVE_LOG_FORMAT": "json", "CONCLAVE_MEDIA_UDP_PORT": "7882"}, "media-udp UDP 7882, media-tcp 7881", false, 45},
		{
			"settings of a file", `settings: {recording-max-bytes: 5000000000, trace-share: 0.25, trusted-proxy: [10.0.0.0/8, 192.168.0.0/16], proxy-protocol: true}`,
			map[string]string{"CONCLAVE_RECORDING_MAX_BYTES": "5000000000", "CONCLAVE_TRACE_SHARE": "0.25", "CONCLAVE_TRUSTED_PROXY": "10.0.0.0/8,192.168.0.0/16", "CONCLAVE_PROXY_PROTOCOL": "true"},
			"media-udp UDP 7882, media-tcp 7881", false, 45,
		},
		{
			"other ports", "media: {udpPort: 443, tcpPort: 0}\nsettings: {turn-udp-port: 3478, drain-delay: 60s}\nterminationGracePeriodSeconds: 90",
			map[string]string{"CONCLAVE_MEDIA_UDP_PORT": "443", "CONCLAVE_MEDIA_TCP_PORT": "0", "CONCLAVE_TURN_UDP_PORT": "3478"},
			"media-udp UDP 443, turn-udp UDP 3478", true, 90,
		},
		{"TURN on a port below 1024", `settings: {turn-udp-port: 443}`, map[string]string{"CONCLAVE_TURN_UDP_PORT": "443"}, "media-udp UDP 7882, media-tcp 7881, turn-udp UDP 443", true, 45},
	} {
		objects, refused := chart(t, c.values)
		if refused != "" {
			t.Errorf("%s: %s", c.name, refused)
			continue
		}
		var set pods
		if err := yaml.Unmarshal([]byte(objects["StatefulSet"]), &set); err != nil || len(set.Spec.Template.Spec.Containers) != 1 {
			t.Fatalf("%s: %v in\n%s", c.name, err, objects["StatefulSet"])
		}
		spec := set.Spec.Template.Spec
		got := map[string]string{}
		for _, variable := range spec.Containers[0].Env {
			if _, twice := got[variable.Name]; twice {
				t.Errorf("%s: %s is set twice", c.name, variable.Name)
			}
			got[variable.Name] = variable.Value
		}
		for name, want := range c.env {
			if got[name] != want {
				t.Errorf("%s: %s is %q, want %q", c.name, name, got[name], want)
			}
		}
		var ports []string
		for _, port := range spec.Containers[0].Ports {
			if port.ContainerPort == 0 {
				t.Errorf("%s: port %s is 0, which Kubernetes refuses", c.name, port.Name)
			}
			if port.HostPort == 0 {
				continue
			}
			if port.HostPort != port.ContainerPort {
				t.Errorf("%s: port %d of the machine leads to port %d", c.name, port.HostPort, port.ContainerPort)
			}
			ports = append(ports, strings.Join(strings.Fields(fmt.Sprint(port.Name, " ", port.Protocol, " ", port.HostPort)), " "))
		}
		if got := strings.Join(ports, ", "); got != c.ports {
			t.Errorf("%s: ports of the machine are %s, want %s", c.name, got, c.ports)
		}
		if got := len(spec.SecurityContext.Sysctls) > 0; got != c.lowPorts {
			t.Errorf("%s: ports below 1024 are allowed: %v, want %v", c.name, got, c.lowPorts)
		}
		if got := spec.Containers[0].LivenessProbe.TerminationGracePeriodSeconds; got == 0 || got >= c.grace {
			t.Errorf("%s: a node that hangs has %d seconds to stop, want less than other nodes have", c.name, got)
		}
		if spec.TerminationGracePeriodSeconds != c.grace {
			t.Errorf("%s: a stop may take %d seconds, want %d", c.name, spec.TerminationGracePeriodSeconds, c.grace)
		}
	}
}

// The host of an ingress is a name in lower case, without a port.
func TestTheIngressIsForTheNameOfThePublicURL(t *testing.T) {
	t.Parallel()
	objects, refused := chart(t, "", "--set", "publicURL=https://Meet.example.com:8443")
	if refused != "" || !strings.Contains(objects["Ingress"], "host: meet.example.com\n") {
		t.Errorf("%s%s", refused, objects["Ingress"])
	}
}

// The chart says what is wrong with values that Kubernetes would refuse without saying
// why, or that would harm the nodes.
func TestTheChartRefuses(t *testing.T) {
	t.Parallel()
	for values, want := range map[string]string{
		`settings: {redis-url: "redis://redis"}`:  "settings.redis-url: this belongs in the secret",
		`settings: {database-url: "postgres://"}`: "settings.database-url: this belongs in the secret",
		`settings: {master-key: secret}`:          "settings.master-key: this belongs in the secret",
		`settings: {node-name: one}`:              "settings.node-name: every node needs a name of its own",
		`settings: {media-udp-port: 443}`:         "settings.media-udp-port: the chart sets this itself",
		`tls: {secret: meet}`:                     "TLS ends in the nodes (tls.secret) or at the ingress",
	} {
		if _, refused := chart(t, values); !strings.Contains(refused, want) {
			t.Errorf("with %s helm says %q, want %q", values, refused, want)
		}
	}
}

// What helm prints after an installation names the namespace of the nodes, and commands
// that exist.
func TestTheNotesOfTheChart(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../../deploy/helm/conclave/templates/NOTES.txt")
	if err != nil {
		t.Fatal(err)
	}
	parser, err := newParser(&cli{}, io.Discard, io.Discard)
	if err != nil {
		t.Fatal(err)
	}
	commands := 0
	for line := range strings.Lines(string(text)) {
		line = strings.TrimSpace(line)
		if !strings.HasPrefix(line, "kubectl ") {
			continue
		}
		if !strings.HasPrefix(line, "kubectl -n {{ .Release.Namespace }} ") {
			t.Errorf("%q names no namespace", line)
		}
		if _, command, found := strings.Cut(line, " -- /conclave "); found {
			commands++
			if _, err := parser.Parse(strings.Fields(command)); err != nil {
				t.Errorf("%q: %v", line, err)
			}
		}
	}
	if commands < 3 {
		t.Errorf("found %d commands, which cannot be all", commands)
	}
}
