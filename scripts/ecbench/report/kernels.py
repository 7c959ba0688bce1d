"""The kernels that plugins of ecbench report, and the instruction sets that kernels need."""

import re
from collections.abc import Container, Iterator

GF_COMPLETE = r"(encode: |decode: )?GF-Complete [\w ,=<>]+"
# Plugin → what its kernels are called. Plugins that compute with kernels of others (lrc, clay, shec, ceph) are not checked.
NAMES = {
    "isa": r"(ec_encode_data|xor_gen)_(base|sse|avx|avx2|avx512|neon|sve|vsx)(_gfni)?",
    "jerasure": GF_COMPLETE + r"|XOR (SSE2|AVX2?|NEON|scalar)",
    "klauspost": r"(galMul|mul)(AvxTwo|AVX2|SSSE3|AvxGFNI|GFNI|NEON)( \(AVX-512\))?|"
                 r"i?fftDIT48?(_avx2|_gfni)?( in Go| by AVX(-512)?( with GFNI)?)?|.*\bGo\b.*",
    "rs-erasure": r"reedsolomon_gal_mul of reed-solomon-erasure|compiled for [\w.-]+",
    "rs-simd": r"engine \w+ of reed-solomon-simd",
    "simd": r"(GFNI AVX-512|GFNI AVX2|(AVX-512|AVX2|SSSE3|NEON) shuffle|scalar|(AVX-512|AVX2|SSE2|NEON|scalar) XOR program).*",
    "replication": r"memcpy of the C library", "example": r"",
}
# A word in the name of a kernel → flags of /proc/cpuinfo; the CPU must have one of them.
NEEDS = {r"avx-?512": ("avx512bw",), r"gfni": ("gfni",), r"avx-?(2|two)": ("avx2",), r"avx(?!-?512)": ("avx", "avx2"),
         r"ssse3": ("ssse3",), r"sse4": ("sse4_1",), r"neon": ("neon", "asimd"), r"_sve|\bsve": ("sve",)}


def problems_of(plugin: str, kernel: str, flags: Container[str]) -> Iterator[str]:
    for word, needed in NEEDS.items():
        if re.search(word, kernel, re.IGNORECASE) and not any(flag in flags for flag in needed):
            yield f"kernel {kernel!r} needs {needed[0]}, which the CPU of this run does not have"
            return
    names = NAMES.get(plugin)
    if names is None or not kernel:
        return
    for part in re.split(r"[;,] (?=encode: |decode: |compiled|[a-zA-Z_]+(?:_|DIT|Mul|XOR ))", kernel):
        if not re.fullmatch(names, part):
            yield f"{part!r} is not a kernel of plugin {plugin}"
