// The results of Ceph's own plugins in data/*.jsonl: encoded chunks, reads, refusals and aborts. Also the objects from which they
// were computed.

#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <vector>

#include "erasure_code/profile.h"

namespace ecbench::test {

/// The lines of data/<file>. Throws if there is no such file.
std::vector<nlohmann::json> conformance_lines(const std::string& file);

/// The profile in a line.
Profile profile_of(const nlohmann::json& line);

/// The object of corpus.jsonl: 37 bytes that are repeated.
std::vector<std::uint8_t> corpus_object(std::size_t size_bytes);

/// The object of golden.jsonl: SHA256("ec-golden" || LE64(i)), i = 0, 1, ...
std::vector<std::uint8_t> golden_object(std::size_t size_bytes);

/// SHA-256 in lower-case hexadecimal digits.
std::string sha256(std::span<const std::uint8_t> bytes);

}  // namespace ecbench::test
