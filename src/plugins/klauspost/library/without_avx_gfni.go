//go:build without_WithAVXGFNI

// For versions of the library that cannot use GFNI with AVX (bench.sh gate --go-module).
package main

import "github.com/klauspost/reedsolomon"

const hasAVXGFNI = false

func avxGFNIOptions(_ bool) []reedsolomon.Option {
	return nil
}
