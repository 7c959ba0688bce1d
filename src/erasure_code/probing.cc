#include "erasure_code/probing.h"

#include <algorithm>
#include <memory>
#include <new>
#include <random>

#include "erasure_code/index.h"

namespace ecbench {
namespace {

/// Buffers for `count` chunks of the same size, with the alignment that the contract requires. Initially, all bytes are zero.
class Chunks {
 public:
  Chunks(int count, std::size_t chunk_size)
      : stride_(round_up(chunk_size, chunk_alignment_bytes)),
        memory_(new (std::align_val_t{chunk_alignment_bytes}) std::uint8_t[stride_ * index(count)]()) {
    for (int i = 0; i < count; i++) pointers.push_back(memory_.get() + stride_ * index(i));
  }

  std::vector<std::uint8_t*> pointers;

 private:
  struct Free {
    void operator()(std::uint8_t* memory) const { ::operator delete[](memory, std::align_val_t{chunk_alignment_bytes}); }
  };

  std::size_t stride_;
  std::unique_ptr<std::uint8_t[], Free> memory_;
};

class Probe {
 public:
  explicit Probe(const ErasureCode& code)
      : code_(code), size_(code.chunk_size(1)), data_(code.data_chunk_count(), size_), coding_(code.coding_chunk_count(), size_) {}

  Matrix matrix() {
    Matrix found(code_.coding_chunk_count(), code_.data_chunk_count());
    for (int column = 0; column < found.columns; column++) {
      std::fill_n(data_.pointers[index(column)], size_, std::uint8_t{1});
      encode();
      std::fill_n(data_.pointers[index(column)], size_, std::uint8_t{0});
      for (int row = 0; row < found.rows; row++) found.at(row, column) = coding_.pointers[index(row)][0];
    }
    return found;
  }

  bool computes(const Matrix& matrix) {
    const GaloisField field(8);
    std::mt19937_64 engine(1);
    for (std::uint8_t* chunk : data_.pointers) std::generate_n(chunk, size_, [&] { return static_cast<std::uint8_t>(engine()); });
    encode();
    for (int row = 0; row < matrix.rows; row++) {
      for (std::size_t byte = 0; byte < size_; byte++) {
        Element sum = 0;
        for (int column = 0; column < matrix.columns; column++) {
          sum ^= field.multiply(matrix.at(row, column), data_.pointers[index(column)][byte]);
        }
        if (sum != coding_.pointers[index(row)][byte]) return false;
      }
    }
    return true;
  }

 private:
  void encode() {
    const std::vector<const std::uint8_t*> data(data_.pointers.begin(), data_.pointers.end());
    code_.encode(data, coding_.pointers, size_);
  }

  const ErasureCode& code_;
  std::size_t size_;
  Chunks data_;
  Chunks coding_;
};

}  // namespace

std::optional<Matrix> bytewise_matrix(const ErasureCode& code) {
  // In bytes. A code is not probed if its smallest chunk is larger than this limit. If a code works on each byte separately, its
  // smallest chunk is below this limit. The smallest chunks of a packet code with a large packetsize can need more memory than the
  // machine has.
  constexpr std::size_t most_padded_byte = 1 << 20;
  if (code.sub_chunk_count() > 1 || code.chunk_size(1) > most_padded_byte) return {};
  Probe probe(code);
  Matrix matrix = probe.matrix();
  return probe.computes(matrix) ? std::optional(std::move(matrix)) : std::nullopt;
}

}  // namespace ecbench
