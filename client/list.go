package client

import (
	"context"
	"iter"
	"maps"
	"net/url"
	"strconv"

	"github.com/conclave-rooms/conclave/api"
)

// largestPage is the largest number of objects in a page. Reading a whole list takes the
// fewest requests with it.
const largestPage = 100

// pages is a list that has pages. It fetches a page when the one before was read, and can
// be read several times.
func pages[T any](ctx context.Context, c Client, path string, query url.Values, id func(T) string) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		query := maps.Clone(query)
		for {
			page, err := get[api.List[T]](ctx, c, path+"?"+query.Encode())
			if err != nil {
				var none T
				yield(none, err)
				return
			}
			for _, one := range page.Data {
				if !yield(one, nil) {
					return
				}
			}
			if len(page.Data) == 0 || page.HasMore == nil || !*page.HasMore {
				return
			}
			query.Set("starting_after", id(page.Data[len(page.Data)-1]))
		}
	}
}

// whole is a list that has no pages.
func whole[T any](ctx context.Context, c Client, path string) ([]T, error) {
	list, err := get[api.List[T]](ctx, c, path)
	return list.Data, err
}

// from is the part of a query that every list with pages has.
func from(startingAfter string, size int) url.Values {
	if size == 0 {
		size = largestPage
	}
	query := url.Values{"limit": {strconv.Itoa(size)}}
	set(query, "starting_after", startingAfter)
	return query
}

// set adds a parameter, unless it is empty: the service refuses empty ones.
func set(query url.Values, name, value string) {
	if value != "" {
		query.Set(name, value)
	}
}
