// Delays signals that would end the program, so that it can remove its temporary files first.

#pragma once

#include <csignal>

namespace ecbench {

/// Blocks SIGINT, SIGTERM, SIGHUP and SIGQUIT, which take effect in the destructor, and ignores SIGXFSZ: write() then fails at the
/// file size limit, as on a full disk.
class HeldSignals {
 public:
  HeldSignals() {
    struct sigaction ignore {};
    ignore.sa_handler = SIG_IGN;
    sigaction(SIGXFSZ, &ignore, &size_before_);
    sigemptyset(&held_);
    // Ignored signals, such as SIGHUP under nohup, would be pending, and arrived() true.
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
  struct sigaction size_before_ {};
};

}  // namespace ecbench
