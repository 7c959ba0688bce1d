//go:build without_WithLeopardGF

// This file is for versions of the library that have no Leopard over GF(2^8). bench.sh gate ab --go-module can build the plugin
// with such a version.
package main

import "github.com/klauspost/reedsolomon"

const hasLeopard8 = false

func leopard8Options() []reedsolomon.Option {
	return nil
}
