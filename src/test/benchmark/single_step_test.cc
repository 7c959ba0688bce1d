#include <gtest/gtest.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstddef>
#include <cstdint>
#include <string>

#include "benchmark/instructions/instructions.h"
#include "benchmark/objects/object.h"
#include "erasure_code/error.h"
#include "faulty_codes.h"
#include "test/thrown.h"

namespace ecbench {
namespace {

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

/// Skips the tests if the process cannot trace other processes, as in some containers. Also skips them if they were built with
/// ThreadSanitizer, because the counts then vary.
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

TEST_F(SingleStep, CountsTheSameEachTimeAndInProportionToTheIterations) {
  const StepCount ten = count_steps(plain_loop, 10);
  EXPECT_GE(ten.instructions, 30U) << "an iteration loads, adds and stores";
  EXPECT_EQ(count_steps(plain_loop, 10).instructions, ten.instructions);
  const StepCount twenty = count_steps(plain_loop, 20);
  const StepCount thirty = count_steps(plain_loop, 30);
  EXPECT_EQ(thirty.instructions - twenty.instructions, twenty.instructions - ten.instructions);
}

TEST_F(SingleStep, CountsOneAddedInstruction) {
  const auto turn = [](void (*loop)(std::uint64_t)) {
    return count_steps(loop, 200).instructions - count_steps(loop, 100).instructions;
  };
  EXPECT_EQ(turn(longer_loop), turn(plain_loop) + 100);
}

TEST_F(SingleStep, ReportsTheAddressesOfTheInstructions) {
  const StepCount count = count_steps(plain_loop, 100);
  std::int64_t sum = 0;
  std::int64_t every_turn = 0;
  for (const auto& [address, times] : count.at) {
    sum += times;
    every_turn += times >= 99 ? 1 : 0;
  }
  EXPECT_EQ(sum, static_cast<std::int64_t>(count.instructions));
  EXPECT_GE(every_turn, 3);
}

TEST_F(SingleStep, DoesNotChangeThisProcess) {
  int calls = 0;
  count_steps([&](std::uint64_t) { calls++; }, 5);
  EXPECT_EQ(calls, 0) << "a copy of the process did the work";
  EXPECT_EQ(waitpid(-1, nullptr, WNOHANG), -1) << "the copy has ended";
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

/// Makes the operating system refuse ptrace for this process and its children, as in some containers.
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
  const FaultyCode code(Fault::none);
  const EncodedObject object(code, ecbench::random_object(64, 1));
  Point point;
  point.workload = "encode";
  point.size_bytes = 64;
  const auto workload = make_workload(point, object);
  const InstructionCount once = count_instructions(point, object, *workload, 1);
  const InstructionCount four = count_instructions(point, object, *workload, 4);
  EXPECT_GT(once.instructions, 4U);
  EXPECT_GT(four.instructions, 3 * once.instructions);
  EXPECT_NEAR(four.per_iteration(), once.per_iteration(), 32) << "only the instructions before and after the loop may differ";
  std::int64_t sum = 0;
  for (const ObjectInstructions& each : four.objects) {
    for (const auto& [address, times] : each.at) sum += times;
  }
  EXPECT_EQ(sum, static_cast<std::int64_t>(four.instructions));
  const FaultyCode wrong(Fault::encodes_wrong_later);
  const EncodedObject wrong_object(wrong, ecbench::random_object(2, 1));
  const auto wrong_workload = make_workload(point, wrong_object);
  EXPECT_EQ(test::thrown_by([&] { count_instructions(point, wrong_object, *wrong_workload, 60); }).kind(),
            Error::Kind::wrong_bytes);
}

}  // namespace
}  // namespace ecbench
