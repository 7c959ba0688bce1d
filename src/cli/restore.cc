#include "cli/restore.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <optional>
#include <ostream>
#include <string_view>

#include "benchmark/buffers/memory.h"
#include "benchmark/objects/encoded_object.h"
#include "cli/run.h"
#include "erasure_code/error.h"
#include "erasure_code/plugin_alias.h"
#include "restore/chunk_files.h"
#include "restore/chunk_folder.h"
#include "restore/restored_object.h"
#include "restore/sha256.h"
#include "restore/whole_file.h"

namespace ecbench {
namespace {

namespace fs = std::filesystem;

/// The options that --chunks-in uses.
constexpr std::array<std::string_view, 9> options_used{"chunks-in", "object-out",  "plugin",           "parameter", "size",
                                                       "erased",    "stripe-unit", "erasure-code-dir", "dispatch"};

void check_options(const Options& options) {
  for (const std::string& option : options.given) {
    if (std::ranges::find(options_used, option) != options_used.end()) continue;
    throw Error("--" + option + " is not allowed with --chunks-in: that decodes the chunks of a folder and measures nothing");
  }
}

void check_object_file(const Options& options) {
  if (options.object_file.empty()) return;
  std::error_code error;
  const fs::file_status status = fs::status(options.object_file, error);
  if (fs::exists(status) && !fs::is_regular_file(status)) {
    throw Error("--object-out " + options.object_file + " is not allowed: it is no regular file; without --object-out the object " +
                "goes to standard output");
  }
  if (is_chunk_file(options.object_file, options.chunks_in_directory)) {
    throw Error("--object-out " + options.object_file + " is not allowed: among the chunks of --chunks-in it would look like one");
  }
}

/// "chunk 3", "chunks 0, 3".
std::string listed(const Positions& positions) {
  std::string text;
  for (const int position : positions) text += (text.empty() ? "" : ", ") + std::to_string(position);
  return (positions.size() == 1 ? "chunk " : "chunks ") + text;
}

std::string counted_bytes(std::size_t size) {
  return std::to_string(size) + (size == 1 ? " byte" : " bytes");
}

/// How the object was encoded, as the options and the manifest say.
struct Origin {
  std::unique_ptr<ErasureCode> code;
  std::size_t object_size = 0;  ///< 0: not known
  std::size_t stripe_unit = 0;  ///< 0: one stripe
};

/// How the chunk files are cut.
struct Cut {
  std::size_t object_size = 0;
  std::size_t stripe_chunk_size = 0;
  std::size_t stripe_count = 0;
};

fs::path manifest_file(const Options& options) {
  return file_of_set(options.chunks_in_directory, manifest_name);
}

[[noreturn]] void refuse_contradiction(const Options& options, const std::string& given, const std::string& recorded) {
  const std::string file = manifest_file(options).string();
  throw Error(given + " is not allowed: " + file + " has " + recorded +
              "; leave the option out, or remove the manifest if it is wrong");
}

void check_against(const Options& options, const Manifest& manifest) {
  const Point& point = options.point;
  if (options.plugin_given && plugin_named(point.plugin) != manifest.plugin) {
    refuse_contradiction(options, "--plugin " + point.plugin, "plugin " + manifest.plugin);
  }
  for (const auto& [key, value] : point.profile.values()) {
    if (!manifest.profile.has(key) || manifest.profile.text(key) == value) continue;
    refuse_contradiction(options, "--parameter " + key + "=" + value, key + "=" + manifest.profile.text(key));
  }
  if (options.given.count("size") != 0 && point.size_bytes != manifest.object_size_bytes) {
    refuse_contradiction(options, "--size " + std::to_string(point.size_bytes),
                         "an object of " + counted_bytes(manifest.object_size_bytes));
  }
  const bool unit_given = options.given.count("stripe-unit") != 0 || point.stripe_unit_bytes != 0;
  if (!unit_given || point.stripe_unit_bytes == manifest.stripe_unit_bytes) return;
  refuse_contradiction(
      options, "--stripe-unit " + (point.stripe_unit_bytes == 0 ? "none" : std::to_string(point.stripe_unit_bytes)),
      manifest.stripe_unit_bytes == 0 ? "no stripe unit" : "stripe unit " + std::to_string(manifest.stripe_unit_bytes));
}

/// The code that the manifest describes, which is complete: a parameter that only the options have is none of this code.
std::unique_ptr<ErasureCode> code_of(const Options& options, const Manifest& manifest, Registry& registry) {
  const std::string file = manifest_file(options).string();
  Profile profile = options.point.profile;
  for (const auto& [key, value] : manifest.profile.values()) profile.set(key, value);
  std::unique_ptr<ErasureCode> code;
  try {
    code = registry.make(manifest.plugin, profile);
  } catch (const Error& error) {
    throw Error(file + " cannot be used: " + error.what(), error.kind());
  }
  if (profile.values() != manifest.profile.values()) {
    throw Error(file + " cannot be used: plugin " + manifest.plugin + " of this build has other parameters");
  }
  const std::size_t chunk_count = manifest.chunk_sha256.size();
  if (chunk_count == static_cast<std::size_t>(code->chunk_count())) return code;
  throw Error(file + " cannot be used: it has " + std::to_string(chunk_count) + " digests, and its code has " +
              std::to_string(code->chunk_count()) + " chunks");
}

Origin origin_of(const Options& options, const std::optional<Manifest>& manifest, Registry& registry) {
  if (manifest) {
    check_against(options, *manifest);
    return {code_of(options, *manifest, registry), manifest->object_size_bytes, manifest->stripe_unit_bytes};
  }
  if (!options.plugin_given) {
    throw Error("--chunks-in " + options.chunks_in_directory + " is not allowed without --plugin: the folder has no " +
                manifest_name + "; give the plugin and parameters that encoded the chunks");
  }
  const bool size_given = options.given.count("size") != 0;
  Profile profile = options.point.profile;
  return {registry.make(options.point.plugin, profile), size_given ? options.point.size_bytes : 0, options.point.stripe_unit_bytes};
}

[[noreturn]] void refuse_size(const ChunkFiles& files, const std::string& why) {
  throw Error("--chunks-in " + files.directory + " is not allowed: its chunks have " + counted_bytes(files.chunk_size_bytes) +
              ", " + why);
}

/// An object of unknown size fills the data chunks. The chunks of the object must have the size of the files.
Cut cut_of(const Origin& origin, const ChunkFiles& files) {
  const ErasureCode& code = *origin.code;
  const auto k = static_cast<std::size_t>(code.data_chunk_count());
  if (origin.stripe_unit != 0 && files.chunk_size_bytes % origin.stripe_unit != 0) {
    refuse_size(files, "which is not a multiple of the stripe unit " + std::to_string(origin.stripe_unit));
  }
  const bool is_known = origin.object_size != 0;
  Cut cut{.object_size = is_known ? origin.object_size : k * files.chunk_size_bytes};
  if (cut.object_size / k > files.chunk_size_bytes) {
    refuse_size(files, "too few for an object of " + counted_bytes(cut.object_size) + "; give its --size");
  }
  cut.stripe_chunk_size = stripe_chunk_size(code, cut.object_size, origin.stripe_unit);
  cut.stripe_count = stripe_count(code, cut.object_size, cut.stripe_chunk_size);
  const std::size_t expected = cut.stripe_chunk_size * cut.stripe_count;
  if (expected == files.chunk_size_bytes) return cut;
  refuse_size(files, "and this code, with these parameters, gives an object of " + counted_bytes(cut.object_size) + " chunks of " +
                         std::to_string(expected) +
                         (is_known ? "" : ": the profile is another, or its --stripe-unit or --size is missing"));
}

void check_agreement(RestoredObject& object, const std::string& directory) {
  const Positions disagreeing = object.disagreeing();
  if (disagreeing.empty()) return;
  const std::optional<int> suspect = object.only_suspect();
  throw Error("the chunks in " + directory + " do not belong together: " + listed(disagreeing) +
                  (disagreeing.size() == 1 ? " disagrees" : " disagree") + " with the object that the others give; " +
                  (suspect ? "all agree without chunk " + std::to_string(*suspect) + ": leave it out with --erased " +
                                 std::to_string(*suspect)
                           : "too few are left to tell which chunk is damaged, or several are, or the profile is another"),
              Error::Kind::wrong_bytes);
}

void check_padding(const RestoredObject& object, const Cut& cut) {
  for (const std::span<const std::uint8_t> piece : object.padding(cut.object_size)) {
    if (std::ranges::all_of(piece, [](std::uint8_t byte) { return byte == 0; })) continue;
    throw Error("--size " + std::to_string(cut.object_size) +
                " is not allowed: the object goes on behind it, since padding would be zero");
  }
}

void check_erased(const Positions& erased, int chunk_count) {
  if (erased.empty() || erased.back() < chunk_count) return;
  throw Error("--erased " + std::to_string(erased.back()) + " is not allowed: the chunks are 0 to " +
              std::to_string(chunk_count - 1));
}

/// Treats the chunks that differ from the manifest as lost.
void lose_damaged(RestoredObject& object, const ChunkFiles& files, const Options& options) {
  if (files.damaged.empty()) return;
  const std::string differ =
      listed(files.damaged) + (files.damaged.size() == 1 ? " differs" : " differ") + " from " + manifest_file(options).string();
  object.lose(files.damaged);
  try {
    object.check_recoverable();
  } catch (const Error& error) {
    throw Error(differ + ", and the other chunks do not suffice: " + error.what(), Error::Kind::wrong_bytes);
  }
  say(differ + (files.damaged.size() == 1 ? ": it is damaged and" : ": they are damaged and") + " treated as lost");
}

/// Warns of all that could make the object wrong without being noticed. With a manifest nothing could: it has been compared.
void warn_of_unchecked(const Options& options, const RestoredObject& object, const ErasureCode& code) {
  const Positions unchecked = object.unchecked();
  if (!unchecked.empty()) {
    say("nothing checks " + listed(unchecked) +
        ", which the object is made from: if one is damaged, or the profile or stripe unit " +
        "is not the one that wrote it, the object is wrong");
  }
  if (options.point.stripe_unit_bytes == 0 && code.data_chunk_count() > 1) {
    say("--chunks-in " + options.chunks_in_directory + " has no " + manifest_name +
        ", and nothing checks the stripe unit: without " + "--stripe-unit the object is read as one stripe");
  }
}

void check_object(const RestoredObject& object, const Manifest& manifest, const Options& options) {
  if (sha256(object.object(manifest.object_size_bytes)) == manifest.object_sha256) return;
  throw Error("the object that the chunks give is not the one of " + manifest_file(options).string() +
                  ": its SHA-256 differs; the manifest is damaged, or this build's code is wrong",
              Error::Kind::wrong_bytes);
}

void write_object(const Options& options, const std::vector<std::span<const std::uint8_t>>& pieces, std::ostream& out) {
  if (!options.object_file.empty()) return write_whole_file("--object-out", options.object_file, pieces);
  for (const std::span<const std::uint8_t> piece : pieces) {
    out.write(reinterpret_cast<const char*>(piece.data()), static_cast<std::streamsize>(piece.size()));
  }
  out.flush();
}

}  // namespace

void restore_object(const Options& options, Registry& registry, std::ostream& out) {
  check_options(options);
  check_object_file(options);
  registry.set_dispatch(options.point.dispatch);
  const std::optional<Manifest> manifest = read_manifest(manifest_file(options));
  const Origin origin = origin_of(options, manifest, registry);
  const ErasureCode& code = *origin.code;
  check_erased(options.point.erased, code.chunk_count());
  ChunkFiles files =
      find_chunk_files(options.chunks_in_directory, code.chunk_count(), options.point.erased, manifest ? &*manifest : nullptr);
  const Cut cut = cut_of(origin, files);
  require_memory(cut.object_size, RestoredObject::memory_bytes(code, cut.stripe_chunk_size, cut.stripe_count));
  RestoredObject object(code, cut.stripe_chunk_size, cut.stripe_count, files.present);
  if (files.damaged.empty()) object.check_recoverable();  // before anything is read
  read_chunk_files(files, object.chunks(), manifest ? &*manifest : nullptr);
  lose_damaged(object, files, options);
  object.rebuild();
  check_agreement(object, files.directory);
  if (manifest) {
    check_object(object, *manifest, options);
  } else {
    check_padding(object, cut);
  }
  write_object(options, object.object(cut.object_size), out);
  if (!out || manifest) return;  // main reports what could not be written
  warn_of_unchecked(options, object, code);
  if (origin.object_size == 0) {
    say("without --size the object is written with its padding, " + counted_bytes(cut.object_size));
  }
}

}  // namespace ecbench
