// The loops of the kernels that measure the roofline, for any vector width; only the kernels' files include this header.
// plugins/simd/kernel_loops.h says why all functions are templates over a type `Isa` of the file, and none of std is called. Isa
// has `vector_bytes`; `most_vectors` that a wide step reads from one source before the next; `stream(target, vector)`, a
// non-temporal store; and `fence()`, to be called after the last one.

#pragma once

#include "benchmark/limit/limit_kernel.h"

namespace ecbench {

template <std::size_t bytes>
struct VectorOf {
  typedef std::uint64_t Type __attribute__((vector_size(bytes)));
};

/// `fixed_sources` if the number of sources is known only at run time.
inline constexpr int any_source_count = 0;

/// Up to this number, each has its own loop. The loop for any number is 5 to 10 % slower at 4 KiB.
inline constexpr int most_fixed_sources = 12;

/// Keeps up to this many addresses in registers (2 to 4 % faster); eight or more do not fit.
inline constexpr int most_kept_addresses = 4;

inline constexpr std::size_t prefetch_distance_bytes = 1024;

template <class Isa, int fixed_sources>
class Sources {
 public:
  explicit Sources(const LimitWork& work) {
    if constexpr (kept) {
#pragma GCC unroll 16
      for (int i = 0; i < fixed_sources; i++) addresses_[i] = work.source + work.source_offsets[i];
    }
  }

  static int count(const LimitWork& work) { return fixed_sources == any_source_count ? work.source_count : fixed_sources; }

  const std::uint8_t* address(const LimitWork& work, int i) const {
    if constexpr (kept) {
      return addresses_[i];
    } else {
      return work.source + work.source_offsets[i];
    }
  }

 private:
  static constexpr bool kept = fixed_sources != any_source_count && fixed_sources <= most_kept_addresses;
  const std::uint8_t* addresses_[kept ? fixed_sources : 1];
};

template <class Isa, std::size_t bytes, bool prefetching>
void prefetch_ahead(const std::uint8_t* from) {
  if constexpr (prefetching) {
    for (std::size_t line = 0; line < bytes; line += 64) __builtin_prefetch(from + prefetch_distance_bytes + line);
  }
}

/// Makes the compiler read all vectors of one source before the next source. Otherwise it reads a few bytes of each in turn; if ten
/// or more chunks begin at multiples of 4 KiB, their lines evict each other from the L1 cache, and the loop is 40 % slower.
template <class Isa, typename Vector, int vectors>
__attribute__((always_inline)) inline void finish_source([[maybe_unused]] Vector (&sum)[vectors]) {
#if defined __AVX512F__
  constexpr std::size_t register_bytes = 64;
#elif defined __AVX__
  constexpr std::size_t register_bytes = 32;
#elif defined __SSE2__
  constexpr std::size_t register_bytes = 16;
#else
  constexpr std::size_t register_bytes = 0;
#endif
  if constexpr (sizeof(Vector) >= 16 && sizeof(Vector) <= register_bytes) {
#pragma GCC unroll 16
    for (int v = 0; v < vectors; v++) __asm__ volatile("" : "+v"(sum[v]));
  }
}

/// From byte `from` of each source; writes the XOR to each target.
template <class Isa, typename Value, int vectors, int fixed_sources, bool streaming, bool prefetching>
__attribute__((always_inline)) inline void run_step(const LimitWork& work, const Sources<Isa, fixed_sources>& sources,
                                                    std::size_t from) {
  Value sum[vectors] = {};
  const int source_count = sources.count(work);
#pragma GCC unroll 16
  for (int i = 0; i < source_count; i++) {
    const std::uint8_t* source = sources.address(work, i) + from;
    prefetch_ahead<Isa, vectors * sizeof(Value), prefetching>(source);
#pragma GCC unroll 16
    for (int v = 0; v < vectors; v++, source += sizeof(Value)) {
      Value value;
      __builtin_memcpy(&value, source, sizeof(Value));
      sum[v] = static_cast<Value>(sum[v] ^ value);
    }
    finish_source<Isa>(sum);
  }
  for (int i = 0; i < work.target_count; i++) {
    std::uint8_t* target = work.target + work.target_offsets[i] + from;
#pragma GCC unroll 16
    for (int v = 0; v < vectors; v++, target += sizeof(Value)) {
      if constexpr (streaming) {
        Isa::stream(target, sum[v]);
      } else {
        __builtin_memcpy(target, &sum[v], sizeof(Value));
      }
    }
  }
  // Without a target, the compiler would remove the reads, so the asm statement has a copy of each sum (sum[v] itself would be in
  // memory).
  if (work.target_count == 0) {
#pragma GCC unroll 16
    for (int v = 0; v < vectors; v++) {
      const Value unused = sum[v];
      __asm__ volatile("" : : "m"(unused));
    }
  }
}

/// The rest of a chunk from byte `from`, fewer than 2 * `vectors` vectors: steps of `vectors` vectors, half as many, ..., a cache
/// line. Returns the first byte that is not processed.
template <class Isa, int vectors, int fixed_sources, bool streaming>
__attribute__((always_inline)) inline std::size_t run_lines(const LimitWork& work, const Sources<Isa, fixed_sources>& sources,
                                                            std::size_t from) {
  constexpr std::size_t step_bytes = vectors * Isa::vector_bytes;
  if (work.size_bytes - from >= step_bytes) {
    run_step<Isa, typename VectorOf<Isa::vector_bytes>::Type, vectors, fixed_sources, streaming, false>(work, sources, from);
    from += step_bytes;
  }
  if constexpr (step_bytes > 64) {
    return run_lines<Isa, vectors / 2, fixed_sources, streaming>(work, sources, from);
  } else {
    return from;
  }
}

/// The end of a chunk, shorter than a cache line: vectors of 32 bytes (not in the baseline kernel), then of 16. The last one ends
/// at the end of the chunk and may repeat bytes. Chunks below 16 bytes: byte by byte.
template <class Isa, std::size_t vector_bytes, int fixed_sources>
__attribute__((always_inline)) inline void run_end(const LimitWork& work, const Sources<Isa, fixed_sources>& sources,
                                                   std::size_t from) {
  using Vector = typename VectorOf<vector_bytes>::Type;
  while (work.size_bytes - from >= vector_bytes) {
    run_step<Isa, Vector, 1, fixed_sources, false, false>(work, sources, from);
    from += vector_bytes;
  }
  if (from == work.size_bytes) return;
  if constexpr (vector_bytes > 16) {
    run_end<Isa, vector_bytes / 2, fixed_sources>(work, sources, from);
  } else if (work.size_bytes >= vector_bytes) {
    run_step<Isa, Vector, 1, fixed_sources, false, false>(work, sources, work.size_bytes - vector_bytes);
  } else {
    for (; from < work.size_bytes; from++) run_step<Isa, std::uint8_t, 1, fixed_sources, false, false>(work, sources, from);
  }
}

template <class Isa, int fixed_sources, int vectors, bool streaming, bool prefetching>
void run_chunks(const LimitWork& given) {
  // A local copy can stay in registers; the caller's struct could be changed by stores.
  const LimitWork work = given;
  using Vector = typename VectorOf<Isa::vector_bytes>::Type;
  constexpr std::size_t step_bytes = vectors * Isa::vector_bytes;
  const Sources<Isa, fixed_sources> sources(work);
  std::size_t from = 0;
  if constexpr (prefetching) {
    for (; from + step_bytes + prefetch_distance_bytes <= work.size_bytes; from += step_bytes) {
      run_step<Isa, Vector, vectors, fixed_sources, streaming, true>(work, sources, from);
    }
  }
  for (; from + step_bytes <= work.size_bytes; from += step_bytes) {
    run_step<Isa, Vector, vectors, fixed_sources, streaming, false>(work, sources, from);
  }
  from = run_lines<Isa, vectors / 2, fixed_sources, streaming>(work, sources, from);
  run_end<Isa, (Isa::vector_bytes < 32 ? Isa::vector_bytes : 32), fixed_sources>(work, sources, from);
  if constexpr (streaming) Isa::fence();
}

/// Falls back to the loop for any number of sources.
template <class Isa, int vectors, bool streaming, bool prefetching, int fixed_sources = most_fixed_sources>
LimitLoop loop_for(int source_count) {
  if constexpr (fixed_sources == any_source_count) {
    return run_chunks<Isa, any_source_count, vectors, streaming, prefetching>;
  } else if (source_count == fixed_sources) {
    return run_chunks<Isa, fixed_sources, vectors, streaming, prefetching>;
  } else {
    return loop_for<Isa, vectors, streaming, prefetching, fixed_sources - 1>(source_count);
  }
}

template <class Isa>
LimitLoop loop_for(int source_count, LimitWay way) {
  constexpr int wide = Isa::most_vectors;
  switch (way) {
    case LimitWay::narrow:
      return loop_for<Isa, wide / 2, false, false>(source_count);
    case LimitWay::wide:
      return loop_for<Isa, wide, false, false>(source_count);
    case LimitWay::prefetched:
      return loop_for<Isa, wide, false, true>(source_count);
    case LimitWay::streaming:
      return loop_for<Isa, wide, true, false>(source_count);
    case LimitWay::streaming_prefetched:
      return loop_for<Isa, wide, true, true>(source_count);
  }
  return nullptr;
}

}  // namespace ecbench
