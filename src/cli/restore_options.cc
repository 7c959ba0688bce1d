#include "cli/restore_options.h"

#include <charconv>
#include <set>

#include "cli/choices.h"
#include "cli/run.h"
#include "erasure_code/error.h"

namespace ecbench {
namespace {

namespace po = boost::program_options;

/// "0x3523f5a6", or decimal.
std::uint32_t parse_crc32c(const std::string& text) {
  const bool is_hex = text.starts_with("0x") || text.starts_with("0X");
  std::uint32_t value = 0;
  const char* end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data() + (is_hex ? 2 : 0), end, value, is_hex ? 16 : 10);
  if (error == std::errc() && rest == end) return value;
  throw Error("--crc32c " + text + " is not allowed: give the data_digest of the object, such as 0x3523f5a6");
}

}  // namespace

void describe_restore_options(po::options_description& options) {
  const auto text = [] { return po::value<std::string>(); };
  auto add = options.add_options();
  add("chunks-in", text()->value_name("DIR"),
      "decode the object from its chunks, the files 0 to n-1 in DIR. Nothing is measured. Missing chunks and the chunks of "
      "--erased are treated as lost. DIR/manifest.json contains the profile, the sizes and the digests. If this file does not "
      "exist, give --osdmap and --ceph-dump, or --plugin, --parameter, --stripe-unit, --size and --crc32c. Without --size, the "
      "padding is not removed");
  add("object-out", text()->value_name("FILE"), "file for the object that --chunks-in decodes (default: standard output)");
  add("osdmap", text()->value_name("FILE"),
      "take the profile and the stripe unit from FILE, the output of 'osdmaptool MAP --dump json' or 'ceph osd dump --format "
      "json'");
  add("ceph-pool", text()->value_name("NAME"), "name of the object's pool in --osdmap (default: the pool in --ceph-dump)");
  add("ceph-dump", text()->value_name("FILE"),
      "take the size and the digests (CRC-32C) of the object and its chunks from FILE, the output of 'ceph-objectstore-tool "
      "--data-path PATH OBJECT dump'");
  add("crc32c", text()->value_name("VALUE"), "CRC-32C of the object: data_digest in the output of ceph-objectstore-tool");
}

void take_restore_options(const po::variables_map& values, Options& options) {
  options.chunks_in_directory = path_of(values, "chunks-in");
  options.object_file = path_of(values, "object-out");
  options.ceph_dump_file = path_of(values, "ceph-dump");
  options.osdmap_file = path_of(values, "osdmap");
  if (values.count("ceph-pool") != 0) options.ceph_pool = text_of(values, "ceph-pool", "");
  if (values.count("crc32c") != 0) options.crc32c = parse_crc32c(text_of(values, "crc32c", ""));
  if (!options.chunks_in_directory.empty()) return;
  for (const std::string option : {"object-out", "ceph-dump", "osdmap", "ceph-pool", "crc32c"}) {
    if (values.count(option) == 0) continue;
    throw Error("--" + option + " is not allowed without --chunks-in, which decodes the object; give both options, or leave --" +
                option + " out");
  }
}

RestoreRequest restore_request(const Options& options) {
  static const std::set<std::string> used{"chunks-in",        "object-out", "plugin",     "parameter", "size",
                                          "erased",           "osdmap",     "ceph-pool",  "ceph-dump", "crc32c",
                                          "erasure-code-dir", "dispatch",   "stripe-unit"};
  for (const std::string& option : options.given) {
    if (used.count(option) != 0) continue;
    throw Error("--" + option + " is not allowed with --chunks-in, which decodes chunk files and measures nothing; leave --" +
                option + " out");
  }
  const Point& point = options.point;
  RestoreRequest request{.directory = options.chunks_in_directory,
                         .object_file = options.object_file,
                         .profile = point.profile,
                         .crc32c = options.crc32c,
                         .ceph_dump_file = options.ceph_dump_file,
                         .osdmap_file = options.osdmap_file,
                         .ceph_pool = options.ceph_pool,
                         .erased = point.erased,
                         .limits = limits_of(point)};
  if (options.plugin_given) request.plugin = point.plugin;
  if (options.given.count("size") != 0) request.object_size_bytes = point.size_bytes;
  if (options.given.count("stripe-unit") != 0) request.stripe_unit_bytes = point.stripe_unit_bytes;
  return request;
}

}  // namespace ecbench
