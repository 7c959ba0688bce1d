#include "restore/restore.h"

#include <ostream>

#include "benchmark/buffers/chunk_buffers.h"
#include "benchmark/erasures/erasures.h"
#include "benchmark/objects/encoded_object.h"
#include "erasure_code/erasure_code.h"
#include "erasure_code/error.h"
#include "erasure_code/names.h"
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
    throw Error("--object-out " + request.object_file + " is not allowed: in DIR, the name " + manifest_name +
                " and all names that begin with a digit are reserved for the files of a chunk set; give another name");
  }
}

[[noreturn]] void refuse_size(const ChunkFiles& files, const std::string& why) {
  throw Error("DIR " + files.directory + " is not allowed: each of its chunks has " + counted_bytes(files.chunk_size_bytes) + ", " +
              why);
}

/// Shards of a pool with allow_ec_optimizations can end where the zeros begin. They are padded only if the object has a digest,
/// because a truncated chunk looks the same.
void pad(ChunkFiles& files, const Origin& origin) {
  const std::size_t unit = origin.stripe_unit == 0 ? 1 : origin.stripe_unit;
  const std::size_t padded = round_up(files.chunk_size_bytes, unit);
  const bool ends_early = origin.has_optimizations && padded > files.chunk_size_bytes;
  if (origin.chunks.size_bytes || (files.shorter.empty() && !ends_early)) return;
  if (origin.object_digest.empty()) {
    throw Error("DIR " + files.directory + " is not allowed: " +
                (files.shorter.empty() ? "its chunks do not fill the stripe unit"
                                       : chunks_text(files.shorter) + (files.shorter.size() == 1 ? " is" : " are") +
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
    throw Error(origin.digests_source + " describes an empty object, but " + chunks_text(files.damaged) + " in " + files.directory +
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
  say("restored 0 bytes; verified: " + chunks_text(files.present) + (files.present.size() == 1 ? " is" : " are") + " empty");
}

[[noreturn]] void refuse_contradiction(const RestoreRequest& request, const std::string& given, const std::string& recorded) {
  const std::string file = manifest_file(request).string();
  throw Error(given + " is not allowed: " + file + " has " + recorded +
              "; leave the option out; if the manifest is wrong, remove the manifest");
}

void check_against(const RestoreRequest& request, const Manifest& manifest) {
  for (const auto& [option, is_given] : {std::pair{"--ceph-dump", !request.ceph_dump_file.empty()},
                                         std::pair{"--osdmap", !request.osdmap_file.empty()},
                                         {"--crc32c", request.crc32c.has_value()}}) {
    if (is_given) refuse_contradiction(request, option, "the profile, the sizes and the digests");
  }
  if (request.plugin && plugin_named(*request.plugin) != manifest.plugin) {
    refuse_contradiction(request, "--plugin " + *request.plugin, "plugin " + manifest.plugin);
  }
  for (const auto& [key, value] : request.profile.values()) {
    if (!manifest.profile.has(key) || manifest.profile.text(key) == value) continue;
    refuse_contradiction(request, "--parameter " + key + "=" + value, key + "=" + manifest.profile.text(key));
  }
  const auto bytes = [](std::size_t size) { return std::to_string(size); };
  if (request.object_size_bytes.value_or(manifest.object_size_bytes) != manifest.object_size_bytes) {
    refuse_contradiction(request, "--size " + bytes(*request.object_size_bytes),
                         "an object of " + counted_bytes(manifest.object_size_bytes));
  }
  const std::size_t unit = request.stripe_unit_bytes.value_or(manifest.stripe_unit_bytes);
  if (unit == manifest.stripe_unit_bytes) return;
  refuse_contradiction(request, "--stripe-unit " + (unit == 0 ? "none" : bytes(unit)),
                       manifest.stripe_unit_bytes == 0 ? "no stripe unit" : "stripe unit " + bytes(manifest.stripe_unit_bytes));
}

/// The manifest has all parameters; Registry::make() refuses or ignores others in the request.
std::unique_ptr<ErasureCode> code_of(const RestoreRequest& request, const Manifest& manifest, Registry& registry) {
  const std::string file = manifest_file(request).string();
  Profile profile = request.profile;
  for (const auto& [key, value] : manifest.profile.values()) profile.set(key, value);
  const bool has_more = profile.values().size() > manifest.profile.values().size();
  std::unique_ptr<ErasureCode> code;
  try {
    code = registry.make(manifest.plugin, profile, request.limits);
  } catch (const Error& error) {
    throw Error(file + (has_more ? " cannot be used with the given parameters: " : " cannot be used: ") + error.what(),
                error.kind());
  }
  if (profile.values() != manifest.profile.values()) {
    throw Error(
        file + " cannot be used: plugin " + manifest.plugin +
        " of this build and the plugin that encoded the chunks have different parameters; use the build that encoded the chunks");
  }
  const std::size_t chunk_count = manifest.chunk_sha256.size();
  if (chunk_count == static_cast<std::size_t>(code->chunk_count())) return code;
  throw Error(file + " cannot be used: it has digests of " + std::to_string(chunk_count) + " chunks, but its profile has " +
              std::to_string(code->chunk_count()) + " chunks");
}

void check_options(const RestoreRequest& request) {
  const auto refuse = [](const std::string& option, const std::string& file, const std::string& what) {
    throw Error(option + " is not allowed with " + file + ", which has " + what + "; leave one of them out");
  };
  if (!request.ceph_dump_file.empty()) {
    if (request.object_size_bytes) refuse("--size", "--ceph-dump", "the size of the object");
    if (request.crc32c) refuse("--crc32c", "--ceph-dump", "the CRC-32C of the object");
  }
  if (!request.osdmap_file.empty()) {
    if (request.plugin) refuse("--plugin", "--osdmap", "the profile");
    if (!request.profile.values().empty()) refuse("--parameter", "--osdmap", "the profile");
    if (request.stripe_unit_bytes) refuse("--stripe-unit", "--osdmap", "the stripe unit");
    if (!request.ceph_pool && request.ceph_dump_file.empty()) {
      throw Error("--osdmap " + request.osdmap_file + " is not allowed without a pool; give --ceph-pool NAME, or --ceph-dump FILE");
    }
  }
  if (request.crc32c && !request.object_size_bytes) {
    throw Error(
        "--crc32c is not allowed without --size, because the CRC-32C is that of the object without its padding; give --size");
  }
  if (!request.ceph_pool || !request.osdmap_file.empty()) return;
  throw Error("--ceph-pool " + *request.ceph_pool +
              " is not allowed without --osdmap, which describes the pool; give both options");
}

void check_is_computed_by_ceph(const RestoreRequest& request, const std::string& plugin, const Profile& profile, Registry& registry,
                               const ErasureCode& code) {
  Positions missing = never_computed_by_ceph(code);
  if (plugin_named(plugin) == "ceph" && profile.text("plugin") == "lrc") {
    Profile same = profile;
    same.erase("plugin");
    missing = never_computed_by_ceph(*registry.make("lrc", same, request.limits));
  }
  if (missing.empty()) return;
  const std::string key = profile.text("layers").empty() ? "l" : "layers";
  throw Error("lrc with " + key + "=" + profile.text(key) +
              " cannot be restored: Ceph computes only the last layer that contains " +
              "all chunks and the layers after it, so it never computes " + chunks_text(missing) +
              "; copy the data chunks if all of them exist");
}

/// Compares the pool, its profile and the dump.
void check_pool(const RestoreRequest& request, const CephPool& pool, const CephDump* dump, const ErasureCode& code) {
  const auto refuse = [&](const std::string& why, const std::string& remedy) {
    throw Error("--osdmap " + request.osdmap_file + " is not allowed: pool " + pool.name + " has " + why + "; " + remedy);
  };
  const std::string profile_is_wrong =
      "the profile was changed after the pool was made: give --plugin, --parameter and --stripe-unit of the pool instead";
  const auto k = static_cast<std::size_t>(code.data_chunk_count());
  const auto n = static_cast<std::size_t>(code.chunk_count());
  if (pool.chunk_count != 0 && pool.chunk_count != n) {
    refuse("size " + std::to_string(pool.chunk_count) + ", but its profile has " + std::to_string(n) + " chunks", profile_is_wrong);
  }
  const std::string width = "stripe_width " + std::to_string(pool.stripe_width_bytes);
  if (pool.stripe_width_bytes % k != 0) {
    refuse(width + ", which is not a multiple of the " + std::to_string(k) + " data chunks of its profile", profile_is_wrong);
  }
  if (pool.requested_unit_bytes) {
    const std::size_t unit = code.chunk_size(checked_product(k, *pool.requested_unit_bytes));
    if (unit != pool.stripe_width_bytes / k) {
      refuse(width + ", but its profile has k=" + std::to_string(k) + " and stripe_unit=" +
                 std::to_string(*pool.requested_unit_bytes) + ", a stripe_width of " + std::to_string(checked_product(k, unit)),
             profile_is_wrong);
    }
  }
  if (dump == nullptr || dump->object_size_bytes == 0 || !pool.keeps_digests || !dump->chunk_digests.empty()) return;
  refuse("no flag ec_overwrites, but --ceph-dump " + request.ceph_dump_file +
             " has no digests of chunks, which only an overwrite deletes",
         "give the newest map, and the dump of this object");
}

/// With the code, the stripe unit, and what is known about the chunks.
void take_code(const RestoreRequest& request, const CephDump* dump, Registry& registry, Origin& origin) {
  if (!request.osdmap_file.empty()) {
    CephPool pool =
        read_pool(request.osdmap_file, request.ceph_pool, dump == nullptr ? std::nullopt : std::optional(dump->pool_id));
    registry.ignore_unknown_parameters();  // as Ceph does
    origin.code = registry.make(pool.plugin, pool.profile, request.limits);
    check_is_computed_by_ceph(request, pool.plugin, pool.profile, registry, *origin.code);
    check_pool(request, pool, dump, *origin.code);
    origin.stripe_unit = pool.stripe_width_bytes / static_cast<std::size_t>(origin.code->data_chunk_count());
    origin.has_optimizations = pool.has_optimizations;
    return;
  }
  if (!request.plugin) {
    throw Error("DIR " + request.directory + " is not allowed without --plugin: the directory has no " + manifest_name +
                "; give the plugin and the parameters with which the chunks were encoded, or --osdmap");
  }
  Profile profile = request.profile;
  origin.code = registry.make(*request.plugin, profile, request.limits);
  check_is_computed_by_ceph(request, *request.plugin, profile, registry, *origin.code);
  origin.stripe_unit = request.stripe_unit_bytes.value_or(0);
}

Origin origin_without_manifest(const RestoreRequest& request, Registry& registry) {
  check_options(request);
  Origin origin{.object_size = request.object_size_bytes, .chunks = {.digest_of = crc32c, .digest_name = "CRC-32C"}};
  if (request.crc32c) {
    origin.object_digest = crc32c_text(*request.crc32c);
    origin.digests_source = "--crc32c";
  }
  std::optional<CephDump> dump;
  if (!request.ceph_dump_file.empty()) {
    dump = read_ceph_dump(request.ceph_dump_file);
    origin.object_size = dump->object_size_bytes;
    origin.object_digest = dump->object_digest;
    origin.digests_source = "--ceph-dump " + request.ceph_dump_file;
  }
  take_code(request, dump ? &*dump : nullptr, registry, origin);
  if (dump) {
    // Without digests, a pool with allow_ec_optimizations may have a size of an earlier time.
    const bool is_size_known = !dump->chunk_digests.empty() || (dump->chunk_size_bytes > 0 && !origin.has_optimizations);
    if (is_size_known || dump->object_size_bytes == 0) origin.chunks.size_bytes = dump->chunk_size_bytes;
    origin.chunks.digests = std::move(dump->chunk_digests);
  }
  const auto n = static_cast<std::size_t>(origin.code->chunk_count());
  if (origin.chunks.digests.empty() || origin.chunks.digests.size() == n) return origin;
  throw Error(origin.digests_source + " has the digests of " + std::to_string(origin.chunks.digests.size()) +
              " chunks, but the profile has " + std::to_string(n) + " chunks: give the profile of the object's pool" +
              (request.osdmap_file.empty() ? ", or --osdmap" : ""));
}

}  // namespace

void restore_object(const RestoreRequest& request, Registry& registry, std::ostream& out, const Say& say) {
  if (!std::filesystem::is_directory(request.directory)) {
    throw Error("DIR " + request.directory + " is not a directory; give the directory that contains the chunks 0, 1, ...");
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

std::filesystem::path manifest_file(const RestoreRequest& request) {
  return std::filesystem::path(request.directory) / manifest_name;
}

std::string counted_bytes(std::size_t size) { return std::to_string(size) + (size == 1 ? " byte" : " bytes"); }

Origin origin_of(const RestoreRequest& request, const std::optional<Manifest>& manifest, Registry& registry) {
  if (!manifest) return origin_without_manifest(request, registry);
  check_against(request, *manifest);
  return {.code = code_of(request, *manifest, registry),
          .object_size = manifest->object_size_bytes,
          .stripe_unit = manifest->stripe_unit_bytes,
          .chunks = {.size_bytes = manifest->chunk_size_bytes,
                     .digest_of = sha256,
                     .digest_name = "SHA-256",
                     .digests = manifest->chunk_sha256,
                     .allows_other_names = true},
          .object_digest = manifest->object_sha256,
          .digests_source = manifest_file(request).string()};
}

}  // namespace ecbench
