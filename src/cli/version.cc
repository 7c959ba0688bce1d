#include "cli/version.h"

#include <nlohmann/json.hpp>

#include "benchmark/environment/environment.h"
#include "benchmark/workloads/workload.h"
#include "cli/options.h"
#include "erasure_code/dispatch.h"
#include "erasure_code/plugin.h"
#include "report/columns.h"
#include "report/reporter.h"

namespace ecbench {

void print_version(const std::string& format, std::ostream& out) {
  const BuildInfo build = build_info();
  if (format != "json") {
    out << "ecbench " << build.version << "\ncompiler: " << build.compiler << ", " << build.build_type << '\n';
    return;
  }
  const nlohmann::ordered_json json{{"version", build.version},           {"git_revision", build.git_revision},
                                    {"compiler", build.compiler},         {"build_type", build.build_type},
                                    {"contract", ECBENCH_PLUGIN_VERSION}, {"row_schema_version", row_schema_version},
                                    {"workloads", workload_names()},      {"options", option_names()},
                                    {"formats", format_names()},          {"dispatch_levels", dispatch_level_names()}};
  out << json.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace) << '\n';
}

}  // namespace ecbench
