#include <unistd.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <chrono>
#include <condition_variable>
#include <filesystem>
#include <mutex>
#include <system_error>

#include "benchmark/buffers/chunk_buffers.h"
#include "benchmark/codec_libraries/codec_libraries.h"
#include "benchmark/measurement/measure.h"
#include "benchmark/objects/object.h"
#include "benchmark/objects/overwrites.h"
#include "benchmark/pace/pace.h"
#include "benchmark/profiling/profiling.h"
#include "benchmark/warnings/remarks.h"
#include "cli/measure.h"
#include "erasure_code/error.h"

namespace ecbench {
namespace {

/// Under valgrind, one interval of a few iterations, unless the command line sets the length: times have no meaning there.
void shorten_under_valgrind(const MeasureOptions& options, Point& point) {
  if (!runs_under_valgrind()) return;
  if (!has_client_requests()) {
    note(options.as_ceph,
         "ecbench was built without valgrind's header, so valgrind also counts the instructions of set-up and checks; install "
         "valgrind on the build host, and build ecbench again");
  }
  if (options.length_given) return;
  constexpr std::uint64_t iterations = 10;
  point.iterations = iterations;
  say("under valgrind, one interval of " + std::to_string(iterations) +
      " iterations is measured; to change this, give --iterations");
}

/// The single-stepped copy has one thread, so another language's runtime would wait forever for its others.
void check_countable(const MeasureOptions& options, const Registry& registry) {
  const std::string plugin = registry.plugin_with_runtime();
  if (!options.count_instructions || plugin.empty()) return;
  throw Error("--count-instructions is not allowed with plugin " + plugin +
              ": its runtime needs several threads, but the single-stepped copy of this process has only one; give another plugin");
}

double memory_bytes(const Point& point, const ErasureCode& code, std::size_t size_bytes) {
  const std::size_t footprint = footprint_bytes(code, size_bytes, point.stripe_unit_bytes, repaired_chunks(code, point),
                                                extras_of(workload_named(point.workload), point));
  return 2.0 * static_cast<double>(footprint) + measure_bytes(point, footprint);
}

void require_memory_for(const Point& point, const ErasureCode& code, std::size_t size_bytes) {
  const double background = point.background ? memory_bytes(background_point(point), code, size_bytes) : 0;
  require_memory(size_bytes, static_cast<double>(size_bytes) + memory_bytes(point, code, size_bytes) + background);
}

/// Or reads it from --input. Checks first that everything fits in memory, unless --input is a pipe and --size is not given.
std::vector<std::uint8_t> object_bytes(const MeasureOptions& options, const Point& point, const ErasureCode& code) {
  std::size_t size_bytes = point.size_bytes;
  std::error_code not_a_file;
  if (size_bytes == 0) size_bytes = std::filesystem::file_size(options.input_file, not_a_file);
  if (!not_a_file && size_bytes > 0) require_memory_for(point, code, size_bytes);
  if (options.input_file.empty() && point.fill) return std::vector<std::uint8_t>(size_bytes, *point.fill);
  if (options.input_file.empty()) return random_object(size_bytes, point.seed);
  return object_from_file(options.input_file, point.size_bytes);
}

/// Says so if set-up takes long, until it is destroyed; nothing if standard error is not a terminal. A system that starts no thread
/// is no error.
std::jthread notice_of_long_set_up(const MeasureOptions& options) {
  if (isatty(STDERR_FILENO) == 0) return {};
  try {
    return std::jthread([as_ceph = options.as_ceph](const std::stop_token& stop) {
      std::mutex mutex;
      std::unique_lock lock(mutex);
      std::condition_variable_any().wait_for(lock, stop, std::chrono::seconds(2), [] { return false; });
      if (!stop.stop_requested())
        note(as_ceph, "set-up: the object is made, encoded and checked; this takes time, but is not timed");
    });
  } catch (const std::system_error&) {
    return {};
  }
}

/// Whether a terminal or a line of text may be changed: control characters of ASCII and Latin-1; spaces, line separators and
/// directions of Unicode (U+2000 to U+207F, in UTF-8).
bool has_control_characters(const std::string& text) {
  const auto is_control = [](unsigned char c) { return std::iscntrl(c) != 0; };
  const auto begins = [](unsigned char c, unsigned char next) {
    return (c == 0xc2 && next < 0xa0) || (c == 0xe2 && (next == 0x80 || next == 0x81));
  };
  return std::ranges::any_of(text, is_control) || std::ranges::adjacent_find(text, begins) != text.end();
}

/// As $'...' of bash.
std::string with_escapes(const std::string& text) {
  std::string quoted = "$'";
  for (const unsigned char c : text) {
    const bool is_plain = c >= 0x20 && c < 0x7f && c != '\'' && c != '\\';
    if (is_plain) {
      quoted += static_cast<char>(c);
    } else {
      quoted += {'\\', static_cast<char>('0' + (c >> 6)), static_cast<char>('0' + (c >> 3 & 7)), static_cast<char>('0' + (c & 7))};
    }
  }
  return quoted + "'";
}

/// The shortest number that parses to exactly `value`.
std::string number(double value) {
  std::array<char, 64> text{};
  const auto [end, error] = std::to_chars(text.data(), text.data() + text.size(), value);
  return {text.data(), end};
}

std::string list_of(const std::vector<int>& cpus) {
  std::string list;
  for (const int cpu : cpus) list += (list.empty() ? "" : ",") + std::to_string(cpu);
  return list;
}

/// Options that differ from the defaults; always --timing, and --iterations or --min-time.
std::string measuring_options(const Point& point) {
  const Sampling& sampling = point.sampling;
  const Sampling defaults;
  std::string line;
  if (point.iterations > 0) {
    line += " --iterations " + std::to_string(point.iterations);
  } else {
    line += " --min-time " + number(sampling.min_seconds);
    if (sampling.max_seconds != std::max(defaults.max_seconds, sampling.min_seconds) ||
        (sampling.patience_seconds == sampling.max_seconds &&
         sampling.patience_seconds != default_patience * sampling.min_seconds)) {
      line += " --max-time " + number(sampling.max_seconds);
    }
    if (sampling.target_percent) line += " --target-ci " + number(*sampling.target_percent);
    if (sampling.placements != defaults.placements) line += " --placements " + std::to_string(sampling.placements);
    if (sampling.drift_floor_percent != defaults.drift_floor_percent) {
      line += " --drift-floor " + number(sampling.drift_floor_percent);
    }
    if (!sampling.measures_limit) line += " --limit no";
  }
  line += std::string(" --timing ") + (point.timing == Timing::api ? "api" : "kernel");
  if (point.cache == CacheState::cold) line += " --cache cold";
  if (point.stripe_unit_bytes > 0) line += " --stripe-unit " + std::to_string(point.stripe_unit_bytes);
  if (point.fill) line += " --fill " + shell_quoted(std::string(1, static_cast<char>(*point.fill)));
  if (point.threads > 1) line += " --threads " + std::to_string(point.threads);
  if (!point.cpus.empty()) line += " --cpu " + list_of(point.cpus);
  if (point.pace) line += " --pace " + text_of(*point.pace);
  if (point.background) {
    line += " --background " + text_of(*point.background) + " --background-cpu " + list_of(point.background->cpus);
  }
  if (point.dispatch != "native") line += " --dispatch " + point.dispatch;
  return line;
}

}  // namespace

ResolvedPoint resolve(const Call& call, const MeasureOptions& options, Registry& registry, SetUp& set_up) {
  Point point = options.point;
  const WorkloadDescriptor& workload = workload_named(point.workload);
  shorten_under_valgrind(options, point);
  std::unique_ptr<ErasureCode> code = registry.make(point.plugin, point.profile, limits_of(point));
  blame_for_process_end(point.plugin);
  check_countable(options, registry);
  std::vector<SharedObject> libraries;
  if (!point.codec_lib.empty()) libraries = codec_libraries_of(point.codec_lib);
  if (workload.loses_chunks()) {
    check_erasures(point, code->chunk_count(), code->coding_chunk_count());
  } else {  // check_losses() refuses options for lost chunks; if as_ceph is true, these options are ignored
    point.erasures = 0;
    point.erased.clear();
  }
  if (options.strict) require_fit(environment_of(call, options.point));
  std::vector<LostChunk> lost = repaired_chunks(*code, point);
  // object_bytes() needs a checked number of changed chunks.
  if (workload.overwrites) check_overwrite(*code, point, 0);
  if (point.background) check_background(point, *code, 0);
  set_up.notice = notice_of_long_set_up(options);  // a child process of prepare_for_plugin() would lack the thread
  set_up.object = object_bytes(options, point, *code);
  point.size_bytes = set_up.object.size();
  const std::size_t chunk_size = stripe_chunk_size(*code, point.size_bytes, point.stripe_unit_bytes);
  if (workload.overwrites) check_overwrite(*code, point, chunk_size);
  if (point.background) check_background(point, *code, chunk_size);
  return {std::move(point), workload, std::move(code), std::move(libraries), std::move(lost)};
}

std::string shell_quoted(const std::string& text) {
  if (has_control_characters(text)) return with_escapes(text);
  const auto plain = [](unsigned char c) {
    return std::isalnum(c) != 0 || std::string_view("_-+=.,/:@%").find(static_cast<char>(c)) != std::string_view::npos;
  };
  if (!text.empty() && std::ranges::all_of(text, plain)) return text;
  std::string quoted = "'";
  for (const char c : text) quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return quoted + "'";
}

std::string command_line(const Call& call, const MeasureOptions& options, const Point& point) {
  std::string line = shell_quoted(call.program()) + " --plugin " + shell_quoted(point.plugin) + " --workload " + point.workload +
                     " --size " + std::to_string(point.size_bytes) + measuring_options(point);
  const Losses losses = workload_named(point.workload).losses;
  if (losses == Losses::any) {
    if (point.erased.empty()) {
      line += " --erasures " + std::to_string(point.erasures);
      if (point.generation == ErasureGeneration::exhaustive) line += " --erasures-generation exhaustive";
    }
    for (const int position : point.erased) line += " --erased " + std::to_string(position);
    if (point.want == Want::data) line += " --want data";
  }
  if (losses == Losses::one && !point.erased.empty()) line += " --erased " + std::to_string(point.erased.front());
  if (point.changed_chunks > 0) line += " --changed " + std::to_string(point.changed_chunks);
  for (const auto& [key, value] : point.profile.values()) {
    if (!value.empty()) line += " --parameter " + shell_quoted(key + "=" + value);
  }
  line += " --seed " + std::to_string(point.seed);
  if (!point.codec_lib.empty()) line += " --codec-lib " + shell_quoted(point.codec_lib);
  if (!options.plugins.directory.empty()) line += " --erasure-code-dir " + shell_quoted(options.plugins.directory);
  if (!options.input_file.empty()) line += " --input " + shell_quoted(options.input_file);
  if (options.as_ceph && options.format != "ceph") line += " --format " + options.format;
  return line;
}

}  // namespace ecbench
