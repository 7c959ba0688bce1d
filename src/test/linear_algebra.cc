#include "test/linear_algebra.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <map>

#include "test/coded_object.h"
#include "test/thrown.h"

namespace ecbench::test {
namespace {

/// Multiplies two elements of GF(2^w) by the textbook method, bit by bit.
std::uint32_t product(std::uint32_t a, std::uint32_t b, int w) {
  const std::map<int, std::uint64_t> polynomials = {{8, 0x11d}, {16, 0x1100b}, {32, 0x100400007}};
  std::uint64_t sum = 0;
  for (int bit = 0; bit < w; bit++) sum ^= (b >> bit & 1) != 0 ? std::uint64_t{a} << bit : 0;
  for (int bit = 2 * w - 2; bit >= w; bit--) sum ^= (sum >> bit & 1) != 0 ? polynomials.at(w) << (bit - w) : 0;
  return static_cast<std::uint32_t>(sum);
}

std::uint32_t quotient(std::uint32_t a, std::uint32_t b, int w) {
  std::uint32_t result = a;
  for (int bit = 1; bit < w; bit++) {
    b = product(b, b, w);
    result = product(result, b, w);
  }
  return result;
}

int rank(Rows rows, int w) {
  std::size_t found = 0;
  const std::size_t columns = rows.empty() ? 0 : rows.front().size();
  for (std::size_t column = 0; column < columns && found < rows.size(); column++) {
    std::size_t pivot = found;
    while (pivot < rows.size() && rows[pivot][column] == 0) pivot++;
    if (pivot == rows.size()) continue;
    std::swap(rows[pivot], rows[found]);
    for (std::size_t row = found + 1; row < rows.size(); row++) {
      const std::uint32_t factor = quotient(rows[row][column], rows[found][column], w);
      if (factor == 0) continue;
      for (std::size_t i = column; i < columns; i++) rows[row][i] ^= product(factor, rows[found][i], w);
    }
    found++;
  }
  return static_cast<int>(found);
}

Rows chosen(const Rows& rows, const Positions& positions) {
  Rows result;
  for (const int position : positions) result.push_back(rows[static_cast<std::size_t>(position)]);
  return result;
}

}  // namespace

Rows generator(const ErasureCode& code, int w) {
  const int k = code.data_chunk_count();
  Rows rows(static_cast<std::size_t>(code.chunk_count()), Row(static_cast<std::size_t>(k)));
  ChunkSet chunks(code.chunk_count(), code.chunk_size(1));
  for (int j = 0; j < k; j++) {
    for (const int position : code.data_positions()) std::ranges::fill(chunks[position], std::uint8_t{0});
    chunks[code.position(ChunkNumber{j})][0] = 1;
    encode(code, chunks);
    for (int chunk = 0; chunk < code.chunk_count(); chunk++) {
      for (int byte = 0; byte < w / 8; byte++) {
        rows[static_cast<std::size_t>(chunk)][static_cast<std::size_t>(j)] |=
            static_cast<std::uint32_t>(chunks[chunk][static_cast<std::size_t>(byte)]) << (8 * byte);
      }
    }
  }
  return rows;
}

bool determine(const Rows& rows, const Positions& read, const Positions& wanted, int w) {
  Positions both = read;
  both.insert(both.end(), wanted.begin(), wanted.end());
  return rank(chosen(rows, read), w) == rank(chosen(rows, both), w);
}

int fewest_reads(const Rows& rows, const Positions& erased, const Positions& wanted) {
  const int chunk_count = static_cast<int>(rows.size());
  int fewest = chunk_count + 1;
  for (std::uint32_t set = 0; set < 1u << chunk_count; set++) {
    if (std::popcount(set) >= fewest) continue;
    Positions read;
    for (int chunk = 0; chunk < chunk_count; chunk++) {
      if (set >> chunk & 1) read.push_back(chunk);
    }
    const bool reads_lost = std::ranges::any_of(erased, [&](int chunk) { return (set >> chunk & 1) != 0; });
    if (!reads_lost && determine(rows, read, wanted, 8)) fewest = std::popcount(set);
  }
  return fewest;
}

bool is_refused(const ErasureCode& code, const Positions& erased, const Positions& wanted) {
  const std::optional<Error> error = error_of([&] { code.plan_uncached(erased, wanted); });
  if (error) {
    EXPECT_EQ(error->kind(), Error::Kind::unrecoverable) << error->what();
  }
  return error.has_value();
}

}  // namespace ecbench::test
