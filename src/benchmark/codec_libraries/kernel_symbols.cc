#include "benchmark/codec_libraries/kernel_symbols.h"

#include <dlfcn.h>
#include <link.h>

#include <algorithm>
#include <map>

#include "erasure_code/benchmark_info.h"

namespace ecbench {

KernelSymbols kernel_symbols(const ErasureCode& code) {
  KernelSymbols symbols{.kernel = info_of(code).kernel(), .objects = loaded_objects(), .functions = {}};
  std::map<const void*, KernelFunction> functions;
  for (const KernelFunction& function : info_of(code).kernel_functions()) {
    const auto [known, is_new] = functions.emplace(function.address, function);
    if (is_new || known->second.name == function.name) continue;
    known->second.name += " = " + function.name;
    known->second.how += " = " + function.how;
  }
  for (const auto& [address, function] : functions) {
    Dl_info info{};
    link_map* map = nullptr;
    if (dladdr1(address, &info, reinterpret_cast<void**>(&map), RTLD_DL_LINKMAP) == 0 || map == nullptr) continue;
    const auto object = std::ranges::find(symbols.objects, map->l_addr, &LoadedObject::base);
    if (object == symbols.objects.end()) continue;
    symbols.functions.push_back(
        {object->path, reinterpret_cast<std::uintptr_t>(address) - object->base, function.name, function.how});
  }
  return symbols;
}

}  // namespace ecbench
