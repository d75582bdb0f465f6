package group

import "github.com/conclave-rooms/conclave/api"

// addedView is a device that a commit adds, as its author says.
type addedView struct {
	Identity   string `json:"identity"`
	KeyPackage string `json:"key_package" doc:"SHA-256 digest of the device's key package, base64url."`
}

const (
	// mostMessages is how many messages are read at once.
	mostMessages = 16
	// pageBytes bounds a page of messages, unless its first message alone is larger.
	pageBytes = 1 << 20
)

// message is an entry of the log for one device: the commit, or the welcome of the
// commit that added it.
type message struct {
	Seq     int64  `json:"seq"`
	Epoch   int64  `json:"epoch" doc:"In which the commit was made; it leads to the next."`
	Kind    string `json:"kind" enum:"commit,welcome" doc:"welcome: the commit that added this device."`
	Message string `json:"message" doc:"base64url."`

	Check   string      `json:"check" doc:"What the author of the commit says of it: a digest of the secrets of the epoch to which it leads."`
	Link    *string     `json:"link" doc:"The same: a digest of the link secret; null when the group has none."`
	Adds    []addedView `json:"adds" doc:"The same: the devices that it adds."`
	Removes []string    `json:"removes" doc:"The same: the devices that it removes."`
}

// pageOf returns the first messages of a log, for the device that the commit with the
// number addedSeq added.
func pageOf(log []entry, addedSeq int64) []message {
	var page []message
	size := 0
	for _, e := range log {
		m := message{
			Seq: e.Seq, Epoch: e.Epoch, Kind: "commit", Message: e.Message,
			Check: e.Said.Check, Link: api.TextOrNull(e.Said.Link), Adds: addedOf(e.Said), Removes: e.Said.Removes,
		}
		if e.Seq == addedSeq {
			m.Kind, m.Message = "welcome", e.Welcome
		}
		if size += len(m.Message) + e.Said.size(); size > pageBytes && len(page) > 0 {
			break
		}
		page = append(page, m)
	}
	return page
}

// size is roughly how many bytes an author's words about a commit have.
func (s said) size() int {
	size := len(s.Check) + len(s.Link)
	for _, one := range s.Adds {
		size += len(one.Identity) + len(one.KeyPackage)
	}
	for _, one := range s.Removes {
		size += len(one)
	}
	return size
}

func addedOf(s said) []addedView {
	all := []addedView{}
	for _, one := range s.Adds {
		all = append(all, addedView(one))
	}
	return all
}
