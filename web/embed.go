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
