// Package nettest tests media on networks that are not kind: its tests make
// network namespaces of their own, in which packets are dropped, and run
// themselves again inside. They need root, ip and nft.
package nettest
