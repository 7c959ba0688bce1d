// Objects of JSON in rows and in other outputs.

#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <ostream>
#include <span>
#include <string>

#include "benchmark/codec_libraries/codec_libraries.h"
#include "benchmark/environment/environment.h"
#include "benchmark/erasures/erasures.h"
#include "benchmark/instructions/instructions.h"
#include "erasure_code/plugin.h"

namespace ecbench {

// The environment as a JSON object. Its keys are the members of Environment; an unknown value is null.

/// "unfit" lists why figures of this machine may be wrong.
nlohmann::ordered_json environment_json(const Environment& environment);

/// On one line. Bytes that are not valid UTF-8 are replaced.
std::string environment_text(const Environment& environment);

/// {"libisal.so.2": {"path": ..., "version": ..., "build_id": ...}, ...}
nlohmann::ordered_json codec_libraries_json(std::span<const SharedObject> libraries);

/// One line: {"format": "ecbench instructions 1", "iterations", "instructions", "repetitions", "objects": [{"path", "at":
/// [["0x1bf80", 4096], ...]}]}, an object for the program and each library; "path" is "" for code that is not in a file. "at":
/// addresses as in the symbol table of the file, and how often each was executed.
std::string instructions_text(const InstructionCount& count);

/// One line. Addresses are hexadecimal strings: numbers in JSON may lose precision.
std::string symbols_text(const KernelSymbols& symbols);

/// An element of src/report/list.schema.json.
nlohmann::ordered_json plugin_json(const Plugin& plugin, const std::string& path);

// The reads of a repair, and the cost of these reads, as JSON. The keys are the same in rows and in the output of --show-reads.

/// {position: [[first, count], ...]}, pairs of consecutive sub-chunks.
nlohmann::ordered_json reads_json(const ReadSet& reads);

/// An object with the keys chunks_read, drive_factor, network_factor and reads_per_helper.
nlohmann::ordered_json read_cost_json(const ReadCost& cost);

// What commands print except rows.

/// An answer of src/report/describe.schema.json for an allowed point with the completed profile; `given`: the profile before.
nlohmann::ordered_json description_json(const Point& point, const ErasureCode& code, const Profile& given);

/// count_losses(). Throws Error if the code cannot lose as many `chunks`.
nlohmann::ordered_json losses_json(const ErasureCode& code, std::uint64_t chunks, std::uint64_t most_patterns, std::uint64_t seed);

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

/// The titles of the table that print_rebuild() prints.
inline constexpr const char* rebuild_titles = "lost        chunks  drive   blocks  network  runs      reads\n";

void print_rebuild(const Rebuild& rebuild, const ReadLayout& layout, std::ostream& out);

/// src/report/reads.schema.json
void print_rebuild_json(const Rebuild& rebuild, const ReadLayout& layout, std::ostream& out);

/// In the format of Ceph's tool.
void print_pattern(const Positions& erased, int chunk_count, std::ostream& out);

}  // namespace ecbench
