#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <iostream>
#include <optional>

#include "benchmark/environment/environment.h"
#include "benchmark/instructions/instructions.h"
#include "benchmark/measurement/measurement.h"
#include "benchmark/profiling/profiling.h"
#include "benchmark/sampling/probe.h"
#include "benchmark/warnings/remarks.h"
#include "cli/commands.h"
#include "erasure_code/benchmark_info.h"
#include "erasure_code/error.h"
#include "report/columns.h"
#include "report/json.h"

namespace ecbench {
namespace {

void write_line(const std::string& option, const std::string& path, const std::string& text) {
  std::ofstream file(path, std::ios::trunc);
  if (file) file << text << '\n' << std::flush;
  if (!file) throw Error("cannot write " + option + " " + path + ": " + std::strerror(errno));
}

/// With --format ceph, on standard output as Ceph's tool: that of --erased always, random ones never, exhaustive ones with
/// --verbose, once per iteration. Otherwise each once on standard error, with --verbose.
void print_patterns(const MeasureOptions& options, const ResolvedPoint& resolved, const Workload& workload) {
  const Point& point = resolved.point;
  const int chunk_count = resolved.code->chunk_count();
  const bool is_ceph = options.format == "ceph";
  if (is_ceph && resolved.workload.losses == Losses::any && !point.erased.empty()) {
    return print_pattern(point.erased, chunk_count, std::cout);
  }
  if (!options.verbose || (is_ceph && point.generation != ErasureGeneration::exhaustive)) return;
  for (std::uint64_t i = 0; i < (is_ceph ? point.iterations : 1); i++) {
    for (const Positions& erased : workload.erased()) print_pattern(erased, chunk_count, is_ceph ? std::cout : std::cerr);
  }
}

Measurement measured(const MeasureOptions& options, const ResolvedPoint& resolved, const Prepared& prepared) {
  const EncodedObject* object = prepared.object.get();
  const Workload* workload = prepared.workload.get();
  const Point& point = resolved.point;
  const ProbeSpeed reference = read_reference(reference_file(), machine_name(read_cpu_info(machine_root())));
  Measurement measurement = measure(point, *object, *workload, reference, prepared.background.get());
  if (!resolved.workload.is_reference_loop) measurement.kernel = kernels_text(*workload, *resolved.code);
  if (options.count_instructions) {
    measurement.instructions = count_instructions(point, *object, *workload, std::max<std::uint64_t>(point.iterations, 1));
    if (!options.instructions_file.empty()) {
      write_line("--instructions-out", options.instructions_file, instructions_text(*measurement.instructions));
    }
  }
  if (!runs_under_valgrind()) measurement.plan_ns = plan_ns(*resolved.code, workload->plan_requests(), point.cpus);
  // Last, because it may change the state of caches and language runtimes.
  if (!resolved.workload.is_reference_loop && !runs_under_valgrind()) {
    measurement.call_overhead_ns = call_overhead_ns(*resolved.code, point.cpus);
    if (point.workload == "encode") measurement.crc32c_seconds_per_gb = crc32c_seconds_per_gb(*object, point.cpus);
  }
  return measurement;
}

/// And stores the probes' speed for later runs. With --strict, throws Error for a warning.
void judge(const Call& call, const MeasureOptions& options, const InterferenceCounters& before, Row& row) {
  Environment environment = environment_of(call, options.point);
  environment.during_run = interference_between(before, read_interference_counters());
  const bool stored = store_reference(reference_file(), machine_name(environment.cpu), row.measurement.undisturbed);
  const FigureRemarks remarks = figure_remarks(row.measurement, row.summary, environment, stored);
  row.warnings.insert(row.warnings.end(), remarks.warnings.begin(), remarks.warnings.end());
  row.notes.insert(row.notes.end(), remarks.notes.begin(), remarks.notes.end());
  if (options.strict && !row.warnings.empty()) {
    throw Error("--strict: this figure cannot be trusted: " + joined_texts(row.warnings));
  }
}

void note_missing_kernels(const MeasureOptions& options, Row& row) {
  const std::optional<LibrarySymbols> isal = loaded_isal();
  if (!isal) return;
  const std::vector<std::string> flags = read_cpu_info(machine_root()).flags;
  if (const auto note = missing_kernels(*isal, row.measurement.kernel, options.point.dispatch, flags)) row.notes.push_back(*note);
}

void report(const MeasureOptions& options, const Row& row) {
  if (!options.output_file.empty()) append_line(options.output_file, json_line(row));
  write_row(row, options.format, isatty(STDOUT_FILENO) != 0, std::cout);
  if (!options.as_ceph) say_remarks(options.verbose, row.warnings, row.notes);
}

void take_instructions(const Arguments& arguments, MeasureOptions& options) {
  options.count_instructions = arguments.has("count-instructions");
  options.instructions_file = arguments.path("instructions-out");
  if (!options.instructions_file.empty() && !options.count_instructions) {
    throw Error("--instructions-out " + options.instructions_file +
                " is not allowed without --count-instructions; give both options, or leave --instructions-out out");
  }
  if (!options.count_instructions) return;
  if (options.as_ceph)
    throw Error(
        "--count-instructions is not allowed with the format of Ceph's tool, which contains no instruction counts; leave --format "
        "ceph out, and call the program by the name ecbench");
  if (options.point.threads > 1) {
    throw Error("--threads " + std::to_string(options.point.threads) +
                " is not allowed with --count-instructions, which counts the instructions of one thread; leave --threads out");
  }
}

}  // namespace

void add_measure_options(po::options_description& options, bool as_ceph) {
  const auto text = [] { return po::value<std::string>(); };
  auto add = options.add_options();
  add("verbose,v", "print warnings, notes and erasure patterns");
  add("strict", "no row if there is a warning");
  add_point_options(options, as_ceph);
  add("input", text()->value_name("FILE"), "read the object from FILE");
  add_plugin_directory(options);
  add("format", text()->value_name("FORMAT"), joined(format_names(), "|").c_str());
  add("output", text()->value_name("FILE"), "append the row to FILE, as a line of JSON");
  // For profilers. count-instructions single-steps a copy of this process, for --iterations N (default 1); instructions-out writes
  // how often each instruction ran, symbols the addresses of the kernels, both as JSON.
  add("count-instructions", "");
  add("instructions-out", text()->value_name("FILE"), "");
  add("symbols", text()->value_name("FILE"), "");
}

MeasureOptions take_measure_options(const Call& call) {
  const Arguments& arguments = call.arguments;
  MeasureOptions options;
  options.format = !arguments.has("format") && call.as_ceph ? "ceph" : arguments.choice("format", format_names());
  static_cast<PointOptions&>(options) = take_point_options(arguments, call.as_ceph || options.format == "ceph");
  check_losses(options);
  options.strict = arguments.has("strict");
  options.verbose = arguments.has("verbose");
  options.output_file = arguments.path("output");
  options.symbols_file = arguments.path("symbols");
  take_instructions(arguments, options);
  for (const std::string& warning : options.warnings) note(options.as_ceph, warning);
  const std::string& limit_file = options.point.sampling.limit_file;
  check_overlap({{"--output " + options.output_file, options.output_file},
                 {"--symbols " + options.symbols_file, options.symbols_file},
                 {"--instructions-out " + options.instructions_file, options.instructions_file}},
                {{"--input " + options.input_file, options.input_file},
                 {"--limit-file " + limit_file, limit_file},
                 {"the file in which ecbench stores the speeds of its probes", reference_file()}},
                options.plugins.directory);
  if (!options.output_file.empty()) require_appendable(options.output_file);
  return options;
}

Prepared prepare(const MeasureOptions& options, const ResolvedPoint& resolved, SetUp& set_up) {
  const Point& point = resolved.point;
  if (!options.symbols_file.empty()) write_line("--symbols", options.symbols_file, symbols_text(kernel_symbols(*resolved.code)));
  Prepared prepared{.object = std::make_unique<EncodedObject>(*resolved.code, set_up.object, point.stripe_unit_bytes, resolved.lost,
                                                              extras_of(resolved.workload, point))};
  if (point.background) prepared.background = std::make_unique<BackgroundWork>(point, *resolved.code, set_up.object);
  std::vector<std::uint8_t>().swap(set_up.object);
  prepared.workload = make_workload(point, *prepared.object);
  set_up.notice = {};
  print_patterns(options, resolved, *prepared.workload);
  if (!prepared.workload->note().empty()) note(options.as_ceph, prepared.workload->note());
  return prepared;
}

void measure(const Call& call, const MeasureOptions& options, const ResolvedPoint& resolved, const Prepared& prepared) {
  const InterferenceCounters before = read_interference_counters();
  const std::string date = now_utc();
  Row row{.measurement = measured(options, resolved, prepared)};
  row.host = host_name(private_names());
  row.date = date;
  row.codec_libraries = resolved.codec_libraries;
  row.summary = summarize(row.measurement);
  row.command = command_line(resolved.point, call.program(), options.plugins.directory, options.input_file);
  if (options.as_ceph && options.format != "ceph") row.command += " --format " + options.format;
  if (options.count_instructions) row.command += " --count-instructions";
  if (!runs_under_valgrind()) {
    note_missing_kernels(options, row);
    judge(call, options, before, row);
  }
  report(options, row);
  flush_output();
}

int run_measure(const Call& call) {
  const MeasureOptions options = take_measure_options(call);
  Registry registry = registry_of(options.plugins);
  SetUp set_up;
  const ResolvedPoint resolved = resolve(call, options, registry, set_up);
  const Prepared prepared = prepare(options, resolved, set_up);
  measure(call, options, resolved, prepared);
  return 0;
}

}  // namespace ecbench
