#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <random>

#include "erasure_code/error.h"
#include "plugins/simd/xor/xor_program.h"
#include "test/fenced_memory.h"
#include "test/simd/simd_kernels.h"

namespace ecbench::test {
namespace {

using simd::Address;
using simd::BitMatrix;
using simd::XorKernel;
using simd::XorProgram;
using simd::XorProgramBuilder;

constexpr std::size_t most_packet_bytes = 1200;
constexpr int most_rows = 20;
constexpr int most_columns = 40;
constexpr std::uint8_t untouched = 0x77;

struct Job {
  BitMatrix matrix;
  std::size_t packet_size;
  bool at_end;  ///< true: the packets end before an inaccessible page; false: they begin after one
};

/// Some rows are similar.
BitMatrix random_matrix(int rows, int columns, std::uint64_t percent_of_ones, std::mt19937& random) {
  BitMatrix matrix(rows, columns);
  for (int row = 0; row < rows; row++) {
    if (row > 0 && random() % 4 == 0) matrix.row(row) = matrix.row(static_cast<int>(random() % index(row)));
    for (int column = 0; column < columns; column++) {
      if (random() % 100 < percent_of_ones) matrix.flip(row, column);
    }
  }
  return matrix;
}

/// A random matrix, dense or sparse, and a random packet size.
Job random_job(std::mt19937& random) {
  const int rows = 1 + static_cast<int>(random() % most_rows);
  const int columns = 1 + static_cast<int>(random() % most_columns);
  Job job{random_matrix(rows, columns, 1 + random() % 100, random), 0, random() % 2 == 0};
  const std::size_t most = random() % 8 == 0 ? most_packet_bytes : 150;
  job.packet_size = 1 + random() % most;
  return job;
}

class Bench {
 public:
  Bench() : sources_(most_columns * most_packet_bytes), targets_(most_rows * most_packet_bytes) {
    std::mt19937 random(1);
    std::generate(sources_.begin(), sources_.end(), [&] { return static_cast<std::uint8_t>(random()); });
  }

  void expect_right(const Job& job, const std::vector<std::vector<std::uint8_t>>& truth, const XorKernel& kernel,
                    const XorProgram& program) {
    std::vector<Address> operands;
    for (int i = 0; i < job.matrix.columns(); i++) operands.push_back(reinterpret_cast<Address>(source(job, i)));
    for (int i = 0; i < job.matrix.rows(); i++) operands.push_back(reinterpret_cast<Address>(target(job, i)));
    std::vector<std::unique_ptr<FencedMemory>> scratch;
    for (int i = 0; i < program.scratch_count; i++) {
      scratch.push_back(std::make_unique<FencedMemory>(kernel.most_bytes));
      operands.push_back(reinterpret_cast<Address>(scratch.back()->end() - kernel.most_bytes));
    }
    std::fill(targets_.begin(), targets_.end(), untouched);
    kernel.run(program.code, operands, index(program.scratch_count), job.packet_size);
    for (int i = 0; i < job.matrix.rows(); i++) {
      ASSERT_EQ(std::memcmp(target(job, i), truth[index(i)].data(), job.packet_size), 0) << "row " << i;
    }
    const std::uint8_t* first = target(job, 0);
    const std::uint8_t* last = target(job, job.matrix.rows());
    const auto is_untouched = [](std::uint8_t byte) { return byte == untouched; };
    ASSERT_TRUE(std::all_of(static_cast<const std::uint8_t*>(targets_.begin()), first, is_untouched));
    ASSERT_TRUE(std::all_of(last, static_cast<const std::uint8_t*>(targets_.end()), is_untouched));
  }

  std::vector<std::vector<std::uint8_t>> plain_sums(const Job& job) const {
    std::vector<std::vector<std::uint8_t>> sums;
    for (int row = 0; row < job.matrix.rows(); row++) {
      std::vector<std::uint8_t>& sum = sums.emplace_back(job.packet_size, std::uint8_t{0});
      for (int column = 0; column < job.matrix.columns(); column++) {
        if (!job.matrix.at(row, column)) continue;
        const std::uint8_t* packet = source(job, column);
        for (std::size_t i = 0; i < job.packet_size; i++) sum[i] = static_cast<std::uint8_t>(sum[i] ^ packet[i]);
      }
    }
    return sums;
  }

 private:
  static std::uint8_t* packet(const FencedMemory& memory, const Job& job, int count, int i) {
    std::uint8_t* first = job.at_end ? memory.end() - index(count) * job.packet_size : memory.begin();
    return first + index(i) * job.packet_size;
  }
  std::uint8_t* source(const Job& job, int i) const { return packet(sources_, job, job.matrix.columns(), i); }
  std::uint8_t* target(const Job& job, int i) const { return packet(targets_, job, job.matrix.rows(), i); }

  FencedMemory sources_;
  FencedMemory targets_;
};

TEST(SimdXorProgram, GivesTheSumsOfTenThousandRandomMatrices) {
  std::mt19937 random(27);
  Bench bench;
  for (int round = 0; round < 10'000; round++) {
    const Job job = random_job(random);
    const auto truth = bench.plain_sums(job);
    for (const XorKernel* kernel : all_xor_kernels()) {
      SCOPED_TRACE("round " + std::to_string(round) + ", " + kernel->name + ", packets of " + std::to_string(job.packet_size));
      bench.expect_right(job, truth, *kernel, simd::program_of(job.matrix, 1 + round % simd::most_grouped_targets));
      if (HasFatalFailure()) return;
    }
  }
}

/// The first of two stages computes random sums in scratch packets, the second one sums of these.
TEST(SimdXorProgram, KeepsWhatStagesShareInScratchPackets) {
  std::mt19937 random(28);
  Bench bench;
  for (int round = 0; round < 1000; round++) {
    Job job = random_job(random);
    const BitMatrix first = random_job(random).matrix;
    const int columns = std::min(job.matrix.columns(), first.columns());
    BitMatrix composed(job.matrix.rows(), columns);
    XorProgramBuilder builder(columns, composed.rows(), 1 + round % simd::most_grouped_targets);
    std::vector<simd::PacketSum> sums;
    std::vector<int> shared;
    for (int row = 0; row < first.rows(); row++) {
      shared.push_back(builder.new_scratch());
      simd::PacketSum& sum = sums.emplace_back(simd::PacketSum{shared.back(), {}});
      for (int column = 0; column < columns; column++) {
        if (first.at(row, column)) sum.sources.push_back(builder.source(column));
      }
    }
    builder.add_stage(std::move(sums));
    sums.clear();
    for (int row = 0; row < composed.rows(); row++) {
      simd::PacketSum& sum = sums.emplace_back(simd::PacketSum{builder.target(row), {}});
      for (int s = 0; s < std::min(first.rows(), job.matrix.columns()); s++) {
        if (!job.matrix.at(row, s)) continue;
        sum.sources.push_back(shared[index(s)]);
        for (int column = 0; column < columns; column++) {
          if (first.at(s, column)) composed.flip(row, column);
        }
      }
    }
    builder.add_stage(std::move(sums));
    const XorProgram program = builder.build();
    job.matrix = composed;
    const auto truth = bench.plain_sums(job);
    for (const XorKernel* kernel : all_xor_kernels()) {
      SCOPED_TRACE("round " + std::to_string(round) + ", " + kernel->name);
      bench.expect_right(job, truth, *kernel, program);
      if (HasFatalFailure()) return;
    }
  }
}

TEST(SimdXorProgram, LoadsLessInGroupsAndByDifferences) {
  std::mt19937 random(29);
  const BitMatrix matrix = random_matrix(32, 64, 33, random);
  std::size_t before = 0;
  for (int row = 0; row < matrix.rows(); row++) before += index(simd::ones(matrix.row(row)));
  for (int targets = 1; targets <= simd::most_grouped_targets; targets++) {
    const XorProgram program = simd::program_of(matrix, targets);
    EXPECT_LT(program.loads, before) << targets;
    EXPECT_EQ(program.stores, 32u);
    before = program.loads;
  }
}

TEST(SimdXorProgram, OfManySumsIsMadeInShortTime) {
  std::mt19937 random(29);
  EXPECT_EQ(simd::program_of(random_matrix(1500, 300, 33, random), 3).stores, 1500u);
}

TEST(SimdXorProgram, RefusesMorePacketsThanItCanNumber) {
  EXPECT_THROW(XorProgramBuilder(16'000, 300, 1), Error);
  XorProgramBuilder builder(1, 1, 1);
  for (int i = 0; i < simd::most_scratch_packets; i++) builder.new_scratch();
  EXPECT_THROW(builder.new_scratch(), Error);
}

}  // namespace
}  // namespace ecbench::test
