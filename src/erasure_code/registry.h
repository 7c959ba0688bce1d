// Finds, loads and checks plugins, and makes codes of them. Plugins are never unloaded, so that profilers can name their functions
// to the last.

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

/// A plugin that is about to be loaded.
struct PluginFile {
  std::string name;
  std::filesystem::path path;
  bool ends_process = false;  ///< marked by ECBENCH_PLUGIN_ENDS_PROCESS
};

/// What applies to a code and to the codes below it.
struct Limits {
  std::string dispatch = native_dispatch;  ///< one of dispatch_level_names()
  int threads = 1;                         ///< how many threads will run codes at a time, for runtimes of other languages
};

class Registry {
 public:
  using Warn = std::function<void(const std::string&)>;

  /// A registry of the plugins in `directory`; throws Error if that is not a directory. `warn` is called with what a user should
  /// know though it stops nothing: parameters that have no effect on a technique, but on others.
  Registry(std::filesystem::path directory, Warn warn);

  /// The directory to use: `given` if it is not empty, else $ECBENCH_PLUGIN_DIR, else the one next to the executable, else the
  /// install prefix's.
  static std::filesystem::path default_directory(const std::string& given);

  const std::filesystem::path& directory() const { return directory_; }

  /// The names of all plugins in the directory, sorted. Throws Error if it cannot be read.
  std::vector<std::string> names() const;

  std::filesystem::path path_of(const std::string& name) const;

  /// Makes codes also of profiles with parameters that no code has, as Ceph does. Otherwise they are refused.
  void ignore_unknown_parameters() { ignores_unknown_ = true; }

  /// A plugin that is loaded and has a runtime of another language, whose threads no copy of this process has; "" if none has one.
  std::string plugin_with_runtime() const;

  /// `prepare` is called with each plugin before it is loaded.
  void before_loading(std::function<void(const PluginFile& plugin)> prepare) { prepare_ = std::move(prepare); }

  /// Loads plugin `name`, which may be an alias, unless it is loaded. Throws Error, in one line, if there is none, or it was built
  /// for another version of the contract.
  const Plugin& load(const std::string& name);

  /// Completes `profile` with the defaults of the technique it chooses and makes the code. Throws Error if the profile is not
  /// sound, if there is no level limits.dispatch, if the plugin or the CPU lacks it, or if an alias means another one.
  std::unique_ptr<ErasureCode> make(const std::string& plugin, Profile& profile, const Limits& limits = {});

  /// What makes products that run the kernels of `plugin`. Throws Error as Plugins::products() does.
  ProductMaker products(const std::string& plugin, const Limits& limits = {});

 private:
  class Others;

  /// The plugin, which can be limited as `limits` say.
  const Plugin& load_for(const std::string& name, const Limits& limits);

  std::filesystem::path directory_;
  Warn warn_;
  bool ignores_unknown_ = false;
  std::function<void(const PluginFile& plugin)> prepare_;
  std::map<std::string, const Plugin*> loaded_;
};

}  // namespace ecbench
