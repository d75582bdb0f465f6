package recording

import "time"

// A device sends one part or index at a time, and the service sends it on to its bucket.
// The one that waits must be more patient than the one it waits for, or it gives up
// something that is still on its way:
//
//	this one waits                               for            so long
//	the service (blob.SendWithin)                its bucket     2 min: a part at 0.6 Mbit/s
//	the service (discardWithin)                  its bucket     10 s more, to delete what it may have
//	a device (patience in upload-service.ts)     the service    210 s: a part at 1 Mbit/s, then the bucket
//	another device (takenOverAfter)              the device     30 s: it is heard every 15 s while its part arrives
//	                                                            (hearEvery) and waits for the bucket (Check)
//	the service (waitFor, silentFor)             the device     5 min each: a request that was lost,
//	                                                            a pause, and another try
//
// TestTheTimesFitTogether holds these numbers together. A part whose recording is over all
// the same is refused, and the device says that it is lost.
const (
	// silentFor is how long a device may send nothing before its recording
	// ends.
	silentFor = 5 * time.Minute
	// waitFor is how long parts may still arrive after the service noticed the end
	// of a recording, and after each request of its device.
	waitFor = 5 * time.Minute
	// waitAtMost is how long parts may still arrive after the end, even if the
	// device keeps sending requests.
	waitAtMost = 24 * time.Hour
	// mayEndLater is how far beyond the end of the recording a part may end, because
	// the clocks of service and device differ.
	mayEndLater = time.Minute
	// takenOverAfter is how long a connected device may send nothing before
	// another one may take over.
	takenOverAfter = 30 * time.Second
	// hearEvery is how often an upload that is not stored yet counts as a request of
	// its device.
	hearEvery = 15 * time.Second
	// discardWithin limits the time for discarding a stored piece. A device waits for
	// it when a bucket did not take its part.
	discardWithin = 10 * time.Second
)
