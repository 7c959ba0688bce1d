#include "cli/run.h"

#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <iomanip>
#include <iostream>
#include <sstream>

#include "benchmark/encoded_object.h"
#include "benchmark/environment.h"
#include "benchmark/fitness.h"
#include "benchmark/measure.h"
#include "benchmark/memory.h"
#include "benchmark/object.h"
#include "cli/chunk_files.h"
#include "cli/command_line.h"
#include "cli/listing.h"
#include "cli/options.h"
#include "cli/version.h"
#include "erasure_code/error.h"
#include "erasure_code/registry.h"
#include "report/append.h"
#include "report/environment_json.h"
#include "report/reporter.h"

namespace ecbench {
namespace {

// As Ceph's tool prints it.
void print_pattern(const Positions& erased, int chunk_count) {
  std::cerr << "chunks ";
  for (int position = 0; position < chunk_count; position++) {
    const bool lost = std::ranges::find(erased, position) != erased.end();
    std::cerr << (lost ? "(" : " ") << position << (lost ? ")" : " ") << ' ';
  }
  std::cerr << "(X) is an erased chunk\n";
}

void require_memory_for(const Point& point, const ErasureCode& code, std::size_t size_bytes) {
  const std::size_t chunk_size = stripe_chunk_size(code, size_bytes, point.stripe_unit_bytes);
  const std::size_t footprint =
      chunk_size * stripe_count(code, size_bytes, chunk_size) * static_cast<std::size_t>(code.chunk_count());
  require_memory(size_bytes, static_cast<double>(size_bytes) + 2.0 * static_cast<double>(footprint) + measure_bytes(point, footprint));
}

/// The object, once it is known that it fits in memory with all that is computed from it.
std::vector<std::uint8_t> object_bytes(const Options& options, const ErasureCode& code) {
  std::size_t size_bytes = options.point.size_bytes;
  std::error_code not_a_file;
  if (size_bytes == 0) size_bytes = std::filesystem::file_size(options.input_file, not_a_file);
  if (!not_a_file && size_bytes > 0) require_memory_for(options.point, code, size_bytes);
  if (options.input_file.empty() && options.point.fill) return std::vector<std::uint8_t>(size_bytes, *options.point.fill);
  if (options.input_file.empty()) return random_object(size_bytes, options.point.seed);
  return object_from_file(options.input_file, options.point.size_bytes);
}

Environment environment_of(const Options& options) {
  Environment environment = read_environment(options.arguments);
  environment.threads = options.point.threads;
  environment.pinned_cpus = options.point.cpus;
  return environment;
}

/// Loads the plugin that the command line names, else all that can be loaded, so that the codec libraries below are seen.
void print_environment(const Options& options, Registry& registry) {
  for (const std::string& name : options.plugin_given ? std::vector{options.point.plugin} : registry.names()) {
    try {
      registry.load(name);
    } catch (const Error& error) {
      if (options.plugin_given) throw;
      say(error.what());
    }
  }
  const Environment environment = environment_of(options);
  if (options.strict) require_fit(environment);
  for (const std::string& reason : unfit(environment)) say(reason);
  std::cout << environment_text(environment) << '\n';
}

void require_undisturbed(const Options& options, const InterferenceCounters& before) {
  Environment environment = environment_of(options);
  environment.during_run = interference_between(before, read_interference_counters());
  require_fit(environment);
}

/// Samples of one run that drift apart by more than the floor say that the machine changes: the interval may not hold tomorrow.
void warn_of_drift(const Summary& summary) {
  constexpr double notable = 0.03;
  if (std::abs(summary.drift) <= notable) return;
  std::ostringstream percent;
  percent << std::showpos << std::setprecision(2) << summary.drift * 100;
  say("the speed drifted by " + percent.str() + " % within the run: the machine is not quiet");
}

void measure_and_print(Options& options, Registry& registry) {
  if (!options.output_file.empty()) require_appendable(options.output_file);
  Point& point = options.point;
  registry.set_dispatch(point.dispatch);
  const std::unique_ptr<ErasureCode> code = registry.make(point.plugin, point.profile);
  check_erasures(point, code->chunk_count(), code->coding_chunk_count());
  if (options.strict) require_fit(environment_of(options));
  std::vector<std::uint8_t> bytes = object_bytes(options, *code);
  point.size_bytes = bytes.size();
  const EncodedObject object(*code, bytes, point.stripe_unit_bytes);
  std::vector<std::uint8_t>().swap(bytes);
  if (!options.chunks_directory.empty()) write_chunk_files(options.chunks_directory, object.chunks());
  const std::unique_ptr<Workload> workload = make_workload(point, object);
  if (workload->patterns() == 0) point.erasures = 0;  // nothing is lost
  if (!workload->note().empty()) say(workload->note());
  if (options.verbose) {
    for (const Positions& erased : workload->erased()) print_pattern(erased, code->chunk_count());
  }
  const InterferenceCounters before = read_interference_counters();
  Row row{.measurement = measure(point, object, *workload)};
  if (options.strict) require_undisturbed(options, before);
  row.measurement.kernel = code->kernel();
  row.summary = summarize(row.measurement);
  row.command = command_line(options, point.profile);
  warn_of_drift(row.summary);
  make_reporter(options.format, isatty(STDOUT_FILENO) != 0)->print(row, std::cout);
  if (!options.output_file.empty()) append_line(options.output_file, json_line(row));
}

}  // namespace

void say(const std::string& message) { std::cerr << "ecbench: " << message << std::endl; }

int run(const std::vector<std::string>& arguments) {
  Options options = parse_options(arguments);
  if (options.help) std::cout << help_text(options.program);
  if (options.version) std::cout << version_text();
  if (options.help || options.version) return 0;
  for (const std::string& warning : options.warnings) say(warning);
  Registry registry(Registry::default_directory(options.plugin_directory), say);
  if (options.list) return print_plugins(registry, std::cout, std::cerr) ? 0 : 1;
  if (options.environment) {
    print_environment(options, registry);
    return 0;
  }
  measure_and_print(options, registry);
  return 0;
}

}  // namespace ecbench
