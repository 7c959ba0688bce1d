#include "plugins/shec/shingles.h"

#include <algorithm>
#include <limits>

#include "erasure_code/index.h"

namespace ecbench::shec {
namespace {

/// m rows that cover each column c times: row r from column r*k/m to before (r+c)*k/m, cyclically.
struct Roof {
  int k;
  int m;
  int c;

  int first(int row) const { return row * k / m; }
  int end(int row) const { return (row + c) * k / m; }
  int width(int row) const { return end(row) - first(row); }
};

std::vector<bool> covered(int k, int first, int width) {
  std::vector<bool> columns(index(k), false);
  for (int column = first; column < first + width; column++) columns[index(column % k)] = true;
  return columns;
}

Shingles shingles_of(const std::vector<Roof>& roofs) {
  Shingles shingles;
  for (const Roof& roof : roofs) {
    for (int row = 0; row < roof.m; row++) shingles.push_back(covered(roof.k, roof.first(row), roof.width(row)));
  }
  return shingles;
}

/// The sum of the reads over the losses of one chunk: a coding chunk from its data chunks, a data chunk by its shortest row.
int sum_of_reads(const std::vector<Roof>& roofs) {
  int sum = 0;
  std::vector<int> narrowest(index(roofs.front().k), std::numeric_limits<int>::max());
  for (const Roof& roof : roofs) {
    for (int row = 0; row < roof.m; row++) {
      const int width = roof.width(row);
      sum += width;
      for (int column = roof.first(row); column < roof.end(row); column++) {
        int& reads = narrowest[index(column % roof.k)];
        reads = std::min(reads, width);
      }
    }
  }
  for (const int reads : narrowest) sum += reads;
  return sum;
}

}  // namespace

Shingles single_shingles(int k, int m, int c) {
  return shingles_of({{k, m, c}});
}

Shingles multiple_shingles(int k, int m, int c) {
  std::vector<Roof> best;
  int fewest = std::numeric_limits<int>::max();
  for (int c1 = 0; c1 <= c / 2; c1++) {
    for (int m1 = 0; m1 <= m; m1++) {
      const Roof one{k, m1, c1};
      const Roof other{k, m - m1, c - c1};
      const auto is_none = [](const Roof& roof) { return roof.m == 0 && roof.c == 0; };
      const auto is_sound = [&](const Roof& roof) { return is_none(roof) || (roof.c > 0 && roof.c <= roof.m); };
      if (!is_sound(one) || !is_sound(other)) continue;
      std::vector<Roof> roofs;
      if (!is_none(one)) roofs.push_back(one);
      if (!is_none(other)) roofs.push_back(other);
      const int reads = sum_of_reads(roofs);
      if (reads >= fewest) continue;
      fewest = reads;
      best = roofs;
    }
  }
  return shingles_of(best);
}

Shingles shingles_of_length(int k, int m, int l) {
  Shingles shingles;
  for (int row = 0; row < m; row++) shingles.push_back(covered(k, row * k / m, l));
  return shingles;
}

}  // namespace ecbench::shec
