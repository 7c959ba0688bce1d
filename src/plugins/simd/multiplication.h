// Multiplies chunks by a matrix over GF(2^8) with one kernel. Rows are divided into groups that fit in the kernel's registers.

#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "erasure_code/matrix.h"
#include "plugins/simd/kernel.h"

namespace ecbench::simd {

inline constexpr std::size_t cache_line = 64;

/// Whether targets bypass the caches: always, never, or if that is known to be faster, which is the case if sources and targets
/// together exceed a core's L2, with one target, and on Intel's CPUs with any number of targets. multiplication.cc has the
/// measurements.
enum class StorePolicy { automatic, temporal, streaming };

/// How to write `target_count` chunks of `size` bytes.
Store store_for(StorePolicy policy, std::size_t source_count, std::size_t target_count, std::size_t size);

/// If there are several groups of rows: the bytes of each of `source_count` sources that all groups process before the next bytes;
/// a multiple of 64.
std::size_t block_size(std::size_t source_count);

/// The form of `count` rows of `matrix` from row `first` on that needs the least work.
Form form_of(const Matrix& matrix, int first, int count);

class Multiplication {
 public:
  /// `matrix` is targets by sources, at least one of each.
  Multiplication(const Kernel& kernel, const Matrix& matrix);
  Multiplication(Multiplication&&) = default;  // the groups point into the tables, whose addresses do not change

  /// Computes target i as row i times the sources, `size` bytes each, at any addresses. Targets must not overlap sources. If a
  /// target does not start at a multiple of 64 bytes, stores use the caches. Allocates nothing; several threads may call it at the
  /// same time.
  void run(std::span<const std::uint8_t* const> sources, std::span<std::uint8_t* const> targets, std::size_t size,
           Store store) const;

  /// Adds to target i row i times the XOR of the old and the new bytes of the changed sources, `size` bytes each, at any addresses.
  /// As run(), it allocates nothing.
  void update(std::span<const Change> changes, std::span<std::uint8_t* const> targets, std::size_t size) const;

 private:
  struct Group {
    RowGroup rows;
    int first_row;
    Pass temporal;
    Pass streaming;
  };

  struct alignas(cache_line) Line {
    std::array<std::uint8_t, cache_line> bytes;
  };

  void run_groups(std::span<const std::uint8_t* const> sources, std::span<std::uint8_t* const> targets, std::size_t begin,
                  std::size_t end, Store store) const;

  const Kernel& kernel_;
  std::vector<Line> tables_;
  std::vector<Group> groups_;
};

}  // namespace ecbench::simd
