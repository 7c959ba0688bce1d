// The technique is the function that throws a number, although plugins may throw only Error; with no_plan, make_plan() returns
// null.

#include <memory>
#include <string>

#include "faulty_codes.h"
#include "faulty_plugin.h"

namespace {

using namespace ecbench;

class ThrowingCode : public FaultyCode {
 public:
  explicit ThrowingCode(std::string call) : call_(std::move(call)) {}

  std::size_t chunk_size(std::size_t object_size) const override {
    throw_in("chunk_size");
    return FaultyCode::chunk_size(object_size);
  }

  void encode(std::span<const std::uint8_t* const> data, std::span<std::uint8_t* const> coding,
              std::size_t chunk_size) const override {
    throw_in("encode");
    FaultyCode::encode(data, coding, chunk_size);
  }

 protected:
  std::unique_ptr<DecodePlan> make_plan(const Positions& erased, const Positions& rebuilt) const override {
    throw_in("make_plan");
    return call_ == "no_plan" ? nullptr : FaultyCode::make_plan(erased, rebuilt);
  }

  void run_plan(const DecodePlan& plan, std::span<std::uint8_t* const> chunks, std::size_t chunk_size) const override {
    throw_in("run_plan");
    FaultyCode::run_plan(plan, chunks, chunk_size);
  }

 private:
  void throw_in(const std::string& call) const {
    if (call == call_) throw 42;
  }

  std::string call_;
};

Technique throwing_in(const std::string& call) {
  return faulty_technique(call, [call](const Context&) { return std::make_unique<ThrowingCode>(call); });
}

const Plugin plugin = faulty_plugin("throws_later", {throwing_in("encode"), throwing_in("chunk_size"), throwing_in("make_plan"),
                                                     throwing_in("run_plan"), throwing_in("no_plan")});

}  // namespace

ECBENCH_PLUGIN(plugin)
