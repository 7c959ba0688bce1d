#include "cli/restore_request.h"

#include <set>

#include "cli/run.h"
#include "erasure_code/error.h"

namespace ecbench {

RestoreRequest restore_request(const Options& options) {
  static const std::set<std::string> used{"chunks-in", "object-out",  "plugin",           "parameter", "size",
                                          "erased",    "stripe-unit", "erasure-code-dir", "dispatch"};
  for (const std::string& option : options.given) {
    if (used.count(option) != 0) continue;
    throw Error("--" + option + " is not allowed with --chunks-in, which decodes chunk files and measures nothing; leave --" +
                option + " out");
  }
  const Point& point = options.point;
  RestoreRequest request{.directory = options.chunks_in_directory,
                         .object_file = options.object_file,
                         .profile = point.profile,
                         .erased = point.erased,
                         .limits = limits_of(point)};
  if (options.plugin_given) request.plugin = point.plugin;
  if (options.given.count("size") != 0) request.object_size_bytes = point.size_bytes;
  if (options.given.count("stripe-unit") != 0) request.stripe_unit_bytes = point.stripe_unit_bytes;
  return request;
}

}  // namespace ecbench
