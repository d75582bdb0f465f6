package mediaclient

import (
	"bytes"
	"crypto/cipher"
	"crypto/rand"
	"errors"
)

// LiveKit's end-to-end encryption of one frame, AES-128-GCM:
//
//	clear bytes │ ciphertext and tag │ IV │ length of the IV │ index of the key
//
// Media servers read the clear bytes to recognise key frames. They are also the
// additional data, so a change to them is noticed.
const (
	keySalt       = "LKFrameEncryptionKey"
	keyIterations = 100_000
	keySize       = 16
	ivSize        = 12
	trailerSize   = 2
)

// errUndecryptable is returned for a frame under another key or none.
var errUndecryptable = errors.New("undecryptable frame")

// frameCipher encrypts and decrypts frames of one kind.
type frameCipher struct {
	aead  cipher.AEAD
	clear func(frame []byte) int // how many bytes of a frame stay clear
	// injected ends the frames that the media server itself made, which are not
	// encrypted: silence for people who are muted.
	injected []byte
}

// clearOpus leaves one byte clear, which says how the rest is coded.
func clearOpus([]byte) int { return 1 }

// clearVP8 leaves the frame header clear: ten bytes of a key frame, three of
// others (RFC 6386, section 9.1). The lowest bit is 0 on key frames.
func clearVP8(frame []byte) int {
	if len(frame) > 0 && frame[0]&1 == 0 {
		return 10
	}
	return 3
}

// EncryptFrame encrypts one frame.
func (c *frameCipher) EncryptFrame(frame []byte) ([]byte, error) {
	n := min(c.clear(frame), len(frame))
	out := append(make([]byte, 0, len(frame)+c.aead.Overhead()+ivSize+trailerSize), frame[:n]...)
	iv := make([]byte, ivSize)
	_, _ = rand.Read(iv) // it never fails
	out = c.aead.Seal(out, iv, frame[n:], frame[:n])
	return append(append(out, iv...), ivSize, 0), nil
}

// DecryptFrame decrypts one frame; it returns nothing for those made by the
// media server.
func (c *frameCipher) DecryptFrame(frame []byte) ([]byte, error) {
	if isPadding(frame) || len(c.injected) > 0 && bytes.HasSuffix(frame, c.injected) {
		return nil, nil
	}
	n, end := c.clear(frame), len(frame)-trailerSize
	if end-ivSize-c.aead.Overhead() < n || frame[end] != ivSize {
		return nil, errUndecryptable
	}
	head, body, iv := frame[:n], frame[n:end-ivSize], frame[end-ivSize:end]
	plain, err := c.aead.Open(nil, iv, body, head)
	if err != nil {
		return nil, errUndecryptable
	}
	return append(bytes.Clone(head), plain...), nil
}

// isPadding says whether this is RTP padding (RFC 3550, section 5.1: zeros, and
// their number): media servers begin a stream with some packets of it.
func isPadding(frame []byte) bool {
	last := len(frame) - 1
	return last < 0 || frame[last] == 0xff && len(bytes.Trim(frame[:last], "\x00")) == 0
}
