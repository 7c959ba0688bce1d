//go:build !without_WithAVXGFNI

package main

import "github.com/klauspost/reedsolomon"

const hasAVXGFNI = true

func avxGFNIOptions(use bool) []reedsolomon.Option {
	return []reedsolomon.Option{reedsolomon.WithAVXGFNI(use)}
}
