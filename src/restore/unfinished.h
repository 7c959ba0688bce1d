// Files that are written as a whole or not at all, with the delayed signals for them.

#pragma once

#include <sys/stat.h>

#include <csignal>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "erasure_code/descriptor.h"

namespace ecbench {

/// Delays SIGINT, SIGTERM, SIGHUP and SIGQUIT until the destructor. Ignores SIGXFSZ.
class HeldSignals {
 public:
  HeldSignals() {
    sigemptyset(&held_);
    // Ignored signals, such as SIGHUP under nohup, would be pending, and arrived() true.
    for (const int signal : signals) {
      struct sigaction action {};
      if (sigaction(signal, nullptr, &action) == 0 && action.sa_handler != SIG_IGN) sigaddset(&held_, signal);
    }
    sigprocmask(SIG_BLOCK, &held_, &before_);
  }
  ~HeldSignals() { sigprocmask(SIG_SETMASK, &before_, nullptr); }
  HeldSignals(const HeldSignals&) = delete;
  HeldSignals& operator=(const HeldSignals&) = delete;

  /// The caller should then stop.
  bool arrived() const {
    sigset_t pending;
    sigpending(&pending);
    for (const int signal : signals) {
      if (sigismember(&pending, signal) == 1 && sigismember(&held_, signal) == 1 && sigismember(&before_, signal) == 0) return true;
    }
    return false;
  }

 private:
  static constexpr int signals[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT};

  sigset_t held_{};
  sigset_t before_{};
  IgnoreFileSizeSignal ignored_;
};

// While a file is being written, it has a temporary name of the form .NAME.ecbench-0123456789abcdef.tmp. The process that writes
// this file locks it with flock(). If a temporary file has no lock, the process that wrote it is dead. The lock shows this even if
// that process ran on another host.
//
// If a function in this file fails, it throws std::system_error, unless its comment says something else.

/// Throws std::system_error with EINTR if one of `signals` arrives.
void write_pieces(int descriptor, const std::vector<std::span<const std::uint8_t>>& pieces, const HeldSignals& signals);

/// The target of a link or a chain, which need not exist; `path` if it is none, or cannot be followed. Never throws.
std::filesystem::path link_target(const std::filesystem::path& path);

Descriptor opened(const std::filesystem::path& path, int flags);

/// Until the file or directory is on the disk.
void sync(const Descriptor& descriptor);

/// Throws std::system_error with the error number in errno.
[[noreturn]] void fail();

/// Returns when the bytes are on the disk. On failure, or if the program is killed, the old file stays. Replaces the target of a
/// symbolic link; keeps permissions, and the owner if allowed. Throws Error with `option` and `path`.
void write_whole_file(const std::string& option, const std::filesystem::path& path,
                      const std::vector<std::span<const std::uint8_t>>& pieces);

}  // namespace ecbench
