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

/// The absolute path of the program, without symbolic links; empty if /proc cannot be read. Not /proc/self/exe, which is the
/// dynamic loader if the program was started as an argument of the loader.
std::filesystem::path own_program();

/// The directory of own_program(). Throws Error if /proc cannot be read.
std::filesystem::path program_directory();

/// dlopen() with RTLD_NOW. It is declared noexcept, so a direct call would abort the program if a static initialiser throws; the
/// compiler assumes that a call through a volatile pointer may throw.
void* open_library(const std::string& name, int flags);

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

  /// Throws Error if `directory` is not a directory. `warn` gets a text for each parameter that is ignored because the chosen
  /// technique does not use it.
  Registry(std::filesystem::path directory, Warn warn);

  /// `given`, else $ECBENCH_PLUGIN_DIR, unless they are empty; else `plugins` next to the program, unless only the plugin directory
  /// of the installation exists.
  static std::filesystem::path default_directory(const std::string& given);

  const std::filesystem::path& directory() const { return directory_; }

  /// The names of all plugins in the directory, sorted. Throws Error if the directory cannot be read.
  std::vector<std::string> names() const;

  std::filesystem::path path_of(const std::string& name) const;

  /// As Ceph does; without this call, they are refused.
  void ignore_unknown_parameters() { ignores_unknown_ = true; }

  /// A loaded plugin with Plugin::has_runtime, or "". After a fork(), the child process does not have the threads of its runtime.
  std::string plugin_with_runtime() const;

  /// `prepare` is called with each plugin before it is loaded.
  void before_loading(std::function<void(const PluginFile& plugin)> prepare) { prepare_ = std::move(prepare); }

  /// Loads the plugin if it is not loaded yet. `name` may be an alias. Throws Error if it does not exist, cannot be loaded or was
  /// built for another version of the contract.
  const Plugin& load(const std::string& name);

  /// Completes `profile` with the defaults of the chosen technique and makes the code. Throws Error for an invalid profile or
  /// dispatch level, also for one that the plugin or the CPU does not support, or that an alias does not mean.
  std::unique_ptr<ErasureCode> make(const std::string& plugin, Profile& profile, const Limits& limits = {});

  /// As Plugins::products().
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
