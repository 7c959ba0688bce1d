//go:build !without_WithLeopardGF

package main

import "github.com/klauspost/reedsolomon"

const hasLeopard8 = true

func leopard8Options() []reedsolomon.Option {
	return []reedsolomon.Option{reedsolomon.WithLeopardGF(true)}
}
