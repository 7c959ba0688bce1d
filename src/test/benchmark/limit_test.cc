#include "benchmark/limit/limit.h"

#include <gtest/gtest.h>
#include <sys/mman.h>

#include <algorithm>
#include <cstring>
#include <memory>
#include <ostream>
#include <random>
#include <span>
#include <string>
#include <vector>

#include "benchmark/buffers/memory.h"
#include "benchmark/limit/limit_loops.h"

namespace ecbench {
namespace {

constexpr std::uint8_t untouched = 0xA5;

std::ptrdiff_t distance(const std::uint8_t* from, const std::uint8_t* to) {
  return static_cast<std::ptrdiff_t>(reinterpret_cast<std::uintptr_t>(to) - reinterpret_cast<std::uintptr_t>(from));
}

/// Runs the loop of `kernel` for `way`. The loop writes the XOR of the sources to each target.
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

std::string way_name(LimitWay way) {
  return "way " + std::to_string(static_cast<int>(way));
}

/// Chunks of random bytes. Each chunk begins `misalignment` bytes after an address that is a multiple of 64.
class Chunks {
 public:
  Chunks(int count, std::size_t size_bytes, std::size_t misalignment = 0)
      : stride_((size_bytes + misalignment + 127) / 64 * 64), misalignment_(misalignment) {
    bytes_.resize(stride_ * static_cast<std::size_t>(count) + 64);
    std::mt19937 draw(1);
    std::ranges::generate(bytes_, [&] { return static_cast<std::uint8_t>(draw()); });
    void* start = bytes_.data();
    std::size_t space = bytes_.size();
    std::align(64, 1, start, space);
    std::uint8_t* next = static_cast<std::uint8_t*>(start) + misalignment;
    for (int i = 0; i < count; i++, next += stride_) pointers_.push_back(next);
  }

  std::span<std::uint8_t* const> first(int count) const { return std::span(pointers_).first(static_cast<std::size_t>(count)); }
  std::uint8_t* operator[](int i) const { return pointers_[static_cast<std::size_t>(i)]; }
  /// Chunk i, the `misalignment` bytes before it, and the unused bytes after it (64 to 127 bytes).
  std::span<std::uint8_t> surroundings(int i) const { return {(*this)[i] - misalignment_, stride_}; }

 private:
  std::size_t stride_;
  std::size_t misalignment_;
  std::vector<std::uint8_t> bytes_;
  std::vector<std::uint8_t*> pointers_;
};

/// The XOR of the first `count` chunks, computed byte by byte.
std::vector<std::uint8_t> xor_of(const Chunks& chunks, int count, std::size_t size_bytes) {
  std::vector<std::uint8_t> sum(size_bytes, 0);
  for (int i = 0; i < count; i++) {
    for (std::size_t at = 0; at < size_bytes; at++) sum[at] = static_cast<std::uint8_t>(sum[at] ^ chunks[i][at]);
  }
  return sum;
}

/// True if every target begins with the first `size_bytes` bytes of `expected`, and all bytes before and after them are unchanged.
bool written_exactly(const Chunks& targets, int count, const std::vector<std::uint8_t>& expected, std::size_t size_bytes) {
  for (int i = 0; i < count; i++) {
    const std::span<const std::uint8_t> around = targets.surroundings(i);
    std::vector<std::uint8_t> wanted(around.size(), untouched);
    std::copy_n(expected.begin(), size_bytes, wanted.begin() + (targets[i] - around.data()));
    if (!std::ranges::equal(around, wanted)) return false;
  }
  return true;
}

void wipe(const Chunks& targets, int count) {
  for (int i = 0; i < count; i++) std::ranges::fill(targets.surroundings(i), untouched);
}

class EveryKernel : public testing::TestWithParam<LimitKernel> {
 protected:
  /// Checks that every loop of the kernel writes the XOR of the first k sources to each of the first m targets.
  void check(const Chunks& sources, int k, const Chunks& targets, int m, const std::vector<std::size_t>& sizes) {
    const std::vector<std::uint8_t> expected = xor_of(sources, k, *std::ranges::max_element(sizes));
    for (const LimitWay way : all_limit_ways) {
      for (const std::size_t size_bytes : sizes) {
        wipe(targets, m);
        run(GetParam(), way, sources.first(k), targets.first(m), size_bytes);
        ASSERT_TRUE(written_exactly(targets, m, expected, size_bytes))
            << "k=" << k << " m=" << m << ", " << size_bytes << " bytes, " << way_name(way);
      }
    }
  }
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
  const Chunks sources(12, 2050);
  const Chunks targets(4, 2050);
  for (int k = 1; k <= 12; k++) {
    for (int m = 0; m <= 4; m++) check(sources, k, targets, m, sizes);
  }
}

TEST_P(EveryKernel, WorksWithUpTo255SourcesAndTargets) {
  const std::vector<std::size_t> sizes{1, 64, 683, 1344, 1601};
  const Chunks sources(255, 1601);
  const Chunks targets(255, 1601);
  for (const int k : {13, 20, 255}) {
    for (const int m : {1, 10, 255}) check(sources, k, targets, m, sizes);
  }
}

TEST_P(EveryKernel, WorksWithLargeChunksThatEndInTheMiddleOfAVector) {
  const std::vector<std::size_t> sizes{524288, 524289, 524351};
  check(Chunks(3, 524351), 3, Chunks(2, 524351), 2, sizes);
}

TEST_P(EveryKernel, ReadsSourcesOfAnyAlignment) {
  for (const std::size_t misalignment : {1, 8, 33}) check(Chunks(4, 1700, misalignment), 4, Chunks(2, 1700), 2, {63, 683, 1700});
}

/// A readable page that is followed by an inaccessible page.
class Fence {
 public:
  Fence() : pages_(mmap(nullptr, 2 * page_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)) {
    if (pages_ == MAP_FAILED) throw std::bad_alloc();
    if (mprotect(border(), page_bytes, PROT_NONE) != 0) throw std::bad_alloc();
  }
  Fence(const Fence&) = delete;
  Fence& operator=(const Fence&) = delete;
  ~Fence() { munmap(pages_, 2 * page_bytes); }
  std::uint8_t* border() const { return static_cast<std::uint8_t*>(pages_) + page_bytes; }

 private:
  void* pages_;
};

TEST_P(EveryKernel, ReadsNothingBeyondTheEndOfASource) {
  const Fence fence;
  const Chunks targets(1, page_bytes);
  for (const LimitWay way : all_limit_ways) {
    for (std::size_t size = 0; size <= page_bytes; size += size < 600 ? 1 : 37) {
      const std::uint8_t* const source = fence.border() - size;
      run(GetParam(), way, {&source, 1}, targets.first(1), size);
    }
  }
}

// A loop must read the sources even if there is no target: the compiler must not remove the reads. In this test, the end of one
// source is in an inaccessible page. If the loop reads this source, the process is killed.
TEST_P(EveryKernel, ReadsEverySourceEvenWithoutATarget) {
  const Fence fence;
  const Chunks others(3, 2 * page_bytes);
  for (const LimitWay way : all_limit_ways) {
    for (int forbidden = 0; forbidden < 3; forbidden++) {
      for (const std::size_t beyond : {1, 8, 64, 256}) {
        const std::uint8_t* sources[] = {others[0], others[1], others[2]};
        sources[forbidden] = fence.border() - 1024;
        EXPECT_DEATH(run(GetParam(), way, sources, {}, 1024 + beyond), "")
            << way_name(way) << ", source " << forbidden << ", " << beyond << " bytes";
      }
    }
  }
}

}  // namespace
}  // namespace ecbench
