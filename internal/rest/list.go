package rest

import "github.com/conclave-rooms/conclave/api"

// ListOf makes a page of objects. show makes an object of each value.
func ListOf[V, O any](values []V, hasMore bool, show func(V) O) api.List[O] {
	objects := make([]O, len(values))
	for i, v := range values {
		objects[i] = show(v)
	}
	return api.ListOf(objects, hasMore)
}
