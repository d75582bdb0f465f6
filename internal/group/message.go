package group

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
}

// pageOf returns the first messages of a log, for the device that the commit with the
// number addedSeq added.
func pageOf(log []entry, addedSeq int64) []message {
	var page []message
	size := 0
	for _, e := range log {
		m := message{Seq: e.Seq, Epoch: e.Epoch, Kind: "commit", Message: e.Message}
		if e.Seq == addedSeq {
			m.Kind, m.Message = "welcome", e.Welcome
		}
		if size += len(m.Message); size > pageBytes && len(page) > 0 {
			break
		}
		page = append(page, m)
	}
	return page
}
