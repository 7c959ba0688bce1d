#include "cli/measure_point.h"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <iostream>
#include <optional>
#include <system_error>
#include <thread>

#include "benchmark/codec_libraries/loaded_objects.h"
#include "benchmark/environment/cpu_info.h"
#include "benchmark/environment/environment.h"
#include "benchmark/environment/private_names.h"
#include "benchmark/instructions/instructions.h"
#include "benchmark/measurement/call_overhead.h"
#include "benchmark/measurement/measure.h"
#include "benchmark/measurement/plan_time.h"
#include "benchmark/objects/encoded_object.h"
#include "benchmark/profiling/profiling.h"
#include "benchmark/sampling/probe_reference.h"
#include "benchmark/warnings/remarks.h"
#include "cli/command_line.h"
#include "cli/resolved_point.h"
#include "cli/run.h"
#include "cli/slice_server.h"
#include "erasure_code/benchmark_info.h"
#include "erasure_code/error.h"
#include "erasure_code/names.h"
#include "report/append.h"
#include "report/json.h"
#include "report/reporter.h"
#include "restore/chunk_files.h"
#include "restore/digests.h"

namespace ecbench {
namespace {

void write_line(const std::string& option, const std::string& path, const std::string& text) {
  std::ofstream file(path, std::ios::trunc);
  if (file) file << text << '\n' << std::flush;
  if (!file) throw Error("cannot write " + option + " " + path + ": " + std::strerror(errno));
}

/// If set-up takes long, and standard error is a terminal. A system that starts no thread is no error.
std::jthread notice_of_long_setup(const Options& options) {
  constexpr double seconds = 2;
  if (isatty(STDERR_FILENO) == 0) return {};
  try {
    return after(seconds,
                 [&] { note(options, "set-up: the object is made, encoded and checked; this takes time, but is not timed"); });
  } catch (const std::system_error&) {
    return {};
  }
}

/// In the format of Ceph's tool.
void print_pattern(const Positions& erased, int chunk_count, std::ostream& out) {
  out << "chunks ";
  for (int position = 0; position < chunk_count; position++) {
    const bool lost = std::ranges::find(erased, position) != erased.end();
    out << (lost ? "(" : " ") << position << (lost ? ")" : " ") << ' ';
  }
  out << "(X) is an erased chunk\n";
}

/// With --format ceph, on standard output as Ceph's tool: that of --erased always, random ones never, exhaustive ones with
/// --verbose, once per iteration. Otherwise each once on standard error, with --verbose.
void print_patterns(const Options& options, const ResolvedPoint& resolved, const Workload& workload) {
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

std::unique_ptr<ChunkSetFiles> write_chunks(const Options& options, const Point& point, const EncodedObject& object,
                                            const std::string& object_sha256) {
  const ChunkBuffers& chunks = object.chunks();
  Manifest manifest{.plugin = plugin_named(point.plugin),
                    .profile = point.profile,
                    .object_size_bytes = object.object_size_bytes(),
                    .stripe_unit_bytes = point.stripe_unit_bytes,
                    .chunk_size_bytes = chunks.chunk_size_bytes(),
                    .object_sha256 = object_sha256};
  for (int position = 0; position < chunks.count(); position++) manifest.chunk_sha256.push_back(sha256({chunks.bytes(position)}));
  return std::make_unique<ChunkSetFiles>(options.chunks_directory, chunks, manifest);
}

struct Prepared {
  std::unique_ptr<const EncodedObject> object;
  std::unique_ptr<const Workload> workload;
  std::unique_ptr<BackgroundWork> background;  // null without --background
  std::unique_ptr<ChunkSetFiles> chunk_set;    // null without --chunks-out; removed after an error
};

/// Frees `bytes`. Also writes the files of --symbols and --chunks-out, and prints the patterns.
Prepared prepare(const Options& options, const ResolvedPoint& resolved, std::vector<std::uint8_t> bytes) {
  const Point& point = resolved.point;
  if (!options.symbols_file.empty()) write_line("--symbols", options.symbols_file, symbols_text(kernel_symbols(*resolved.code)));
  const std::string object_sha256 = options.chunks_directory.empty() ? "" : sha256({bytes});
  Prepared prepared{.object = std::make_unique<EncodedObject>(*resolved.code, bytes, point.stripe_unit_bytes, resolved.lost,
                                                              extras_of(resolved.workload, point))};
  if (point.background) prepared.background = std::make_unique<BackgroundWork>(point, *resolved.code, bytes);
  std::vector<std::uint8_t>().swap(bytes);
  prepared.workload = make_workload(point, *prepared.object);
  if (!options.chunks_directory.empty()) prepared.chunk_set = write_chunks(options, point, *prepared.object, object_sha256);
  print_patterns(options, resolved, *prepared.workload);
  if (!prepared.workload->note().empty()) note(options, prepared.workload->note());
  return prepared;
}

Measurement measured(const Options& options, const ResolvedPoint& resolved, const Prepared& prepared) {
  const EncodedObject* object = prepared.object.get();
  const Workload* workload = prepared.workload.get();
  const Point& point = resolved.point;
  const ProbeSpeed reference = read_reference(reference_file(), machine_name(read_cpu_info(machine_root())));
  Measurement measurement = measure(point, *object, *workload, reference, prepared.background.get());
  if (!resolved.workload.is_reference_loop) measurement.kernel = info_of(*resolved.code).kernel();
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
  }
  return measurement;
}

/// And stores the probes' speed for later runs. With --strict, throws Error for a warning.
void judge(const Options& options, const InterferenceCounters& before, Row& row) {
  Environment environment = environment_of(options);
  environment.during_run = interference_between(before, read_interference_counters());
  const bool stored = store_reference(reference_file(), machine_name(environment.cpu), row.measurement.undisturbed);
  const FigureRemarks remarks = figure_remarks(row.measurement, row.summary, environment, stored);
  row.warnings.insert(row.warnings.end(), remarks.warnings.begin(), remarks.warnings.end());
  row.notes.insert(row.notes.end(), remarks.notes.begin(), remarks.notes.end());
  if (options.strict && !row.warnings.empty()) {
    throw Error("--strict: this figure cannot be trusted: " + joined_texts(row.warnings));
  }
}

void note_missing_kernels(const Options& options, Row& row) {
  const std::optional<LibrarySymbols> isal = loaded_isal();
  if (!isal) return;
  const std::vector<std::string> flags = read_cpu_info(machine_root()).flags;
  if (const auto note = missing_kernels(*isal, row.measurement.kernel, options.point.dispatch, flags)) row.notes.push_back(*note);
}

void report(const Options& options, const Row& row) {
  if (!options.output_file.empty()) append_line(options.output_file, json_line(row));
  write_row(row, options.format, isatty(STDOUT_FILENO) != 0, std::cout);
  say_remarks(options, row.warnings, row.notes);
}

}  // namespace

void measure_point(const Options& options, Registry& registry) {
  if (options.serve_slices) check_servable(options);
  if (!options.output_file.empty()) require_appendable(options.output_file);
  std::vector<std::uint8_t> bytes;
  const ResolvedPoint resolved = resolve(options, registry, bytes);
  std::jthread notice = notice_of_long_setup(options);  // no process is forked any more
  const Prepared prepared = prepare(options, resolved, std::move(bytes));
  notice = {};
  if (options.serve_slices) {
    return serve_slices(options, resolved.point, registry, *prepared.object, *prepared.workload, std::cin, std::cout);
  }
  const InterferenceCounters before = read_interference_counters();
  const std::string date = now_utc();
  Row row{.measurement = measured(options, resolved, prepared)};
  row.host = host_name(private_names());
  row.date = date;
  row.codec_libraries = resolved.codec_libraries;
  row.summary = summarize(row.measurement);
  row.command = command_line(options, resolved.point) + (options.count_instructions ? " --count-instructions" : "");
  if (!runs_under_valgrind()) {
    note_missing_kernels(options, row);
    judge(options, before, row);
  }
  report(options, row);
  flush_output();
  if (prepared.chunk_set) prepared.chunk_set->keep();
}

}  // namespace ecbench
