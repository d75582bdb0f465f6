package outbound

import (
	"errors"
	"testing"
)

func TestCheck(t *testing.T) {
	t.Parallel()
	n := &names{answers: map[string][]string{"public.example.com": {"93.184.215.14"}, "private.example.com": {"192.168.0.1"}, "xn--bcher-kva.example.com": {"10.0.0.1"}}}
	c := New(Config{Resolver: n.resolver(t)})
	for address, want := range map[string]error{
		"https://public.example.com":                        nil,
		"https://public.example.com:8443/a?b=c":             nil,
		"HTTPS://PUBLIC.EXAMPLE.COM":                        nil,
		"https://nobody.example.com":                        nil, // it does not resolve yet
		"https://93.184.215.14/hooks":                       nil,
		"https://[2606:2800:21f:cb07:6820:80da:af6b:8b2c]/": nil,

		"":                                ErrNotURL,
		"public.example.com":              ErrNotURL,
		"https://":                        ErrNotURL,
		"https:///hooks":                  ErrNotURL,
		"https:public.example.com":        ErrNotURL,
		"https://public.example.com/#top": ErrNotURL,
		"https://a b.example.com":         ErrNotURL,
		"https://-.example.com":           ErrNotURL,

		"http://public.example.com":   ErrNotHTTPS,
		"ftp://public.example.com":    ErrNotHTTPS,
		"file://public.example.com/x": ErrNotHTTPS,
		"gopher://127.0.0.1":          ErrNotHTTPS,

		"https://me@public.example.com":        ErrUserInfo,
		"https://me:secret@public.example.com": ErrUserInfo,
		"https://@public.example.com":          ErrUserInfo,

		"https://public.example.com:0":     ErrInvalidPort,
		"https://public.example.com:65536": ErrInvalidPort,
		"https://public.example.com:":      ErrInvalidPort,

		"https://private.example.com":        ErrNotPublic,
		"https://private.example.com.":       ErrNotPublic,
		"https://bücher.example.com":         ErrNotPublic,
		"https://localhost":                  ErrNotPublic,
		"https://LocalHost.":                 ErrNotPublic,
		"https://hooks.localhost":            ErrNotPublic,
		"https://printer.local":              ErrNotPublic,
		"https://metadata.google.internal":   ErrNotPublic,
		"https://intranet":                   ErrNotPublic,
		"https://hooks.onion":                ErrNotPublic,
		"https://hooks.example.test":         nil, // these do not resolve
		"https://hooks.example.invalid":      nil,
		"https://127.0.0.1":                  ErrNotPublic,
		"https://127.1":                      ErrNotPublic,
		"https://2130706433":                 ErrNotPublic,
		"https://0x7f.0.0.1":                 ErrNotPublic,
		"https://0x7f.1":                     ErrNotPublic,
		"https://0177.0.0.1":                 ErrNotPublic,
		"https://10.0.0.1":                   ErrNotPublic,
		"https://172.16.0.1":                 ErrNotPublic,
		"https://192.168.1.1":                ErrNotPublic,
		"https://100.64.0.1":                 ErrNotPublic,
		"https://169.254.169.254":            ErrNotPublic,
		"https://168.63.129.16":              ErrNotPublic, // Azure
		"https://[::ffff:168.63.129.16]":     ErrNotPublic,
		"https://[64:ff9b::168.63.129.16]":   ErrNotPublic,
		"https://168.63.129.17":              nil,
		"https://100.100.100.200":            ErrNotPublic, // Alibaba Cloud
		"https://192.0.0.192":                ErrNotPublic, // Oracle Cloud
		"https://169.254.170.2":              ErrNotPublic, // containers on AWS
		"https://[fd20:ce::254]":             ErrNotPublic, // Google Cloud
		"https://0.0.0.0":                    ErrNotPublic,
		"https://255.255.255.255":            ErrNotPublic,
		"https://224.0.0.1":                  ErrNotPublic,
		"https://192.0.2.1":                  ErrNotPublic,
		"https://[::1]":                      ErrNotPublic,
		"https://[::]":                       ErrNotPublic,
		"https://[fe80::1]":                  ErrNotPublic,
		"https://[fe80::1%25eth0]":           ErrNotPublic,
		"https://[fd00:ec2::254]":            ErrNotPublic,
		"https://[::ffff:127.0.0.1]":         ErrNotPublic,
		"https://[::ffff:93.184.215.14]":     ErrNotPublic,
		"https://[64:ff9b::169.254.169.254]": ErrNotPublic,
		"https://[64:ff9b:1::a9fe:a9fe]":     ErrNotPublic,
		"https://[2002:7f00:1::]":            ErrNotPublic,
		"https://[2001:0:7f00:1::]":          ErrNotPublic, // Teredo
		"https://[::127.0.0.1]":              ErrNotPublic,
		"https://[5f00::1]":                  ErrNotPublic,
	} {
		if err := c.Check(t.Context(), address); !errors.Is(err, want) || (want == nil) != (err == nil) {
			t.Errorf("%s: %v, want %v", address, err, want)
		}
	}
}

func TestDevelopmentMayGoAnywhere(t *testing.T) {
	t.Parallel()
	c := New(Config{AllowPrivate: true})
	for address, want := range map[string]error{
		"http://localhost:3000/hooks": nil, "http://127.0.0.1": nil, "https://10.0.0.1": nil, "https://intranet": nil,
		"ftp://localhost": ErrNotHTTPS, "http://me@localhost": ErrUserInfo, "localhost:3000": ErrNotURL, "http://localhost:0": ErrInvalidPort,
	} {
		if err := c.Check(t.Context(), address); !errors.Is(err, want) || (want == nil) != (err == nil) {
			t.Errorf("%s: %v, want %v", address, err, want)
		}
	}
}
