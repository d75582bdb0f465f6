package config_test

import (
	"strings"
	"testing"

	"github.com/conclave-rooms/conclave/internal/config"
)

func TestParseRedis(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]config.Redis{
		"redis://redis.internal":                      {Address: "redis.internal:6379"},
		"redis://redis.internal/":                     {Address: "redis.internal:6379"},
		"redis://127.0.0.1:7000/0":                    {Address: "127.0.0.1:7000"},
		"redis://[2001:db8::7]":                       {Address: "[2001:db8::7]:6379"},
		"redis://[2001:db8::7]:7000":                  {Address: "[2001:db8::7]:7000"},
		"redis://:secret@redis.internal":              {Address: "redis.internal:6379", Password: "secret"},
		"redis://ada:se%3Acr%40et@redis.internal":     {Address: "redis.internal:6379", Username: "ada", Password: "se:cr@et"},
		"redis://redis.internal:6379/15":              {Address: "redis.internal:6379", Database: 15},
		"redis://:secret@one:26379/3?master=conclave": {Address: "one:26379", Password: "secret", Database: 3, Master: "conclave"},
		"redis://one:26379?master=conclave&sentinel=two:26379&sentinel=three:1&sentinel_password=other": {
			Address: "one:26379", Master: "conclave", Sentinels: "two:26379,three:1", SentinelPassword: "other",
		},
		"rediss://ada:secret@redis.internal:1/2": {Address: "redis.internal:1", Username: "ada", Password: "secret", Database: 2, TLS: true},
	} {
		if got, err := config.ParseRedis(text); err != nil || got != want {
			t.Errorf("ParseRedis(%q) = %+v, %v; want %+v", text, got, err, want)
		}
	}
}

// Parts without effect are refused, in a sentence that does not repeat a
// password.
func TestParseRedisRefuses(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		"", "redis.internal:6379", "http://redis.internal", "redis://", "redis://:secret@", "redis://:6379", "redis://:sec%ret@redis.internal",
		"redis://:secret@redis.internal/main", "redis://:secret@redis.internal/-1", "redis://:secret@redis.internal/1/2",
		"redis://redis.internal?db=3", "redis://one?sentinel=two:1", "redis://one?master=", "redis://one?master=a&sentinel=two", "redis://one?master=a&master=b",
		"redis://one?master=a&sentinel=two:1,three:1", "redis://one?master=a&db=secret", "redis://redis.internal/3?password=secret", "redis://redis.internal#3", "redis://redis.internal:port",
	} {
		if got, err := config.ParseRedis(text); err == nil || !strings.Contains(err.Error(), "--redis-url") || strings.Contains(err.Error(), "secret") {
			t.Errorf("ParseRedis(%q) = %+v, %v", text, got, err)
		}
	}
}
