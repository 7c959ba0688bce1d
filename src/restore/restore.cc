#include "restore/restore.h"

#include <filesystem>
#include <ostream>

#include "benchmark/buffers/chunk_buffers.h"
#include "benchmark/objects/encoded_object.h"
#include "erasure_code/error.h"
#include "restore/chunk_files.h"
#include "restore/origin.h"
#include "restore/restored_object.h"
#include "restore/unfinished.h"

namespace ecbench {
namespace {

namespace fs = std::filesystem;

void check_object_file(const RestoreRequest& request) {
  if (request.object_file.empty()) return;
  std::error_code error;
  const fs::file_status status = fs::status(request.object_file, error);
  if (fs::exists(status) && !fs::is_regular_file(status)) {
    throw Error("--object-out " + request.object_file +
                " is not allowed: it is not a regular file; to write the object to standard output, leave --object-out out");
  }
  if (is_chunk_file(request.object_file, request.directory)) {
    throw Error("--object-out " + request.object_file + " is not allowed: in the directory of --chunks-in, the name " +
                manifest_name +
                " and all names that begin with a digit are reserved for the files of a chunk set; give another name");
  }
}

[[noreturn]] void refuse_size(const ChunkFiles& files, const std::string& why) {
  throw Error("--chunks-in " + files.directory + " is not allowed: each of its chunks has " +
              counted_bytes(files.chunk_size_bytes) + ", " + why);
}

/// Shards of a pool with allow_ec_optimizations can end where the zeros begin. They are padded only if the object has a digest,
/// because a truncated chunk looks the same.
void pad(ChunkFiles& files, const Origin& origin) {
  const std::size_t unit = origin.stripe_unit == 0 ? 1 : origin.stripe_unit;
  const std::size_t padded = round_up(files.chunk_size_bytes, unit);
  const bool ends_early = origin.has_optimizations && padded > files.chunk_size_bytes;
  if (origin.chunks.size_bytes || (files.shorter.empty() && !ends_early)) return;
  if (origin.object_digest.empty()) {
    throw Error("--chunks-in " + files.directory + " is not allowed: " +
                (files.shorter.empty() ? "its chunks do not fill the stripe unit"
                                       : listed(files.shorter) + (files.shorter.size() == 1 ? " is" : " are") +
                                             " shorter than the longest, " + counted_bytes(files.chunk_size_bytes)) +
                "; if the pool has allow_ec_optimizations, pad the shorter ones with zeros (truncate --size=" +
                std::to_string(padded) + " FILE), otherwise they are damaged: leave them out with --erased");
  }
  if (padded > files.chunk_size_bytes) files.shorter = files.present;
  files.chunk_size_bytes = padded;
}

/// An object of unknown size fills the data chunks. Throws Error if the chunk files have another size.
Cut cut_of(const Origin& origin, const ChunkFiles& files) {
  const ErasureCode& code = *origin.code;
  const auto k = static_cast<std::size_t>(code.data_chunk_count());
  if (origin.stripe_unit != 0 && files.chunk_size_bytes % origin.stripe_unit != 0) {
    refuse_size(files, "which is not a multiple of the stripe unit " + std::to_string(origin.stripe_unit) +
                           "; give the stripe unit of the pool, or --osdmap");
  }
  const bool is_known = origin.object_size.has_value();
  Cut cut{.object_size = is_known ? *origin.object_size : k * files.chunk_size_bytes};
  if (cut.object_size / k > files.chunk_size_bytes) {
    refuse_size(files, "too few for an object of " + counted_bytes(cut.object_size) +
                           ": the profile, --size, --ceph-dump or the manifest is wrong");
  }
  cut.stripe_chunk_size = stripe_chunk_size(code, cut.object_size, origin.stripe_unit);
  cut.stripe_count = stripe_count(code, cut.object_size, cut.stripe_chunk_size);
  const std::size_t expected = cut.stripe_chunk_size * cut.stripe_count;
  if (expected == files.chunk_size_bytes) return cut;
  refuse_size(files, "but with this profile, an object of " + counted_bytes(cut.object_size) + " has chunks of " +
                         counted_bytes(expected) +
                         (is_known ? ": the profile, --stripe-unit, --size, --ceph-dump or the manifest is wrong"
                                   : ": the profile is wrong, or --stripe-unit or --size is missing"));
}

void check_erased(const Positions& erased, int chunk_count) {
  if (erased.empty() || erased.back() < chunk_count) return;
  throw Error("--erased " + std::to_string(erased.back()) + " is not allowed: the chunks are 0 to " +
              std::to_string(chunk_count - 1));
}

void write_object(const RestoreRequest& request, const std::vector<std::span<const std::uint8_t>>& pieces, std::ostream& out) {
  if (!request.object_file.empty()) return write_whole_file("--object-out", request.object_file, pieces);
  for (const std::span<const std::uint8_t> piece : pieces) {
    out.write(reinterpret_cast<const char*>(piece.data()), static_cast<std::streamsize>(piece.size()));
  }
  out.flush();
}

void restore_empty_object(const RestoreRequest& request, const Origin& origin, const ChunkFiles& files, std::ostream& out,
                          const Say& say) {
  if (!files.damaged.empty()) {
    throw Error(origin.digests_source + " describes an empty object, but " + listed(files.damaged) + " in " + files.directory +
                (files.damaged.size() == 1 ? " is" : " are") + " not empty; give the dump of this object");
  }
  const bool is_other_object = !origin.object_digest.empty() && origin.chunks.digest_of({}) != origin.object_digest;
  if (is_other_object || origin.chunks.size_bytes.value_or(0) > 0) {
    throw Error(origin.digests_source + " describes an empty object, but " +
                    (is_other_object ? "the digest " + origin.object_digest + " is not that of an empty object"
                                     : "its chunks have " + counted_bytes(*origin.chunks.size_bytes)) +
                    "; give the dump of this object",
                Error::Kind::wrong_bytes);
  }
  write_object(request, {}, out);
  say("restored 0 bytes; verified: " + listed(files.present) + (files.present.size() == 1 ? " is" : " are") + " empty");
}

}  // namespace

void restore_object(const RestoreRequest& request, Registry& registry, std::ostream& out, const Say& say) {
  if (!std::filesystem::is_directory(request.directory)) {
    throw Error("--chunks-in " + request.directory + " is not a directory; give the directory that contains the chunks 0, 1, ...");
  }
  check_object_file(request);
  const Origin origin = origin_of(request, read_manifest(manifest_file(request)), registry);
  const ErasureCode& code = *origin.code;
  check_erased(request.erased, code.chunk_count());
  ChunkFiles files = find_chunk_files(request.directory, code.chunk_count(), request.erased, origin.chunks);
  if (origin.object_size == 0) return restore_empty_object(request, origin, files, out, say);
  pad(files, origin);
  const Cut cut = cut_of(origin, files);
  require_memory(cut.object_size, RestoredObject::memory_bytes(code, cut.stripe_chunk_size, cut.stripe_count));
  RestoredObject object(code, cut.stripe_chunk_size, cut.stripe_count, files.present);
  if (files.damaged.empty()) object.check_recoverable();  // throws Error before the chunks are read
  read_chunk_files(files, object.chunks(), origin.chunks);
  lose_damaged(object, files, origin, say);
  object.rebuild();
  verify(object, cut, origin, files, say);
  write_object(request, object.object(cut.object_size), out);
  if (out) report_verified(object, cut, origin, files, say);  // if not, main() reports a write error
}

}  // namespace ecbench
