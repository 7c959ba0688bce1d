// Signals that end a program wait while files are replaced, so that the files in progress can be removed first.

#pragma once

#include <csignal>

namespace ecbench {

/// Blocks SIGINT, SIGTERM, SIGHUP and SIGQUIT, and ignores SIGXFSZ: a file that exceeds the process's size limit is then an error
/// as on a full disk. The end of the scope undoes this, and a signal that arrived takes effect.
class HeldSignals {
 public:
  HeldSignals() {
    struct sigaction ignore {};
    ignore.sa_handler = SIG_IGN;
    sigaction(SIGXFSZ, &ignore, &size_before_);
    sigemptyset(&held_);
    // A blocked signal waits even if it is ignored, as SIGHUP under nohup: it is left to be ignored.
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

  /// Whether one of the signals waits: the work should stop.
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
