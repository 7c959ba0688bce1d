#include "erasure_code/jerasure_padding.h"

#include <string>

#include "erasure_code/error.h"

namespace ecbench::jerasure {
namespace {

constexpr std::size_t int_size = 4;
constexpr std::size_t largest_vector_size = 16;

}  // namespace

std::size_t object_padding_unit(std::size_t word_size) {
  const bool keeps_vectors_whole = word_size * int_size % largest_vector_size == 0;
  return word_size * (keeps_vectors_whole ? int_size : largest_vector_size);
}

void check_granule(std::size_t chunk_size, std::size_t granule) {
  if (chunk_size % granule == 0) return;
  throw Error("chunks of " + std::to_string(chunk_size) + " bytes cannot be encoded or decoded: their size must be a multiple of " +
              std::to_string(granule) + ", the block size of this code");
}

}  // namespace ecbench::jerasure
