// Package dbtest gives tests a fresh database of each engine.
package dbtest
