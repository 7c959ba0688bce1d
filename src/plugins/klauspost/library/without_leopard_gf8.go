//go:build without_WithLeopardGF

// For versions of the library that have no Leopard over GF(2^8) (bench.sh gate --go-module).
package main

import "github.com/klauspost/reedsolomon"

const hasLeopard8 = false

func leopard8Options() []reedsolomon.Option {
	return nil
}
