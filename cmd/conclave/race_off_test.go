//go:build !race

package main_test

// crowd is how many people with their own media meet in one test.
const crowd = 50
