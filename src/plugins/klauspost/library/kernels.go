// The options of the library (klauspost/reedsolomon) for each technique and dispatch level, and the kernels that the library uses
// with these options. The conditions for each kernel are the same as in the library version in go.mod. Options that older versions
// do not have are in separate files. With the build tag without_NAME, the plugin does not call the library's function NAME.
package main

import (
	"github.com/klauspost/cpuid/v2"
	"github.com/klauspost/reedsolomon"
)

var techniqueOptions = map[string][]reedsolomon.Option{
	"vandermonde":  nil,
	"cauchy":       {reedsolomon.WithCauchyMatrix()},
	"par1":         {reedsolomon.WithPAR1Matrix()},
	"leopard_gf8":  leopard8Options(),
	"leopard_gf16": {reedsolomon.WithLeopardGF16(true)},
}

// vectors are the instruction sets that the library distinguishes on x86.
type vectors struct {
	sse2, ssse3, avx2, avx512, avx512GFNI, avxGFNI bool
}

// allowed returns the instruction sets that a dispatch level allows.
func allowed(level string) vectors {
	switch level {
	case "scalar":
		return vectors{}
	case "ssse3":
		return vectors{sse2: true, ssse3: true}
	case "avx2":
		return vectors{sse2: true, ssse3: true, avx2: true}
	case "avx2-gfni":
		return vectors{sse2: true, ssse3: true, avx2: true, avxGFNI: true}
	case "avx512":
		return vectors{sse2: true, ssse3: true, avx2: true, avx512: true}
	case "avx512-gfni":
		return vectors{sse2: true, ssse3: true, avx2: true, avx512: true, avx512GFNI: true}
	}
	return vectors{true, true, true, true, true, true}
}

// levelOptions returns the options that limit the library to a dispatch level. The order of the options matters: WithAVX2 and
// WithAVX512 also change the settings for GFNI, so the options for GFNI come last.
func levelOptions(level string) []reedsolomon.Option {
	if level == "native" {
		return nil
	}
	v := allowed(level)
	options := []reedsolomon.Option{reedsolomon.WithSSE2(v.sse2), reedsolomon.WithSSSE3(v.ssse3), reedsolomon.WithAVX2(v.avx2),
		reedsolomon.WithAVX512(v.avx512)}
	return append(append(options, gfniOptions(v.avx512GFNI)...), avxGFNIOptions(v.avxGFNI)...)
}

// used returns the allowed instruction sets that this CPU has. The conditions are the same as in the library.
func used(level string) vectors {
	v := allowed(level)
	has := cpuid.CPU.Supports
	return vectors{
		sse2:       v.sse2 && has(cpuid.SSE2),
		ssse3:      v.ssse3 && has(cpuid.SSSE3),
		avx2:       v.avx2 && has(cpuid.AVX2),
		avx512:     v.avx512 && has(cpuid.AVX512F, cpuid.AVX512BW, cpuid.AVX512VL),
		avx512GFNI: hasGFNI && v.avx512GFNI && has(cpuid.AVX512F, cpuid.GFNI, cpuid.AVX512DQ),
		avxGFNI:    hasAVXGFNI && v.avxGFNI && has(cpuid.AVX, cpuid.GFNI),
	}
}

// kernel returns the name of the kernel that processes whole vectors, or "" if this kernel is unknown for the CPU.
func kernel(technique string, k, m int, level string) string {
	if !cpuid.CPU.Supports(cpuid.SSE2) {
		return ""
	}
	v := used(level)
	switch technique {
	case "leopard_gf8":
		return leopard8Kernel(v)
	case "leopard_gf16":
		return leopard16Kernel(v)
	}
	return matrixKernel(k, m, v)
}

// matrixKernel returns the name of the kernel for a matrix with m rows and k columns. Generated kernels process up to 10 input and
// 10 output chunks. The library can divide a larger matrix into parts of 10 by 10, but then it uses AVX2 kernels even if the CPU
// has GFNI. With one input and one output chunk, the library does not use generated kernels.
func matrixKernel(k, m int, v vectors) string {
	const most = 10
	plain := "galMulSlice, in Go"
	if v.avx2 {
		plain = "galMulAVX2"
	} else if v.ssse3 {
		plain = "galMulSSSE3"
	}
	if k+m < 3 {
		return plain
	}
	many := plain
	if v.avx2 {
		many = "mulAvxTwo"
	}
	few := many
	if v.avx512GFNI {
		few = "mulGFNI (AVX-512)"
	} else if v.avxGFNI {
		few = "mulAvxGFNI"
	}
	switch {
	case k > most || few == many:
		return many
	case m > most:
		return many + ", and " + few + " where at most 10 chunks are computed"
	}
	return few
}

func leopard8Kernel(v vectors) string {
	switch {
	case v.avx512GFNI && v.avx2:
		return "fftDIT48_gfni, ifftDIT48_gfni, galMulAVX2"
	case v.avx2:
		return "fftDIT48_avx2, ifftDIT48_avx2, galMulAVX2"
	case v.ssse3:
		return "fftDIT48 in Go, galMulSSSE3"
	}
	return "fftDIT48, in Go"
}

func leopard16Kernel(v vectors) string {
	switch {
	case v.avx512GFNI && v.avx512:
		return "fftDIT4 by AVX-512 with GFNI"
	case v.avxGFNI:
		return "fftDIT4 by AVX with GFNI"
	case v.avx512:
		return "fftDIT4_avx512"
	case v.avx2:
		return "fftDIT4_avx2"
	case v.ssse3:
		return "fftDIT4 in Go, fftDIT2_ssse3"
	}
	return "fftDIT4, in Go"
}
