//go:build race

package main_test

// crowd is how many people with media of their own meet in one test. The race
// detector makes each of them ten times as much work.
const crowd = 10
