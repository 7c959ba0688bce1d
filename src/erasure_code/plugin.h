// What a plugin, libec_<name>.so, shows of itself: its techniques, their parameters, and how to make a code of each. To add a
// plugin, write a Plugin, name it in ECBENCH_PLUGIN, and build the file as a shared object; to add a technique, add it to the list.

#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "erasure_code/erasure_code.h"
#include "erasure_code/parameter.h"
#include "erasure_code/products.h"
#include "erasure_code/profile.h"

/// Counts the releases of this contract: every release in which a header of erasure_code/ changed has the next number, so that a
/// plugin built for another one is refused before any of it is used. Between releases the number stays while the headers move:
/// build plugins again after every checkout.
#define ECBENCH_PLUGIN_VERSION "ecbench plugin contract 5"

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

struct Technique {
  std::string name;     ///< value of `technique` in the profile; "" for the only technique of a plugin that has no name
  std::string summary;  ///< one line for `--list`
  std::vector<Parameter> parameters;
  /// Makes the code of a profile that has been completed by `parameters`. Throws Error if its values do not fit each other.
  std::function<std::unique_ptr<ErasureCode>(const Profile& profile, Plugins& others)> make;
};

struct Plugin {
  std::string name;
  std::string summary;            ///< one line for `--list`, with the version of the library below, if any
  std::string default_technique;  ///< "" where the user must choose
  std::vector<Technique> techniques;
  /// The levels of dispatch.h that its kernels can be limited to, besides native, which every plugin has; empty if they cannot be
  /// limited. A plugin that leaves all arithmetic to codes of other plugins names every level: these plugins are asked too.
  std::vector<std::string> dispatch_levels = {};
  /// Makes the codes made from now on run one of these levels, or "native". Called when the plugin is loaded, before it makes any
  /// code, and only with a level that the CPU has. Throws Error if the library below cannot do it any more. Null where there is no
  /// choice to make.
  std::function<void(const std::string& level)> set_dispatch = {};
  /// Null where the plugin has no kernels that multiply by a matrix that is given.
  ProductMaker products = {};
  /// Says to a plugin whose code runs in a runtime of another language how many threads of the caller, at least 1, will run codes
  /// at a time: the runtime is to take no more. Called as set_dispatch() is. Null where there is no runtime to limit.
  std::function<void(int threads)> set_threads = {};
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
