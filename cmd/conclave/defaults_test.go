package main

import (
	"reflect"
	"strconv"
	"testing"

	"github.com/conclave-rooms/conclave/internal/config"
	"github.com/conclave-rooms/conclave/internal/db"
)

// Tags cannot name constants, so some defaults of flags repeat one.
func TestDefaultsOfFlagsAreThoseOfTheCode(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		command reflect.Type
		field   string
		want    string
	}{
		{reflect.TypeFor[config.Serve](), "DatabaseConnections", strconv.Itoa(db.DefaultConnections)},
		{reflect.TypeFor[loadCmd](), "URL", config.DefaultPublicURL},
		{reflect.TypeFor[openapiCmd](), "PublicURL", config.DefaultPublicURL},
	} {
		field, _ := c.command.FieldByName(c.field)
		if got := field.Tag.Get("default"); got != c.want {
			t.Errorf("the default of %s.%s is %q, want %q", c.command, c.field, got, c.want)
		}
	}
}
