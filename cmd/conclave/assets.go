package main

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"strings"
	"time"

	"github.com/conclave-rooms/conclave/internal/fault"
	"github.com/conclave-rooms/conclave/web"
)

type assetsCmd struct {
	List   assetsList   `cmd:"" help:"Print the manifest of the interface in this binary: each file with its SHA-256 digest."`
	Verify assetsVerify `cmd:"" help:"Compare what a running service serves with a manifest."`
}

type assetsList struct{}

func (c *assetsList) Run(o *output) error {
	m, err := ownManifest()
	if err != nil {
		return err
	}
	return o.json(m)
}

type assetsVerify struct {
	URL      string `arg:"" help:"Address of the service, such as https://meet.example.com."`
	Manifest string `help:"File that conclave assets list has printed; without it, the files of this binary are compared." placeholder:"FILE"`
}

func (c *assetsVerify) Run(ctx context.Context, o *output) error {
	base, err := url.Parse(c.URL)
	if err != nil || (base.Scheme != "http" && base.Scheme != "https") || base.Host == "" {
		return fault.BadParameter("url", fmt.Sprintf("The address must be one such as https://meet.example.com, not %q.", c.URL))
	}
	m, err := c.manifest()
	if err != nil {
		return err
	}
	different, err := compare(ctx, base, m)
	if err != nil {
		return err
	}
	for _, line := range different {
		o.line("%s", line)
	}
	if n := len(different); n > 0 {
		return fmt.Errorf("%d of %d files of %s are not those of the manifest", n, len(m.Files), base.Host)
	}
	o.line("All %d files of %s are those of the manifest.", len(m.Files), base.Host)
	return nil
}

func (c *assetsVerify) manifest() (web.Manifest, error) {
	if c.Manifest == "" {
		return ownManifest()
	}
	text, err := os.ReadFile(c.Manifest)
	if err != nil {
		return web.Manifest{}, fmt.Errorf("read the manifest: %w", err)
	}
	var m web.Manifest
	if err := json.Unmarshal(text, &m); err != nil {
		return web.Manifest{}, fmt.Errorf("read the manifest %s: %w", c.Manifest, err)
	}
	if len(m.Files) == 0 {
		return web.Manifest{}, fault.BadParameter("manifest", "The manifest lists no files.")
	}
	return m, nil
}

func ownManifest() (web.Manifest, error) {
	m, err := web.ManifestOf(web.Dist())
	if err == nil && len(m.Files) == 0 {
		err = errors.New("the meeting interface was not built into this binary; build it with make build")
	}
	return m, err
}

// compare fetches every file of the manifest, and says which are different.
func compare(ctx context.Context, base *url.URL, m web.Manifest) ([]string, error) {
	client := &http.Client{
		Timeout:       time.Minute,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
	var different []string
	for _, f := range m.Files {
		problem, err := fetched(ctx, client, base, f)
		if err != nil {
			return nil, err
		}
		if problem != "" {
			different = append(different, f.Path+" "+problem)
		}
	}
	return different, nil
}

// fetched says what is wrong with one file of the service, or nothing.
func fetched(ctx context.Context, client *http.Client, base *url.URL, f web.ManifestFile) (string, error) {
	address := strings.TrimSuffix(base.String(), "/") + f.Path
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, address, http.NoBody)
	if err != nil {
		return "", fmt.Errorf("ask for %s: %w", address, err)
	}
	res, err := client.Do(req)
	if err != nil {
		return "", fmt.Errorf("ask for %s: %w", address, err)
	}
	defer func() { _ = res.Body.Close() }()
	if res.StatusCode != http.StatusOK {
		return fmt.Sprintf("is missing: the service answers %d", res.StatusCode), nil
	}
	// A longer file is different, however long it is.
	content, err := io.ReadAll(io.LimitReader(res.Body, int64(f.Bytes)+1))
	if err != nil {
		return "", fmt.Errorf("read %s: %w", address, err)
	}
	if digest := sha256.Sum256(content); hex.EncodeToString(digest[:]) != f.SHA256 {
		return "is different", nil
	}
	return "", nil
}
