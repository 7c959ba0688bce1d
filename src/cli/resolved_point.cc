#include "cli/resolved_point.h"

#include <filesystem>

#include "benchmark/buffers/memory.h"
#include "benchmark/codec_libraries/codec_libraries.h"
#include "benchmark/measurement/measure.h"
#include "benchmark/objects/encoded_object.h"
#include "benchmark/objects/object.h"
#include "benchmark/objects/overwrites.h"
#include "benchmark/pace/background.h"
#include "benchmark/profiling/process_end.h"
#include "benchmark/profiling/profiling.h"
#include "benchmark/warnings/remarks.h"
#include "cli/run.h"
#include "erasure_code/error.h"

namespace ecbench {
namespace {

/// Under valgrind, one interval of a few iterations, unless the command line sets the length: times have no meaning there.
void shorten_under_valgrind(const Options& options, Point& point) {
  if (!runs_under_valgrind()) return;
  if (!has_client_requests()) {
    note(options,
         "ecbench was built without valgrind's header, so valgrind also counts the instructions of set-up and checks; install "
         "valgrind on the build host, and build ecbench again");
  }
  if (options.length_given || options.serve_slices) return;
  constexpr std::uint64_t iterations = 10;
  point.iterations = iterations;
  say("under valgrind, one interval of " + std::to_string(iterations) +
      " iterations is measured; to change this, give --iterations");
}

/// The single-stepped copy has one thread, so another language's runtime would wait forever for its others.
void check_countable(const Options& options, const Registry& registry) {
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
  const double beside = point.background ? memory_bytes(background_point(point), code, size_bytes) : 0;
  require_memory(size_bytes, static_cast<double>(size_bytes) + memory_bytes(point, code, size_bytes) + beside);
}

/// Or reads it from --input. Checks first that everything fits in memory, unless --input is a pipe and --size is not given.
std::vector<std::uint8_t> object_bytes(const Options& options, const Point& point, const ErasureCode& code) {
  std::size_t size_bytes = point.size_bytes;
  std::error_code not_a_file;
  if (size_bytes == 0) size_bytes = std::filesystem::file_size(options.input_file, not_a_file);
  if (!not_a_file && size_bytes > 0) require_memory_for(point, code, size_bytes);
  if (options.input_file.empty() && point.fill) return std::vector<std::uint8_t>(size_bytes, *point.fill);
  if (options.input_file.empty()) return random_object(size_bytes, point.seed);
  return object_from_file(options.input_file, point.size_bytes);
}

}  // namespace

ResolvedPoint resolve(const Options& options, Registry& registry, std::vector<std::uint8_t>& object) {
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
  } else {  // parse_options() refuses options for lost chunks; if as_ceph is true, these options are ignored
    point.erasures = 0;
    point.erased.clear();
  }
  if (options.strict) require_fit(environment_of(options));
  std::vector<LostChunk> lost = repaired_chunks(*code, point);
  // object_bytes() needs a checked number of changed chunks.
  if (workload.overwrites) check_overwrite(*code, point, 0);
  if (point.background) check_background(point, *code, 0);
  object = object_bytes(options, point, *code);
  point.size_bytes = object.size();
  const std::size_t chunk_size = stripe_chunk_size(*code, point.size_bytes, point.stripe_unit_bytes);
  if (workload.overwrites) check_overwrite(*code, point, chunk_size);
  if (point.background) check_background(point, *code, chunk_size);
  return {std::move(point), workload, std::move(code), std::move(libraries), std::move(lost)};
}

}  // namespace ecbench
