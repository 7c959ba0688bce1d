// What a plugin, libec_<name>.so, shows of itself: its techniques, their parameters, and how to make a code of each. To add a
// plugin, write a Plugin, name it in ECBENCH_PLUGIN, and build the file as a shared object; to add a technique, add it to the list.

#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "erasure_code/contract_digest.h"
#include "erasure_code/erasure_code.h"
#include "erasure_code/parameter.h"
#include "erasure_code/products.h"
#include "erasure_code/profile.h"

/// The version of this contract: a digest of its headers, which CMake computes (src/cmake/ecbench-plugin.cmake). A plugin that was
/// built with other headers is refused before any of it is used.
#define ECBENCH_PLUGIN_VERSION "ecbench plugin contract " ECBENCH_CONTRACT_DIGEST

namespace ecbench {

/// Makes `products` over GF(2^w), w = 8, 16 or 32, ready for the kernels of a plugin. Throws Error for a w that it cannot do.
using ProductMaker =
    std::function<std::unique_ptr<const ChunkProducts>(std::vector<Product> products, int w, ReadAgain read_again)>;

/// What other plugins offer to codes that are built on codes.
class Plugins {
 public:
  virtual ~Plugins() = default;

  /// Completes `profile` and makes a code of `plugin`. Throws Error as the registry does.
  virtual std::unique_ptr<ErasureCode> code(const std::string& plugin, Profile& profile) = 0;

  /// What makes products for the kernels of `plugin`; a code may keep it as long as it lives, which is not so of this object.
  /// Throws Error if there is no such plugin, or it has no kernels that multiply by a matrix that is given.
  virtual ProductMaker products(const std::string& plugin) = 0;
};

/// What a code is made with, besides its profile.
struct Context {
  std::string dispatch;  ///< the kernels that the code may run: one of the plugin's dispatch_levels that the CPU has, or "native"
  int threads = 1;       ///< how many threads of the caller will run codes at a time; a runtime of another language uses no more
  Plugins& others;       ///< the other plugins; only valid until the code is made
};

struct Technique {
  std::string name;     ///< value of `technique` in the profile; "" for the only technique of a plugin that has no name
  std::string summary;  ///< one line for `--list`
  std::vector<Parameter> parameters;
  /// Makes the code of a profile that has been completed by `parameters`. Throws Error if its values do not fit each other, or if
  /// the library below cannot be limited to context.dispatch any more.
  std::function<std::unique_ptr<ErasureCode>(const Profile& profile, const Context& context)> make;
};

struct Plugin {
  std::string name;
  std::string summary;            ///< one line for `--list`, with the version of the library below, if any
  std::string default_technique;  ///< "" where the user must choose
  std::vector<Technique> techniques;
  /// The levels of dispatch.h that its kernels can be limited to, besides native, which every plugin has; empty if they cannot be
  /// limited. A plugin that leaves all arithmetic to codes of other plugins names every level: these plugins are asked too.
  std::vector<std::string> dispatch_levels = {};
  /// What makes products that run the kernels of `dispatch`, as in Context. Null where the plugin has no kernels that multiply by a
  /// matrix that is given.
  std::function<ProductMaker(const std::string& dispatch)> products = {};
  /// True if codes run in a runtime of another language, which has threads of its own.
  bool has_runtime = false;
};

}  // namespace ecbench

/// Marks a plugin whose runtime ends the process by a system call of its own if it fails, as Go's does with exit code 2, the code
/// for wrong bytes. ecbench then loads and runs it in a child process. Write it next to ECBENCH_PLUGIN.
#define ECBENCH_PLUGIN_ENDS_PROCESS \
  extern "C" __attribute__((visibility("default"))) void ecbench_plugin_ends_process() {}

/// Defines the two entry points of a plugin. `plugin` is an expression for a `const ecbench::Plugin&` that lives as long as the
/// process; it may throw.
#define ECBENCH_PLUGIN(plugin)                                                                \
  extern "C" __attribute__((visibility("default"))) const char* ecbench_plugin_version() {    \
    return ECBENCH_PLUGIN_VERSION;                                                            \
  }                                                                                           \
  extern "C" __attribute__((visibility("default"))) const ecbench::Plugin* ecbench_plugin() { \
    return &(plugin);                                                                         \
  }
