#include "cli/restore.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <ostream>
#include <string_view>

#include "benchmark/encoded_object.h"
#include "benchmark/memory.h"
#include "cli/run.h"
#include "erasure_code/error.h"
#include "restore/chunk_files.h"
#include "restore/restored_object.h"
#include "restore/whole_file.h"

namespace ecbench {
namespace {

namespace fs = std::filesystem;

/// What --chunks-in has an ear for.
constexpr std::array<std::string_view, 9> options_used{"chunks-in", "object-out",  "plugin",           "parameter", "size",
                                                       "erased",    "stripe-unit", "erasure-code-dir", "dispatch"};

void check_options(const Options& options) {
  for (const std::string& option : options.given) {
    if (std::ranges::find(options_used, option) != options_used.end()) continue;
    throw Error("--" + option + " is not allowed with --chunks-in: that decodes the chunks of a folder and measures nothing");
  }
  if (!options.plugin_given) {
    throw Error("--chunks-in needs --plugin and its parameters: chunks do not tell which code made them");
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

std::string listed(const Positions& positions) {
  std::string text;
  for (const int position : positions) text += (text.empty() ? "" : ", ") + std::to_string(position);
  return text;
}

std::string counted_bytes(std::size_t size) {
  return std::to_string(size) + (size == 1 ? " byte" : " bytes");
}

/// How the chunk files are cut.
struct Cut {
  std::size_t object_size = 0;
  std::size_t stripe_chunk_size = 0;
  std::size_t stripe_count = 0;
};

[[noreturn]] void refuse_size(const ChunkFiles& files, const std::string& why) {
  throw Error("--chunks-in " + files.directory + " is not allowed: its chunks have " + counted_bytes(files.chunk_size_bytes) +
              ", " + why);
}

/// The object that fills the data chunks to the last byte, or that of --size; either must have chunks of just the size of the
/// files.
Cut cut_of(const Options& options, const ErasureCode& code, const ChunkFiles& files) {
  const auto k = static_cast<std::size_t>(code.data_chunk_count());
  const std::size_t unit = options.point.stripe_unit_bytes;
  if (unit != 0 && files.chunk_size_bytes % unit != 0) {
    refuse_size(files, "which is no multiple of --stripe-unit " + std::to_string(unit));
  }
  const bool size_given = options.given.count("size") != 0;
  Cut cut{.object_size = size_given ? options.point.size_bytes : k * files.chunk_size_bytes};
  if (cut.object_size / k > files.chunk_size_bytes) {
    refuse_size(files, "which do not hold the " + std::to_string(cut.object_size) + " of --size");
  }
  cut.stripe_chunk_size = stripe_chunk_size(code, cut.object_size, unit);
  cut.stripe_count = stripe_count(code, cut.object_size, cut.stripe_chunk_size);
  const std::size_t expected = cut.stripe_chunk_size * cut.stripe_count;
  if (expected == files.chunk_size_bytes) return cut;
  refuse_size(files, "and this code, with these parameters, gives an object of " + counted_bytes(cut.object_size) + " chunks of " +
                         std::to_string(expected) +
                         (size_given ? "" : ": the profile is another, or its --stripe-unit or --size is missing"));
}

void check_agreement(RestoredObject& object, const std::string& directory) {
  const Positions disagreeing = object.disagreeing();
  if (disagreeing.empty()) return;
  const std::optional<int> suspect = object.only_suspect();
  throw Error(
      "the chunks in " + directory + " do not belong together: " + (disagreeing.size() == 1 ? "chunk " : "chunks ") +
          listed(disagreeing) + (disagreeing.size() == 1 ? " disagrees" : " disagree") + " with the object that the others give; " +
          (suspect
               ? "all agree without chunk " + std::to_string(*suspect) + ": leave it out with --erased " + std::to_string(*suspect)
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

}  // namespace

void restore_object(const Options& options, Registry& registry, std::ostream& out) {
  check_options(options);
  check_object_file(options);
  registry.set_dispatch(options.point.dispatch);
  Profile profile = options.point.profile;
  const std::unique_ptr<ErasureCode> code = registry.make(options.point.plugin, profile);
  check_erased(options.point.erased, code->chunk_count());
  const ChunkFiles files = find_chunk_files(options.chunks_in_directory, code->chunk_count(), options.point.erased);
  const Cut cut = cut_of(options, *code, files);
  require_memory(cut.object_size, RestoredObject::memory_bytes(*code, cut.stripe_chunk_size, cut.stripe_count));
  RestoredObject object(*code, cut.stripe_chunk_size, cut.stripe_count, files.present);
  const bool can_be_checked = !object.left_over().empty();  // and it throws if too much is lost, before anything is read
  read_chunk_files(files, object.chunks());
  object.rebuild();
  check_agreement(object, files.directory);
  check_padding(object, cut);
  if (!can_be_checked) say("no chunk is left over to check the others by: if one is damaged, so is the object, and nothing tells");
  if (options.given.count("size") == 0) {
    say("without --size the object is written with its padding, " + counted_bytes(cut.object_size));
  }
  const std::vector<std::span<const std::uint8_t>> pieces = object.object(cut.object_size);
  if (!options.object_file.empty()) return write_whole_file("--object-out", options.object_file, pieces);
  for (const std::span<const std::uint8_t> piece : pieces) {
    out.write(reinterpret_cast<const char*>(piece.data()), static_cast<std::streamsize>(piece.size()));
  }
}

}  // namespace ecbench
