//go:build without_WithAVXGFNI

// This file is for versions of the library that cannot use GFNI with AVX. bench.sh gate ab --go-module can build the plugin with
// such a version.
package main

import "github.com/klauspost/reedsolomon"

const hasAVXGFNI = false

func avxGFNIOptions(_ bool) []reedsolomon.Option {
	return nil
}
