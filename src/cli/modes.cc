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

/// Returns the path of mode.py, the program that starts all modes. Searches for mode.py in the installation, and then in the clone
/// that contains this build directory. Returns an empty path if mode.py is not found. `folder` is the directory of the program
/// ecbench.
fs::path program_of_modes(const fs::path& folder) {
  std::error_code error;
  for (const char* scripts : {ECBENCH_SCRIPTS_FROM_BINARY, "../scripts"}) {
    const fs::path program = (folder / scripts / "mode.py").lexically_normal();
    if (fs::is_regular_file(program, error)) return program;
  }
  return {};
}

/// Returns the Python interpreter that runs the modes. A bundle contains its own interpreter, libexec/python3. The directory
/// libexec is next to `folder`, the directory of the program ecbench.
std::string python_for(const fs::path& folder) {
  std::error_code error;
  for (const fs::path& python : {(folder / "../libexec/python3").lexically_normal(), fs::path("/usr/bin/python3")}) {
    if (fs::exists(python, error)) return python.string();
  }
  return "python3";
}

/// Blocks the ending_signals. The Python program unblocks them after it has installed its signal handlers. If the signals were not
/// blocked, Python would print a traceback for a signal that arrives before the handlers are installed.
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
  const fs::path folder = own_program().parent_path();
  const fs::path program = program_of_modes(folder);
  if (program.empty()) return;
  // With -E, Python ignores the environment variables PYTHON*. With -s, Python ignores the packages in the user's home directory.
  // With -B, Python writes no .pyc files next to the installed files.
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
