//go:build !race

package main_test

// crowd is how many people with media of their own meet in one test.
const crowd = 50
