// Small files under /proc and /sys. The functions take a path or a text, for tests. A missing or unreadable file gives an absent
// value.

#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace ecbench {

/// Without trailing white space.
std::optional<std::string> read_text(const std::filesystem::path& file);

/// Absent if there is none.
std::optional<std::int64_t> read_integer(const std::filesystem::path& file);

std::vector<std::string> lines_of(const std::string& text);
std::vector<std::string> words_of(const std::string& text);

std::string trimmed(const std::string& text);

/// "0-2,5" is the CPUs 0, 1, 2 and 5.
std::vector<int> parse_cpu_list(const std::string& text);
std::string format_cpu_list(const std::vector<int>& cpus);

}  // namespace ecbench
