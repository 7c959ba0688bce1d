// The plugin `rusty_erasure`: the Rust crate rusty_erasure.

#include "erasure_code/plugin.h"

#include <array>

#include "erasure_code/chunk_pointers.h"
#include "foreign_code/foreign_code.h"

// These functions are defined in src/lib.rs.
ECBENCH_FOREIGN_LIBRARY(rusty_erasure)
extern "C" {
int rusty_erasure_update(std::uint64_t handle, int chunk, const std::uint8_t* old_bytes, const std::uint8_t* new_bytes,
                         std::uint8_t* const* coding, std::size_t size, std::uint8_t* scratch);
const char* rusty_erasure_versions();
void rusty_erasure_kernel(const char* level, char* name, std::size_t size);
}

namespace ecbench::rusty_erasure {
namespace {

std::string kernel(const std::string& level) {
  std::array<char, 64> name{};
  rusty_erasure_kernel(level.c_str(), name.data(), name.size());
  return std::string(name.data()) + " of rusty_erasure";
}

Technique technique(const std::string& name, const std::string& summary) {
  const auto make = [name](const Profile& profile, const Context& context) {
    contenders::ForeignLibrary library = rusty_erasure_library;
    library.update = rusty_erasure_update;
    return contenders::make_foreign_code(
        library, name, context.dispatch,
        {.k = profile.integer("k"), .m = profile.integer("m"), .kernel = kernel(context.dispatch)});
  };
  return {
      .name = name,
      .summary = summary,
      .parameters = contenders::chunk_counts(chunk_count_limit - 1, "the crate rusty_erasure supports at most 255 chunks (k+m)"),
      .make = make};
}

const Plugin& plugin() {
  static const Plugin plugin {
    .name = "rusty_erasure",
    .summary = std::string("ISA-L's Reed-Solomon codes, implemented in Rust by ") + rusty_erasure_versions(),
    .default_technique = "reed_sol_van",
    .techniques = {technique("reed_sol_van",
                             "ISA-L's Vandermonde matrix. k and m are allowed only if every loss of m chunks can be recovered"),
                   technique("cauchy", "ISA-L's Cauchy matrix")},
#if defined(__x86_64__)
    .dispatch_levels = {"scalar", "ssse3", "avx2", "avx2-gfni"},
#else
    .dispatch_levels = {"scalar", "neon"},
#endif
  };
  return plugin;
}

}  // namespace
}  // namespace ecbench::rusty_erasure

ECBENCH_PLUGIN(ecbench::rusty_erasure::plugin())
