// The small files under /proc and /sys in which Linux describes itself. Every reader takes the root of the tree, so that tests
// lay out a machine of their own; what is not there or cannot be read is absent, never an error.

#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace ecbench {

/// The file's text without white space at its end; absent if it cannot be read.
std::optional<std::string> read_text(const std::filesystem::path& file);

/// The number that the file begins with.
std::optional<std::int64_t> read_integer(const std::filesystem::path& file);

std::vector<std::string> lines_of(const std::string& text);
std::vector<std::string> words_of(const std::string& text);

/// `text` without white space at its ends.
std::string trimmed(const std::string& text);

/// "0-2,5" as 0 1 2 5, and back: how Linux writes a set of CPUs.
std::vector<int> parse_cpu_list(const std::string& text);
std::string format_cpu_list(const std::vector<int>& cpus);

}  // namespace ecbench
