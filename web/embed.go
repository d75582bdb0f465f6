// Package web embeds the built meeting interface, so that the service is one file.
//
// `npm run build` in this folder fills meet/dist. A fresh clone compiles without it: the folder
// then holds only .gitkeep, Dist has no index.html, and the server's pages say so.
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
		// Cannot happen: the compiler has embedded this path.
		panic(err)
	}
	return sub
}
