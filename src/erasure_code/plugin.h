// What a plugin, libec_<name>.so, shows of itself: its techniques, their parameters, and how to make a code of each. To add a
// plugin, write a Plugin, name it in ECBENCH_PLUGIN, and build the file as a shared object; to add a technique, add it to the list.

#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "erasure_code/erasure_code.h"
#include "erasure_code/parameter.h"
#include "erasure_code/profile.h"

/// Counts the releases of this contract: every release in which a header of erasure_code/ changed has the next number, so that a
/// plugin built for another one is refused before any of it is used. Between releases the number stays while the headers move:
/// build plugins anew with every checkout.
#define ECBENCH_PLUGIN_VERSION "ecbench plugin contract 3"

namespace ecbench {

/// Makes a code of another plugin, for codes that are built on codes.
using CodeFactory = std::function<std::unique_ptr<ErasureCode>(const std::string& plugin, Profile& profile)>;

struct Technique {
  std::string name;     ///< value of `technique` in the profile; "" for the only technique of a plugin that has no name
  std::string summary;  ///< one line for `--list`
  std::vector<Parameter> parameters;
  /// Makes the code of a profile that has been completed by `parameters`. Throws Error if its values do not fit each other.
  std::function<std::unique_ptr<ErasureCode>(const Profile& profile, const CodeFactory& make_code)> make;
};

struct Plugin {
  std::string name;
  std::string summary;            ///< one line for `--list`, with the version of the library below, if any
  std::string default_technique;  ///< "" where the user must choose
  std::vector<Technique> techniques;
  /// The levels of dispatch.h that its kernels can be limited to, beside native, which every plugin has. A plugin that leaves all
  /// arithmetic to codes of other plugins names every level: these plugins are asked too.
  std::vector<std::string> dispatch_levels = {};
  /// Makes the codes made from now on run one of these levels, or "native". Called when the plugin is loaded, before it makes any
  /// code, and only with a level that the CPU has. Throws Error if the library below cannot do it any more. Null where there is no
  /// choice to make.
  std::function<void(const std::string& level)> set_dispatch = {};
};

}  // namespace ecbench

/// Defines the two entry points of a plugin. `plugin` is an expression for a `const ecbench::Plugin&` that lives as long as the
/// process; it may throw.
#define ECBENCH_PLUGIN(plugin)                                                                \
  extern "C" __attribute__((visibility("default"))) const char* ecbench_plugin_version() {    \
    return ECBENCH_PLUGIN_VERSION;                                                            \
  }                                                                                           \
  extern "C" __attribute__((visibility("default"))) const ecbench::Plugin* ecbench_plugin() { \
    return &(plugin);                                                                         \
  }
