package live

// Why a meeting closed, and why a person is gone, as the events say it.
const (
	ReasonEmpty        = "empty"
	ReasonEnded        = "ended"
	ReasonDeleted      = "deleted"
	ReasonLeft         = "left"
	ReasonRemoved      = "removed"
	ReasonDisconnected = "disconnected"
)
