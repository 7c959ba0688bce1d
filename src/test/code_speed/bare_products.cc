#include "bare_products.h"

#include <isa-l/erasure_code.h>
#include <jerasure.h>

namespace ecbench {
namespace {

constexpr int w = 8;
constexpr std::size_t table_bytes = 32;  // ec_init_tables writes this many bytes for each coefficient

struct JerasureCall {
  std::vector<int> row;
  std::vector<char*> sources;
  char* destination;
};

struct IsaCall {
  std::vector<unsigned char> tables;
  std::vector<unsigned char*> sources;
  unsigned char* destination;
};

}  // namespace

std::vector<Product> products_of(const Matrix& matrix) {
  std::vector<Product> products;
  for (int row = 0; row < matrix.rows; row++) {
    Product& product = products.emplace_back();
    product.destination = matrix.columns + row;
    for (int column = 0; column < matrix.columns; column++) {
      if (matrix.at(row, column) == 0) continue;
      product.sources.push_back(column);
      product.coefficients.push_back(matrix.at(row, column));
    }
  }
  return products;
}

std::function<void()> bare_jerasure(const std::vector<Product>& products, std::span<std::uint8_t* const> chunks, std::size_t size) {
  const auto pointer = [&](int chunk) { return reinterpret_cast<char*>(chunks[static_cast<std::size_t>(chunk)]); };
  std::vector<JerasureCall> calls;
  for (const Product& product : products) {
    JerasureCall& call = calls.emplace_back();
    call.row.assign(product.coefficients.begin(), product.coefficients.end());
    for (const int source : product.sources) call.sources.push_back(pointer(source));
    call.destination = pointer(product.destination);
  }
  return [=]() mutable {
    for (JerasureCall& call : calls) {
      const int count = static_cast<int>(call.row.size());
      jerasure_matrix_dotprod(count, w, call.row.data(), nullptr, count, call.sources.data(), &call.destination,
                              static_cast<int>(size));
    }
  };
}

std::function<void()> bare_isa(const std::vector<Product>& products, std::span<std::uint8_t* const> chunks, std::size_t size) {
  std::vector<IsaCall> calls;
  for (const Product& product : products) {
    IsaCall& call = calls.emplace_back();
    const int count = static_cast<int>(product.sources.size());
    std::vector<unsigned char> row(product.coefficients.begin(), product.coefficients.end());
    call.tables.resize(row.size() * table_bytes);
    ec_init_tables(count, 1, row.data(), call.tables.data());
    for (const int source : product.sources) call.sources.push_back(chunks[static_cast<std::size_t>(source)]);
    call.destination = chunks[static_cast<std::size_t>(product.destination)];
  }
  return [=]() mutable {
    for (IsaCall& call : calls) {
      ec_encode_data(static_cast<int>(size), static_cast<int>(call.sources.size()), 1, call.tables.data(), call.sources.data(),
                     &call.destination);
    }
  };
}

}  // namespace ecbench
