// Vector types that need no special instructions. The scalar and NEON kernels use these types. The other kernels use them only for
// packets that are shorter than their own vectors. Only the kernels' files include this header. Each of these files uses its own
// `Tag`, so that files with different compile flags do not share a function.

#pragma once

#include "plugins/simd/xor/xor_loops.h"

namespace ecbench::simd {

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
