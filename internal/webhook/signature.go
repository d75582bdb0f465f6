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

// SecretPrefix begins every secret.
const SecretPrefix = "whsec_"

// sign makes the headers that prove where a request comes from, with every
// secret that counts at the moment: our own, and those of the Standard Webhooks
// specification (1.0), for receivers that have a library for it. Both sign the
// body as it is sent.
func sign(secrets []string, eventID string, at time.Time, body []byte) map[string]string {
	stamp := strconv.FormatInt(at.Unix(), 10)
	own, standard := []string{"t=" + stamp}, []string{}
	for _, secret := range secrets {
		own = append(own, "v1="+hex.EncodeToString(mac([]byte(secret), stamp+".", body)))
		// There the key is what stands behind the prefix, decoded.
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
