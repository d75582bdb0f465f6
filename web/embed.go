// Package web holds the built meeting interface, so that the service is one file.
//
// `npm run build` in this folder fills meet/dist. A fresh clone compiles without it: the folder
// then holds only .gitkeep, there is no index.html in Dist, and the server says so in words.
package web

import (
	"embed"
	"io/fs"
)

//go:embed all:meet/dist
var dist embed.FS

// Dist is the built interface: index.html for every page, and hashed files under assets/.
func Dist() fs.FS {
	sub, err := fs.Sub(dist, "meet/dist")
	if err != nil {
		// The path is a constant that the compiler has just embedded.
		panic(err)
	}
	return sub
}
