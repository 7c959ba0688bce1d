// The interfaces to profilers: perf's control FIFO, the list of kernel functions, and the count of instructions by single steps.

#include "benchmark/profiling/profiling.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <gtest/gtest.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <thread>

#include "benchmark/codec_libraries/codec_libraries.h"
#include "benchmark/instructions/instructions.h"
#include "erasure_code/benchmark_info.h"
#include "erasure_code/error.h"
#include "faulty_codes.h"
#include "test/benchmark/prepared_workload.h"
#include "test/coded_object.h"
#include "test/temporary.h"
#include "test/thrown.h"

namespace ecbench {
namespace {

namespace fs = std::filesystem;

using test::TemporaryFolder;
using Variable = test::EnvironmentVariable;

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

  /// All commands that it received. Stops it.
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
  const FaultyCode code;
  test::PreparedWorkload(code, point).measured();
}

std::string refusal(const std::string& value) {
  const Variable variable("ECBENCH_PERF_CONTROL", value.c_str());
  return test::message_of([] { PerfControl::asked_for(); });
}

TEST(PerfControl, IsOnOnlyDuringTheIntervalOrEachSampleButNotDuringTheLimit) {
  const Point sampled{.sampling = {.min_seconds = 0.001, .placements = 2}, .threads = 2};
  const std::string pair = "enable\ndisable\n";
  for (const auto& [point, fewest, most] : {std::tuple(Point{.iterations = 3}, 1u, 1u), {sampled, 8u, ~0u}}) {
    const TemporaryFolder folder;
    Perf perf(folder);
    const Variable variable("ECBENCH_PERF_CONTROL", perf.variable().c_str());
    measure_encode(point);
    const std::string told = perf.told();
    EXPECT_GE(told.size(), pair.size() * fewest);
    EXPECT_LE(told.size(), pair.size() * most);
    for (std::size_t at = 0; at < told.size(); at += pair.size()) EXPECT_EQ(told.substr(at, pair.size()), pair);
  }
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

class PointingCode : public FaultyCode, public BenchmarkInfo {
 public:
  explicit PointingCode(std::vector<KernelFunction> functions) : functions_(std::move(functions)) {}
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

volatile std::uint64_t sink = 0;

// Loops that the compiler must not change. The second loop has one more instruction in each iteration.
__attribute__((noinline)) void plain_loop(std::uint64_t turns) {
  for (std::uint64_t i = 0; i < turns; i++) sink = sink + i;
}

__attribute__((noinline)) void longer_loop(std::uint64_t turns) {
  for (std::uint64_t i = 0; i < turns; i++) {
    asm volatile("nop");
    sink = sink + i;
  }
}

/// Some containers permit no tracing. With ThreadSanitizer, the counts vary.
class SingleStep : public testing::Test {
 protected:
  void SetUp() override {
#if defined(__SANITIZE_THREAD__)
    GTEST_SKIP() << "this test was built with ThreadSanitizer";
#endif
    try {
      count_steps([](std::uint64_t) {}, 1);
    } catch (const Error& error) {
      GTEST_SKIP() << error.what();
    }
  }
};

TEST_F(SingleStep, CountsTheSameEachTimeInProportionToTheIterationsWithTheirAddresses) {
  const StepCount ten = count_steps(plain_loop, 10);
  EXPECT_GE(ten.instructions, 30U) << "an iteration loads, adds and stores";
  EXPECT_EQ(count_steps(plain_loop, 10).instructions, ten.instructions);
  const StepCount hundred = count_steps(plain_loop, 100), two_hundred = count_steps(plain_loop, 200);
  EXPECT_EQ(two_hundred.instructions - hundred.instructions, 10 * (count_steps(plain_loop, 20).instructions - ten.instructions));
  EXPECT_EQ(count_steps(longer_loop, 200).instructions - count_steps(longer_loop, 100).instructions,
            two_hundred.instructions - hundred.instructions + 100)
      << "it has one more instruction";
  std::int64_t sum = 0;
  std::int64_t every_turn = 0;
  for (const auto& [address, times] : hundred.at) {
    sum += times;
    every_turn += times >= 99 ? 1 : 0;
  }
  EXPECT_EQ(sum, static_cast<std::int64_t>(hundred.instructions));
  EXPECT_GE(every_turn, 3);
  EXPECT_EQ(std::uint64_t{sink}, 0U) << "copies of the process did the work";
  EXPECT_EQ(waitpid(-1, nullptr, WNOHANG), -1) << "the copies have ended";
}

#if defined(__x86_64__)
TEST_F(SingleStep, ARepeatedStringInstructionIsOne) {
  std::array<char, 1000> bytes{};
  const auto fill = [&](std::uint64_t times) {
    for (std::uint64_t i = 0; i < times; i++) {
      void* to = bytes.data();
      std::size_t count = bytes.size();
      asm volatile("rep stosb" : "+D"(to), "+c"(count) : "a"('x') : "memory");
    }
  };
  const StepCount one = count_steps(fill, 1);
  const StepCount two = count_steps(fill, 2);
  EXPECT_EQ(one.repetitions, 999U);
  EXPECT_EQ(two.repetitions, 2 * 999U);
  EXPECT_LT(one.instructions, 100U);
}
#endif

TEST_F(SingleStep, EndsAtTheLimit) {
  const std::string message = test::thrown_by([] { count_steps(plain_loop, 1'000'000, 1000); }).what();
  EXPECT_NE(message.find("1000 single steps"), std::string::npos) << message;
  EXPECT_NE(message.find("--size"), std::string::npos) << message;
  EXPECT_EQ(waitpid(-1, nullptr, WNOHANG), -1) << "the copy has ended";
}

TEST_F(SingleStep, WorkThatFailsIsAnError) {
  EXPECT_THROW(count_steps([](std::uint64_t) { throw Error("no"); }, 1), Error);
  EXPECT_THROW(count_steps(
                   [](std::uint64_t n) {
                     if (n > 1) raise(SIGKILL);
                   },
                   2),
               Error);
}

bool forbid_ptrace() {
  std::array<sock_filter, 4> program{{{BPF_LD | BPF_W | BPF_ABS, 0, 0, offsetof(seccomp_data, nr)},
                                      {BPF_JMP | BPF_JEQ | BPF_K, 0, 1, SYS_ptrace},
                                      {BPF_RET | BPF_K, 0, 0, SECCOMP_RET_ERRNO | EPERM},
                                      {BPF_RET | BPF_K, 0, 0, SECCOMP_RET_ALLOW}}};
  const sock_fprog filter{.len = program.size(), .filter = program.data()};
  return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 && prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter) == 0;
}

TEST(SingleStepForbidden, IsAnErrorOfOneLine) {
  constexpr int no_filter = 77;
  const pid_t pid = fork();
  if (pid == 0) {
    if (!forbid_ptrace()) _exit(no_filter);
    try {
      count_steps([](std::uint64_t) {}, 1);
    } catch (const Error& error) {
      const std::string line = error.what();
      _exit(line.find("not possible here") != std::string::npos && line.find('\n') == std::string::npos ? 0 : 2);
    }
    _exit(1);
  }
  int status = 0;
  ASSERT_EQ(waitpid(pid, &status, 0), pid);
  ASSERT_TRUE(WIFEXITED(status));
  if (WEXITSTATUS(status) == no_filter) GTEST_SKIP() << "seccomp is not available";
  EXPECT_EQ(WEXITSTATUS(status), 0);
}

TEST_F(SingleStep, OfAWorkloadIsCheckedAndSummedByObject) {
  const auto count = [](const ErasureCode& code, std::size_t size_bytes, std::uint64_t iterations) {
    const test::PreparedWorkload prepared(code, {.workload = "encode", .size_bytes = size_bytes});
    return count_instructions(prepared.point, prepared.object, *prepared.workload, iterations);
  };
  const InstructionCount once = count(FaultyCode(), 64, 1), four = count(FaultyCode(), 64, 4);
  EXPECT_GT(once.instructions, 4U);
  EXPECT_GT(four.instructions, 3 * once.instructions);
  EXPECT_NEAR(four.per_iteration(), once.per_iteration(), 32) << "only the instructions before and after the loop may differ";
  std::int64_t sum = 0;
  for (const ObjectInstructions& each : four.objects) {
    for (const auto& [address, times] : each.at) sum += times;
  }
  EXPECT_EQ(sum, static_cast<std::int64_t>(four.instructions));
  EXPECT_EQ(test::kind_of([&] { count(FaultyCode(Fault::encodes_wrong_later), 2, 60); }), Error::Kind::wrong_bytes);
}

}  // namespace
}  // namespace ecbench
