package live

// The reasons in events why a meeting closed, and why a person is gone.
const (
	reasonEmpty        = "empty"
	reasonEnded        = "ended"
	reasonDeleted      = "deleted"
	reasonLeft         = "left"
	reasonRemoved      = "removed"
	reasonDisconnected = "disconnected"
)
