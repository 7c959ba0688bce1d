// limit and memcpy: the yardsticks. They work on the same chunks as the code would, but only move bytes.

#include <algorithm>
#include <chrono>
#include <cstring>

#include "benchmark/limit.h"
#include "benchmark/placements.h"
#include "benchmark/workload.h"

namespace ecbench {
namespace {

class Yardstick : public Workload {
 public:
  // It computes nothing that could be wrong.
  void poison_results(const EncodedObject&) const override {}
  void check_results(const EncodedObject&) const override {}
  bool is_yardstick() const override { return true; }
};

class LimitWorkload : public Yardstick {
 public:
  LimitWorkload(int chunks_written, Stores stores) : chunks_written_(chunks_written), stores_(stores) {}

  void run(Objects objects, std::uint64_t first, std::uint64_t iterations) const override {
    Round round(objects.size(), first);
    for (std::uint64_t i = 0; i < iterations; i++) {
      const EncodedObject& object = *objects[round.next()];
      for (const EncodedObject::Stripe& stripe : object.stripes()) {
        const std::span<std::uint8_t* const> coding = stripe.coding;
        read_xor_write(stripe.data, coding.first(static_cast<std::size_t>(chunks_written_)), object.chunk_size_bytes(), stores_);
      }
    }
  }

  int chunks_written() const override { return chunks_written_; }

 private:
  int chunks_written_;
  Stores stores_;
};

/// Copies the data chunks of one object to those of the next.
class MemcpyWorkload : public Yardstick {
 public:
  void run(Objects objects, std::uint64_t first, std::uint64_t iterations) const override {
    Round round(objects.size(), 2 * first);
    for (std::uint64_t i = 0; i < iterations; i++) {
      const EncodedObject& from = *objects[round.next()];
      const EncodedObject& to = *objects[round.next()];
      for (const int position : from.code().data_positions()) {
        std::memcpy(to.chunks()[position], from.chunks()[position], from.chunks().chunk_size_bytes());
      }
    }
  }

  int chunks_written() const override { return 0; }
  std::size_t objects_per_iteration() const override { return 2; }
};

/// Of one pass over the objects, or of several where that is short.
double seconds_of(const Workload& workload, Objects objects) {
  using Clock = std::chrono::steady_clock;
  const std::size_t pass_bytes = objects.size() * objects.front()->footprint_bytes();
  const std::uint64_t iterations = objects.size() * (1 + (std::size_t{8} << 20) / pass_bytes);
  workload.run(objects, 0, iterations);
  const Clock::time_point begin = Clock::now();
  workload.run(objects, 0, iterations);
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

}  // namespace

std::vector<std::unique_ptr<Workload>> limit_workloads(int chunks_written) {
  std::vector<std::unique_ptr<Workload>> workloads;
  for (const Stores stores : all_stores) workloads.push_back(std::make_unique<LimitWorkload>(chunks_written, stores));
  return workloads;
}

// Tried on copies in the cache state of the point, since the chunks that it writes are the object's no more.
std::unique_ptr<Workload> make_limit_workload(const Point& point, const EncodedObject& object) {
  const Placements scratch(object, 1, 1, plan_placements(point, object.footprint_bytes(), 1).objects_per_place);
  std::vector<std::unique_ptr<Workload>> workloads = limit_workloads(object.code().coding_chunk_count());
  std::vector<double> seconds;
  for (const auto& workload : workloads) seconds.push_back(seconds_of(*workload, scratch.objects(0, 0)));
  return std::move(workloads[static_cast<std::size_t>(std::ranges::min_element(seconds) - seconds.begin())]);
}

std::unique_ptr<Workload> make_memcpy_workload(const Point&, const EncodedObject&) {
  return std::make_unique<MemcpyWorkload>();
}

}  // namespace ecbench
