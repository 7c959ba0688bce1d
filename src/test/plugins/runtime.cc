// As with the runtime of another language. The name of the kernel has the number of threads for which the code was made. The empty
// call must be measured last: encode() fails after it.

#include <string>

#include "erasure_code/benchmark_info.h"
#include "erasure_code/error.h"
#include "faulty_codes.h"
#include "faulty_plugin.h"

namespace {

class RuntimeCode : public ecbench::FaultyCode, public ecbench::BenchmarkInfo {
 public:
  explicit RuntimeCode(int threads) : threads_(threads) {}

  void encode(std::span<const std::uint8_t* const> data, std::span<std::uint8_t* const> coding,
              std::size_t chunk_size) const override {
    if (timed_) throw ecbench::Error("an empty call came before the last encode");
    FaultyCode::encode(data, coding, chunk_size);
  }
  void empty_call() const override { timed_ = true; }
  std::string kernel() const override { return "made for " + std::to_string(threads_) + " threads"; }

 private:
  int threads_;
  mutable bool timed_ = false;
};

const ecbench::Plugin plugin = [] {
  ecbench::Plugin made = ecbench::faulty_plugin("faulty", {ecbench::faulty_technique("", [](const ecbench::Context& context) {
                                                  return std::make_unique<RuntimeCode>(context.threads);
                                                })});
  made.has_runtime = true;
  return made;
}();

}  // namespace

ECBENCH_PLUGIN(plugin)
