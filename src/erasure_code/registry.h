// Finds, loads and checks plugins, and makes their codes. Plugins are never unloaded, so that profilers can show the names of the
// plugins' functions until the process ends.

#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "erasure_code/dispatch.h"
#include "erasure_code/erasure_code.h"
#include "erasure_code/plugin.h"

namespace ecbench {

// The file of the running program.

/// The absolute path of the program, without symbolic links: the path of the file that contains this function. /proc/self/exe is
/// not used, because it is the dynamic loader if the program was started as an argument of the loader. The path is empty if /proc
/// cannot be read.
std::filesystem::path own_program();

/// The directory of own_program(). Throws Error if /proc cannot be read.
std::filesystem::path program_directory();

/// A plugin that is about to be loaded.
struct PluginFile {
  std::string name;
  std::filesystem::path path;
  bool ends_process = false;  ///< true if the plugin contains ECBENCH_PLUGIN_ENDS_PROCESS
};

/// Limits for a code and for the codes that it is built on.
struct Limits {
  std::string dispatch = native_dispatch;  ///< one of dispatch_level_names()
  int threads = 1;                         ///< the number of threads that will run codes at the same time (Context::threads)
};

class Registry {
 public:
  using Warn = std::function<void(const std::string&)>;

  /// A registry of the plugins in `directory`. Throws Error if `directory` is not a directory. `warn` is called with each warning
  /// for the user. A warning reports a parameter that is ignored, because the chosen technique does not use it. The program
  /// continues after a warning.
  Registry(std::filesystem::path directory, Warn warn);

  /// The plugin directory: `given` if it is not empty, else $ECBENCH_PLUGIN_DIR if it is not empty, else the directory `plugins`
  /// next to the program if it exists, else the plugin directory of the installation if it exists. If neither directory exists, the
  /// result is the path of `plugins` next to the program.
  static std::filesystem::path default_directory(const std::string& given);

  const std::filesystem::path& directory() const { return directory_; }

  /// The names of all plugins in the directory, sorted. Throws Error if the directory cannot be read.
  std::vector<std::string> names() const;

  std::filesystem::path path_of(const std::string& name) const;

  /// After this call, unknown parameters in profiles are ignored, as in Ceph. Without this call, profiles with unknown parameters
  /// are refused.
  void ignore_unknown_parameters() { ignores_unknown_ = true; }

  /// The name of a loaded plugin whose codes run in the runtime of another language (Plugin::has_runtime), or "" if no such plugin
  /// is loaded. After a fork(), the child process does not have the threads of this runtime.
  std::string plugin_with_runtime() const;

  /// `prepare` is called with each plugin before it is loaded.
  void before_loading(std::function<void(const PluginFile& plugin)> prepare) { prepare_ = std::move(prepare); }

  /// Loads plugin `name` if it is not loaded yet. `name` may be an alias. Throws Error if the plugin does not exist, cannot be
  /// loaded or was built for another version of the contract. The error message is one line.
  const Plugin& load(const std::string& name);

  /// Completes `profile` with the defaults of the chosen technique and makes the code. Throws Error if the profile is invalid, if
  /// limits.dispatch is unknown, or if the plugin or the CPU does not support this dispatch level. Also throws Error if `plugin` is
  /// an alias that means another dispatch level.
  std::unique_ptr<ErasureCode> make(const std::string& plugin, Profile& profile, const Limits& limits = {});

  /// Returns a function that makes ChunkProducts objects. These objects multiply with the kernels of `plugin`. Throws the same
  /// errors as Plugins::products().
  ProductMaker products(const std::string& plugin, const Limits& limits = {});

 private:
  class Others;

  /// Loads the plugin and checks that its kernels can be limited to limits.dispatch.
  const Plugin& load_for(const std::string& name, const Limits& limits);

  std::filesystem::path directory_;
  Warn warn_;
  bool ignores_unknown_ = false;
  std::function<void(const PluginFile& plugin)> prepare_;
  std::map<std::string, const Plugin*> loaded_;
};

}  // namespace ecbench
