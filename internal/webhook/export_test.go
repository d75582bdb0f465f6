package webhook

// Drop does what follows disabling an endpoint, in a transaction of its own.
var Drop = (*Service).drop
