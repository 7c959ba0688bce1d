#include "restore/whole_file.h"

#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <fstream>

#include "erasure_code/error.h"

namespace ecbench {
namespace {

namespace fs = std::filesystem;

/// Keeps the signals that end a program waiting, so that none leaves half a file behind. A file that grows beyond the process's
/// limit is an error like a full disk, and no signal.
class SignalsHeld {
 public:
  SignalsHeld() {
    struct sigaction ignore {};
    ignore.sa_handler = SIG_IGN;
    sigaction(SIGXFSZ, &ignore, &size_before_);
    sigset_t held;
    sigemptyset(&held);
    for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGQUIT}) sigaddset(&held, signal);
    sigprocmask(SIG_BLOCK, &held, &before_);
  }
  ~SignalsHeld() {
    sigprocmask(SIG_SETMASK, &before_, nullptr);
    sigaction(SIGXFSZ, &size_before_, nullptr);
  }
  SignalsHeld(const SignalsHeld&) = delete;
  SignalsHeld& operator=(const SignalsHeld&) = delete;

 private:
  sigset_t before_{};
  struct sigaction size_before_ {};
};

}  // namespace

void write_whole_file(const std::string& option, const fs::path& path, const std::vector<std::span<const std::uint8_t>>& pieces) {
  const SignalsHeld held;
  std::error_code no_link;
  const fs::path target = fs::is_symlink(path, no_link) ? fs::weakly_canonical(path, no_link) : path;
  const fs::path unfinished = target.string() + ".tmp" + std::to_string(getpid());
  std::ofstream file(unfinished, std::ios::binary | std::ios::trunc);
  for (const std::span<const std::uint8_t> piece : pieces) {
    file.write(reinterpret_cast<const char*>(piece.data()), static_cast<std::streamsize>(piece.size()));
  }
  file.close();
  std::error_code error(errno, std::generic_category());
  if (file) fs::rename(unfinished, target, error);
  if (!file || error) {
    std::error_code ignored;
    fs::remove(unfinished, ignored);
    throw Error("cannot write " + option + " " + path.string() + ": " + error.message());
  }
}

}  // namespace ecbench
