// Most techniques of this plugin end the process in encode(); at_exit changes the exit code when the program ends, wrong_bytes
// computes wrong bytes, forks_crash ends processes that it forks. MARKED: with the mark of plugins that may end the process.

#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "faulty_codes.h"
#include "faulty_plugin.h"

namespace {

using namespace ecbench;

void do_nothing() {}

void forks_crash() {
  for (const int signal : {SIGABRT, SIGILL, SIGSEGV}) {
    if (fork() == 0) raise(signal);
    wait(nullptr);
  }
}

const std::vector<std::pair<std::string, void (*)()>> ends{
    {"exit_0", [] { std::exit(0); }},
    {"wrong_bytes", do_nothing},
    {"forks_crash", forks_crash},
    {"quick_exit_3", [] { std::quick_exit(3); }},
    {"_exit_2", [] { _exit(2); }},
    {"signal", [] { raise(SIGKILL); }},
    {"at_exit", [] { std::atexit([] { _exit(2); }); }},
#ifdef MARKED
    {"system_call_2", [] { syscall(SYS_exit_group, 2); }},
#endif
};

class EndingCode : public FaultyCode {
 public:
  explicit EndingCode(void (*end)()) : FaultyCode(end == do_nothing ? Fault::encodes_wrong_later : Fault::none), end_(end) {}

  void encode(std::span<const std::uint8_t* const> data, std::span<std::uint8_t* const> coding,
              std::size_t chunk_size) const override {
    FaultyCode::encode(data, coding, chunk_size);
    if (++calls_ == 10) end_();
  }

 private:
  void (*end_)();
  mutable int calls_ = 0;
};

const Plugin plugin = [] {
  std::vector<Technique> techniques;
  for (const auto& [name, end] : ends) {
    techniques.push_back(faulty_technique(name, [end = end](const Context&) { return std::make_unique<EndingCode>(end); }));
  }
  return faulty_plugin("exits_later", techniques);
}();

}  // namespace

ECBENCH_PLUGIN(plugin)
#ifdef MARKED
ECBENCH_PLUGIN_ENDS_PROCESS
#endif
