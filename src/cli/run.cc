#include "cli/run.h"

#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <map>
#include <optional>

#include "benchmark/buffers/memory.h"
#include "benchmark/codec_libraries/codec_libraries.h"
#include "benchmark/codec_libraries/kernel_symbols.h"
#include "benchmark/environment/cpu_info.h"
#include "benchmark/environment/environment.h"
#include "benchmark/environment/private_names.h"
#include "benchmark/erasures/repair_reads.h"
#include "benchmark/instructions/instructions.h"
#include "benchmark/measurement/call_overhead.h"
#include "benchmark/measurement/measure.h"
#include "benchmark/objects/encoded_object.h"
#include "benchmark/objects/object.h"
#include "benchmark/profiling/process_end.h"
#include "benchmark/profiling/profiling.h"
#include "benchmark/sampling/probe_reference.h"
#include "benchmark/warnings/doubts.h"
#include "benchmark/warnings/fitness.h"
#include "benchmark/warnings/missing_kernels.h"
#include "cli/command_line.h"
#include "cli/describe.h"
#include "cli/listing.h"
#include "cli/options.h"
#include "cli/overlaps.h"
#include "cli/restore_request.h"
#include "cli/show_reads.h"
#include "cli/slice_server.h"
#include "cli/version.h"
#include "erasure_code/error.h"
#include "erasure_code/plugin_alias.h"
#include "erasure_code/registry.h"
#include "report/append.h"
#include "report/environment_json.h"
#include "report/instructions_json.h"
#include "report/reporter.h"
#include "report/symbols_json.h"
#include "restore/chunk_set.h"
#include "restore/sha256.h"

namespace ecbench {
namespace {

/// Reports what stops nothing. Under Ceph's name, as Ceph's tool, the program prints errors and no notes.
void note(const Options& options, const std::string& message) {
  if (!options.as_ceph) say(message);
}

/// As Ceph's tool prints it.
void print_pattern(const Positions& erased, int chunk_count, std::ostream& out) {
  out << "chunks ";
  for (int position = 0; position < chunk_count; position++) {
    const bool lost = std::ranges::find(erased, position) != erased.end();
    out << (lost ? "(" : " ") << position << (lost ? ")" : " ") << ' ';
  }
  out << "(X) is an erased chunk\n";
}

/// With its format Ceph's tool prints the chunks that are named, and if asked all patterns, in each iteration, to standard output.
void print_patterns(const Options& options, const Workload& workload, int chunk_count) {
  const Point& point = options.point;
  const bool is_ceph = options.format == "ceph";
  if (is_ceph && point.workload == "decode" && !point.erased.empty()) return print_pattern(point.erased, chunk_count, std::cout);
  if (!options.verbose || (is_ceph && point.generation != ErasureGeneration::exhaustive)) return;
  for (std::uint64_t i = 0; i < (is_ceph ? point.iterations : 1); i++) {
    for (const Positions& erased : workload.erased()) print_pattern(erased, chunk_count, is_ceph ? std::cout : std::cerr);
  }
}

void require_memory_for(const Point& point, const ErasureCode& code, std::span<const LostChunk> lost, std::size_t size_bytes) {
  const std::size_t footprint = footprint_bytes(code, size_bytes, point.stripe_unit_bytes, lost);
  require_memory(size_bytes,
                 static_cast<double>(size_bytes) + 2.0 * static_cast<double>(footprint) + measure_bytes(point, footprint));
}

/// The object, once it is known that it fits in memory with all that is computed from it.
std::vector<std::uint8_t> object_bytes(const Options& options, const ErasureCode& code, std::span<const LostChunk> lost) {
  std::size_t size_bytes = options.point.size_bytes;
  std::error_code not_a_file;
  if (size_bytes == 0) size_bytes = std::filesystem::file_size(options.input_file, not_a_file);
  if (!not_a_file && size_bytes > 0) require_memory_for(options.point, code, lost, size_bytes);
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
  std::map<std::string, std::string> kernels;
  registry.set_dispatch(options.point.dispatch);
  registry.set_threads(options.point.threads);
  for (const std::string& name : options.plugin_given ? std::vector{options.point.plugin} : registry.names()) {
    try {
      Profile first({{"technique", registry.load(name).techniques.front().name}});
      if (first.text("technique").empty()) first.erase("technique");
      kernels[name] = registry.make(name, first)->kernel();
    } catch (const Error& error) {
      if (options.plugin_given) throw;
      say(error.what());
    }
  }
  if (!options.point.codec_lib.empty()) static_cast<void>(codec_libraries_of(options.point.codec_lib));
  Environment environment = environment_of(options);
  environment.kernels = kernels;
  if (options.strict) require_fit(environment);
  for (const Remark& reason : unfit(environment)) say(reason.text);
  std::cout << environment_text(environment) << '\n';
}

void write_chunks(const Options& options, const EncodedObject& object, const std::string& object_sha256) {
  const std::string& directory = options.chunks_directory;
  const ChunkBuffers& chunks = object.chunks();
  Manifest manifest{.plugin = plugin_named(options.point.plugin),
                    .profile = options.point.profile,
                    .object_size_bytes = object.object_size_bytes(),
                    .stripe_unit_bytes = options.point.stripe_unit_bytes,
                    .chunk_size_bytes = chunks.chunk_size_bytes(),
                    .object_sha256 = object_sha256};
  for (int position = 0; position < chunks.count(); position++) manifest.chunk_sha256.push_back(sha256({chunks.bytes(position)}));
  write_chunk_set(directory, chunks, manifest);
  if (std::filesystem::exists(std::filesystem::path(directory) / std::to_string(chunks.count()))) {
    note(options,
         "--chunks-out " + directory + " holds chunks of another code too, from " + std::to_string(chunks.count()) + " on");
  }
}

/// Adds to the row's warnings and notes, and keeps the speed of its probes for later runs. Throws Error for --strict.
void judge(const Options& options, const InterferenceCounters& before, Row& row) {
  Environment environment = environment_of(options);
  environment.during_run = interference_between(before, read_interference_counters());
  const bool stored = store_reference(reference_file(), machine_name(environment.cpu), row.measurement.undisturbed);
  const Doubts doubts = doubts_of(row.measurement, row.summary, environment, stored);
  row.warnings.insert(row.warnings.end(), doubts.warnings.begin(), doubts.warnings.end());
  row.notes.insert(row.notes.end(), doubts.notes.begin(), doubts.notes.end());
  if (options.strict && !row.warnings.empty()) {
    throw Error("--strict: this figure cannot be trusted: " + joined_texts(row.warnings));
  }
}

void say_remarks(const Options& options, const Row& row) {
  for (const Remark& warning : row.warnings) say("warning: " + warning.text);
  if (!row.warnings.empty() && options.format == "table") say(std::string(warning_mark) + " marks a figure with a warning");
  for (const Remark& note : row.notes) say("note: " + note.text);
}

/// Adds a note if the codec library that ran lacks kernels for this CPU.
void note_missing_kernels(const Options& options, Row& row) {
  const std::optional<LibrarySymbols> isal = loaded_isal();
  if (!isal) return;
  const std::vector<std::string> flags = read_cpu_info("/").flags;
  if (const auto note = missing_kernels(*isal, row.measurement.kernel, options.point.dispatch, flags)) row.notes.push_back(*note);
}

/// Nothing that takes time means anything there, and an instruction is counted once or never.
void prepare_for_valgrind(Options& options) {
  if (!runs_under_valgrind()) return;
  if (!has_client_requests()) {
    note(options,
         "valgrind cannot be told where the timed loop is, so that it sees set-up and checks too: install valgrind and build anew");
  }
  if (options.length_given || options.serve_slices) return;
  constexpr std::uint64_t iterations = 10;
  options.point.iterations = iterations;
  say("under valgrind, where samples repeat nothing, one interval of " + std::to_string(iterations) +
      " iterations is measured: --iterations says how many");
}

void write_line(const std::string& option, const std::string& path, const std::string& text) {
  std::ofstream file(path, std::ios::trunc);
  if (file) file << text << '\n' << std::flush;
  if (!file) throw Error("cannot write " + option + " " + path + ": " + std::strerror(errno));
}

InstructionCount count_instructions(const Options& options, const EncodedObject& object, const Workload& workload) {
  InstructionCount count = count_instructions(object, workload, std::max<std::uint64_t>(options.point.iterations, 1));
  if (!options.instructions_file.empty()) write_line("--instructions-out", options.instructions_file, instructions_text(count));
  return count;
}

/// A runtime in the copy that is stepped would wait for its threads for ever.
void check_countable(const Options& options, const Registry& registry) {
  const std::string plugin = registry.plugin_with_runtime();
  if (!options.count_instructions || plugin.empty()) return;
  throw Error("--count-instructions is not allowed with plugin " + plugin +
              ": it runs in a runtime with threads of its own, which the copy of this process that is stepped does not have");
}

void measure_and_print(Options& options, Registry& registry) {
  if (options.serve_slices) check_servable(options);
  if (!options.output_file.empty()) require_appendable(options.output_file);
  prepare_for_valgrind(options);
  Point& point = options.point;
  registry.set_dispatch(point.dispatch);
  registry.set_threads(point.threads);
  const std::unique_ptr<ErasureCode> code = registry.make(point.plugin, point.profile);
  blame_for_process_end(point.plugin);
  check_countable(options, registry);
  std::vector<SharedObject> libraries;
  if (!point.codec_lib.empty()) libraries = codec_libraries_of(point.codec_lib);
  // Ceph's tool takes no notice of erasures when it encodes.
  if (!options.as_ceph || loses_chunks(point.workload)) {
    check_erasures(point, code->chunk_count(), code->coding_chunk_count());
  }
  if (!options.symbols_file.empty()) write_line("--symbols", options.symbols_file, symbols_text(kernel_symbols(*code)));
  if (options.strict) require_fit(environment_of(options));
  std::vector<LostChunk> lost;
  if (point.workload == "repair") lost = lost_chunks(*code, point).chunks;
  std::vector<std::uint8_t> bytes = object_bytes(options, *code, lost);
  point.size_bytes = bytes.size();
  const std::string object_sha256 = options.chunks_directory.empty() ? "" : sha256({bytes});
  const EncodedObject object(*code, bytes, point.stripe_unit_bytes, std::move(lost));
  std::vector<std::uint8_t>().swap(bytes);
  const std::unique_ptr<Workload> workload = make_workload(point, object);
  if (!options.chunks_directory.empty()) write_chunks(options, object, object_sha256);
  print_patterns(options, *workload, code->chunk_count());
  if (workload->patterns() == 0) {  // nothing is lost
    point.erasures = 0;
    point.erased.clear();
  }
  if (!workload->note().empty()) note(options, workload->note());
  if (options.serve_slices) return serve_slices(options, registry, object, *workload, std::cin, std::cout);
  const InterferenceCounters before = read_interference_counters();
  const ProbeSpeed reference = read_reference(reference_file(), machine_name(read_cpu_info("/")));
  const std::string date = now_utc();
  Row row{.measurement = measure(point, object, *workload, reference)};
  row.host = host_name(private_names());
  row.date = date;
  if (!workload->is_yardstick()) row.measurement.kernel = code->kernel();
  if (options.count_instructions) row.measurement.instructions = count_instructions(options, object, *workload);
  // Last: whatever it does to caches and runtimes, no figure before it knows of it.
  if (!workload->is_yardstick() && !runs_under_valgrind()) row.measurement.call_overhead_ns = call_overhead_ns(*code, point.cpus);
  row.codec_libraries = std::move(libraries);
  row.summary = summarize(row.measurement);
  row.command = command_line(options, point.profile) + (options.count_instructions ? " --count-instructions" : "");
  // Under valgrind no time means anything, and Ceph's tool prints nothing but errors.
  if (!runs_under_valgrind()) {
    note_missing_kernels(options, row);
    judge(options, before, row);
  }
  if (!options.as_ceph) say_remarks(options, row);
  if (!options.output_file.empty()) append_line(options.output_file, json_line(row));
  make_reporter(options.format, isatty(STDOUT_FILENO) != 0)->print(row, std::cout);
}

}  // namespace

// What users and plugins give may hold anything.
std::string one_line(const std::string& message) {
  std::string line = message;
  std::ranges::replace_if(
      line, [](unsigned char c) { return std::iscntrl(c) != 0; }, '?');
  return line;
}

void say(const std::string& message) {
  std::cerr << one_line("ecbench: " + message) << std::endl;
}

void prepare_for_plugin(const PluginFile& plugin) {
  blame_for_process_end(plugin.name);
  if (plugin.ends_process) continue_in_child();
}

int run(const std::vector<std::string>& arguments) {
  Options options = parse_options(arguments);
  if (options.help) std::cout << help_text(options.program);
  if (options.version) std::cout << version_text();
  if (options.help || options.version) return 0;
  for (const std::string& warning : options.warnings) note(options, warning);
  check_overlaps(options);
  if (!options.describe_file.empty()) {
    describe_points(options, std::cout);
    return 0;
  }
  Registry registry(Registry::default_directory(options.plugin_directory),
                    [&options](const std::string& message) { note(options, message); });
  if (options.as_ceph) registry.ignore_unknown_parameters();
  registry.before_loading([&](const PluginFile& plugin) {
    prepare_for_plugin(plugin);
    if (!options.point.codec_lib.empty()) load_codec_libraries(options.point.codec_lib, plugin.path);
  });
  if (!options.chunks_in_directory.empty()) {
    const RestoreRequest request = restore_request(options);
    registry.set_dispatch(options.point.dispatch);
    restore_object(request, registry, std::cout, say);
    return 0;
  }
  if (options.show_reads) {
    show_reads(options, registry, std::cout);
    return 0;
  }
  if (options.list) return list_plugins(registry, options.format, std::cout) ? 0 : 1;
  if (options.environment) {
    print_environment(options, registry);
    return 0;
  }
  measure_and_print(options, registry);
  return 0;
}

}  // namespace ecbench
