// Reads the files data/*.jsonl. They contain results of Ceph's own plugins: digests of encoded chunks, read sets, refused profiles
// and aborts. corpus_object() and golden_object() make the objects that Ceph's plugins encoded.

#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <vector>

#include "erasure_code/erasure_code.h"
#include "erasure_code/profile.h"

namespace ecbench::test {

/// The lines of data/<file>. Throws if the file cannot be opened.
std::vector<nlohmann::json> conformance_lines(const std::string& file);

/// The profile that `line` contains.
Profile profile_of(const nlohmann::json& line);

/// The object of `size_bytes` bytes that was encoded for corpus.jsonl. It consists of the same 37 bytes, repeated.
std::vector<std::uint8_t> corpus_object(std::size_t size_bytes);

/// The object of `size_bytes` bytes that was encoded for golden.jsonl. It consists of the digests SHA256("ec-golden" || LE64(i))
/// for i = 0, 1, ...
std::vector<std::uint8_t> golden_object(std::size_t size_bytes);

/// Checks that `code` has the chunk size and the chunks of `line`, which is of corpus.jsonl or golden.jsonl.
void check_chunks(const ErasureCode& code, const nlohmann::json& line, std::span<const std::uint8_t> object);

/// The SHA-256 digest of `bytes` as text, in lower-case hexadecimal digits.
std::string sha256(std::span<const std::uint8_t> bytes);

}  // namespace ecbench::test
