// Package web embeds the built meeting interface, so that the service is one file.
//
// `npm run build` in this folder fills meet/dist. A fresh clone compiles without it: the folder
// then holds only .gitkeep, Dist has no index.html, and the server's pages say so.
package web
