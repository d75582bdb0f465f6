package db

import (
	"fmt"
	"iter"
	"math/bits"
	"slices"
	"strings"
)

// MostRows is how many rows a statement takes at a time, where nothing else
// limits it.
const MostRows = 64

// Batches splits items for a statement that takes several of them at a time, at
// most the given number. Each part has 2^n items, so that the statement has few
// different texts: connections keep what they have compiled, by its text.
func Batches[T any](items []T, most int) iter.Seq[[]T] {
	return func(yield func([]T) bool) {
		size := 1
		for size*2 <= most {
			size *= 2
		}
		for rest := items; len(rest) > 0; rest = rest[size:] {
			for size > len(rest) {
				size /= 2
			}
			if !yield(slices.Clip(rest[:size])) {
				return
			}
		}
	}
}

// Filled splits items as Batches does, but into fewer parts: the last one is filled up,
// to 2^n items or the given number, with copies of its last item. It is for statements
// that do the same when an item is there twice, such as those with an IN list.
func Filled[T any](items []T, most int) iter.Seq[[]T] {
	return func(yield func([]T) bool) {
		for part := range slices.Chunk(items, most) {
			last := part[len(part)-1]
			for len(part) < most && bits.OnesCount(uint(len(part))) > 1 {
				part = append(part, last) // Chunk has clipped it
			}
			if !yield(part) {
				return
			}
		}
	}
}

// In writes the placeholders of an IN list that starts at parameter first:
// In(3, 2) is "$3, $4".
func In(first, n int) string {
	list := strings.Repeat(", ?", n)
	return number(first, strings.TrimPrefix(list, ", "))
}

// Values writes the rows of a VALUES list that starts at parameter first, from
// one of them: Values(2, 2, "?, CAST(? AS BIGINT)") is
// "($2, CAST($3 AS BIGINT)), ($4, CAST($5 AS BIGINT))".
//
// Where the rows are read as a table, both engines call its columns column1,
// column2 and so on. PostgreSQL takes parameters there for texts unless a cast
// says what they are.
func Values(first, rows int, row string) string {
	list := strings.Repeat(", ("+row+")", rows)
	return number(first, strings.TrimPrefix(list, ", "))
}

// number replaces each question mark with the next parameter.
func number(first int, list string) string {
	var b strings.Builder
	for i, part := range strings.Split(list, "?") {
		if i > 0 {
			fmt.Fprintf(&b, "$%d", first+i-1)
		}
		b.WriteString(part)
	}
	return b.String()
}
