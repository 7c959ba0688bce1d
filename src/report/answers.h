// What commands other than measure print: describe, list and reads.

#pragma once

#include <cstdint>
#include <memory>
#include <nlohmann/json.hpp>
#include <ostream>
#include <string>

#include "benchmark/erasures/erasures.h"
#include "erasure_code/plugin.h"

namespace ecbench {

// An answer of src/report/describe.schema.json.

/// For an allowed point with the completed profile; `given`: the profile before.
nlohmann::ordered_json description_json(const Point& point, const ErasureCode& code, const Profile& given);

/// How many of the patterns of `chunks` lost chunks cannot be recovered; `most_patterns` random ones if there are more. Throws
/// Error if the code cannot lose so many.
nlohmann::ordered_json losses_json(const ErasureCode& code, std::uint64_t chunks, std::uint64_t most_patterns, std::uint64_t seed);

/// Of the chunks that point.want says. Throws Error (unrecoverable).
std::shared_ptr<const DecodePlan> decode_plan(const Point& point, const Positions& erased, const ErasureCode& code);

void print_plugin(const Plugin& plugin, const std::string& path, std::ostream& out);

/// What is read, or why the lost chunks cannot be rebuilt.
struct Rebuild {
  Positions erased;
  ReadSet reads;
  std::string unrecoverable;
};

Rebuild rebuild_of(const ErasureCode& code, const Positions& erased);

/// The same in all answers of one call.
struct ReadLayout {
  int sub_chunk_count = 1;
  std::uint64_t stripe_chunk_bytes = 0;  ///< bytes of a chunk in one stripe
  std::uint64_t block_bytes = 0;         ///< bytes of a checksum block
};

/// Of the table that print_rebuild() prints.
inline constexpr const char* rebuild_titles = "lost        chunks  drive   blocks  network  runs      reads\n";

void print_rebuild(const Rebuild& rebuild, const ReadLayout& layout, std::ostream& out);

/// src/report/reads.schema.json
void print_rebuild_json(const Rebuild& rebuild, const ReadLayout& layout, std::ostream& out);

/// In the format of Ceph's tool.
void print_pattern(const Positions& erased, int chunk_count, std::ostream& out);

}  // namespace ecbench
