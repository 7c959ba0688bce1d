// Reads the files data/*.jsonl. They contain results of Ceph's own plugins: digests of encoded chunks, read sets, refused profiles
// and aborts.

#pragma once

#include <cstdint>
#include <functional>
#include <memory>
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

/// The code that must have the chunks of a line; null: the line is not checked.
using ChooseCode = std::function<std::unique_ptr<ErasureCode>(const nlohmann::json& line)>;

/// Checks the chunk size and the chunks of each line of `file`, which is corpus.jsonl or golden.jsonl, that `choose` chooses.
/// Returns the number of these lines.
int check_lines(const std::string& file, const ChooseCode& choose);

/// The SHA-256 digest of `bytes` as text, in lower-case hexadecimal digits.
std::string sha256(std::span<const std::uint8_t> bytes);

}  // namespace ecbench::test
