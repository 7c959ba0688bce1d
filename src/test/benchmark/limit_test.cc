// The roofline, and its loops.

#include "benchmark/limit/limit.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <csetjmp>
#include <csignal>
#include <cstring>
#include <random>
#include <span>
#include <string>
#include <vector>

#include "benchmark/buffers/chunk_buffers.h"
#include "benchmark/limit/limit_loops.h"
#include "benchmark/sampling/samples.h"
#include "coded_object.h"
#include "test/benchmark/prepared_workload.h"
#include "test/fenced_memory.h"
#include "test/temporary.h"

namespace ecbench {
namespace {

using test::ChunkSet;

std::ptrdiff_t distance(const std::uint8_t* from, const std::uint8_t* to) {
  return static_cast<std::ptrdiff_t>(reinterpret_cast<std::uintptr_t>(to) - reinterpret_cast<std::uintptr_t>(from));
}

void run(const LimitKernel& kernel, LimitWay way, std::span<const std::uint8_t* const> sources,
         std::span<std::uint8_t* const> targets, std::size_t size_bytes) {
  std::vector<std::ptrdiff_t> source_offsets, target_offsets;
  for (const std::uint8_t* source : sources) source_offsets.push_back(distance(sources[0], source));
  for (const std::uint8_t* target : targets) target_offsets.push_back(distance(targets[0], target));
  const auto source_count = static_cast<int>(sources.size());
  kernel.loop(source_count, way)({sources[0], source_offsets.data(), source_count, targets.empty() ? nullptr : targets[0],
                                  target_offsets.data(), static_cast<int>(targets.size()), size_bytes});
}

/// The same loops as in the AVX-512 kernel, but compiled for any CPU, and with normal stores instead of streaming stores.
struct Wide {
  static constexpr std::size_t vector_bytes = 64;
  static constexpr int most_vectors = 8;
  using Vector = VectorOf<vector_bytes>::Type;
  static void stream(std::uint8_t* target, const Vector& value) { std::memcpy(target, &value, sizeof(Vector)); }
  static void fence() {}
};

std::vector<LimitKernel> tested_kernels() {
  std::vector<LimitKernel> kernels = limit_kernels();
  kernels.push_back({"wide", loop_for<Wide>});
  return kernels;
}

std::string way_name(LimitWay way) { return "way " + std::to_string(static_cast<int>(way)); }

/// Chunks of random bytes. Each chunk begins `misalignment` bytes after an address that is a multiple of 64.
class Sources {
 public:
  Sources(int count, std::size_t size_bytes, std::size_t misalignment = 0) : chunks_(count, size_bytes + misalignment) {
    std::mt19937 draw(1);
    for (std::uint8_t* chunk : chunks_.pointers()) {
      std::generate_n(chunk, chunks_.chunk_size(), [&] { return static_cast<std::uint8_t>(draw()); });
      pointers_.push_back(chunk + misalignment);
    }
  }
  std::span<const std::uint8_t* const> first(int count) const { return std::span(pointers_).first(index(count)); }
  const std::uint8_t* operator[](int i) const { return pointers_[index(i)]; }

 private:
  ChunkSet chunks_;
  std::vector<const std::uint8_t*> pointers_;
};

std::vector<std::uint8_t> xor_of(const Sources& chunks, int count, std::size_t size_bytes) {
  std::vector<std::uint8_t> sum(size_bytes, 0);
  for (int i = 0; i < count; i++) {
    for (std::size_t at = 0; at < size_bytes; at++) sum[at] = static_cast<std::uint8_t>(sum[at] ^ chunks[i][at]);
  }
  return sum;
}

class EveryKernel : public testing::TestWithParam<LimitKernel> {
 protected:
  /// Checks that every loop of the kernel writes the XOR of the first k sources to each of m targets, and nothing after it or
  /// before.
  void check(const Sources& sources, int k, int m, const std::vector<std::size_t>& sizes) {
    const std::size_t most = *std::ranges::max_element(sizes);
    const std::vector<std::uint8_t> expected = xor_of(sources, k, most);
    ChunkSet targets(m, most);
    for (const LimitWay way : all_limit_ways) {
      for (const std::size_t size_bytes : sizes) {
        for (int i = 0; i < m; i++) std::ranges::fill(targets[i], untouched);
        run(GetParam(), way, sources.first(k), targets.pointers(), size_bytes);
        for (int i = 0; i < m; i++) {
          ASSERT_TRUE(
              std::equal(targets[i].begin(), targets[i].begin() + static_cast<std::ptrdiff_t>(size_bytes), expected.begin()) &&
              std::ranges::all_of(targets[i].subspan(size_bytes), [](std::uint8_t byte) { return byte == untouched; }))
              << "k=" << k << " m=" << m << ", " << size_bytes << " bytes, " << way_name(way);
        }
        ASSERT_TRUE(targets.guards_are_whole()) << size_bytes << " bytes, " << way_name(way);
      }
    }
  }

  static constexpr std::uint8_t untouched = 0x77;
};

INSTANTIATE_TEST_SUITE_P(Limit, EveryKernel, testing::ValuesIn(tested_kernels()),
                         [](const auto& kernel) { return kernel.param.name; });

TEST_P(EveryKernel, WritesTheXorToEachTargetAndNothingBeyond) {
  std::vector<std::size_t> sizes;
  for (std::size_t size = 0; size <= 300; size++) sizes.push_back(size);
  // In one step, a loop processes 64 to 512 bytes of each chunk. A loop with prefetching stops prefetching when about 1 KiB of a
  // chunk remains. Therefore the test also uses sizes near the following values.
  for (const std::size_t border : {384, 512, 768, 1024, 1152, 1280, 1536, 2048}) {
    for (std::size_t size = border - 2; size <= border + 2; size++) sizes.push_back(size);
  }
  const Sources sources(12, 2050);
  for (int k = 1; k <= 12; k++) {
    for (int m = 0; m <= 4; m++) check(sources, k, m, sizes);
  }
}

TEST_P(EveryKernel, WorksWithUpTo255SourcesAndTargetsLargeChunksAndAnyAlignment) {
  const Sources sources(255, 1601);
  for (const int k : {13, 20, 255}) {
    for (const int m : {1, 10, 255}) check(sources, k, m, {1, 64, 683, 1344, 1601});
  }
  check(Sources(3, 524351), 3, 2, {524288, 524289, 524351});
  for (const std::size_t misalignment : {1, 8, 33}) check(Sources(4, 1700, misalignment), 4, 2, {63, 683, 1700});
}

TEST_P(EveryKernel, ReadsNothingBeyondTheEndOfASource) {
  const test::FencedMemory fence(page_bytes);
  const ChunkSet targets(1, page_bytes);
  for (const LimitWay way : all_limit_ways) {
    for (std::size_t size = 0; size <= page_bytes; size += size < 600 ? 1 : 37) {
      const std::uint8_t* const source = fence.end() - size;
      run(GetParam(), way, {&source, 1}, targets.pointers(), size);
    }
  }
}

sigjmp_buf after_fault;

/// Whether `access` accesses inaccessible memory. A death test would fork for each of hundreds of accesses.
bool is_fault(const auto& access) {
  struct sigaction fault {
  }, before{};
  fault.sa_handler = [](int) { siglongjmp(after_fault, 1); };
  sigaction(SIGSEGV, &fault, &before);
  const bool is_first_return = sigsetjmp(after_fault, 1) == 0;
  if (is_first_return) access();
  sigaction(SIGSEGV, &before, nullptr);
  return !is_first_return;
}

// The compiler must not remove the reads. The end of one source is in an inaccessible page.
TEST_P(EveryKernel, ReadsEverySourceEvenWithoutATarget) {
  const test::FencedMemory fence(page_bytes);
  const Sources others(3, 2 * page_bytes);
  for (const LimitWay way : all_limit_ways) {
    for (int forbidden = 0; forbidden < 3; forbidden++) {
      for (const std::size_t beyond : {1, 8, 64, 256}) {
        const std::uint8_t* sources[] = {others[0], others[1], others[2]};
        sources[forbidden] = fence.end() - 1024;
        EXPECT_TRUE(is_fault([&] { run(GetParam(), way, sources, {}, 1024 + beyond); }))
            << way_name(way) << ", source " << forbidden << ", " << beyond << " bytes";
      }
    }
  }
}

Point point_of(const std::string& workload, Positions erased, std::size_t size_bytes, std::size_t stripe_unit = 0) {
  const auto erasures = static_cast<int>(erased.size());
  return {.workload = workload,
          .size_bytes = size_bytes,
          .stripe_unit_bytes = stripe_unit,
          .erasures = erasures,
          .erased = std::move(erased)};
}

using Bytes = std::vector<std::uint8_t>;

Bytes bytes_of(std::span<const std::uint8_t> bytes) { return {bytes.begin(), bytes.end()}; }

/// The XOR of all pieces that `transfer` reads in stripe number `stripe`. Each piece has `piece_bytes` bytes.
Bytes xor_of_reads(const EncodedObject& object, const Transfer& transfer, std::size_t stripe, std::size_t piece_bytes) {
  Bytes sum(piece_bytes, 0);
  const std::size_t sub_chunk = object.chunk_size_bytes() / static_cast<std::size_t>(object.code().sub_chunk_count());
  for (const auto& [position, runs] : transfer.reads) {
    Bytes read;
    for (const SubChunkRun& run : runs) {
      const std::uint8_t* const from =
          object.chunks()[position] + stripe * object.chunk_size_bytes() + static_cast<std::size_t>(run.first) * sub_chunk;
      read.insert(read.end(), from, from + static_cast<std::size_t>(run.count) * sub_chunk);
    }
    EXPECT_EQ(read.size() % piece_bytes, 0u);
    for (std::size_t i = 0; i < read.size(); i++) sum[i % piece_bytes] = static_cast<std::uint8_t>(sum[i % piece_bytes] ^ read[i]);
  }
  return sum;
}

/// Each piece that a loop writes must be the XOR of all pieces that it reads. Returns the number of ways that are possible.
std::size_t check_moves(const ErasureCode& code, const Point& point, std::size_t piece_bytes) {
  const test::PreparedWorkload prepared(code, point);
  const std::vector<Transfer> transfers = prepared.workload->transfers();
  const auto ways = limit_workloads(prepared.object, transfers, 1);
  for (const auto& way : ways) {
    const EncodedObject object(prepared.object);  // NOLINT(performance-unnecessary-copy-initialization): its chunks are written
    for (std::size_t i = 0; i < transfers.size(); i++) {
      std::vector<Bytes> expected;
      for (int position = 0; position < code.chunk_count(); position++)
        expected.push_back(bytes_of(object.chunks().bytes(position)));
      const std::size_t chunk = object.chunk_size_bytes();
      for (std::size_t stripe = 0; stripe < object.stripe_count(); stripe++) {
        const Bytes sum = xor_of_reads(object, transfers[i], stripe, piece_bytes);
        for (const int position : transfers[i].writes) {
          for (std::size_t at = 0; at < chunk; at++) {
            expected[static_cast<std::size_t>(position)][stripe * chunk + at] = sum[at % piece_bytes];
          }
        }
      }
      const EncodedObject* const objects[] = {&object};
      way->run(objects, i, 1);
      for (int position = 0; position < code.chunk_count(); position++) {
        EXPECT_EQ(bytes_of(object.chunks().bytes(position)), expected[static_cast<std::size_t>(position)])
            << "transfer " << i << ", chunk " << position;
      }
      object.restore(transfers[i].writes);
    }
  }
  return ways.size();
}

std::vector<Transfer> transfers_of(const ErasureCode& code, const Point& point) {
  return test::PreparedWorkload(code, point).workload->transfers();
}

TEST(LimitMoves, AllDataAndCodingChunksToEncodeOrThoseThatThePlanOfADecodeReads) {
  const auto lrc = test::make_code("lrc", "k=4 m=2 l=3");
  const Point encode = point_of("encode", {}, 5000);
  EXPECT_EQ(check_moves(*lrc, encode, lrc->chunk_size(5000)), all_limit_ways.size());
  ASSERT_EQ(transfers_of(*lrc, encode).size(), 1u);
  EXPECT_EQ(transfers_of(*lrc, encode)[0].reads.size(), 4u);
  EXPECT_EQ(transfers_of(*lrc, encode)[0].writes.size(), 4u);
  const Point decode = point_of("decode", {1}, 5000);
  check_moves(*lrc, decode, lrc->chunk_size(5000));
  ASSERT_EQ(transfers_of(*lrc, decode).size(), 1u);
  EXPECT_EQ(transfers_of(*lrc, decode)[0].reads.size(), 3u) << "it reads the local group, not k=4 chunks";
  EXPECT_EQ(transfers_of(*lrc, decode)[0].writes, Positions{1});
  const auto isa = test::make_code("isa", "k=3 m=2");
  Point each = point_of("decode", {}, 5000);
  each.erasures = 2;
  each.generation = ErasureGeneration::exhaustive;
  EXPECT_EQ(transfers_of(*isa, each).size(), 10u);
  check_moves(*isa, each, isa->chunk_size(5000));
}

TEST(LimitMoves, PartsOfChunksForARepairFromParts) {
  const auto code = test::make_code("clay", "k=4 m=2 d=5");
  const Point point = point_of("repair", {2}, 100000);
  EXPECT_EQ(check_moves(*code, point, code->chunk_size(100000) / 2), all_limit_ways.size()) << "it reads half of each helper";
  check_moves(*code, point_of("repair", {}, 100000), code->chunk_size(100000) / 2);
  const auto whole = test::make_code("isa", "k=4 m=2");
  check_moves(*whole, point_of("repair", {}, 100000), whole->chunk_size(100000));
}

TEST(LimitMoves, StripesThatDoNotStartCacheLinesByPlainStoresAndNothingIfPiecesAreTiny) {
  const auto code = test::make_code("isa", "k=3 m=2");
  EXPECT_EQ(check_moves(*code, point_of("encode", {}, 5000, 96), 96), 3u);
  EXPECT_EQ(check_moves(*code, point_of("encode", {}, 5000, 128), 128), all_limit_ways.size());
  EXPECT_EQ(check_moves(*code, point_of("encode", {}, 60), 1), 0u) << "chunks of less than a cache line";
  Point nothing = point_of("decode", {4}, 5000);
  nothing.want = Want::data;
  EXPECT_EQ(check_moves(*code, nothing, 1), 0u) << "nothing is rebuilt";
}

TEST(LimitTrials, FindTheFastestRunEvenIfSomeTrialsAreDisturbed) {
  std::vector<int> runs(3, 0);
  std::vector<TimedRun> timed;
  for (std::size_t i = 0; i < 3; i++) {
    timed.emplace_back([&runs, i](int placement, std::uint64_t iterations) {
      runs[i]++;
      const double disturbance = i == 1 && placement == 0 ? 100 : 1;
      constexpr double seconds[] = {3e-7, 2e-7, 2.5e-7};
      return Sample{.placement = placement, .seconds = seconds[i] * disturbance * static_cast<double>(iterations)};
    });
  }
  EXPECT_EQ(fastest_of(timed, 4, CacheState::warm), 1u);
  EXPECT_EQ(runs[1], runs[2]);
  EXPECT_LT(runs[1], 100);
  EXPECT_EQ(fastest_of({timed.data(), 1}, 4, CacheState::warm), 0u);
}

TEST(LimitTrials, EndSoonIfAnIterationIsLong) {
  std::vector<double> seconds(2, 0);
  std::vector<TimedRun> timed;
  for (std::size_t i = 0; i < 2; i++) {
    timed.emplace_back([&seconds, i](int, std::uint64_t iterations) {
      seconds[i] += static_cast<double>(iterations);
      return Sample{.seconds = static_cast<double>(iterations)};
    });
  }
  fastest_of(timed, 8, CacheState::warm);
  EXPECT_LE(seconds[1], 3);
}

TEST(LimitTrials, IfTheCacheIsColdLastLongerThanTheWritesOfTheRunBefore) {
  double unwritten_seconds = 0;
  const std::vector<TimedRun> timed{
      [&](int, std::uint64_t iterations) {
        unwritten_seconds = 0.1e-3 * static_cast<double>(std::min<std::uint64_t>(iterations, 4));
        return Sample{.seconds = 0.25e-3 * static_cast<double>(iterations)};
      },
      [&](int, std::uint64_t iterations) {
        return Sample{.seconds = 0.2e-3 * static_cast<double>(iterations) + std::exchange(unwritten_seconds, 0)};
      }};
  EXPECT_EQ(fastest_of(timed, 4, CacheState::cold), 1u);
}

// ecbench_scene.py has the limit of another process.
TEST(LimitFile, GetsTheLimitOfAnUndisturbedMeasurement) {
  const test::TemporaryFolder folder;
  const std::string file = folder / "limits";
  Point point{.plugin = "isa", .workload = "encode", .size_bytes = 65536};
  point.sampling = {.min_seconds = 0.01, .max_seconds = 0.05, .placements = 2, .limit_file = file};
  const auto code = test::make_code("isa", "k=4 m=2");
  const test::PreparedWorkload prepared(*code, point);
  const Measurement measured = prepared.measured();
  EXPECT_EQ(read_limit(file, limit_key(prepared.point, prepared.object, *prepared.workload)).has_value(),
            enough_clean(measured.samples) && !measured.shared_core.is_state());
}

}  // namespace
}  // namespace ecbench
