package join

import "testing"

// An address without https is refused, unless both it and the service are on the
// machine of the person who opens it.
func TestRedirectAddresses(t *testing.T) {
	t.Parallel()
	const public, dev, loopback = "https://meet.example.com", "http://localhost:8080", "http://127.0.0.1:8080"
	for _, c := range []struct {
		service, address string
		allowed          bool
	}{
		{public, "https://example.com/thanks", true},
		{public, "http://localhost:3000/thanks", false},
		{public, "http://example.com", false},
		{dev, "https://example.com/thanks", true},
		{dev, "http://localhost:3000/thanks", true},
		{dev, "http://127.0.0.1:3000/thanks", true},
		{dev, "http://[::1]:3000/thanks", true},
		{loopback, "http://localhost:3000", true},
		{dev, "http://example.com", false},
		{dev, "http://localhost.example.com", false},
		{dev, "http://user@localhost:3000", false},
		{dev, "javascript:alert(1)", false},
		{dev, "/thanks", false},
	} {
		err := checkRedirect(c.service, &c.address)
		if (err == nil) != c.allowed {
			t.Errorf("%s at %s: %v, allowed %v", c.address, c.service, err, c.allowed)
		}
	}
}
