#include "benchmark/warnings/missing_kernels.h"

#include <dlfcn.h>

#include <algorithm>
#include <array>
#include <filesystem>

#include "benchmark/codec_libraries/loaded_objects.h"
#include "erasure_code/dispatch.h"

namespace ecbench {
namespace {

struct KernelRule {
  const char* function;
  const char* instructions;
  const char* first_release;
  std::array<const char*, 3> flags;  ///< flags in /proc/cpuinfo; the CPU can run the kernel if it has all of them
};

/// Missing in older releases of ISA-L; the fastest is first.
constexpr std::array rules{
    KernelRule{"ec_encode_data_avx512_gfni", "GFNI and AVX-512", "2.31", {"gfni", "avx512bw", "avx512vl"}},
    KernelRule{"ec_encode_data_avx2_gfni", "GFNI and AVX2", "2.31", {"gfni", "avx2", "avx2"}},
    KernelRule{"ec_encode_data_avx512", "AVX-512", "2.15", {"avx512f", "avx512bw", "avx512vl"}},
};

bool contains(std::span<const std::string> words, const std::string& word) {
  return std::ranges::find(words, word) != words.end();
}

}  // namespace

std::optional<LibrarySymbols> loaded_isal() {
  for (const SharedObject& object : codec_objects()) {
    if (!object.name.starts_with("libisal.so")) continue;
    LibrarySymbols isal{.name = std::filesystem::path(object.path).filename().string(), .functions = {}};
    void* const library = dlopen(object.path.c_str(), RTLD_NOLOAD | RTLD_LAZY);
    if (library == nullptr) return std::nullopt;
    for (const KernelRule& rule : rules) {
      if (dlsym(library, rule.function) != nullptr) isal.functions.emplace_back(rule.function);
    }
    dlclose(library);
    return isal;
  }
  return std::nullopt;
}

std::optional<Remark> missing_kernels(const LibrarySymbols& isal, const std::string& kernel, const std::string& dispatch,
                                      std::span<const std::string> cpu_flags) {
  if (dispatch != native_dispatch || kernel.find("ec_encode_data") == std::string::npos) return std::nullopt;
  for (const KernelRule& rule : rules) {
    if (!std::ranges::all_of(rule.flags, [&](const char* flag) { return contains(cpu_flags, flag); })) continue;
    if (contains(isal.functions, rule.function)) return std::nullopt;
    return Remark{"library_lacks_kernels", isal.name + " has no kernels that use " + rule.instructions +
                                               ", but this CPU has these instructions; ISA-L " + rule.first_release +
                                               " and later have such kernels: run scripts/fetch-isal.sh 2.32 DIR and give "
                                               "--codec-lib DIR"};
  }
  return std::nullopt;
}

}  // namespace ecbench
