// The results of Ceph's own plugins in data/*.jsonl: encoded chunks, reads, refusals and aborts. Also makes the objects that were
// encoded for these results.

#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <vector>

#include "erasure_code/profile.h"

namespace ecbench::test {

/// The lines of data/<file>. Throws if the file cannot be opened.
std::vector<nlohmann::json> conformance_lines(const std::string& file);

/// The profile in a line.
Profile profile_of(const nlohmann::json& line);

/// An object of corpus.jsonl. It consists of 37 bytes that are repeated.
std::vector<std::uint8_t> corpus_object(std::size_t size_bytes);

/// An object of golden.jsonl. It consists of the digests SHA256("ec-golden" || LE64(i)) for i = 0, 1, ...
std::vector<std::uint8_t> golden_object(std::size_t size_bytes);

/// The SHA-256 digest in lower-case hexadecimal digits.
std::string sha256(std::span<const std::uint8_t> bytes);

}  // namespace ecbench::test
