// The plugin `ceph`: the erasure code plugins of the Ceph that is installed on this system.

#include "erasure_code/plugin.h"

#include <algorithm>

#include "erasure_code/error.h"
#include "plugins/ceph/installed_ceph.h"

namespace ecbench::ceph_plugins {
namespace {

constexpr int most_chunks = 256;

Parameter number(const std::string& name, const std::string& meaning, long maximum = most_chunks) {
  return number_parameter(
      name, "", -1, maximum,
      name + " is a number of chunks, bits or bytes; -1 means that " + name + " is not given, as in stored profiles of Ceph's lrc",
      meaning);
}

std::vector<Parameter> parameters() {
  return {
      text_parameter("plugin", "", "Ceph's plugin: jerasure, isa, shec, lrc or clay. This parameter is required"),
      text_parameter("technique", "",
                     "the technique of Ceph's plugin. The meanings and defaults of all parameters are those of Ceph's plugin"),
      number("k", "data chunks"),
      number("m", "coding chunks"),
      number("c", "shec: the number of lost chunks that can always be recovered"),
      number("d", "clay: the number of chunks from which one lost chunk is repaired"),
      number("l", "lrc: locality, the number of chunks from which one lost chunk is rebuilt"),
      number("w", "bits of a word", 64),
      number("packetsize", "jerasure, bit-matrix techniques: bytes of a packet", 1 << 30),
      text_parameter("jerasure-per-chunk-alignment", "", "jerasure: if true, each chunk is padded instead of the whole object"),
      text_parameter("scalar_mds", "", "clay: the plugin of Ceph that computes clay's scalar code"),
      text_parameter("mapping", "", "the positions of the chunks: one character for each chunk, D for a data chunk"),
      text_parameter("layers", "", "lrc: a JSON list of layers, instead of k, m and l"),
  };
}

std::unique_ptr<ErasureCode> make(const Profile& profile, const Context&) {
  ceph::CephProfile given;
  for (const auto& [key, value] : profile.values()) {
    if (!value.empty()) given[key] = value;
  }
  const std::string plugin = profile.text("plugin");
  if (plugin.empty())
    throw Error(
        "plugin ceph needs the name of a plugin of Ceph: jerasure, isa, shec, lrc or clay; give, for example, "
        "--parameter plugin=jerasure");
  return make_code(plugin, given);
}

const Plugin& plugin() {
  static const Plugin plugin{
      .name = "ceph",
      .summary = "the plugins of the installed Ceph " + release(),
      .techniques = {{.summary = "any profile of Ceph's plugins jerasure, isa, shec, lrc and clay",
                      .parameters = parameters(),
                      .make = make}},
  };
  return plugin;
}

}  // namespace
}  // namespace ecbench::ceph_plugins

ECBENCH_PLUGIN(ecbench::ceph_plugins::plugin())
