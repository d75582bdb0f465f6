package gate

import (
	"encoding/base64"
	"encoding/json"
	"net/url"
	"strconv"
)

// The versions of LiveKit's signalling that pass. Below 3 the media server
// takes the connection over which a client publishes for the one that counts,
// and a device that only hears is not in the meeting; below 8 it makes offers
// in an order that nothing here was tried with. Clients in use speak 8 to 17.
// Newer ones are taken for the newest that the media server knows, as it does
// itself.
const (
	leastProtocol = 8
	mostProtocol  = 17

	maxClientProtocol = 1000 // what clients can do for each other; 2 is the newest
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

// address says what of a client's address the media server gets. The list is
// one of what is allowed because of what is not: "publish" would join under an
// identity nobody admitted. A request to join holds all of it already.
func (q *requests) address(path string, in url.Values) (url.Values, error) {
	out := url.Values{}
	if text := in.Get("join_request"); text != "" {
		kept, err := q.join(text)
		out.Set("join_request", kept)
		return out, err
	}
	if path == "/rtc/v1" {
		return nil, errMalformed // there is nothing else there
	}
	version, err := strconv.ParseInt(in.Get("protocol"), 10, 32)
	if err != nil {
		return nil, errProtocol // every client says it
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

// addressAttributes are the attributes with which somebody comes in, as they
// stand in the address. The media server takes none from those it cannot read.
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

// handRaised is the one attribute that people set themselves: with it clients
// that speak nothing but LiveKit's protocol raise a hand. All the others, and
// names, are the service's word, on which interfaces rely.
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
