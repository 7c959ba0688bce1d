#include "benchmark/profiling/illegal_instruction.h"

#include <dlfcn.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstring>

#include "benchmark/profiling/process_end.h"
#include "benchmark/profiling/profiling.h"

namespace ecbench {
namespace {

bool under_valgrind = false;

/// Reads no byte of the next page, which may not be readable.
std::array<char, 32> bytes_at(const std::uint8_t* address) {
  constexpr std::uintptr_t page_bytes = 4096;
  constexpr std::uintptr_t wanted_bytes = 8;
  const std::uintptr_t to_page_end = page_bytes - reinterpret_cast<std::uintptr_t>(address) % page_bytes;
  std::array<char, 32> text{};
  for (std::uintptr_t i = 0; i < std::min(wanted_bytes, to_page_end); i++) {
    std::snprintf(text.data() + i * 3, 4, " %02x", address[i]);
  }
  return text;
}

// dladdr() and snprintf() are not safe in signal handlers, but the illegal instruction is in neither.
void explain(int, siginfo_t* information, void*) {
  const auto* address = static_cast<const std::uint8_t*>(information->si_addr);
  Dl_info object{};
  const char* name = "no object";
  std::uintptr_t offset = reinterpret_cast<std::uintptr_t>(address);
  const bool is_known = dladdr(address, &object) != 0 && object.dli_fname != nullptr;
  if (is_known) {
    const char* slash = std::strrchr(object.dli_fname, '/');
    name = slash == nullptr ? object.dli_fname : slash + 1;
    offset -= reinterpret_cast<std::uintptr_t>(object.dli_fbase);
  }
  std::array<char, 512> line{};
  const int length = std::snprintf(
      line.data(), line.size(), "ecbench: illegal instruction%s in %s+0x%jx: %s\n", is_known ? bytes_at(address).data() : "", name,
      static_cast<std::uintmax_t>(offset),
      under_valgrind ? "valgrind does not support it, even if the CPU does; use perf or pprof instead, or give another --dispatch"
                     : "this CPU does not support it; give another --dispatch, or build that library for this CPU");
  [[maybe_unused]] const ssize_t ignored =
      write(STDERR_FILENO, line.data(), static_cast<std::size_t>(std::min<int>(length, line.size() - 1)));
  end_process(1);
}

}  // namespace

void explain_illegal_instructions() {
  under_valgrind = runs_under_valgrind();
  struct sigaction action {};
  action.sa_sigaction = explain;
  action.sa_flags = SA_SIGINFO | SA_RESETHAND | SA_ONSTACK;  // SA_ONSTACK: a goroutine's stack is too small
  sigaction(SIGILL, &action, nullptr);
}

}  // namespace ecbench
