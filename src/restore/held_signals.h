// HeldSignals delays signals that would end the program. It is used while files are replaced, so that ecbench can remove its
// temporary files before a signal ends the program.

#pragma once

#include <csignal>

namespace ecbench {

/// Blocks SIGINT, SIGTERM, SIGHUP and SIGQUIT. Also ignores SIGXFSZ: if a file would exceed the file size limit, write() then fails
/// with an error, as on a full disk. The destructor restores the earlier settings. If a blocked signal has arrived by then, it
/// takes effect in the destructor.
class HeldSignals {
 public:
  HeldSignals() {
    struct sigaction ignore {};
    ignore.sa_handler = SIG_IGN;
    sigaction(SIGXFSZ, &ignore, &size_before_);
    sigemptyset(&held_);
    // Signals that are already ignored, such as SIGHUP under nohup, are not blocked. If such a signal were blocked, it would be
    // pending after its arrival, and arrived() would return true.
    for (const int signal : signals) {
      struct sigaction action {};
      if (sigaction(signal, nullptr, &action) == 0 && action.sa_handler != SIG_IGN) sigaddset(&held_, signal);
    }
    sigprocmask(SIG_BLOCK, &held_, &before_);
  }
  ~HeldSignals() {
    sigprocmask(SIG_SETMASK, &before_, nullptr);
    sigaction(SIGXFSZ, &size_before_, nullptr);
  }
  HeldSignals(const HeldSignals&) = delete;
  HeldSignals& operator=(const HeldSignals&) = delete;

  /// True if a signal that this instance blocks is pending. In this case, the caller should stop.
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
  struct sigaction size_before_ {};
};

}  // namespace ecbench
