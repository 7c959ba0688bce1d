#include "plugins/klauspost/signals.h"

#include <array>
#include <csignal>
#include <cstddef>

namespace ecbench::klauspost {
namespace {

constexpr std::array taken{SIGPIPE, SIGSEGV, SIGBUS, SIGFPE};
std::array<struct sigaction, taken.size()> before;

// A constructor without a priority starts Go's runtime. remember() has a priority, so it runs before that constructor.
[[gnu::constructor(101)]] void remember() {
  for (std::size_t i = 0; i < taken.size(); i++) sigaction(taken[i], nullptr, &before[i]);
}

}  // namespace

void give_back_signals() {
  for (std::size_t i = 0; i < taken.size(); i++) {
    before[i].sa_flags |= SA_ONSTACK;  // run the handler on the alternate stack, since a goroutine's stack is too small
    sigaction(taken[i], &before[i], nullptr);
  }
}

}  // namespace ecbench::klauspost
