package live

// Why a meeting closed, and why a person is gone, as the events say it.
const (
	reasonEmpty        = "empty"
	reasonEnded        = "ended"
	reasonDeleted      = "deleted"
	reasonLeft         = "left"
	reasonRemoved      = "removed"
	reasonDisconnected = "disconnected"
)
