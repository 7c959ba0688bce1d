// The interpreter of XOR programs, for any vector width. kernel_loops.h says who includes it, and why all functions are templates
// over a type `Isa`, which provides `Vector` and its size `bytes`; `Narrower`, the Isa for packets shorter than a Vector, unless
// `bytes` is 1; `load`, `store`, `zero`, `add(a, b)` and, with `has_three_way_add`, `add(a, b, c)`; `most_vectors`, at least 2:
// most vectors of a packet that are processed at a time.

#pragma once

#include "plugins/simd/xor/xor_program.h"

namespace ecbench::simd {

/// The vectors that a pass processes in each packet. The first vector begins at `position`. The last vector begins at `position` +
/// `last`, and may overlap the vector before it. Each of the other vectors begins at the end of the vector before it.
struct Place {
  Address position;
  Address last;
};

template <class Isa, int vectors>
[[gnu::always_inline]] inline Address offset_of(int vector, Address last) {
  return vector == vectors - 1 ? last : static_cast<Address>(vector) * Isa::bytes;
}

/// Adds `count` sources to the sums of the targets in `subset`. Returns a pointer to the next source.
template <class Isa, int vectors, int targets, int subset>
[[gnu::always_inline]] inline const Operand* take(typename Isa::Vector (&sums)[targets][vectors], const Operand* source,
                                                  unsigned count, const Address* operands, Place place) {
  if (count % 2 != 0) {
    const Address from = operands[*source++] + place.position;
#pragma GCC unroll 8
    for (int v = 0; v < vectors; v++) {
      const typename Isa::Vector value = Isa::load(from + offset_of<Isa, vectors>(v, place.last));
#pragma GCC unroll 3
      for (int t = 0; t < targets; t++) {
        if ((subset >> t & 1) != 0) sums[t][v] = Isa::add(sums[t][v], value);
      }
    }
  }
#pragma GCC unroll 1
  for (const Operand* end = source + (count & ~1u); source != end; source += 2) {
    const Address first = operands[source[0]] + place.position;
    const Address second = operands[source[1]] + place.position;
#pragma GCC unroll 8
    for (int v = 0; v < vectors; v++) {
      const Address offset = offset_of<Isa, vectors>(v, place.last);
      const typename Isa::Vector a = Isa::load(first + offset);
      const typename Isa::Vector b = Isa::load(second + offset);
      if constexpr (Isa::has_three_way_add) {
#pragma GCC unroll 3
        for (int t = 0; t < targets; t++) {
          if ((subset >> t & 1) != 0) sums[t][v] = Isa::add(sums[t][v], a, b);
        }
      } else {
        const typename Isa::Vector both = Isa::add(a, b);
#pragma GCC unroll 3
        for (int t = 0; t < targets; t++) {
          if ((subset >> t & 1) != 0) sums[t][v] = Isa::add(sums[t][v], both);
        }
      }
    }
  }
  return source;
}

/// Computes the targets of a group. `code`: at the first target in the group's code. Returns the code after the group.
template <class Isa, int vectors, int targets>
[[gnu::always_inline]] inline const Operand* run_group(const Operand* code, const Address* operands, Place place) {
  constexpr int subsets = (1 << targets) - 1;
  const Operand* counts = code + targets;
  const Operand* source = counts + subsets;
  typename Isa::Vector sums[targets][vectors];
#pragma GCC unroll 3
  for (int t = 0; t < targets; t++) {
#pragma GCC unroll 8
    for (int v = 0; v < vectors; v++) sums[t][v] = Isa::zero();
  }
  source = take<Isa, vectors, targets, 1>(sums, source, counts[0], operands, place);
  if constexpr (targets > 1) {
    source = take<Isa, vectors, targets, 2>(sums, source, counts[1], operands, place);
    source = take<Isa, vectors, targets, 3>(sums, source, counts[2], operands, place);
  }
  if constexpr (targets > 2) {
    source = take<Isa, vectors, targets, 4>(sums, source, counts[3], operands, place);
    source = take<Isa, vectors, targets, 5>(sums, source, counts[4], operands, place);
    source = take<Isa, vectors, targets, 6>(sums, source, counts[5], operands, place);
    source = take<Isa, vectors, targets, 7>(sums, source, counts[6], operands, place);
  }
#pragma GCC unroll 3
  for (int t = 0; t < targets; t++) {
    const Address to = operands[code[t]] + place.position;
#pragma GCC unroll 8
    for (int v = 0; v < vectors; v++) Isa::store(to + offset_of<Isa, vectors>(v, place.last), sums[t][v]);
  }
  return source;
}

/// Runs the program for `vectors` vectors of each packet.
template <class Isa, int vectors>
[[gnu::noinline]] void run_pass(const Operand* code, const Operand* end, const Address* operands, Place place) {
  while (code != end) {
    const unsigned targets = *code++;
    if (targets == 1) {
      code = run_group<Isa, vectors, 1>(code, operands, place);
    } else if (targets == 2) {
      code = run_group<Isa, vectors, 2>(code, operands, place);
    } else {
      code = run_group<Isa, vectors, 3>(code, operands, place);
    }
  }
}

/// Runs the program for `count` vectors of each packet. `count` is at most `vectors`.
template <class Isa, int vectors>
[[gnu::always_inline]] inline void run_vectors(int count, const Operand* code, const Operand* end, const Address* operands,
                                               Place place) {
  if constexpr (vectors > 1) {
    if (count < vectors) return run_vectors<Isa, vectors - 1>(count, code, end, operands, place);
  }
  run_pass<Isa, vectors>(code, end, operands, place);
}

/// Implements XorKernel::run. Processes the packets in several passes. Each pass processes at least one whole vector of each
/// packet, so a vector overlaps only vectors of the same pass. A group loads all vectors of its sources before it stores any
/// vector. Therefore a target may be a source of its own sum.
template <class Isa>
void run_program(std::span<const Operand> program, std::span<Address> operand_span, std::size_t scratch_count,
                 std::size_t packet_size) {
  if constexpr (Isa::bytes > 1) {
    if (packet_size < Isa::bytes) {
      return run_program<typename Isa::Narrower>(program, operand_span, scratch_count, packet_size);
    }
  }
  const Operand* const code = program.data();
  const Operand* const end = code + program.size();
  Address* const operands = operand_span.data();
  Address* const scratch_end = operands + operand_span.size();
  Address* const scratch = scratch_end - scratch_count;
  constexpr std::size_t most_bytes = Isa::most_vectors * Isa::bytes;
  for (std::size_t position = 0, left = packet_size; left > 0;) {
    std::size_t size = left;
    if (left > most_bytes) {
      const std::size_t rest = left - most_bytes;
      size = rest < Isa::bytes ? most_bytes - Isa::bytes : most_bytes;
    }
    const int count = static_cast<int>((size + Isa::bytes - 1) / Isa::bytes);
    run_vectors<Isa, Isa::most_vectors>(count, code, end, operands, {position, size - Isa::bytes});
    position += size;
    left -= size;
    for (Address* address = scratch; address != scratch_end; address++) *address -= size;
  }
}

// Vector types that need no special instructions, for the scalar and NEON kernels, and for packets shorter than the vectors of
// others. Each file has its own `Tag`, so that those with different compile flags do not share a function.

template <class Tag>
struct Bytes {
  using Vector = std::uint8_t;
  static constexpr std::size_t bytes = 1;
  static constexpr int most_vectors = 2;
  static constexpr bool has_three_way_add = false;
  static Vector load(Address from) { return *reinterpret_cast<const std::uint8_t*>(from); }
  static void store(Address to, Vector value) { *reinterpret_cast<std::uint8_t*>(to) = value; }
  static Vector zero() { return 0; }
  static Vector add(Vector a, Vector b) { return static_cast<Vector>(a ^ b); }
};

/// `Vector_` is an integer or a GCC vector. The addresses of packets need no alignment.
template <class Tag, class Vector_, class Narrower_, int most_vectors_>
struct Words {
  using Vector = Vector_;
  using Narrower = Narrower_;
  static constexpr std::size_t bytes = sizeof(Vector);
  static constexpr int most_vectors = most_vectors_;
  static constexpr bool has_three_way_add = false;
  static Vector load(Address from) {
    Vector value;
    __builtin_memcpy(&value, reinterpret_cast<const void*>(from), bytes);
    return value;
  }
  static void store(Address to, Vector value) { __builtin_memcpy(reinterpret_cast<void*>(to), &value, bytes); }
  static Vector zero() { return Vector{}; }
  static Vector add(Vector a, Vector b) { return a ^ b; }
};

using Vector16 = std::uint64_t __attribute__((vector_size(16)));

template <class Tag>
using Words8 = Words<Tag, std::uint64_t, Bytes<Tag>, 2>;
template <class Tag>
using Words16 = Words<Tag, Vector16, Words8<Tag>, 2>;

}  // namespace ecbench::simd
