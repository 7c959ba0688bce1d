// The workload encode: coding chunks are computed from the data chunks.

#include "benchmark/workloads/ceph_call.h"
#include "benchmark/workloads/workload.h"

namespace ecbench {
namespace {

class EncodeWorkload : public Workload {
 public:
  explicit EncodeWorkload(const EncodedObject& object)
      : data_(whole_chunks(object.code(), {object.code().data_positions().begin(), object.code().data_positions().end()})),
        coding_(object.code().coding_positions().begin(), object.code().coding_positions().end()) {}

  void run(Objects objects, std::uint64_t first, std::uint64_t iterations) const override {
    Round round(objects.size(), first);
    for (std::uint64_t i = 0; i < iterations; i++) objects[round.next()]->encode();
  }

  void poison_results(const EncodedObject& object) const override { object.poison(coding_); }
  void check_results(const EncodedObject& object) const override { object.check("encoding"); }
  std::vector<Transfer> transfers() const override { return {{data_, coding_, {}}}; }
  std::set<std::string> kernels(const BenchmarkInfo& info) const override { return {info.kernel_of(nullptr)}; }

 private:
  ReadSet data_;
  Positions coding_;
};

/// Each call allocates the chunks that it writes, and the padded ones that it reads.
class EncodeCallWorkload : public EncodeWorkload {
 public:
  using EncodeWorkload::EncodeWorkload;

  void run(Objects objects, std::uint64_t first, std::uint64_t iterations) const override {
    Round round(objects.size(), first);
    for (std::uint64_t i = 0; i < iterations; i++) ceph_encode(*objects[round.next()], nullptr);
  }

  void poison_results(const EncodedObject&) const override {}

  void check_results(const EncodedObject& object) const override {
    ceph_encode(object, [&](int position, std::size_t stripe, std::span<const std::uint8_t> chunk) {
      object.check_chunk(position, stripe, chunk, "encoding");
    });
    object.check("encoding");
  }
};

}  // namespace

std::unique_ptr<Workload> make_encode_workload(const Point& point, const EncodedObject& object) {
  if (point.timing == Timing::api) return std::make_unique<EncodeCallWorkload>(object);
  return std::make_unique<EncodeWorkload>(object);
}

}  // namespace ecbench
