// The loops of the limit's kernels, for any width of vector. Only the kernels' files include this. Each is compiled for its own
// instruction set, so every function here depends on `Isa`, a type that the file keeps to itself: a function shared between them
// could be linked from the wrong one and be run by a CPU that lacks its instructions. Nothing from std is called, for that reason.
//
// Isa has: `vector_bytes`; `vectors_per_step`, how many vectors of one source are read before the next source's, on which they are
// XORed in registers; `stream(target, vector)`, a non-temporal store; and `fence()`, after the last of them.

#pragma once

#include "benchmark/limit_kernel.h"

namespace ecbench {

template <std::size_t bytes>
struct VectorOf {
  typedef std::uint64_t Type __attribute__((vector_size(bytes)));
};

/// The source count that stands for "any, known when it runs".
inline constexpr int any_source_count = 0;

/// A loop made for its number of sources is 3 to 12 % faster with streaming stores on Milan; with plain ones it gains nothing up to
/// k=8 and loses 25 % at k=10.
inline constexpr int most_fixed_sources = 12;

/// 1 KiB ahead of what is read, in each source.
inline constexpr std::size_t prefetch_distance_bytes = 1024;

template <class Isa, std::size_t bytes, bool prefetching>
void prefetch_ahead(const std::uint8_t* from) {
  if constexpr (prefetching) {
    for (std::size_t line = 0; line < bytes; line += 64) __builtin_prefetch(from + prefetch_distance_bytes + line);
  }
}

/// XORs and writes [from, end) in steps of `vectors` vectors as far as whole steps go; returns where it stopped.
template <class Isa, int vectors, int fixed_sources, bool streaming, bool prefetching>
std::size_t run_steps(const LimitWork& work, std::size_t from, std::size_t end) {
  using Vector = typename VectorOf<Isa::vector_bytes>::Type;
  constexpr std::size_t step_bytes = vectors * sizeof(Vector);
  // For all that the compiler knows the stores might change what the caller gave; copies of its own it keeps in registers.
  const std::uint8_t* const* const sources = work.sources;
  std::uint8_t* const* const targets = work.targets;
  const int source_count = work.source_count;
  const int target_count = work.target_count;
  const std::uint8_t* own_sources[fixed_sources == any_source_count ? 1 : fixed_sources];
  for (int i = 0; i < fixed_sources; i++) own_sources[i] = sources[i];

  for (; from + step_bytes <= end; from += step_bytes) {
    Vector sum[vectors] = {};
    const auto add = [&sum, from](const std::uint8_t* source) {
      prefetch_ahead<Isa, step_bytes, prefetching>(source + from);
#pragma GCC unroll 16
      for (int v = 0; v < vectors; v++) {
        Vector value;
        __builtin_memcpy(&value, source + from + static_cast<std::size_t>(v) * sizeof(Vector), sizeof(Vector));
        sum[v] ^= value;
      }
    };
    if constexpr (fixed_sources == any_source_count) {
      for (int i = 0; i < source_count; i++) add(sources[i]);
    } else {
#pragma GCC unroll 16
      for (int i = 0; i < fixed_sources; i++) add(own_sources[i]);
    }
    for (int i = 0; i < target_count; i++) {
      std::uint8_t* target = targets[i] + from;
#pragma GCC unroll 16
      for (int v = 0; v < vectors; v++, target += sizeof(Vector)) {
        if constexpr (streaming) {
          Isa::stream(target, sum[v]);
        } else {
          __builtin_memcpy(target, &sum[v], sizeof(Vector));
        }
      }
    }
    // With no target to keep them, the compiler would drop the reads. Of a copy: an operand in memory keeps its variable there.
    if (target_count == 0) {
#pragma GCC unroll 16
      for (int v = 0; v < vectors; v++) {
        const Vector unused = sum[v];
        __asm__ volatile("" : : "m"(unused));
      }
    }
  }
  return from;
}

/// What is left at the end: less than a cache line.
template <class Isa, typename Word>
std::size_t run_words(const LimitWork& work, std::size_t from) {
  for (; from + sizeof(Word) <= work.size_bytes; from += sizeof(Word)) {
    Word sum = 0;
    for (int i = 0; i < work.source_count; i++) {
      Word value;
      __builtin_memcpy(&value, work.sources[i] + from, sizeof(Word));
      sum = static_cast<Word>(sum ^ value);
    }
    for (int i = 0; i < work.target_count; i++) __builtin_memcpy(work.targets[i] + from, &sum, sizeof(Word));
    if (work.target_count == 0) __asm__ volatile("" : : "r"(sum));
  }
  return from;
}

template <class Isa, int fixed_sources, bool streaming, bool prefetching>
void run_chunks(const LimitWork& work) {
  std::size_t done = 0;
  if (prefetching && work.size_bytes > prefetch_distance_bytes) {
    const std::size_t end = work.size_bytes - prefetch_distance_bytes;
    done = run_steps<Isa, Isa::vectors_per_step, fixed_sources, streaming, true>(work, 0, end);
  }
  done = run_steps<Isa, Isa::vectors_per_step, fixed_sources, streaming, false>(work, done, work.size_bytes);
  done = run_steps<Isa, 64 / Isa::vector_bytes, any_source_count, streaming, false>(work, done, work.size_bytes);
  done = run_words<Isa, std::uint64_t>(work, done);
  run_words<Isa, std::uint8_t>(work, done);
  if constexpr (streaming) Isa::fence();
}

/// Runs the loop made for work.source_count, or the one for any.
template <class Isa, bool prefetching, int fixed_sources = most_fixed_sources>
void run_streaming(const LimitWork& work) {
  if constexpr (fixed_sources == any_source_count) {
    run_chunks<Isa, any_source_count, true, prefetching>(work);
  } else if (work.source_count == fixed_sources) {
    run_chunks<Isa, fixed_sources, true, prefetching>(work);
  } else {
    run_streaming<Isa, prefetching, fixed_sources - 1>(work);
  }
}

template <class Isa>
void run_kernel(const LimitWork& work, Stores stores) {
  switch (stores) {
    case Stores::plain:
      return run_chunks<Isa, any_source_count, false, false>(work);
    case Stores::streaming:
      return run_streaming<Isa, false>(work);
    case Stores::streaming_prefetched:
      return run_streaming<Isa, true>(work);
  }
}

}  // namespace ecbench
