package rest

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/conclave-rooms/conclave/internal/rest/limit"
)

// ParseLimits parses limits as an operator writes them: "on", "off", or the
// classes that differ from the defaults, such as
//
//	tokens=1200/1m, requests=200/5s, webhook_test=off
func ParseLimits(text string) (Limits, error) {
	limits := DefaultLimits()
	switch text {
	case "", "on":
		return limits, nil
	case "off":
		limits.Off = true
		return limits, nil
	}
	for _, word := range strings.Split(text, ",") {
		name, quota, _ := strings.Cut(strings.TrimSpace(word), "=")
		class, ok := limits.Classes[name]
		if !ok {
			known := slices.Sorted(maps.Keys(limits.Classes))
			return Limits{}, fmt.Errorf("%q is not a class of rate limits; the classes are %s", name, strings.Join(known, ", "))
		}
		var err error
		if class.Quota, err = parseQuota(quota); err != nil {
			return Limits{}, fmt.Errorf("the rate limit of %s: %w", name, err)
		}
		limits.Classes[name] = class
	}
	return limits, nil
}

func parseQuota(text string) (limit.Quota, error) {
	if text == "off" {
		return limit.Quota{}, nil
	}
	count, window, _ := strings.Cut(text, "/")
	n, err := strconv.Atoi(count)
	if err != nil || n < 1 {
		return limit.Quota{}, errors.New("write a number and a time, such as 600/1m, or off")
	}
	d, err := time.ParseDuration(window)
	if err != nil || d < time.Second {
		return limit.Quota{}, errors.New("write the time as 5s, 1m or 1h, at least one second")
	}
	return limit.Quota{Count: n, Window: d}, nil
}
