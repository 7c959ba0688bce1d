#include "restore/restore.h"

#include <charconv>
#include <iostream>

#include "cli/commands.h"
#include "erasure_code/error.h"

namespace ecbench {
namespace {

/// "0x3523f5a6", or decimal.
std::uint32_t parse_crc32c(const std::string& text) {
  const bool is_hex = text.starts_with("0x") || text.starts_with("0X");
  std::uint32_t value = 0;
  const char* end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data() + (is_hex ? 2 : 0), end, value, is_hex ? 16 : 10);
  if (error == std::errc() && rest == end) return value;
  throw Error("--crc32c " + text + " is not allowed: give the data_digest of the object, such as 0x3523f5a6");
}

RestoreRequest request_of(const Call& call, const PointOptions& options) {
  const Arguments& arguments = call.arguments;
  RestoreRequest request{.directory = arguments.path("chunks-in"),
                         .object_file = arguments.path("object-out"),
                         .profile = options.point.profile,
                         .ceph_dump_file = arguments.path("ceph-dump"),
                         .osdmap_file = arguments.path("osdmap"),
                         .erased = options.point.erased,
                         .limits = limits_of(options.point)};
  if (request.directory.empty()) throw Error("restore needs the directory of the chunk files: give ecbench restore DIR");
  if (arguments.has("ceph-pool")) request.ceph_pool = arguments.text("ceph-pool");
  if (arguments.has("crc32c")) request.crc32c = parse_crc32c(arguments.text("crc32c"));
  if (options.plugin_given) request.plugin = options.point.plugin;
  if (arguments.has("size")) request.object_size_bytes = options.point.size_bytes;
  if (options.given.count("stripe-unit") != 0) request.stripe_unit_bytes = options.point.stripe_unit_bytes;
  return request;
}

Files files_read(const RestoreRequest& request) {
  Files files = files_in(request.directory, "DIR", belongs_to_chunk_set);
  files.emplace_back("--ceph-dump " + request.ceph_dump_file, request.ceph_dump_file);
  files.emplace_back("--osdmap " + request.osdmap_file, request.osdmap_file);
  return files;
}

}  // namespace

/// What --help has no place for: missing chunks and those of --erased are treated as lost. Code, sizes and digests are from
/// DIR/manifest.json, otherwise from --osdmap and --ceph-dump, or from --plugin, --parameter, --stripe-unit, --size and --crc32c.
void add_restore_options(po::options_description& options, bool as_ceph) {
  const auto text = [] { return po::value<std::string>(); };
  auto add = options.add_options();
  add("object-out", text()->value_name("FILE"), "file for the object (default: standard output)");
  add("osdmap", text()->value_name("FILE"), "profile and stripe unit: output of ceph osd dump --format json");
  add("ceph-pool", text()->value_name("NAME"), "pool in --osdmap (default: that of --ceph-dump)");
  add("ceph-dump", text()->value_name("FILE"), "size and digests: output of ceph-objectstore-tool ... dump");
  add("crc32c", text()->value_name("VALUE"), "digest of the object: data_digest in the dump");
  add_point_options(options, as_ceph, {"plugin", "parameter", "stripe-unit", "size", "erased", "dispatch"});
  add_plugin_directory(options);
}

int run_restore(const Call& call) {
  const PointOptions options = take_point_options(call.arguments, call.as_ceph);
  const RestoreRequest request = request_of(call, options);
  for (const std::string& warning : options.warnings) note(options.as_ceph, warning);
  check_overlap({{"--object-out " + request.object_file, request.object_file}}, files_read(request), options.plugins.directory);
  Registry registry = registry_of(options.plugins);
  restore_object(request, registry, std::cout, say);
  return 0;
}

}  // namespace ecbench
