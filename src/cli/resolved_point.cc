#include <unistd.h>

#include <chrono>
#include <condition_variable>
#include <filesystem>
#include <mutex>
#include <system_error>

#include "benchmark/measurement/measurement.h"
#include "benchmark/objects/object.h"
#include "benchmark/objects/overwrites.h"
#include "benchmark/profiling/profiling.h"
#include "benchmark/warnings/remarks.h"
#include "cli/commands.h"
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

/// Until it is destroyed, says so if set-up takes long; not without a terminal on standard error, nor if no thread can be started.
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

}  // namespace

ResolvedPoint resolve(const Call& call, const MeasureOptions& options, Registry& registry, SetUp& set_up) {
  Point point = options.point;
  const WorkloadDescriptor& workload = workload_named(point.workload);
  shorten_under_valgrind(options, point);
  std::unique_ptr<ErasureCode> code = registry.make(point.plugin, point.profile, limits_of(point));
  blame_for_process_end(point.plugin, point.workload);
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

}  // namespace ecbench
