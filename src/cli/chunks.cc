#include "cli/commands.h"
#include "erasure_code/error.h"
#include "erasure_code/names.h"
#include "restore/chunk_files.h"

namespace ecbench {
namespace {

/// The files are removed again, unless keep() is called.
std::unique_ptr<ChunkSetFiles> write_chunks(const std::string& directory, const Point& point, const EncodedObject& object,
                                            const std::string& object_sha256) {
  const ChunkBuffers& chunks = object.chunks();
  Manifest manifest{.plugin = plugin_named(point.plugin),
                    .profile = point.profile,
                    .object_size_bytes = object.object_size_bytes(),
                    .stripe_unit_bytes = point.stripe_unit_bytes,
                    .chunk_size_bytes = chunks.chunk_size_bytes(),
                    .object_sha256 = object_sha256};
  for (int position = 0; position < chunks.count(); position++) manifest.chunk_sha256.push_back(sha256({chunks.bytes(position)}));
  return std::make_unique<ChunkSetFiles>(directory, chunks, manifest);
}

}  // namespace

/// As measure, whose row shows that the chunks are right; without a length, one iteration.
int run_chunks(const Call& call) {
  const std::string directory = call.arguments.path("chunks-out");
  if (directory.empty()) throw Error("chunks needs a directory: give ecbench chunks DIR, which must be new or empty");
  MeasureOptions options = take_measure_options(call);
  if (!options.length_given) options.point.iterations = 1;
  check_new_or_empty(directory);
  Registry registry = registry_of(options.plugins);
  SetUp set_up;
  const ResolvedPoint resolved = resolve(call, options, registry, set_up);
  const std::string object_sha256 = sha256({set_up.object});
  const Prepared prepared = prepare(options, resolved, set_up);
  const std::unique_ptr<ChunkSetFiles> files = write_chunks(directory, resolved.point, *prepared.object, object_sha256);
  measure(call, options, resolved, prepared);
  flush_output();
  files->keep();
  return 0;
}

}  // namespace ecbench
