//go:build race

package main_test

// crowd is how many people with their own media meet in one test. The race
// detector makes each of them cost ten times as much.
const crowd = 10
