package db

import (
	"slices"
	"testing"
)

func TestIn(t *testing.T) {
	t.Parallel()
	if got := In(3, 2); got != "$3, $4" {
		t.Errorf("In(3, 2) = %q", got)
	}
	if got := In(3, 0); got != "" {
		t.Errorf("In(3, 0) = %q", got)
	}
}

func TestValues(t *testing.T) {
	t.Parallel()
	if got, want := Values(2, 2, "?, CAST(? AS BIGINT)"), "($2, CAST($3 AS BIGINT)), ($4, CAST($5 AS BIGINT))"; got != want {
		t.Errorf("Values = %q, want %q", got, want)
	}
}

func TestBatchesHaveFewSizes(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		items, most int
		want        []int
	}{
		{0, 64, nil},
		{1, 64, []int{1}},
		{10, 64, []int{8, 2}},
		{64, 64, []int{64}},
		{135, 64, []int{64, 64, 4, 2, 1}},
		{40, 20, []int{16, 16, 8}},
	} {
		items := make([]int, c.items)
		for i := range items {
			items[i] = i
		}
		var sizes, all []int
		for part := range Batches(items, c.most) {
			sizes, all = append(sizes, len(part)), append(all, part...)
		}
		if !slices.Equal(sizes, c.want) || !slices.Equal(all, items) {
			t.Errorf("%d items, at most %d: sizes %v with items %v, want sizes %v", c.items, c.most, sizes, all, c.want)
		}
	}
}

func TestThePartsOfAFilledListHaveFewSizes(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		items []int
		most  int
		want  [][]int
	}{
		{nil, 4, nil},
		{[]int{1}, 4, [][]int{{1}}},
		{[]int{1, 2}, 4, [][]int{{1, 2}}},
		{[]int{1, 2, 3}, 4, [][]int{{1, 2, 3, 3}}},
		{[]int{1, 2, 3, 4, 5, 6, 7, 8, 9}, 4, [][]int{{1, 2, 3, 4}, {5, 6, 7, 8}, {9}}},
		{[]int{1, 2, 3, 4, 5}, 6, [][]int{{1, 2, 3, 4, 5, 5}}},
	} {
		whole := slices.Clone(c.items)
		got := slices.Collect(Filled(c.items, c.most))
		if !slices.EqualFunc(got, c.want, slices.Equal) {
			t.Errorf("%v, at most %d: parts %v, want %v", c.items, c.most, got, c.want)
		}
		if !slices.Equal(c.items, whole) {
			t.Errorf("the items became %v", c.items)
		}
	}
}
