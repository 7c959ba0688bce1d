//go:build without_WithGFNI

// For versions of the library that cannot use GFNI with AVX-512 (bench.sh gate --go-module).
package main

import "github.com/klauspost/reedsolomon"

const hasGFNI = false

func gfniOptions(_ bool) []reedsolomon.Option {
	return nil
}
