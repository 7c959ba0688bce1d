//go:build !without_WithGFNI

package main

import "github.com/klauspost/reedsolomon"

const hasGFNI = true

func gfniOptions(use bool) []reedsolomon.Option {
	return []reedsolomon.Option{reedsolomon.WithGFNI(use)}
}
