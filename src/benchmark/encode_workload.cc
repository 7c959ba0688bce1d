// encode: the coding chunks are computed from the data chunks.

#include "benchmark/workload.h"

namespace ecbench {
namespace {

class EncodeWorkload : public Workload {
 public:
  explicit EncodeWorkload(const EncodedObject& object)
      : object_(object), coding_(object.code().coding_positions().begin(), object.code().coding_positions().end()) {}

  void run(std::uint64_t iterations) override {
    for (std::uint64_t i = 0; i < iterations; i++) object_.encode();
  }

  void poison_results() override { object_.poison(coding_); }

  void check_results() const override { object_.check("encoding"); }

 private:
  const EncodedObject& object_;
  Positions coding_;
};

}  // namespace

std::unique_ptr<Workload> make_encode_workload(const Point&, const EncodedObject& object) {
  return std::make_unique<EncodeWorkload>(object);
}

}  // namespace ecbench
