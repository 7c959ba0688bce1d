#include <isa-l/erasure_code.h>

#include <algorithm>

#include "bare.h"

namespace ecbench {
namespace {

using Bytes = std::vector<unsigned char>;

constexpr std::size_t table_bytes = 32;  // ec_init_tables writes this many bytes for each coefficient

Bytes generator(int k, int n) {
  Bytes matrix(static_cast<std::size_t>(k * n));
  gf_gen_rs_matrix(matrix.data(), n, k);
  return matrix;
}

Bytes tables_of(int k, int rows, Bytes coefficients) {
  Bytes tables(static_cast<std::size_t>(k * rows) * table_bytes);
  ec_init_tables(k, rows, coefficients.data(), tables.data());
  return tables;
}

BareLoop loop(int size, int k, int rows, Bytes tables, std::vector<unsigned char*> sources, std::vector<unsigned char*> targets) {
  return [=](std::uint64_t iterations) mutable {
    for (std::uint64_t i = 0; i < iterations; i++) {
      ec_encode_data(size, k, rows, tables.data(), sources.data(), targets.data());
    }
  };
}

}  // namespace

BareLoop bare_isa_encode(const EncodedObject& object) {
  const int k = object.code().data_chunk_count();
  const int n = object.code().chunk_count();
  const Bytes matrix = generator(k, n);
  const auto all = object.chunks().all();
  return loop(static_cast<int>(object.chunk_size_bytes()), k, n - k, tables_of(k, n - k, {matrix.begin() + k * k, matrix.end()}),
              {all.begin(), all.begin() + k}, {all.begin() + k, all.end()});
}

BareLoop bare_isa_decode(const EncodedObject& object, const Positions& erased) {
  const int k = object.code().data_chunk_count();
  const int n = object.code().chunk_count();
  const Bytes matrix = generator(k, n);
  Bytes rows;
  std::vector<unsigned char*> sources;
  std::vector<unsigned char*> targets;
  for (int i = 0; i < n; i++) {
    if (std::ranges::find(erased, i) != erased.end()) {
      targets.push_back(object.chunks()[i]);
    } else if (static_cast<int>(sources.size()) < k) {
      rows.insert(rows.end(), matrix.begin() + i * k, matrix.begin() + (i + 1) * k);
      sources.push_back(object.chunks()[i]);
    }
  }
  Bytes inverse(rows.size());
  gf_invert_matrix(rows.data(), inverse.data(), k);
  Bytes wanted;
  for (const int i : erased) wanted.insert(wanted.end(), inverse.begin() + i * k, inverse.begin() + (i + 1) * k);
  return loop(static_cast<int>(object.chunk_size_bytes()), k, static_cast<int>(erased.size()),
              tables_of(k, static_cast<int>(erased.size()), wanted), sources, targets);
}

}  // namespace ecbench
