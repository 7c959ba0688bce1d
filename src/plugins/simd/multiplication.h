// Chunks times a matrix over GF(2^8), by one kernel: the rows in groups of as many as its registers hold.

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

/// When targets are written past the caches: always, never, or where that is known to be faster: if sources and targets together
/// exceed a core's L2, with one target, and on Intel's CPUs with any number. multiplication.cc has the figures.
enum class StorePolicy { automatic, temporal, streaming };

/// How to write `target_count` chunks of `size` bytes.
Store store_for(StorePolicy policy, std::size_t source_count, std::size_t target_count, std::size_t size);

/// How many bytes of each of `source_count` sources all groups of rows go through before the next bytes, where there are several
/// groups: a multiple of 64.
std::size_t block_size(std::size_t source_count);

/// That of `count` rows of `matrix` from `first` on, for the least work.
Form form_of(const Matrix& matrix, int first, int count);

class Multiplication {
 public:
  /// Of `matrix`, targets by sources, at least one of each.
  Multiplication(const Kernel& kernel, const Matrix& matrix);
  Multiplication(Multiplication&&) = default;  // the groups point into the tables, which move along

  /// Target i = row i times the sources, `size` bytes each, at any addresses. Targets do not overlap sources. Stores go through the
  /// caches where a target does not start at a multiple of 64 bytes. Allocates nothing; several threads may run it at a time.
  void run(std::span<const std::uint8_t* const> sources, std::span<std::uint8_t* const> targets, std::size_t size,
           Store store) const;

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
