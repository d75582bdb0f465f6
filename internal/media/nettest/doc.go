// Package nettest tests media on networks that drop packets: its tests make
// their own network namespaces and run themselves again inside. They need root,
// ip and nft.
package nettest
