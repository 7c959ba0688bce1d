// The struct Plugin describes a plugin: its techniques, their parameters, and the functions that make codes. To add a plugin,
// define a Plugin, pass it to the macro ECBENCH_PLUGIN, and build the shared object libec_<name>.so. To add a technique to a
// plugin, add it to Plugin::techniques.

#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "erasure_code/contract_digest.h"
#include "erasure_code/erasure_code.h"
#include "erasure_code/products.h"
#include "erasure_code/profile.h"

/// The version of this contract: a digest of its headers, which CMake computes (src/cmake/ecbench-plugin.cmake). If a plugin was
/// built with other headers, ecbench refuses the plugin and does not read its struct Plugin.
#define ECBENCH_PLUGIN_VERSION "ecbench plugin contract " ECBENCH_CONTRACT_DIGEST

namespace ecbench {

/// For the kernels of a plugin over GF(2^w); w is 8, 16 or 32. Throws Error if the plugin does not support this w.
using ProductMaker =
    std::function<std::unique_ptr<const ChunkProducts>(std::vector<Product> products, int w, ReadAgain read_again)>;

/// Gives a plugin the codes and kernels of other plugins. The plugins lrc, shec and clay use this interface.
class Plugins {
 public:
  virtual ~Plugins() = default;

  /// Completes `profile` with default values, and makes a code of `plugin`. Throws Error as Registry::make() does.
  virtual std::unique_ptr<ErasureCode> code(const std::string& plugin, Profile& profile) = 0;

  /// With the kernels of `plugin`. A code may keep the function, but no reference to Plugins. Throws Error if the plugin is
  /// unknown, or has no kernels that multiply by a given matrix.
  virtual ProductMaker products(const std::string& plugin) = 0;
};

/// The data that a technique needs to make a code, in addition to the profile.
struct Context {
  std::string dispatch;  ///< the dispatch level of the code's kernels: a level in Plugin::dispatch_levels, or "native"
  int threads = 1;       ///< how many threads of the caller will run codes at the same time; for Go, the value of GOMAXPROCS
  Plugins& others;       ///< the other plugins; only valid until the code is made
};

struct Technique {
  std::string name = {};  ///< value of `technique` in the profile; "" if the plugin has only one technique and it has no name
  std::string summary;    ///< one line for `ecbench --list`
  std::vector<Parameter> parameters;
  /// Makes the code for `profile`, which Profile::complete(parameters) has completed. Throws Error if values in the profile
  /// contradict each other, or if the library can no longer be limited to context.dispatch.
  std::function<std::unique_ptr<ErasureCode>(const Profile& profile, const Context& context)> make;
};

struct Plugin {
  std::string name;
  std::string summary;                 ///< one line for `ecbench --list`, with the library's version if the plugin uses a library
  std::string default_technique = {};  ///< "" if the user must choose
  std::vector<Technique> techniques;
  /// The levels of dispatch.h to which the plugin's kernels can be limited, without native; empty if they cannot be limited;
  /// every_dispatch_level() if kernels of other plugins do all arithmetic: their levels are checked too.
  std::vector<std::string> dispatch_levels = {};
  /// With the kernels of level `dispatch`; null if the plugin has no kernels that multiply by a given matrix.
  std::function<ProductMaker(const std::string& dispatch)> products = {};
  /// True if the plugin's codes run in the runtime of another language, and this runtime starts threads.
  bool has_runtime = false;
};

/// `mapping`: D for each data chunk, another character for each coding chunk, both in ascending order of their numbers.
const Parameter& mapping_parameter();

/// Shape::data_positions; empty without a mapping. Throws Error unless it has `chunk_count` characters and `data_chunk_count` D.
std::vector<int> mapped_data_positions(const Profile& profile, int data_chunk_count, int chunk_count);

/// For k data chunks and m coding chunks. Throws the errors of mapped_data_positions().
Shape mapped_shape(const Profile& profile);

}  // namespace ecbench

/// Next to ECBENCH_PLUGIN, marks a plugin whose runtime may end the process, which is therefore a child process. For example, Go's
/// runtime exits with code 2, which means wrong bytes in ecbench.
#define ECBENCH_PLUGIN_ENDS_PROCESS \
  extern "C" __attribute__((visibility("default"))) void ecbench_plugin_ends_process() {}

/// The two entry points of a plugin. `plugin`: a `const ecbench::Plugin&` that stays valid until the process ends; may throw.
#define ECBENCH_PLUGIN(plugin)                                                                                              \
  extern "C" __attribute__((visibility("default"))) const char* ecbench_plugin_version() { return ECBENCH_PLUGIN_VERSION; } \
  extern "C" __attribute__((visibility("default"))) const ecbench::Plugin* ecbench_plugin() { return &(plugin); }
