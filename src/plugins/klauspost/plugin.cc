// The plugin `klauspost`: the Go package github.com/klauspost/reedsolomon, which MinIO and other Go object stores use.
#include "erasure_code/plugin.h"

#include <array>
#include <csignal>
#include <cstddef>

#include "erasure_code/chunk_pointers.h"
#include "erasure_code/dispatch.h"
#include "foreign_code/foreign_code.h"

// The C functions of library/main.go.
ECBENCH_FOREIGN_LIBRARY(klauspost)
extern "C" {
void klauspost_kernel(const char* technique, int k, int m, const char* level, char* text, std::size_t text_size);
void klauspost_set_threads(int threads);
void klauspost_versions(char* text, std::size_t text_size);
}

namespace ecbench::klauspost {
namespace {

// Restores signal handlers that Go's runtime replaces in the whole process when the plugin is loaded.

constexpr std::array taken{SIGPIPE, SIGSEGV, SIGBUS, SIGFPE};
std::array<struct sigaction, taken.size()> before;

// A constructor without a priority starts Go's runtime. remember() has a priority, so it runs before that constructor.
[[gnu::constructor(101)]] void remember() {
  for (std::size_t i = 0; i < taken.size(); i++) sigaction(taken[i], nullptr, &before[i]);
}

/// After Go's runtime has started: restores the handlers of SIGPIPE, SIGSEGV, SIGBUS and SIGFPE. With Go's, a fault or a write to a
/// closed pipe would end ecbench with exit code 2, which means wrong bytes.
void give_back_signals() {
  for (std::size_t i = 0; i < taken.size(); i++) {
    before[i].sa_flags |= SA_ONSTACK;  // run the handler on the alternate stack, since a goroutine's stack is too small
    sigaction(taken[i], &before[i], nullptr);
  }
}

using Text = std::array<char, 256>;

std::string versions() {
  Text text{};
  klauspost_versions(text.data(), text.size());
  return text.data();
}

std::string kernel(const std::string& technique, int k, int m, const std::string& level) {
  Text text{};
  klauspost_kernel(technique.c_str(), k, m, level.c_str(), text.data(), text.size());
  return text.data();
}

/// The properties that differ between techniques.
struct Kind {
  std::string name;
  std::string summary;
  std::string rule = {};  // help text for a limit of k and m that applies in addition to the limit of k+m
  bool any_k_are_enough = true;
  bool is_leopard = false;
};

Technique technique(const Kind& kind) {
  const auto make = [kind](const Profile& profile, const Context& context) {
    klauspost_set_threads(context.threads);
    const std::string& level = context.dispatch;
    const int k = profile.integer("k");
    const int m = profile.integer("m");
    // Chunk sizes are multiples of 64 bytes. With other sizes, the Leopard techniques of the library return an error, and the other
    // techniques use slower code for the last bytes.
    return contenders::make_foreign_code(klauspost_library, kind.name, level,
                                         {.k = k,
                                          .m = m,
                                          .unit = 64,
                                          .kernel = kernel(kind.name, k, m, level),
                                          .any_k_are_enough = kind.any_k_are_enough,
                                          .reads_all_left = kind.is_leopard});
  };
  return {.name = kind.name,
          .summary = kind.summary,
          .parameters = contenders::chunk_counts(
              chunk_count_limit - 1, "k+m is at most " + std::to_string(chunk_count_limit) + " in this plugin", kind.rule),
          .make = make};
}

const Plugin& plugin() {
  static const Plugin plugin{
      .name = "klauspost",
      .summary = "the Reed-Solomon codes of " + versions(),
      .default_technique = "vandermonde",
      .techniques =
          {
              technique(
                  {.name = "vandermonde", .summary = "the library's default: Backblaze's Vandermonde matrix, made systematic"}),
              technique({.name = "cauchy", .summary = "a Cauchy matrix. For m > 1, isa's technique cauchy has the same matrix"}),
              technique({.name = "par1",
                         .summary = "the matrix of PAR1. Some losses of m or fewer chunks cannot be recovered",
                         .any_k_are_enough = false}),
              technique({.name = "leopard_gf8",
                         .summary = "Leopard, by FFT over GF(2^8). A decode reads all available chunks",
                         .rule = ". Let p be m, rounded up to a power of two. Let q be k, rounded up to a multiple of p. Then p+q "
                                 "must be at most 256",
                         .is_leopard = true}),
              technique({.name = "leopard_gf16",
                         .summary = "Leopard, by FFT over GF(2^16). A decode reads all available chunks",
                         .is_leopard = true}),
          },
      .dispatch_levels = every_dispatch_level(),
      .has_runtime = true,
  };
  static const bool is_given_back = (give_back_signals(), true);
  static_cast<void>(is_given_back);
  return plugin;
}

}  // namespace

}  // namespace ecbench::klauspost

ECBENCH_PLUGIN(ecbench::klauspost::plugin())
ECBENCH_PLUGIN_ENDS_PROCESS
