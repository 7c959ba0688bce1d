#include "restore/restore.h"

#include <algorithm>
#include <filesystem>
#include <optional>
#include <ostream>

#include "benchmark/buffers/memory.h"
#include "benchmark/objects/encoded_object.h"
#include "erasure_code/error.h"
#include "restore/chunk_files.h"
#include "restore/chunk_folder.h"
#include "restore/origin.h"
#include "restore/restored_object.h"
#include "restore/sha256.h"
#include "restore/whole_file.h"

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

/// Returns a list of chunks as text: "chunk 3", or "chunks 0, 3".
std::string listed(const Positions& positions) {
  std::string text;
  for (const int position : positions) text += (text.empty() ? "" : ", ") + std::to_string(position);
  return (positions.size() == 1 ? "chunk " : "chunks ") + text;
}

/// How the object is divided into stripes and chunks.
struct Cut {
  std::size_t object_size = 0;
  std::size_t stripe_chunk_size = 0;
  std::size_t stripe_count = 0;
};

[[noreturn]] void refuse_size(const ChunkFiles& files, const std::string& why) {
  throw Error("--chunks-in " + files.directory + " is not allowed: each of its chunks has " +
              counted_bytes(files.chunk_size_bytes) + ", " + why);
}

/// If the object's size is unknown, assumes that the object fills the data chunks completely. Computes the chunk size for this
/// object size. Throws Error if the chunk files have another size.
Cut cut_of(const Origin& origin, const ChunkFiles& files) {
  const ErasureCode& code = *origin.code;
  const auto k = static_cast<std::size_t>(code.data_chunk_count());
  if (origin.stripe_unit != 0 && files.chunk_size_bytes % origin.stripe_unit != 0) {
    refuse_size(files, "which is not a multiple of the stripe unit " + std::to_string(origin.stripe_unit));
  }
  const bool is_known = origin.object_size.has_value();
  Cut cut{.object_size = is_known ? *origin.object_size : k * files.chunk_size_bytes};
  if (cut.object_size / k > files.chunk_size_bytes) {
    refuse_size(files,
                "too few for an object of " + counted_bytes(cut.object_size) + ": the profile, --size or the manifest is wrong");
  }
  cut.stripe_chunk_size = stripe_chunk_size(code, cut.object_size, origin.stripe_unit);
  cut.stripe_count = stripe_count(code, cut.object_size, cut.stripe_chunk_size);
  const std::size_t expected = cut.stripe_chunk_size * cut.stripe_count;
  if (expected == files.chunk_size_bytes) return cut;
  refuse_size(files, "but with this profile, an object of " + counted_bytes(cut.object_size) + " has chunks of " +
                         counted_bytes(expected) +
                         (is_known ? ": the profile, --size, --stripe-unit or the manifest is wrong"
                                   : ": the profile is wrong, or --stripe-unit or --size is missing"));
}

void check_agreement(RestoredObject& object, const std::string& directory) {
  const Positions disagreeing = object.disagreeing();
  if (disagreeing.empty()) return;
  const std::optional<int> suspect = object.only_suspect();
  throw Error(
      "the chunks in " + directory + " do not belong together: " + listed(disagreeing) +
          (disagreeing.size() == 1 ? " disagrees" : " disagree") + " with the object that was decoded from the other chunks; " +
          (suspect ? "without chunk " + std::to_string(*suspect) + " all chunks agree: leave this chunk out with --erased " +
                         std::to_string(*suspect)
                   : "either too few chunks remain to find the damaged chunk, or several are damaged, or the profile is wrong"),
      Error::Kind::wrong_bytes);
}

void check_padding(const RestoredObject& object, const Cut& cut) {
  for (const std::span<const std::uint8_t> piece : object.padding(cut.object_size)) {
    if (std::ranges::all_of(piece, [](std::uint8_t byte) { return byte == 0; })) continue;
    throw Error(
        "--size " + std::to_string(cut.object_size) +
        " is not allowed: some bytes after this size are not zero, so these bytes are not padding; give the size of the object");
  }
}

void check_erased(const Positions& erased, int chunk_count) {
  if (erased.empty() || erased.back() < chunk_count) return;
  throw Error("--erased " + std::to_string(erased.back()) + " is not allowed: the chunks are 0 to " +
              std::to_string(chunk_count - 1));
}

using Warn = std::function<void(const std::string&)>;

/// If chunks differ from the manifest, treats these chunks as lost, and warns.
void lose_damaged(RestoredObject& object, const ChunkFiles& files, const RestoreRequest& request, const Warn& warn) {
  if (files.damaged.empty()) return;
  const std::string differ =
      listed(files.damaged) + (files.damaged.size() == 1 ? " differs" : " differ") + " from " + manifest_file(request).string();
  object.lose(files.damaged);
  try {
    object.check_recoverable();
  } catch (const Error& error) {
    throw Error(differ + ", and the other chunks are too few to decode the object: " + error.what(), Error::Kind::wrong_bytes);
  }
  warn(differ + (files.damaged.size() == 1 ? "; this chunk is" : "; these chunks are") + " damaged and treated as lost");
}

/// Warns about properties that cannot be checked if the directory has no manifest.
void warn_of_unchecked(const RestoreRequest& request, const RestoredObject& object, const ErasureCode& code, const Warn& warn) {
  const Positions unchecked = object.unchecked();
  if (!unchecked.empty()) {
    warn("the object was decoded from " + listed(unchecked) +
         ", which cannot be checked: if a chunk is damaged, or if the object was encoded with another profile or stripe unit, " +
         "the decoded object is wrong");
  }
  if (request.stripe_unit_bytes.value_or(0) == 0 && code.data_chunk_count() > 1) {
    warn("--chunks-in " + request.directory + " has no " + manifest_name + ", so the stripe unit cannot be checked: the " +
         "object was read as one stripe; if it was encoded with a stripe unit, give --stripe-unit");
  }
}

void check_object(const RestoredObject& object, const Manifest& manifest, const RestoreRequest& request) {
  if (sha256(object.object(manifest.object_size_bytes)) == manifest.object_sha256) return;
  throw Error("the decoded object is not the object that " + manifest_file(request).string() +
                  " describes: its SHA-256 differs; the manifest is damaged, or this build decodes incorrectly",
              Error::Kind::wrong_bytes);
}

void write_object(const RestoreRequest& request, const std::vector<std::span<const std::uint8_t>>& pieces, std::ostream& out) {
  if (!request.object_file.empty()) return write_whole_file("--object-out", request.object_file, pieces);
  for (const std::span<const std::uint8_t> piece : pieces) {
    out.write(reinterpret_cast<const char*>(piece.data()), static_cast<std::streamsize>(piece.size()));
  }
  out.flush();
}

}  // namespace

void restore_object(const RestoreRequest& request, Registry& registry, std::ostream& out, const Warn& warn) {
  check_object_file(request);
  const std::optional<Manifest> manifest = read_manifest(manifest_file(request));
  const Origin origin = origin_of(request, manifest, registry);
  const ErasureCode& code = *origin.code;
  check_erased(request.erased, code.chunk_count());
  ChunkFiles files = find_chunk_files(request.directory, code.chunk_count(), request.erased, manifest ? &*manifest : nullptr);
  const Cut cut = cut_of(origin, files);
  require_memory(cut.object_size, RestoredObject::memory_bytes(code, cut.stripe_chunk_size, cut.stripe_count));
  RestoredObject object(code, cut.stripe_chunk_size, cut.stripe_count, files.present);
  if (files.damaged.empty()) object.check_recoverable();  // throws Error before the chunks are read
  read_chunk_files(files, object.chunks(), manifest ? &*manifest : nullptr);
  lose_damaged(object, files, request, warn);
  object.rebuild();
  check_agreement(object, files.directory);
  if (manifest) {
    check_object(object, *manifest, request);
  } else {
    check_padding(object, cut);
  }
  write_object(request, object.object(cut.object_size), out);
  if (!out || manifest) return;  // main() reports a write error
  warn_of_unchecked(request, object, code, warn);
  if (!origin.object_size) {
    warn("without --size, ecbench writes the object and its padding, in total " + counted_bytes(cut.object_size));
  }
}

}  // namespace ecbench
