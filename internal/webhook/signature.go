package webhook

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"strconv"
	"strings"
	"time"
)

// SecretPrefix is the beginning of every secret.
const SecretPrefix = "whsec_"

// sign makes the headers that prove the origin of a request, with a signature for
// each secret: our own headers, and those of the Standard Webhooks specification
// (1.0) for receivers that use a library for it. Both sign the body as it is sent.
func sign(secrets []string, eventID string, at time.Time, body []byte) map[string]string {
	stamp := strconv.FormatInt(at.Unix(), 10)
	own, standard := []string{"t=" + stamp}, []string{}
	for _, secret := range secrets {
		own = append(own, "v1="+hex.EncodeToString(mac([]byte(secret), stamp+".", body)))
		// In that specification the key is the decoded part after the prefix.
		key, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(secret, SecretPrefix))
		if err == nil {
			standard = append(standard, "v1,"+base64.StdEncoding.EncodeToString(mac(key, eventID+"."+stamp+".", body)))
		}
	}
	return map[string]string{
		"Service-Signature": strings.Join(own, ","),
		"Webhook-Id":        eventID,
		"Webhook-Timestamp": stamp,
		"Webhook-Signature": strings.Join(standard, " "),
	}
}

func mac(key []byte, prefix string, body []byte) []byte {
	h := hmac.New(sha256.New, key)
	_, _ = h.Write([]byte(prefix))
	_, _ = h.Write(body)
	return h.Sum(nil)
}
