package server

import (
	"bytes"
	"crypto/tls"
	"crypto/x509"
	"log/slog"
	"math/big"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/conclave-rooms/conclave/internal/cert/certtest"
)

// certificateFiles are a certificate and its key on disk, and a clock.
type certificateFiles struct {
	*certificate
	now    time.Time
	log    bytes.Buffer
	writes int
}

func newCertificateFiles(t *testing.T) *certificateFiles {
	folder := t.TempDir()
	f := &certificateFiles{now: time.Date(2026, time.November, 23, 12, 0, 0, 0, time.UTC)}
	f.certificate = &certificate{
		certFile: filepath.Join(folder, "cert.pem"), keyFile: filepath.Join(folder, "key.pem"),
		now: func() time.Time { return f.now }, log: slog.New(slog.NewTextHandler(&f.log, nil)),
	}
	return f
}

// useFirst writes a first certificate, with the serial number 1, and checks that it
// is used.
func (f *certificateFiles) useFirst(t *testing.T) {
	t.Helper()
	cert, key := f.renew(t, 1)
	f.write(t, f.certFile, cert)
	f.write(t, f.keyFile, key)
	f.wantSerial(t, 1)
}

// renew returns new content for both files.
func (f *certificateFiles) renew(t *testing.T, serial int64) (cert, key []byte) {
	t.Helper()
	return certtest.PEM(t, certtest.Issue(t, &x509.Certificate{SerialNumber: big.NewInt(serial), NotAfter: f.now.Add(time.Hour)}, nil))
}

// write replaces a file, whose time is later than that of every write before.
func (f *certificateFiles) write(t *testing.T, name string, content []byte) {
	t.Helper()
	if err := os.WriteFile(name, content, 0o600); err != nil {
		t.Fatal(err)
	}
	f.writes++
	changed := f.now.Add(time.Duration(f.writes) * time.Second)
	if err := os.Chtimes(name, changed, changed); err != nil {
		t.Fatal(err)
	}
}

// wantSerial makes a handshake.
func (f *certificateFiles) wantSerial(t *testing.T, want int64) {
	t.Helper()
	got, err := f.get(&tls.ClientHelloInfo{})
	if err != nil {
		t.Fatal(err)
	}
	if serial := got.Leaf.SerialNumber.Int64(); serial != want {
		t.Errorf("the certificate has serial number %d, want %d", serial, want)
	}
}

func TestARenewedCertificateIsUsedWithinAMinute(t *testing.T) {
	t.Parallel()
	f := newCertificateFiles(t)
	f.useFirst(t)

	cert, key := f.renew(t, 2)
	f.write(t, f.certFile, cert)
	f.write(t, f.keyFile, key)
	f.now = f.now.Add(checkEvery - time.Second)
	f.wantSerial(t, 1)
	f.now = f.now.Add(time.Second)
	f.wantSerial(t, 2)
}

func TestHalfARenewalKeepsTheCertificate(t *testing.T) {
	t.Parallel()
	f := newCertificateFiles(t)
	f.useFirst(t)

	// The certificate is new and its key is not: the two do not belong together.
	cert, key := f.renew(t, 2)
	f.write(t, f.certFile, cert)
	f.now = f.now.Add(checkEvery)
	f.wantSerial(t, 1)
	f.wantSerial(t, 1)
	if told := strings.Count(f.log.String(), "go on with the certificate from before"); told != 1 {
		t.Errorf("the log says %d times that the files cannot be used, want 1:\n%s", told, &f.log)
	}
	// Only the key changes now.
	f.write(t, f.keyFile, key)
	f.now = f.now.Add(checkEvery)
	f.wantSerial(t, 2)
}

func TestAServiceWithoutItsCertificateDoesNotStart(t *testing.T) {
	t.Parallel()
	f := newCertificateFiles(t)
	if _, err := f.get(nil); err == nil || !strings.Contains(err.Error(), f.certFile) {
		t.Errorf("without files: %v, want an error that names %s", err, f.certFile)
	}
}
