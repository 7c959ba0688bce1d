#include <iostream>

#include "cli/commands.h"
#include "erasure_code/dispatch.h"
#include "erasure_code/plugin.h"
#include "report/columns.h"
#include "report/json.h"

namespace ecbench {
namespace {

/// As JSON, also the features of this build: src/report/version.schema.json. Loads no plugin.
void print_version(bool as_json, std::ostream& out) {
  const BuildInfo build = build_info();
  if (!as_json) {
    out << "ecbench " << build.version << "\ncompiler: " << build.compiler << ", " << build.build_type << '\n';
    return;
  }
  const nlohmann::ordered_json json{{"version", build.version},
                                    {"git_revision", build.git_revision},
                                    {"compiler", build.compiler},
                                    {"build_type", build.build_type},
                                    {"contract", ECBENCH_PLUGIN_VERSION},
                                    {"row_schema_version", row_schema_version},
                                    {"workloads", workload_names()},
                                    {"options", option_names()},
                                    {"commands", command_options()},
                                    {"formats", format_names()},
                                    {"dispatch_levels", dispatch_level_names()}};
  out << on_one_line(json) << '\n';
}

}  // namespace

void add_schema_options(po::options_description&, bool) {}

int run_schema(const Call&) {
  std::cout << row_schema() << '\n';
  return 0;
}

void add_version_options(po::options_description& options, bool) {
  options.add_options()("format", po::value<std::string>()->value_name("table|json"), "default table");
}

int run_version(const Call& call) {
  print_version(call.arguments.choice("format", {"table", "json"}) == "json", std::cout);
  return 0;
}

}  // namespace ecbench
