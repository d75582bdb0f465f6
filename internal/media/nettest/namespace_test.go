package nettest

import (
	"bufio"
	"crypto/rand"
	"io"
	"os"
	"os/exec"
	"strings"
	"testing"
)

// role tells a test that it runs in a namespace made for it, and in which role.
const role = "CONCLAVE_NETTEST_ROLE"

// ready is the line with which a role in the background says that it serves.
const ready = "nettest: ready"

// namespace is a network namespace of one test.
type namespace string

func newNamespace(t *testing.T) namespace {
	t.Helper()
	if os.Geteuid() != 0 {
		t.Skip("making a network namespace needs root")
	}
	for _, tool := range []string{"ip", "nft"} {
		if _, err := exec.LookPath(tool); err != nil {
			t.Skipf("making a network namespace needs %s", tool)
		}
	}
	n := namespace("cv-" + strings.ToLower(rand.Text()[:8]))
	if out, err := exec.CommandContext(t.Context(), "ip", "netns", "add", string(n)).CombinedOutput(); err != nil {
		t.Skipf("this system makes no network namespaces: %v: %s", err, out)
	}
	t.Cleanup(func() { _ = exec.Command("ip", "netns", "del", string(n)).Run() })
	n.run(t, "ip", "link", "set", "lo", "up")
	return n
}

// link connects two namespaces, with an address at each end.
func link(t *testing.T, a namespace, addressA string, b namespace, addressB string) {
	t.Helper()
	a.run(t, "ip", "link", "add", "cable", "type", "veth", "peer", "name", "cable", "netns", string(b))
	for n, address := range map[namespace]string{a: addressA, b: addressB} {
		n.run(t, "ip", "address", "add", address, "dev", "cable")
		n.run(t, "ip", "link", "set", "cable", "up")
	}
}

func (n namespace) command(t *testing.T, as string, command ...string) *exec.Cmd {
	cmd := exec.CommandContext(t.Context(), "ip", append([]string{"netns", "exec", string(n)}, command...)...)
	cmd.Env = append(os.Environ(), role+"="+as)
	return cmd
}

// run runs a command inside and fails the test, with the command's output, if
// it fails.
func (n namespace) run(t *testing.T, command ...string) {
	t.Helper()
	if out, err := n.command(t, "", command...).CombinedOutput(); err != nil {
		t.Fatalf("%s: %v\n%s", strings.Join(command, " "), err, out)
	}
}

// self is the command that runs this same test.
func self(t *testing.T) []string {
	return []string{os.Args[0], "-test.run=^" + t.Name() + "$", "-test.v", "-test.timeout=2m"}
}

// runTest runs this test inside, in a role.
func (n namespace) runTest(t *testing.T, as string) {
	t.Helper()
	if out, err := n.command(t, as, self(t)...).CombinedOutput(); err != nil {
		t.Fatalf("as %s: %v\n%s", as, err, out)
	}
}

// startTest runs this test inside, in a role that serves until its standard
// input closes, and waits until it is ready.
func (n namespace) startTest(t *testing.T, as string) {
	t.Helper()
	cmd := n.command(t, as, self(t)...)
	stdin, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = stdin.Close()
		_ = cmd.Wait()
	})
	said := &strings.Builder{}
	lines := bufio.NewScanner(io.TeeReader(stdout, said))
	for lines.Scan() {
		if strings.Contains(lines.Text(), ready) {
			go func() { _, _ = io.Copy(io.Discard, stdout) }()
			return
		}
	}
	t.Fatalf("as %s: never ready\n%s", as, said)
}

// serve is the role's side of startTest.
func serve() {
	_, _ = os.Stdout.WriteString(ready + "\n")
	_, _ = io.Copy(io.Discard, os.Stdin)
}
