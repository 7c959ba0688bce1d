// The files of a chunk directory: their names, reading them (restore), writing them (chunks).

#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "benchmark/buffers/chunk_buffers.h"
#include "erasure_code/erasure_code.h"
#include "restore/metadata.h"
#include "restore/unfinished.h"

namespace ecbench {

/// "0x" and 8 lowercase hexadecimal digits, as in the output of ceph-objectstore-tool.
std::string crc32c_text(std::uint32_t value);

/// As Ceph computes it (the initial value is -1, and the result is not inverted), as crc32c_text(). The pieces are concatenated.
std::string crc32c(const std::vector<std::span<const std::uint8_t>>& pieces);

/// The pieces are concatenated; 64 lowercase hexadecimal digits.
std::string sha256(const std::vector<std::span<const std::uint8_t>>& pieces);

// The names of the files in a chunk directory: 0 to n-1 for the chunks, and manifest.json.

inline constexpr const char* manifest_name = "manifest.json";

/// A number without leading zeros, such as "10", or the manifest.
bool belongs_to_chunk_set(const std::string& name);

/// Known before the files are read.
struct ExpectedChunks {
  std::optional<std::size_t> size_bytes;
  std::string (*digest_of)(const std::vector<std::span<const std::uint8_t>>& pieces) = nullptr;
  std::string digest_name;
  std::vector<std::string> digests;  ///< by position; empty if unknown
  bool allows_other_names = false;   ///< ignore files whose names begin with a digit, but are not names of chunks
};

struct ChunkFiles {
  std::string directory;
  Positions present;                 ///< chunks that have a file of the right size and are not treated as lost
  Positions damaged;                 ///< chunks whose file differs from what is expected
  std::map<int, int> other_chunk;    ///< for some damaged chunks, the chunk that the file contains instead
  std::size_t chunk_size_bytes = 0;  ///< the size of each file in `present`; if it is not expected, that of the longest
  Positions shorter;                 ///< those in `present` whose file is shorter, if the size is not expected
};

/// Which chunks below `chunk_count` have a file, except `left_out`. Throws Error if the directory cannot be read or has no chunk,
/// for a chunk that is not a regular file, for a name that ExpectedChunks does not allow, and if the size is unknown and all chunks
/// are empty.
ChunkFiles find_chunk_files(const std::string& directory, int chunk_count, const Positions& left_out,
                            const ExpectedChunks& expected);

/// Reads chunk i in `present` into chunks[i], and writes zeros after one in `shorter`; one with another digest than expected moves
/// to `damaged`. Throws Error if a file cannot be read, or its size has changed.
void read_chunk_files(ChunkFiles& files, const ChunkBuffers& chunks, const ExpectedChunks& expected);

/// True for a name in `directory` that begins with a digit, and for the manifest; also through symbolic links.
bool is_chunk_file(const std::string& path, const std::string& directory);

/// Throws Error if `directory` exists and is not an empty directory.
void check_new_or_empty(const std::string& directory);

/// A complete chunk set. The destructor removes its files, unless keep() was called.
class ChunkSetFiles {
 public:
  /// Writes chunk i to `directory`/i, which is made if missing, and then the manifest. After an error or a signal, the files are
  /// removed. Throws Error, also if a file of the set exists.
  ChunkSetFiles(const std::string& directory, const ChunkBuffers& chunks, const Manifest& manifest);
  ~ChunkSetFiles();

  ChunkSetFiles(const ChunkSetFiles&) = delete;
  ChunkSetFiles& operator=(const ChunkSetFiles&) = delete;

  void keep() { is_kept_ = true; }

 private:
  ChunkSetFiles() = default;
  void write(const std::string& name, std::span<const std::uint8_t> bytes);

  std::optional<HeldSignals> signals_{std::in_place};  ///< until the set is complete
  std::filesystem::path folder_;
  bool is_created_ = false;
  std::vector<std::filesystem::path> files_;
  bool is_kept_ = false;
};

}  // namespace ecbench
