// The plugin `klauspost`: the Go package github.com/klauspost/reedsolomon, which MinIO and other Go object stores use.

#include "erasure_code/plugin.h"

#include <array>

#include "erasure_code/chunk_pointers.h"
#include "erasure_code/dispatch.h"
#include "foreign_code/foreign_code.h"
#include "plugins/klauspost/signals.h"

// The C functions of library/main.go.
extern "C" {
std::uint64_t klauspost_make(const char* technique, int k, int m, const char* level, char* message, std::size_t message_size);
void klauspost_drop(std::uint64_t handle);
int klauspost_encode(std::uint64_t handle, const std::uint8_t* const* data, std::uint8_t* const* coding, std::size_t chunk_size);
int klauspost_decode(std::uint64_t handle, std::uint8_t* const* chunks, const std::uint8_t* is_read, const std::uint8_t* is_rebuilt,
                     std::size_t chunk_size);
void klauspost_nothing();
void klauspost_kernel(const char* technique, int k, int m, const char* level, char* text, std::size_t text_size);
void klauspost_set_threads(int threads);
void klauspost_versions(char* text, std::size_t text_size);
}

namespace ecbench::klauspost {
namespace {

constexpr contenders::ForeignLibrary library{klauspost_make, klauspost_drop, klauspost_encode, klauspost_decode, klauspost_nothing};

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

Parameter chunk_count(const std::string& name, const std::string& default_value, const std::string& meaning) {
  return {.name = name,
          .default_value = default_value,
          .minimum = 1,
          .maximum = chunk_count_limit - 1,
          .why = "k+m is at most " + std::to_string(chunk_count_limit) + " in this plugin",
          .meaning = meaning};
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
    return contenders::make_foreign_code(library, kind.name, level,
                                         {.k = k,
                                          .m = m,
                                          .unit = 64,
                                          .kernel = kernel(kind.name, k, m, level),
                                          .any_k_are_enough = kind.any_k_are_enough,
                                          .reads_all_left = kind.is_leopard});
  };
  return {.name = kind.name,
          .summary = kind.summary,
          .parameters = {chunk_count("k", "7", "data chunks"), chunk_count("m", "3", "coding chunks" + kind.rule)},
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
              technique(
                  {.name = "leopard_gf8",
                   .summary = "Leopard, by FFT over GF(2^8). A decode reads all available chunks",
                   .rule =
                       ". Let p be m, rounded up to a power of two. Let q be k, rounded up to a multiple of p. Then p+q must be "
                       "at most 256",
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
