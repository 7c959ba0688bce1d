#include "plugins/jerasure/gf_complete.h"

#include <array>
#include <optional>
#include <span>

#include "erasure_code/dispatch.h"
#include "erasure_code/error.h"

// 1 if GF-Complete found the extension in the CPU. Weak, because they are missing in builds for only one dispatch level.
extern "C" {
__attribute__((weak)) extern int gf_cpu_supports_intel_sse2;
__attribute__((weak)) extern int gf_cpu_supports_intel_sse3;
__attribute__((weak)) extern int gf_cpu_supports_intel_ssse3;
__attribute__((weak)) extern int gf_cpu_supports_intel_sse4;
__attribute__((weak)) extern int gf_cpu_supports_intel_pclmul;
__attribute__((weak)) extern int gf_cpu_supports_arm_neon;
}

namespace ecbench::jerasure {
namespace {

struct Extension {
  const char* variable;  // environment variable that disables the extension
  const int* found;
  bool in_ssse3;  // true if dispatch level ssse3 uses the extension
};

std::array<Extension, 6> extensions() {
  return {{{"GF_COMPLETE_DISABLE_SSE2", &gf_cpu_supports_intel_sse2, true},
           {"GF_COMPLETE_DISABLE_SSE3", &gf_cpu_supports_intel_sse3, true},
           {"GF_COMPLETE_DISABLE_SSSE3", &gf_cpu_supports_intel_ssse3, true},
           {"GF_COMPLETE_DISABLE_SSE4", &gf_cpu_supports_intel_sse4, false},
           {"GF_COMPLETE_DISABLE_SSE4_PCLMUL", &gf_cpu_supports_intel_pclmul, false},
           {"GF_COMPLETE_DISABLE_NEON", &gf_cpu_supports_arm_neon, false}}};
}

/// If this is the first field of the process, GF-Complete does not use the extensions in `disabled`. The environment is restored.
void look_at_cpu_without(std::span<const Extension> disabled) {
  std::vector<const char*> added;
  for (const Extension& extension : disabled) {
    if (std::getenv(extension.variable) != nullptr) continue;
    setenv(extension.variable, "1", 1);
    added.push_back(extension.variable);
  }
  const auto restore = [&] {
    for (const char* variable : added) unsetenv(variable);
  };
  try {
    set_up_field(32);
  } catch (...) {
    restore();
    throw;
  }
  restore();
}

void check_found(const std::string& level) {
  for (const Extension& extension : extensions()) {
    if (extension.found == nullptr) {
      throw Error("--dispatch " + level +
                  " is not allowed: this build of GF-Complete supports only one level; use --dispatch native");
    }
    const bool wanted = level == "ssse3" && extension.in_ssse3;
    if ((*extension.found != 0) == wanted) continue;
    if (wanted && std::getenv(extension.variable) != nullptr) {
      throw Error("--dispatch " + level + " is not allowed: the environment variable " + extension.variable +
                  " disables kernels of this level in GF-Complete; unset the variable, or use --dispatch scalar or native");
    }
    throw Error("--dispatch " + level + " is too late: GF-Complete chooses its kernels only once in a process, " +
                "when it sets up its first field; use this level in a new process");
  }
}

using RegionMultiply = decltype(gf_region::w32);

/// The function that multiplies regions in a field with these arguments of gf_init_hard(); null if this CPU has none.
RegionMultiply kernel_of(int w, gf_mult_type_t multiplication, int region_type, int first_argument = 0, int second_argument = 0) {
  gf_t field{};
  const int made =
      gf_init_hard(&field, w, multiplication, region_type, GF_DIVIDE_DEFAULT, 0, first_argument, second_argument, nullptr, nullptr);
  if (made == 0) return nullptr;
  const RegionMultiply kernel = field.multiply_region.w32;
  gf_free(&field, 1);
  return kernel;
}

struct Candidate {
  const char* name;
  gf_mult_type_t multiplication;
  int region_type;
  int index_bits;  // bits of the index of a split table; 0 for a full table
};

constexpr std::array candidates{Candidate{"split table 4,", GF_MULT_SPLIT_TABLE, GF_REGION_SIMD, 4},
                                Candidate{"split table 4,", GF_MULT_SPLIT_TABLE, GF_REGION_NOSIMD, 4},
                                Candidate{"split table 8,", GF_MULT_SPLIT_TABLE, GF_REGION_DEFAULT, 8},
                                Candidate{"full table", GF_MULT_TABLE, GF_REGION_DEFAULT, 0}};

/// The unit of kernels with GF_REGION_SIMD, after a space. `on_intel`: the name for x86.
std::string vector_unit(const char* on_intel) {
  return &gf_cpu_supports_arm_neon != nullptr && gf_cpu_supports_arm_neon != 0 ? " NEON" : std::string(" ") + on_intel;
}

std::string name_of_multiplication(int w) {
  const std::string field = "w=" + std::to_string(w) + " ";
  const std::lock_guard lock(library_mutex());
  const RegionMultiply chosen = galois_get_field_ptr(w)->multiply_region.w32;
  for (const Candidate& candidate : candidates) {
    const bool is_split = candidate.index_bits != 0;
    if (is_split && candidate.index_bits == w) continue;
    if (kernel_of(w, candidate.multiplication, candidate.region_type, is_split ? w : 0, candidate.index_bits) != chosen) continue;
    return field + candidate.name + (is_split ? std::to_string(w) : "") +
           (candidate.region_type == GF_REGION_SIMD ? vector_unit("SSSE3") : "");
  }
  return field + "unknown kernel";
}

/// libJerasure uses GF_MULT_BYTWO_b and GF_REGION_DEFAULT (reed_sol.c).
std::string name_of_doubling(int w) {
  const std::lock_guard lock(library_mutex());
  const bool is_simd = kernel_of(w, GF_MULT_BYTWO_b, GF_REGION_DEFAULT) == kernel_of(w, GF_MULT_BYTWO_b, GF_REGION_SIMD);
  return "w=" + std::to_string(w) + " times two" + (is_simd ? vector_unit("SSE2") : "");
}

/// name(w) sets up fields, which takes thousands of multiplications; it is called once for each w.
template <typename Name>
std::string remembered(std::array<std::string, 33>& names, std::mutex& mutex, int w, Name name) {
  const std::lock_guard lock(mutex);
  std::string& known = names.at(static_cast<std::size_t>(w));
  if (known.empty()) known = name(w);
  return known;
}

}  // namespace

std::vector<std::string> dispatch_levels() { return {"scalar", "ssse3"}; }

void limit_kernels(const std::string& level) {
  static std::optional<std::string> limited_to;
  const std::lock_guard lock(library_mutex());
  if (level == native_dispatch) {
    if (!limited_to) return;
    throw Error("--dispatch native is too late: GF-Complete was limited to " + *limited_to +
                ", and it chooses its kernels only once in a process; use native in a new process");
  }
  std::vector<Extension> disabled;
  for (const Extension& extension : extensions()) {
    if (level != "ssse3" || !extension.in_ssse3) disabled.push_back(extension);
  }
  look_at_cpu_without(disabled);
  check_found(level);
  limited_to = level;
}

bool uses_ssse3() { return &gf_cpu_supports_intel_ssse3 != nullptr && gf_cpu_supports_intel_ssse3 != 0; }

std::string multiplication_kernel(int w) {
  static std::array<std::string, 33> names;
  static std::mutex mutex;
  return remembered(names, mutex, w, name_of_multiplication);
}

std::string doubling_kernel(int w) {
  static std::array<std::string, 33> names;
  static std::mutex mutex;
  return remembered(names, mutex, w, name_of_doubling);
}

std::vector<KernelFunction> field_functions(int w) {
  const std::string kernel = multiplication_kernel(w);
  const std::lock_guard lock(library_mutex());
  const gf_t& field = *galois_get_field_ptr(w);
  const std::string width = std::to_string(w);
  const auto function = [&](auto pointer, const std::string& member, const std::string& what) {
    return KernelFunction{.address = reinterpret_cast<const void*>(pointer),
                          .name = "GF-Complete w=" + width + " " + member + what,
                          .how = member + " of the field GF(2^" + width + ")"};
  };
  std::vector<KernelFunction> functions{
      function(field.multiply_region.w32, "multiply_region", " (" + kernel.substr(kernel.find(' ') + 1) + ")"),
      function(field.multiply.w32, "multiply", ""), function(field.divide.w32, "divide", ""),
      function(field.inverse.w32, "inverse", "")};
  std::erase_if(functions, [](const KernelFunction& candidate) { return candidate.address == nullptr; });
  return functions;
}

KernelFunction doubling_function(int w) {
  const std::string kernel = doubling_kernel(w);
  const std::lock_guard lock(library_mutex());
  return {.address = reinterpret_cast<const void*>(kernel_of(w, GF_MULT_BYTWO_b, GF_REGION_DEFAULT)),
          .name = "GF-Complete w=" + std::to_string(w) + " multiply_region (" + kernel.substr(kernel.find(' ') + 1) + ")",
          .how = "multiply_region of a field that is set up with GF_MULT_BYTWO_b"};
}

std::string xor_kernel() {
  // gf_multby_one in gf.c computes the XOR. At every call, it checks gf_cpu_supports_intel_sse2 to choose the instructions.
  const bool is_known = &gf_cpu_supports_intel_sse2 != nullptr;
  return is_known && gf_cpu_supports_intel_sse2 != 0 ? "XOR SSE2" : "XOR";
}

std::mutex& library_mutex() {
  static std::mutex mutex;
  return mutex;
}

void set_up_field(int w) {
  for (const int field : {w, xor_field}) {
    // galois_init_default_field() does nothing if the field is already set up.
    if (galois_init_default_field(field) != 0) throw Error("GF-Complete cannot set up GF(2^" + std::to_string(field) + ")");
  }
}

void set_up_raid6_field(int w) {
  alignas(64) std::array<char, 64> region{};
  const int size = static_cast<int>(region.size());
  if (w == 8) reed_sol_galois_w08_region_multby_2(region.data(), size);
  if (w == 16) reed_sol_galois_w16_region_multby_2(region.data(), size);
  if (w == 32) reed_sol_galois_w32_region_multby_2(region.data(), size);
}

bool multiplication_has_state(int w) { return w == 32 && !uses_ssse3(); }

}  // namespace ecbench::jerasure
