package api

// List is one page of a list.
type List[T any] struct {
	Object  string `json:"object" enum:"list" doc:"Always list."`
	Data    []T    `json:"data" doc:"The objects."`
	HasMore *bool  `json:"has_more,omitempty" doc:"Whether more objects follow. Absent on the waiting list."`
}

// ListOf makes a page.
func ListOf[T any](data []T, hasMore bool) List[T] {
	if data == nil {
		data = []T{}
	}
	return List[T]{Object: "list", Data: data, HasMore: &hasMore}
}
