// Reads the small files under /proc and /sys that describe the system. The functions take the path of a file, or its text, so that
// tests can provide their own files. A missing or unreadable file gives an absent value, never an error.

#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace ecbench {

/// The file's text without trailing white space. Absent if the file cannot be read.
std::optional<std::string> read_text(const std::filesystem::path& file);

/// The number at the beginning of the file. Absent if the file cannot be read, or does not begin with a number.
std::optional<std::int64_t> read_integer(const std::filesystem::path& file);

std::vector<std::string> lines_of(const std::string& text);
std::vector<std::string> words_of(const std::string& text);

/// `text` without leading and trailing white space.
std::string trimmed(const std::string& text);

/// Convert Linux's notation for a set of CPUs to a list of numbers, and back. For example, "0-2,5" means the CPUs 0, 1, 2 and 5.
std::vector<int> parse_cpu_list(const std::string& text);
std::string format_cpu_list(const std::vector<int>& cpus);

}  // namespace ecbench
