// Tests the interfaces to profilers: perf's control FIFO, and the list of kernel functions.

#include "benchmark/profiling/profiling.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <filesystem>
#include <thread>

#include "benchmark/codec_libraries/codec_libraries.h"
#include "benchmark/measurement/measurement.h"
#include "benchmark/objects/object.h"
#include "erasure_code/benchmark_info.h"
#include "erasure_code/error.h"
#include "faulty_codes.h"
#include "test/coded_object.h"
#include "test/temporary.h"
#include "test/thrown.h"

namespace ecbench {
namespace {

namespace fs = std::filesystem;

using test::TemporaryFolder;
using Variable = test::EnvironmentVariable;

/// Simulates perf: reads from the control FIFO and writes acknowledgements.
class Perf {
 public:
  explicit Perf(const TemporaryFolder& folder)
      : control_path_((folder / "control").string()), acknowledge_path_((folder / "acknowledge").string()) {
    mkfifo(control_path_.c_str(), 0600);
    mkfifo(acknowledge_path_.c_str(), 0600);
    control_ = open(control_path_.c_str(), O_RDWR | O_NONBLOCK);
    acknowledge_ = open(acknowledge_path_.c_str(), O_RDWR | O_NONBLOCK);
    reader_ = std::jthread([this] { serve(); });
  }
  ~Perf() {
    told();
    close(control_);
    close(acknowledge_);
  }

  std::string variable() const { return control_path_ + "," + acknowledge_path_; }

  /// Stops the simulation, and returns all commands that the simulated perf received.
  std::string told() {
    is_stopped_ = true;
    if (reader_.joinable()) reader_.join();
    return told_;
  }

 private:
  void serve() {
    while (!is_stopped_) {
      pollfd input{.fd = control_, .events = POLLIN, .revents = 0};
      if (poll(&input, 1, 10) != 1) continue;
      std::array<char, 64> text{};
      const ssize_t size = read(control_, text.data(), text.size());
      if (size <= 0) continue;
      told_.append(text.data(), static_cast<std::size_t>(size));
      if (write(acknowledge_, "ack\n", 5) != 5) return;
    }
  }

  std::string control_path_;
  std::string acknowledge_path_;
  int control_;
  int acknowledge_;
  std::atomic<bool> is_stopped_{false};
  std::string told_;
  std::jthread reader_;
};

void measure_encode(Point point) {
  point.workload = "encode";
  point.size_bytes = 4096;
  const FaultyCode code(Fault::none);
  const EncodedObject object(code, random_object(point.size_bytes, 1));
  measure(point, object, *make_workload(point, object));
}

std::string refusal(const std::string& value) {
  const Variable variable("ECBENCH_PERF_CONTROL", value.c_str());
  return test::message_of([] { PerfControl::asked_for(); });
}

TEST(PerfControl, IsOnOnlyDuringTheInterval) {
  const TemporaryFolder folder;
  Perf perf(folder);
  const Variable variable("ECBENCH_PERF_CONTROL", perf.variable().c_str());
  Point point;
  point.iterations = 3;
  measure_encode(point);
  EXPECT_EQ(perf.told(), "enable\ndisable\n");
}

TEST(PerfControl, IsOnDuringEverySampleButNotDuringTheLimit) {
  const TemporaryFolder folder;
  Perf perf(folder);
  const Variable variable("ECBENCH_PERF_CONTROL", perf.variable().c_str());
  Point point;
  point.threads = 2;
  point.sampling = {.min_seconds = 0.001, .placements = 2};
  measure_encode(point);
  const std::string told = perf.told();
  const std::string pair = "enable\ndisable\n";
  ASSERT_GE(told.size(), pair.size() * 8);
  for (std::size_t at = 0; at < told.size(); at += pair.size()) EXPECT_EQ(told.substr(at, pair.size()), pair);
}

TEST(PerfControl, RefusesWhatPerfDoesNotRead) {
  const TemporaryFolder folder;
  const std::string fifo = (folder / "fifo").string();
  mkfifo(fifo.c_str(), 0600);
  folder.write("file", "text");
  EXPECT_NE(refusal("alone").find("CTL,ACK"), std::string::npos);
  EXPECT_NE(refusal((folder / "none").string() + "," + fifo).find("none' cannot be found"), std::string::npos);
  EXPECT_NE(refusal((folder / "file").string() + "," + fifo).find("file' is not a FIFO"), std::string::npos);
  EXPECT_NE(refusal(fifo + "," + fifo).find("is not read by a running perf"), std::string::npos);
}

/// A code that reports the addresses of its kernel functions. Real codes report these addresses if the codec library provides
/// pointers to the functions.
class PointingCode : public FaultyCode, public BenchmarkInfo {
 public:
  explicit PointingCode(std::vector<KernelFunction> functions) : FaultyCode(Fault::none), functions_(std::move(functions)) {}
  std::string kernel() const override { return "a kernel"; }
  std::vector<KernelFunction> kernel_functions() const override { return functions_; }

 private:
  std::vector<KernelFunction> functions_;
};

const LoadedObject& object_of(const KernelSymbols& symbols, const KernelSymbol& function) {
  return *std::ranges::find(symbols.objects, function.object, &LoadedObject::path);
}

TEST(KernelSymbols, GiveTheAddressInTheFile) {
  const void* here = reinterpret_cast<const void*>(has_client_requests);
  const void* libc = dlsym(RTLD_DEFAULT, "qsort");
  const std::array<char, 1> nowhere{};
  const PointingCode code({{here, "ours", "by hand"},
                           {libc, "sort", "a"},
                           {libc, "sort", "again"},
                           {libc, "order", "b"},
                           {nowhere.data(), "on the stack", "no"}});
  const KernelSymbols symbols = kernel_symbols(code);
  EXPECT_EQ(symbols.kernel, "a kernel");
  ASSERT_EQ(symbols.functions.size(), 2U);
  for (const KernelSymbol& function : symbols.functions) {
    const bool is_ours = function.name == "ours";
    EXPECT_EQ(object_of(symbols, function).base + function.address, reinterpret_cast<std::uintptr_t>(is_ours ? here : libc));
    EXPECT_EQ(fs::path(function.object) == fs::canonical("/proc/self/exe"), is_ours);
    EXPECT_EQ(function.name + ": " + function.how, is_ours ? "ours: by hand" : "sort = order: a = b");
  }
}

TEST(KernelSymbols, OfJerasureNameItsField) {
  for (const std::string w : {"8", "16", "32"}) {
    for (const std::string technique : {"reed_sol_van", "reed_sol_r6_op"}) {
      const KernelSymbols symbols = kernel_symbols(*test::make_code("jerasure", "technique=" + technique + " k=4 m=2 w=" + w));
      const std::string wanted = "GF-Complete w=" + w + " multiply_region (";
      const auto found =
          std::ranges::find_if(symbols.functions, [&](const KernelSymbol& function) { return function.name.starts_with(wanted); });
      ASSERT_NE(found, symbols.functions.end()) << technique << " w=" << w;
      EXPECT_NE(found->object.find("gf_complete"), std::string::npos);
      EXPECT_NE(found->address, 0U);
    }
  }
}

}  // namespace
}  // namespace ecbench
