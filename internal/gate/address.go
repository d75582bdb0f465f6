package gate

import (
	"encoding/base64"
	"encoding/json"
	"net/url"
	"strconv"
)

// The versions of LiveKit's signalling that pass. Below version 3 the media
// server counts only the publishing connection, so a device that only listens
// would not be in the meeting; below 8 the order of its offers is not tested
// here. Clients in use speak 8 to 17. A newer version is treated as the newest
// one that the media server knows, which is also what the media server does.
const (
	leastProtocol = 8
	mostProtocol  = 17

	maxClientProtocol = 1000 // the version of what clients can do for each other; 2 is the newest
)

// errProtocol refuses a client that is too old.
var errProtocol = &breach{0, "This client is too old for this service: it has to speak version 8 or newer of LiveKit's signalling protocol."}

// clamp brings a version of the protocol into the range that passes.
func clamp(version int64) (int64, error) {
	if version < leastProtocol {
		return 0, errProtocol
	}
	return min(version, mostProtocol), nil
}

// address filters the query of a connection for the media server. Only what it lists
// passes, because other parameters do harm: "publish" would join under an identity that
// was never let through. A request to join carries everything itself, so nothing beside
// it passes.
func (q *requests) address(path string, in url.Values) (url.Values, error) {
	out := url.Values{}
	if text := in.Get("join_request"); text != "" {
		kept, err := q.join(text)
		out.Set("join_request", kept)
		return out, err
	}
	if path == "/rtc/v1" {
		return nil, errMalformed // a request to join comes alone
	}
	version, err := strconv.ParseInt(in.Get("protocol"), 10, 32)
	if err != nil {
		return nil, errProtocol // every client sends it
	}
	if version, err = clamp(version); err != nil {
		return nil, err
	}
	out.Set("protocol", strconv.FormatInt(version, 10))
	if can, err := strconv.ParseUint(in.Get("client_protocol"), 10, 31); err == nil && can <= maxClientProtocol {
		out.Set("client_protocol", strconv.FormatUint(can, 10))
	}
	if attributes := addressAttributes(in.Get("attributes")); attributes != "" {
		out.Set("attributes", attributes)
	}
	q.saysMuted = saysMuted(in.Get("sdk"))
	for _, name := range []string{
		"version", "sdk", "os", "os_version", "browser", "browser_version", "device_model", "network", "capabilities",
		"auto_subscribe", "auto_subscribe_data_track", "adaptive_stream", "subscriber_allow_pause", "disable_ice_lite",
		"reconnect", "reconnect_reason", "sid",
	} {
		v := in.Get(name)
		if err := short(v); err != nil {
			return nil, err
		}
		if v != "" {
			out.Set(name, v)
		}
	}
	return out, nil
}

// addressAttributes filters the attributes that a client sets in the address.
// When they cannot be parsed, none pass, as in the media server.
func addressAttributes(text string) string {
	raw, err := base64.URLEncoding.DecodeString(text)
	if err != nil {
		return ""
	}
	var said map[string]string
	if json.Unmarshal(raw, &said) != nil {
		return ""
	}
	kept := keptAttributes(said)
	if len(kept) == 0 {
		return ""
	}
	raw, err = json.Marshal(kept)
	if err != nil {
		return ""
	}
	return base64.URLEncoding.EncodeToString(raw)
}

// handRaised is the only attribute that people set themselves: clients that
// authenticate speak LiveKit's protocol raise a hand with it. Names and all other
// attributes are set by the service, and interfaces trust them.
const handRaised = "hand_raised"

func keptAttributes(said map[string]string) map[string]string {
	switch v, ok := said[handRaised]; {
	case !ok:
		return nil
	case v == "" || v == "true" || v == "false":
		return map[string]string{handRaised: v}
	default:
		return nil
	}
}
