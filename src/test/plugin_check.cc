// plugin_check DIRECTORY [NAME...] [KEY=VALUE...]: tests each plugin in DIRECTORY, or those with these names. The parameters are
// those of the profile; without technique=, every technique is tested. Each plugin is tested in its own process, which a faulty
// plugin may end, and which ends if a test takes more than 120 s, or ECBENCH_TEST_SECONDS. The last lines are the verdicts: the
// plugin; "right", "wrong", "allocates" (its bytes are right) or "not tested"; and the tests that failed, or why the plugin refuses
// the parameters. Exit codes: 0 if all that were tested are right; 1 if not, if none was tested, or for bad input.

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <iostream>
#include <new>

#include "erasure_code/error.h"
#include "erasure_code/registry.h"
#include "test/allocation_count.h"
#include "test/code_checks.h"

namespace ecbench::test {
namespace {

constexpr std::size_t most_patterns = 20'000;
constexpr std::size_t most_large_patterns = 60;
constexpr int repeated_calls = 100;
constexpr std::size_t large = 1 << 20, largest = 16 << 20;  // bytes of an object

std::string plugin_name;
std::filesystem::path directory;
std::vector<std::string> parameters;

struct Tested {
  std::string technique;
  std::unique_ptr<ErasureCode> code;
};

struct Codes {
  std::vector<Tested> made;
  std::vector<std::string> refused;  ///< why the plugin refuses the parameters, one entry for each such technique
};

/// Throws Error if the plugin fails.
Codes make_codes() {
  Registry registry(directory, [](const std::string& warning) { std::cout << "warning: " << warning << '\n'; });
  Profile given;
  for (const std::string& parameter : parameters) given.add(parameter);
  std::vector<std::string> techniques;
  for (const Technique& technique : registry.load(plugin_name).techniques) techniques.push_back(technique.name);
  if (given.has("technique")) techniques = {given.text("technique")};
  Codes codes;
  for (const std::string& technique : techniques) {
    Profile profile = given;
    if (!technique.empty()) profile.set("technique", technique);
    try {
      codes.made.push_back({technique, registry.make(plugin_name, profile)});
    } catch (const Error& error) {
      if (std::string_view(error.what()).starts_with("plugin " + plugin_name + " failed")) throw;
      codes.refused.emplace_back(error.what());
    }
  }
  return codes;
}

/// The size of an object of at least `size` bytes whose chunks fill whole pages, if possible: fences then begin before the first
/// and behind the last byte of a chunk.
std::size_t in_pages(const ErasureCode& code, std::size_t size) {
  constexpr std::size_t most_steps = 64;
  const std::size_t page = FencedMemory::page_size(), step = page * index(code.data_chunk_count());
  for (std::size_t tried = round_up(size, step); tried <= size + most_steps * step; tried += step) {
    if (code.chunk_size(tried) % page == 0) return tried;
  }
  return size;
}

/// The number of lost chunks up to which all losses are at most `most`.
int most_lost(const ErasureCode& code, std::size_t most) {
  double patterns = 1, sum = 0;
  for (int lost = 1; lost <= code.coding_chunk_count(); lost++) {
    patterns *= static_cast<double>(code.chunk_count() - lost + 1) / lost;
    sum += patterns;
    if (sum > static_cast<double>(most) && lost > 1) return lost - 1;
  }
  return code.coding_chunk_count();
}

class PluginTest : public testing::Test {
 protected:
  /// Runs `check` with the code of each technique.
  void each(const auto& check) {
    for (const Tested& tested : codes_) {
      SCOPED_TRACE("technique " + tested.technique);
      check(*tested.code);
    }
  }

 private:
  std::vector<Tested> codes_ = make_codes().made;
};

TEST_F(PluginTest, Loads) {
  each([](const ErasureCode& code) {
    EXPECT_GE(code.data_chunk_count(), 1);
    EXPECT_GE(code.coding_chunk_count(), 1);
  });
}

TEST_F(PluginTest, EncodesTheSameBytesInEveryCallAndChangesNoDataChunk) {
  each([](const ErasureCode& code) {
    for (const std::size_t size :
         {std::size_t{1}, std::size_t{4096}, std::size_t{100'003}, in_pages(code, large), in_pages(code, largest)}) {
      SCOPED_TRACE(std::to_string(size) + " bytes");
      const std::vector<std::uint8_t> object = random_object(size);
      const ChunkSet truth = encoded(code, object);
      std::vector<std::uint8_t> data;
      for (const int position : code.data_positions()) data.insert(data.end(), truth[position].begin(), truth[position].end());
      EXPECT_TRUE(std::equal(object.begin(), object.end(), data.begin())) << "encode changed a data chunk";
      for (int call = 0; call < (size == 4096 ? repeated_calls : 1); call++) {
        const ChunkSet again = encoded(code, object);
        for (const int position : all_positions(code)) {
          ASSERT_TRUE(std::ranges::equal(again[position], truth[position])) << "chunk " << position << " in call " << call + 2;
        }
      }
    }
  });
}

TEST_F(PluginTest, RecoversEveryLossThatItDoesNotRefuse) {
  each([](const ErasureCode& code) {
    for (const std::size_t size : {std::size_t{1}, std::size_t{100'003}, in_pages(code, largest)}) check_erasures(code, size, 1);
    for (const std::size_t size : {in_pages(code, 1), in_pages(code, large)})
      check_erasures(code, size, most_lost(code, most_large_patterns));
    const int most = most_lost(code, most_patterns);
    const std::vector<Positions> refused = check_erasures(code, 10'000, most);
    EXPECT_TRUE(std::ranges::none_of(refused, [](const Positions& lost) { return lost.size() == 1; }))
        << "the loss of one chunk is refused";
    std::cout << "losses of up to " << most << " of " << code.chunk_count() << " chunks: " << refused.size() << " of "
              << erasure_patterns(code.chunk_count(), most).size() << " refused\n";
  });
}

TEST_F(PluginTest, RebuildsAChunkFromWhatItRequests) {
  each([](const ErasureCode& code) {
    for (const std::size_t size : {std::size_t{10'000}, in_pages(code, 1), in_pages(code, large), in_pages(code, largest)}) {
      const ChunkSet truth = encoded(code, random_object(size));
      for (int call = 0; call < (size == 10'000 ? std::max(1, repeated_calls / code.chunk_count()) : 1); call++) {
        for (const int lost : all_positions(code)) checked_reads(code, truth, lost);
      }
    }
  });
}

TEST_F(PluginTest, UpdatesCodingChunks) {
  each([](const ErasureCode& code) {
    if (code.parity_delta() == nullptr) return;
    for (int call = 0; call < 2; call++) check_parity_delta(code, std::min(code.data_chunk_count(), 2));
    for (const std::size_t size : {large, largest}) check_large_parity_delta(code, in_pages(code, size));
  });
}

TEST_F(PluginTest, ServesTwoThreads) {
  each([](const ErasureCode& code) {
    check_two_threads(code, 1);
    check_interleaved_threads(code, in_pages(code, 8 * FencedMemory::page_size() * index(code.data_chunk_count())));
  });
}

void expect_no_allocations(const ErasureCode& code, std::size_t object_size) {
  ChunkSet chunks(code.chunk_count(), code.chunk_size(object_size));
  std::vector<const std::uint8_t*> data;
  std::vector<std::uint8_t*> coding;
  for (const int position : code.data_positions()) data.push_back(chunks[position].data());
  for (const int position : code.coding_positions()) coding.push_back(chunks[position].data());
  code.encode(data, coding, chunks.chunk_size());  // the first call in a thread may allocate what later calls use
  EXPECT_EQ(allocations_in([&] { code.encode(data, coding, chunks.chunk_size()); }), 0) << "encode";
  for (const int lost : all_positions(code)) {
    const auto plan = code.plan({lost}, {lost});
    if (lost == 0) code.decode(*plan, chunks.pointers(), chunks.chunk_size());
    EXPECT_EQ(allocations_in([&] { code.decode(*plan, chunks.pointers(), chunks.chunk_size()); }), 0) << "decode";
  }
  if (const ParityDelta* delta = code.parity_delta(); delta != nullptr) {
    const std::size_t size = delta->granularity();
    ChunkSet scratch(1, std::max<std::size_t>(delta->scratch_size(size), 1)), new_bytes(1, size);
    const ChangedChunk changed{ChunkNumber{0}, data[0], new_bytes[0].data()};
    EXPECT_EQ(allocations_in([&] { delta->update({&changed, 1}, coding, size, scratch[0]); }), 0) << "update";
  }
  ChunkSet rebuilt(1, chunks.chunk_size());
  for (int lost = 0; code.repair() != nullptr && lost < code.chunk_count(); lost++) {
    std::vector<const std::uint8_t*> helpers(index(code.chunk_count()));
    for (const auto& [position, runs] : code.minimum_to_decode({lost}, without(code, {lost})))
      helpers[index(position)] = chunks[position].data();
    const auto repair = [&] { code.repair()->repair(lost, helpers, rebuilt[0].data(), chunks.chunk_size()); };
    EXPECT_EQ(allocations_in(repair), 0) << "repair";
  }
}

TEST_F(PluginTest, AllocatesNothing) {
  each([](const ErasureCode& code) {
    for (const std::size_t size : {std::size_t{10'000}, large}) expect_no_allocations(code, size);
  });
}

/// Memory that the process of a plugin shares with this one, which so knows how far the process came.
struct Report {
  char running[100] = "Loads";  ///< the test that runs
  char failed[1000] = "";       ///< the names of the failed tests, each with a space before it
  char not_tested[4000] = "";   ///< why
};

/// The time limit of a test.
unsigned most_seconds() {
  const char* given = std::getenv("ECBENCH_TEST_SECONDS");
  return given == nullptr ? 120 : static_cast<unsigned>(std::max(1, std::atoi(given)));
}

class Reporter : public testing::EmptyTestEventListener {
 public:
  explicit Reporter(Report& report) : report_(report) {}
  void OnTestStart(const testing::TestInfo& test) override {
    std::snprintf(report_.running, sizeof(Report::running), "%s", test.name());
    alarm(most_seconds());
  }
  void OnTestEnd(const testing::TestInfo& test) override {
    if (!test.result()->Passed()) std::strcat(std::strcat(report_.failed, " "), report_.running);
    report_.running[0] = '\0';
  }

 private:
  Report& report_;
};

/// Why the plugin cannot be tested with these parameters; "" if it can, or if it fails, which test Loads finds.
std::string why_not_tested() {
  try {
    const Codes codes = make_codes();
    if (codes.made.empty() && !codes.refused.empty()) return codes.refused[0];
    for (const std::string& why : codes.refused) std::cout << "not tested: " << why << '\n';
  } catch (...) {
  }
  return "";
}

struct Verdict {
  std::string word;
  std::string why;
};

/// Tests one plugin in a child process.
Verdict check(const std::string& name) {
  std::cout << "plugin " << name << "\n" << std::flush;
  void* const memory = mmap(nullptr, sizeof(Report), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) throw Error(std::string("mmap: ") + std::strerror(errno));
  auto& report = *new (memory) Report;
  const pid_t child = fork();
  if (child == 0) {
    plugin_name = name;
    alarm(most_seconds());
    std::snprintf(report.not_tested, sizeof(report.not_tested), "%s", why_not_tested().c_str());
    if (report.not_tested[0] != '\0') _exit(0);
    testing::UnitTest::GetInstance()->listeners().Append(new Reporter(report));
    const int result = RUN_ALL_TESTS();
    std::cout.flush();
    std::fflush(nullptr);
    _exit(result);
  }
  int status = 0;
  waitpid(child, &status, 0);
  if (WIFSIGNALED(status)) {
    const bool was_slow = WTERMSIG(status) == SIGALRM;
    std::cout << "plugin " << name
              << (was_slow ? " was ended after " + std::to_string(most_seconds()) + " s"
                           : std::string(" ended by ") + strsignal(WTERMSIG(status)))
              << " in test " << report.running << '\n';
  }
  if (report.not_tested[0] != '\0') return {.word = "not tested", .why = report.not_tested};
  std::string why = report.failed;
  if (report.running[0] != '\0') why += std::string(" ") + report.running;
  if (why.empty() && status == 0) return {.word = "right", .why = ""};
  why = why.empty() ? "Loads" : why.substr(1);
  return {.word = why == "AllocatesNothing" ? "allocates" : "wrong", .why = why};
}

/// `chosen`: the plugins to test; empty: all.
int check_all(std::vector<std::string> chosen) {
  const std::vector<std::string> names = Registry(directory, [](const std::string&) {}).names();
  if (names.empty()) throw Error(directory.string() + " has no plugins (libec_NAME.so)");
  for (const std::string& name : chosen) {
    if (std::ranges::find(names, name) == names.end())
      throw Error(directory.string() + " has no plugin " + name + " (libec_" + name + ".so)");
  }
  if (chosen.empty()) chosen = names;
  std::string verdicts;
  bool any_right = false, any_wrong = false;
  for (const std::string& name : chosen) {
    const Verdict verdict = check(name);
    verdicts += name + '\t' + verdict.word + '\t' + verdict.why + '\n';
    any_right = any_right || verdict.word == "right";
    any_wrong = any_wrong || (verdict.word != "right" && verdict.word != "not tested");
  }
  std::cout << verdicts;
  return any_right && !any_wrong ? 0 : 1;
}

}  // namespace
}  // namespace ecbench::test

int main(int argc, char** argv) {
  testing::GTEST_FLAG(brief) = true;  // prints only failures
  testing::InitGoogleTest(&argc, argv);
  try {
    if (argc < 2) {
      throw ecbench::Error(
          "give a directory of plugins; their names and the parameters of a profile can follow: "
          "DIRECTORY [NAME...] [KEY=VALUE...]");
    }
    ecbench::test::directory = std::filesystem::absolute(argv[1]);
    std::vector<std::string> names;
    for (int i = 2; i < argc; i++) {
      const std::string word = argv[i];
      (word.find('=') == std::string::npos ? names : ecbench::test::parameters).push_back(word);
    }
    return ecbench::test::check_all(names);
  } catch (const ecbench::Error& error) {
    std::cerr << "plugin_check: " << error.what() << '\n';
    return 1;
  }
}
