#include "cli/modes.h"

#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <filesystem>

#include "cli/ceph_options.h"
#include "erasure_code/error.h"
#include "erasure_code/own_program.h"

namespace ecbench {
namespace {

namespace fs = std::filesystem;

constexpr std::array ending_signals{SIGINT, SIGTERM, SIGHUP, SIGQUIT};

/// mode.py, which starts all modes: in the installation, then in the clone that contains this build directory; empty if there is
/// none. `folder` contains ecbench.
fs::path program_of_modes(const fs::path& folder) {
  std::error_code error;
  for (const char* scripts : {ECBENCH_SCRIPTS_FROM_BINARY, "../scripts"}) {
    const fs::path program = (folder / scripts / "mode.py").lexically_normal();
    if (fs::is_regular_file(program, error)) return program;
  }
  return {};
}

/// A bundle has its own, libexec/python3 next to `folder`, which contains ecbench.
std::string python_for(const fs::path& folder) {
  std::error_code error;
  for (const fs::path& python : {(folder / "../libexec/python3").lexically_normal(), fs::path("/usr/bin/python3")}) {
    if (fs::exists(python, error)) return python.string();
  }
  return "python3";
}

/// Python unblocks them after it has installed handlers; before, it would print a traceback.
void block_ending_signals() {
  sigset_t signals;
  sigemptyset(&signals);
  for (const int signal : ending_signals) sigaddset(&signals, signal);
  sigprocmask(SIG_BLOCK, &signals, nullptr);
}

}  // namespace

void start_mode(const std::vector<std::string>& arguments) {
  if (arguments.size() < 2 || is_ceph_command(arguments[0], {})) return;
  const std::string& mode = arguments[1];
  if (mode.empty() || mode.starts_with('-') || mode.find('=') != std::string::npos) return;
  const fs::path folder = program_directory();
  const fs::path program = program_of_modes(folder);
  if (program.empty()) return;
  // -E: ignores PYTHON*; -s: ignores the user's packages; -B: writes no .pyc files next to the installed files.
  std::vector<std::string> words{python_for(folder), "-E", "-s", "-B", program.string()};
  words.insert(words.end(), arguments.begin() + 1, arguments.end());
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  block_ending_signals();
  execvp(argv[0], argv.data());
  throw Error("mode " + mode + " needs Python: " + words[0] + " cannot be run (" + std::strerror(errno) +
              "); install the package python3");
}

}  // namespace ecbench
