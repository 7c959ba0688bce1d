//go:build without_WithGFNI

// This file is for versions of the library that cannot use GFNI with AVX-512. bench.sh gate ab --go-module can build the plugin
// with such a version.
package main

import "github.com/klauspost/reedsolomon"

const hasGFNI = false

func gfniOptions(_ bool) []reedsolomon.Option {
	return nil
}
